"""Tests whether systems differ, corrects for many tests, and ranks systems (shared ranks, stability of rankings).

In: ``t_test``: results of folds (n,), (m,); ``sign_test``: numbers of problems that only one of two systems gets right;
``holm``: p-values (k,); ranks: values of systems (…, s), higher = better; ``tie_groups``: scores (s,) and a bool matrix
(s, s), True = a test separates the two; ``ranking_stability``: values (folds, models).
Out: two-sided p from 0 to 1 (``t_test``: None if undefined), ``holm`` corrected p (k,), ``stars`` text; ranks, 1 =
best, mean (``average_ranks``, ``mean_ranks``) or shared (``tie_groups``), ``shown_rank`` text; a ``Stability`` (mean
Spearman's ρ, −1 to 1, None without pairs; counts of pairs of folds).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.types import Floats, Ints


def stars(p: float | None) -> str:
    """Return a p-value (0 to 1) as stars: ``***`` below .001, ``**`` below .01, ``*`` below .05, ``=`` otherwise,
    ``n/a`` if undefined."""
    if p is None:
        return "n/a"
    return "***" if p < 0.001 else "**" if p < 0.01 else "*" if p < 0.05 else "="


def holm(p: ArrayLike) -> Floats:
    """Return Holm's step-down adjusted p-values (k,), in the given order: rejecting those ≤ α keeps the chance of any
    false rejection ≤ α under any dependence (Holm 1979, A simple sequentially rejective multiple test procedure.
    Scandinavian Journal of Statistics 6)."""
    raw = np.asarray(p, dtype=np.float64)
    order = np.argsort(raw, kind="stable")
    steps = np.maximum.accumulate(raw[order] * np.arange(len(raw), 0, -1))
    return np.minimum(steps, 1.0)[np.argsort(order)]


def t_test(a: ArrayLike, b: ArrayLike) -> float | None:
    """Return the two-sided p of Student's unpaired t-test of fold values (n,), (m,) with pooled variance.

    None without any spread, or with an empty side or fewer than three values in all. For 10 HITS folds against 5 × 10
    Random folds it gives the stars of the HITS paper's Table 2. Folds share training data, so p is optimistic; use it
    only to compare with published tables.
    """
    from scipy.stats import ttest_ind

    left = np.asarray(a, dtype=np.float64)
    right = np.asarray(b, dtype=np.float64)
    if (
        not len(left)
        or not len(right)
        or len(left) + len(right) < 3
        or max(np.ptp(left), np.ptp(right)) < 1e-12
    ):
        return None
    with warnings.catch_warnings():
        # Folds with nearly equal results are ordinary.
        warnings.simplefilter("ignore", RuntimeWarning)
        return float(ttest_ind(left, right).pvalue)


def sign_test(a_only: int, b_only: int) -> float:
    """Return the two-sided exact p (McNemar) for the hypothesis that two systems are right equally often.

    The numbers count problems that only one of the two gets right; p is 1 if both are 0. Approximate randomization of
    accuracy estimates the same p: the proportion of the 2^n sign patterns of the n discordant problems whose difference
    is at least the observed one.

    >>> round(sign_test(3, 12), 4)
    0.0352
    """
    from scipy.stats import binomtest

    return float(binomtest(a_only, a_only + b_only).pvalue) if a_only or b_only else 1.0


def average_ranks(values: ArrayLike) -> Floats:
    """Return ranks, 1 = best, along the last axis of values (…, s), higher = better; ties share their mean rank.

    If a value of a row is not a number, no rank of the row is."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(-np.asarray(values), axis=-1, nan_policy="propagate"))


def mean_ranks(values: ArrayLike) -> Floats:
    """Return the mean rank of each system over settings, (settings, s) → (s,); 1 = best."""
    return np.asarray(average_ranks(values).mean(axis=0), dtype=np.float64)


def tie_groups(score: ArrayLike, separated: ArrayLike) -> Ints:
    """Return the rank (s,) of each system, 1 = best, by ``score`` (s,), higher = better, NaN last.

    The systems of a tie group share the rank of its first (1, 2, 2, 4). ``separated`` (s, s) says whether a corrected
    test separates two systems. Systems are sorted by score; there is a cut between two neighbours only if *every* system
    above it is separated from *every* system below it. Systems between two cuts are a tie group. So a test separates
    any two systems of different groups; it may or may not separate two systems of one group. With Holm-corrected
    p-values over all pairs, equal systems are in different groups with probability ≤ α.
    """
    values = np.asarray(score, dtype=np.float64)
    apart = np.asarray(separated, dtype=np.bool_)
    order = np.argsort(np.where(np.isnan(values), np.inf, -values), kind="stable")
    apart = apart[np.ix_(order, order)]
    group = np.ones(len(values), dtype=np.int64)
    for cut in range(1, len(values)):
        group[order[cut]] = cut + 1 if apart[:cut, cut:].all() else group[order[cut - 1]]
    return group


def shown_rank(rank: int | None, ranks: Sequence[int | None]) -> str:
    """Return a rank as competitions write it, ``5=`` if others share it; – without a rank."""
    return "–" if rank is None else f"{rank}=" if ranks.count(rank) > 1 else str(rank)


class Stability(NamedTuple):
    """Mean Spearman ρ over pairs of folds (None without pairs), and counts of pairs used and of constant pairs left out."""

    rho: float | None
    pairs: int
    constant: int


def ranking_stability(values: ArrayLike) -> Stability:
    """Return the mean Spearman correlation of the rankings of models in all pairs of folds, by one metric (folds,
    models), higher = better.

    Ties share their mean rank. If one fold of a pair ranks all models equal, the pair has no correlation; it is left out
    and counted.

    References
    ----------
    Sawatphol et al. 2024 (HITS), ranking stability over C(10, 2) = 45 fold pairs.
    """
    ranks = average_ranks(values)
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    length = np.sqrt(np.square(centred).sum(axis=1))
    rho = []
    constant = 0
    for i, j in combinations(range(len(ranks)), 2):
        if length[i] == 0 or length[j] == 0:
            constant += 1
        else:
            rho.append(float(centred[i] @ centred[j] / (length[i] * length[j])))
    return Stability(float(np.mean(rho)) if rho else None, len(rho), constant)
