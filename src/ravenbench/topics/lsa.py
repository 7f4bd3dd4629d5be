"""Latent semantic analysis: tf-idf of words, truncated singular value decomposition (Deerwester et al. 1990).

The default where nothing may be downloaded; the paper's own encoder is ``sbert``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ravenbench.randomness import stream
from ravenbench.topics.base import Encoder
from ravenbench.topics.chunks import averaged, chunked, sampled
from ravenbench.topics.words import fitted
from ravenbench.types import Floats

PART = 1_000
"""Texts encoded at a time where the corpus is too large for one matrix."""


@dataclass(eq=False, repr=False)
class LSA(Encoder):
    """Encodes a text as its sublinear tf-idf of words, reduced to few dimensions.

    Parameters
    ----------
    dimensions : int
        Fewer where there are fewer words or texts.
    min_df, max_df : int or float
        Fewest and most texts (chunks) a word may occur in; a float is a share.
    features : int
        Most words kept.
    window : int
        Words a chunk.
    seed : int
    sample : int
        Where the texts have more chunks than this, words and dimensions are learned from whole texts with about
        so many, drawn at random, and all texts are then encoded part by part: memory does not grow with the corpus.
    """

    name = "lsa"

    dimensions: int = 100
    seed: int = 0
    min_df: int | float = 3
    max_df: int | float = 0.3
    features: int = 30000
    window: int = 500
    sample: int = 50_000

    def encode(self, texts: Sequence[str]) -> Floats:
        encoder = self.learn(texts)
        if encoder is not None:
            return np.concatenate([encoder(texts[at : at + PART]) for at in range(0, len(texts), PART)])
        chunks, owner = chunked(texts, self.window)
        return averaged(self._fit(chunks)[1](), owner)

    def learn(self, texts: Sequence[str]) -> Callable[[Sequence[str]], Floats] | None:
        self.need_some("dimensions", "features", "window", "sample")
        rows = sampled(texts, self.window, self.sample, stream(self.seed, "lsa-sample"))
        if rows is None:
            return None
        encode, _ = self._fit(chunked([texts[int(row)] for row in rows], self.window)[0])

        def part(texts: Sequence[str]) -> Floats:
            chunks, owner = chunked(texts, self.window)
            return averaged(encode(chunks), owner)

        return part

    def _fit(self, chunks: list[str]) -> tuple[Callable[[list[str]], Floats], Callable[[], Floats]]:
        """Learn from chunks; return functions that encode further chunks, and these."""
        from threadpoolctl import threadpool_limits

        words, counted = fitted(chunks, min_df=self.min_df, max_df=self.max_df, features=self.features)
        weights = words.weighed(counted, sublinear=True)
        rank = min(self.dimensions, min(weights.shape) - 1)
        # One thread: the order of BLAS's sums, and so the last bits, would depend on their number.
        with threadpool_limits(1):
            axes = directions(weights, rank, self.seed).T if rank > 0 else None

        def encode(weights: Any) -> Floats:
            with threadpool_limits(1):
                return np.asarray(weights.toarray() if axes is None else weights @ axes, dtype=np.float64)

        return (lambda more: encode(words.weighed(words.counted(more), sublinear=True))), lambda: encode(weights)


def directions(matrix: Any, rank: int, seed: int) -> Floats:
    """The right singular vectors of a sparse matrix (n, v) with the largest values, (rank, v), nearly.

    By seven power iterations on a random subspace (Halko et al. 2011), drawn and normalised as scikit-learn's
    ``TruncatedSVD`` does, the largest entry of each positive. That class gives the same, but is a second to import.
    """
    from scipy.linalg import lu, qr, svd

    wide = matrix.shape[0] < matrix.shape[1]
    tall = matrix.T if wide else matrix
    space = np.random.RandomState(seed).normal(size=(tall.shape[1], rank + 10))
    for _ in range(7):
        space, _ = lu(tall @ space, permute_l=True, check_finite=False)
        space, _ = lu(tall.T @ space, permute_l=True, check_finite=False)
    basis, _ = qr(tall @ space, mode="economic", check_finite=False)
    left, _, right = svd(basis.T @ tall, full_matrices=False)
    found = (basis @ left).T[:rank] if wide else right[:rank]
    largest = found[np.arange(rank), np.abs(found).argmax(axis=1)]
    return np.asarray(found * np.sign(largest)[:, None], dtype=np.float64)
