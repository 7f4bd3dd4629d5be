"""Latent semantic analysis: tf-idf of words, truncated singular value decomposition (Deerwester et al. 1990).

The default where nothing may be downloaded; the paper's own encoder is ``sbert``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ravenbench.topics.base import Encoder
from ravenbench.topics.chunks import averaged, chunked
from ravenbench.topics.words import counts
from ravenbench.types import Floats


class LSA(Encoder):
    """Word tf-idf (sublinear) reduced to few dimensions.

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
    """

    name: ClassVar[str] = "lsa"

    def __init__(
        self,
        dimensions: int = 100,
        seed: int = 0,
        min_df: int | float = 3,
        max_df: int | float = 0.3,
        features: int = 30000,
        window: int = 500,
    ) -> None:
        self.dimensions = dimensions
        self.seed = seed
        self.min_df = min_df
        self.max_df = max_df
        self.features = features
        self.window = window

    def encode(self, texts: Sequence[str]) -> Floats:
        from sklearn.decomposition import TruncatedSVD
        from threadpoolctl import threadpool_limits

        chunks, owner = chunked(texts, self.window)
        weights, _ = counts(
            chunks, min_df=self.min_df, max_df=self.max_df, features=self.features, tfidf=True, sublinear=True
        )
        rank = min(self.dimensions, min(weights.shape) - 1)
        if rank < 1:
            return averaged(np.asarray(weights.toarray(), dtype=np.float64), owner)
        # One thread: the order of BLAS's sums, and so the last bits, would depend on their number.
        with threadpool_limits(1):
            vectors = TruncatedSVD(rank, n_iter=7, random_state=self.seed).fit_transform(weights)
        return averaged(vectors, owner)
