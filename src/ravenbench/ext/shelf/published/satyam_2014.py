"""Verifies as Satyam et al. 2014 (``Satyam2014``): latent semantic analysis of character n-grams within each problem.

In: ``Problems`` (n) and, for ``fit``, their truth (n,) bool, True = same author. For ``log_entropy`` counts (rows,
n-grams); for ``latent`` such rows and a rank; for ``separation`` rows, of which the first ``known`` are known segments.
Out: answers (n,) from 0 to 1, higher = same author, 0.5 = unanswered; ``log_entropy``: weighted counts; ``latent``:
coordinates (rows, rank); ``separation``: a difference of mean cosines in standard deviations, unbounded, higher = more
alike, NaN if undefined. SpecError without lengths, CorpusError if one class is absent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
from msgspec import Meta

from ravenbench.errors import SpecError
from ravenbench.ext.shelf.calibrators import Banded
from ravenbench.ext.shelf.published.one_class import OneClass, sides
from ravenbench.ext.shelf.published.shelf_views import cosines, count, dense, units_of
from ravenbench.metrics.pan import auc
from ravenbench.text.views import chunks
from ravenbench.types import Bools, Floats, Length, Problems

_WIDEST = 0.02


@dataclass(eq=False, repr=False)
class Satyam2014(OneClass):
    """Distance of questioned segments from known segments, in standard deviations among the known segments.

    The abstract describes latent semantic analysis of character n-grams, pairwise similarities, a threshold from their
    statistics, and an n chosen on training problems. The rest is ours: documents are cut into segments of about
    ``segment`` characters; counts are weighted by log-entropy, log(1 + tf) · (1 + Σ p log p / log N); at most ``rank``
    dimensions; the score is (mean cosine u–K − mean cosine K–K) / deviation of K–K, over pairs of segments. A problem
    with fewer than three known segments, or with identical segments, is 0.5. The inverse hyperbolic sine of the score
    (which is huge if few segments are close together), a logistic map and a band of at most .02 make answers:
    the original left 7 of 796 unanswered.

    After a second reading: the abstract also tunes cutoff, local and global weighting, distance measure and threshold
    for each language and genre, "central to this technique", without their values. Here only n is chosen, and training
    truth sets the threshold; the original was tuned by hand, so the two can differ in either direction.

    A default run on newsgroups takes some 17 CPU minutes (``docs/scale.md``): every problem is a separate semantic
    space, which training decomposes for each n.

    Parameters
    ----------
    lengths : tuple of int
        Values of n to choose from, by training AUC.
    segment, rank : int
        Characters of a segment, and maximum dimensions.

    Attributes
    ----------
    n_ : int
    calibrator_ : Banded

    References
    ----------
    Satyam, Anand, Dawn & Saha 2014, A statistical analysis approach to author identification using latent semantic
    analysis (PAN at CLEF).
    """

    name = "satyam-2014"
    reads = "characters"

    lengths: tuple[Length, ...] = (3, 4, 5)
    segment: Annotated[int, Meta(ge=100, le=100_000)] = 750
    rank: int = 10

    def fit(self, problems: Problems, same: Bools) -> Self:
        from scipy.special import expit

        if not self.lengths:
            raise SpecError(
                "satyam-2014: lengths must contain at least one number", found=self.lengths
            )
        same = np.asarray(same, dtype=bool)
        each = np.stack([self._scores(problems, n) for n in self.lengths], axis=1)
        distances = []
        for z in each.T:
            finite = ~np.isnan(z)
            distances.append(auc(same[finite], expit(z[finite])) or 0.0)
        best = int(np.argmax(distances))
        self.n_ = self.lengths[best]
        self.calibrator_ = Banded(most=_WIDEST).fit(np.arcsinh(each[:, best]), same)
        return self

    def answer(self, known: list[str], questioned: str) -> float:
        return float(
            self.calibrator_.transform(
                np.arcsinh(np.array([self._score(known, questioned, self.n_)]))
            )[0]
        )

    def _scores(self, problems: Problems, n: int) -> Floats:
        scores = [
            self._score(known, questioned, n) for known, questioned in sides(problems, self.read)
        ]
        return np.array(scores, dtype=np.float64)

    def _score(self, known_texts: list[str], questioned: str, n: int) -> float:
        texts = [*known_texts, questioned]
        length = min(self.segment, max(sum(map(len, texts[:-1])) // 4, 1))
        parts = [chunks(text, length) for text in texts]
        known = sum(map(len, parts[:-1]))
        segments = [units_of(text, "char") for part in parts for text in part]
        return separation(latent(log_entropy(dense(count(segments, n))), self.rank), known)


def log_entropy(counts: Floats) -> Floats:
    """Return log(1 + tf) · (1 + Σ p log p / log N), p the share of each of the N rows in its column."""
    rows = len(counts)
    if rows < 2:
        return np.log1p(counts)
    share = counts / np.maximum(counts.sum(axis=0), 1)
    entropy = (share * np.log(np.where(share > 0, share, 1))).sum(axis=0)
    return np.asarray(np.log1p(counts) * (1 + entropy / np.log(rows)))


def latent(rows: Floats, rank: int) -> Floats:
    """Return coordinates (N, rank) of the rows in their ``min(rank, N − 1)`` strongest singular directions, up to signs."""
    values, vectors = np.linalg.eigh(rows @ rows.T)
    largest = slice(-max(min(rank, len(rows) - 1), 1), None)
    return np.asarray(vectors[:, largest] * np.sqrt(np.maximum(values[largest], 0)))


def separation(rows: Floats, known: int) -> float:
    """Return (mean cosine of the other rows to the first ``known`` − mean among these) / deviation among these."""
    similarity = cosines(rows)
    first, second = np.triu_indices(known, 1)
    among = similarity[first, second]
    if len(among) < 3 or known == len(rows) or among.std() < 1e-9:
        return float("nan")
    return float((similarity[known:, :known].mean() - among.mean()) / among.std())
