"""Heterogeneity-informed topic sampling (Sawatphol et al. 2024, TACL 12, §4, Eqs. 2–3).

Start with the topic least similar to all others on average; then add, m − 1 times, the unselected topic of least
leakage l = mean(S)·max(S), where S are its similarities to the topics already chosen.

The paper leaves two cases open. *Negative similarities* would make l positive when both factors are negative, so
similarities are clipped at 0 inside Eq. 3 (the paper's rule wherever none is negative). *Ties* go to the smaller
mean of the unclipped similarities, then to the smaller topic id.
"""

from __future__ import annotations

import logging

import numpy as np

from ravenbench.sampling.base import Sampler, Selection
from ravenbench.sampling.units import check, totals, units
from ravenbench.types import Floats, Ints

logger = logging.getLogger(__name__)


class HITS(Sampler):
    """HITS: the topics least similar to one another, chosen one by one; the others are cut. Deterministic."""

    name = "hits"
    merges = False

    def select(self, similarity: Floats, m: int, rng: np.random.Generator) -> Selection:
        return Selection.cutting(choose(similarity, m), len(similarity))


def choose(similarity: Floats, m: int, most: bool = False) -> Ints:
    """Topics in order of choice, (m,); O(m·T) after one pass over the matrix.

    Parameters
    ----------
    similarity : (T, T)
    m : int
    most : bool
        Choose the most instead of the least similar topics, every comparison reversed.

    Raises
    ------
    CorpusError
        If m is not from 1 to T.
    """
    check(similarity, m)
    size = len(similarity)
    sign = -1 if most else 1
    mean, negative = totals(similarity)
    if negative:
        pairs = size * (size - 1) // 2
        logger.info("%d of %d topic pairs have a negative similarity, counted as 0 in Eq. 3", negative, pairs)
    chosen = np.empty(m, dtype=np.int64)
    free = np.ones(size, dtype=bool)
    chosen[0] = np.argmin(sign * mean)
    raw = np.zeros(size, dtype=np.int64)
    clipped = np.zeros(size, dtype=np.int64)
    top = np.zeros(size, dtype=np.int64)
    for step in range(1, m):
        last = chosen[step - 1]
        free[last] = False
        row = units(similarity[last])
        raw += row
        np.maximum(row, 0, out=row)
        clipped += row
        np.maximum(top, row, out=top)
        # Every candidate has equally many similarities, so sums order them as means do.
        leakage = sign * clipped.astype(np.float64) * top
        left = np.flatnonzero(free)
        left = left[leakage[left] == leakage[left].min()]
        chosen[step] = left[np.argmin(sign * raw[left])]
    return chosen
