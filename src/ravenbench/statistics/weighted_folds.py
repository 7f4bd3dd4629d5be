"""Mean of fold results weighted by documents, its spread and its standard errors (novel-topic cross-validation).

In leave-one-topic-out validation folds have the sizes of topics, so each fold weighs as many documents as it has.
The unbiased weighted variance is that of the GNU Scientific Library. The standard error as published, σ̂/√n, is
right for equal weights only: Var(Σ w x) = σ² Σ w², so σ̂√(Σ w²) stands beside it.

References
----------
Novel-topic cross-validation 2010, equations 1–4 and appendix. Galassi et al., GNU Scientific Library, "Weighted
samples".
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.errors import InputError
from ravenbench.types import Floats


class FoldMean(NamedTuple):
    """A weighted mean over folds with its spread and standard errors, which are None with one fold.

    ``std`` is σ̂, ``se_published`` σ̂/√n and ``se`` σ̂√Σw²; ``n`` counts folds, and ``effective`` = 1/Σw² is the
    number of equal folds that would say as much.
    """

    mean: float
    std: float | None
    se_published: float | None
    se: float | None
    n: int
    effective: float


class SummaryTest(NamedTuple):
    """A t-test from summaries: ``t``, ``df`` and two-sided ``p``; t and p None where there is no spread."""

    t: float | None
    df: int
    p: float | None


def unit_sum(weights: ArrayLike) -> Floats:
    """Scale weights so that they sum to 1, (n,).

    Raises
    ------
    InputError
        If one is negative or not finite, or all are zero.
    """
    w = np.asarray(weights, dtype=np.float64)
    if len(w) == 0 or not np.isfinite(w).all() or (w < 0).any() or w.sum() <= 0:
        raise InputError("weights must be non-negative, and one of them positive", found=w.tolist())
    return np.asarray(w / w.sum(), dtype=np.float64)


def fold_mean(values: ArrayLike, weights: ArrayLike) -> FoldMean:
    """Weighted mean of fold results with both standard errors.

    Parameters
    ----------
    values : (n,) float
        One result a fold (an accuracy, a difference of accuracies).
    weights : (n,) float
        Documents of each fold; only their proportions matter.

    Raises
    ------
    InputError
        If a weight is negative or all are zero.
    """
    x, w = np.asarray(values, dtype=np.float64), unit_sum(weights)
    squares = float(np.sum(w**2))
    mean = float(np.sum(w * x))
    n = int(np.count_nonzero(w))
    if n < 2:
        return FoldMean(mean, None, None, None, n, 1 / squares)
    std = math.sqrt(float(np.sum(w * (x - mean) ** 2)) / (1 - squares))
    return FoldMean(mean, std, std / math.sqrt(n), std * math.sqrt(squares), n, 1 / squares)


def published_t(difference: float, error_a: float, error_b: float, n: int) -> SummaryTest:
    """The paper's test of two weighted means: t = difference / √(SE_A² + SE_B²), 2n − 2 degrees of freedom.

    It takes two methods tested on the same topics as independent, which costs power; the paper's own example at
    n = 23 holds with one of the two errors alone (give 0 for the other).
    """
    error, df = math.hypot(error_a, error_b), 2 * n - 2
    if error == 0 or df < 1:
        return SummaryTest(None, df, None)
    from scipy.special import stdtr

    t = difference / error
    return SummaryTest(t, df, 2 * float(stdtr(df, -abs(t))))
