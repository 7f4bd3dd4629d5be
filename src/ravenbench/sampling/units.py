"""Similarities as whole numbers, so that neither float noise nor the order of a sum can choose a topic."""

from __future__ import annotations

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.types import Floats, Ints

UNIT = 1e12
"""Similarities are counted in units of 1e-12: sums over fewer than 9,000 topics are then exact in float64 too."""

BLOCK = 64
"""Rows turned into units at once: few enough to stay in the cache."""


def check(similarity: Floats, m: int) -> None:
    """Refuse a number of topics that cannot be chosen by these similarities.

    Raises
    ------
    CorpusError
        If m is not from 1 to T.
    ValueError
        If the matrix is not square or holds a number that is not finite.
    """
    if similarity.ndim != 2 or similarity.shape[0] != similarity.shape[1]:
        raise ValueError(f"similarity must be square, not of shape {similarity.shape}")
    if not np.isfinite(similarity).all():
        raise ValueError("similarity must be finite")
    if not 1 <= m <= len(similarity):
        raise CorpusError(
            f"{m} topics cannot be chosen from {len(similarity)}",
            found=f"{len(similarity)} topics",
            expected=f"a number of topics from 1 to {len(similarity)}",
            fix="choose fewer topics, a finer level of topic, or a lower minimum of documents a topic",
        )


def units(similarity: Floats) -> Ints:
    """Similarities counted in whole units, an array of the same shape."""
    return np.rint(similarity * UNIT).astype(np.int64)


def totals(similarity: Floats) -> tuple[Ints, int]:
    """Sum of each topic's similarities to all *other* topics in units, (T,), and how many are negative.

    Each unordered pair of topics is counted once among the negative ones.
    """
    size = len(similarity)
    total = np.empty(size, dtype=np.int64)
    negative = 0
    for start in range(0, size, BLOCK):
        block = units(similarity[start : start + BLOCK])
        place = np.arange(len(block))
        block[place, start + place] = 0
        total[start : start + BLOCK] = block.sum(axis=1)
        negative += int(np.count_nonzero(block < 0))
    return total, negative // 2
