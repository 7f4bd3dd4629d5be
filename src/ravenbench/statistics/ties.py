"""Ranks of systems, of which those that no test can put in order share one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.types import Ints


def tie_groups(score: ArrayLike, separated: ArrayLike) -> Ints:
    """Rank of each system, 1 = best; the systems of a tie group share the rank of its first (1, 2, 2, 4).

    Systems are put in order of score. The order is cut between two neighbours only if *every* system above the
    cut is separated from *every* one below it; what lies between two cuts is a tie group. Two systems in
    different groups are therefore always separated by a test; two systems in one group may or may not be.

    With Holm-corrected p-values over all pairs, equal systems are put in different groups with probability ≤ α.

    Parameters
    ----------
    score : (s,) float
        Higher is better; NaN (undefined) ranks last.
    separated : (s, s) bool
        Whether a corrected test tells two systems apart; symmetric.

    Returns
    -------
    (s,) int64
    """
    values, apart = np.asarray(score, dtype=np.float64), np.asarray(separated, dtype=np.bool_)
    order = np.argsort(np.where(np.isnan(values), np.inf, -values), kind="stable")
    apart = apart[np.ix_(order, order)]
    group = np.ones(len(values), dtype=np.int64)
    for cut in range(1, len(values)):
        group[order[cut]] = cut + 1 if apart[:cut, cut:].all() else group[order[cut - 1]]
    return group
