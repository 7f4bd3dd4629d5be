"""Weights results over topics of unequal size, and compares two methods topic by topic (novel-topic cross-validation).

In: ``fold_mean``: results (n,), one per topic (accuracy, 0 to 1, or a difference); ``paired_topics``: results of two
methods; both: weights (n,), at least 0 (counts of documents); ``published_t``: a difference, two standard errors and n,
the topics; ``topics_needed`` and ``detectable_topics``: a standard deviation, and a difference or a number of topics.
Out: a ``FoldMean``, ``PairedTopics`` or ``SummaryTest``: means and differences in the unit of the results, p from 0 to
1; ``topics_needed`` a count or None. InputError if weights are negative, not finite or all zero. Helpers: ``unit_sum``
returns weights that sum to 1, ``sign_flip`` p, ``detectable_topics`` a difference or None.

In leave-one-topic-out validation folds are as large as topics, so a fold's weight is its number of documents. The
unbiased weighted variance is that of the GNU Scientific Library. The published standard error, σ̂/√n, is correct for
equal weights only; Var(Σ w x) = σ² Σ w², so Raven also gives σ̂√(Σ w²).

Two methods answer the same documents of each topic, so topics pair their accuracies. If the methods were alike, each
topic's difference could equally have had the other sign. The statistic is the document-weighted mean difference; with
at most 20 topics that differ Raven enumerates all sign patterns, otherwise it draws them, with the +1 of Monte Carlo
tests. The interval includes the differences that this test does not reject. Power uses Student quantiles; the degrees
of freedom are the effective number of topics minus one.

References
----------
Novel-topic cross-validation 2010, equations 1–4 and appendix. Galassi et al., GNU Scientific Library, "Weighted
samples". Fisher 1935, The Design of Experiments, section 21.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.errors import InputError
from ravenbench.randomness import stream
from ravenbench.statistics.estimates import both_quantiles
from ravenbench.types import Floats, Interval


class FoldMean(NamedTuple):
    """A weighted mean over folds, in the unit of the results, with its spread σ̂ and two standard errors, σ̂/√n as
    published and σ̂√Σw², None with one fold; ``n`` counts folds, and ``effective`` = 1/Σw² is the number of equal
    folds with the same information.
    """

    mean: float
    std: float | None
    se_published: float | None
    se: float | None
    n: int
    effective: float


class SummaryTest(NamedTuple):
    """A t-test from summaries: ``t``, ``df`` and two-sided ``p``; t and p are None without any spread."""

    t: float | None
    df: int
    p: float | None


def unit_sum(weights: ArrayLike) -> Floats:
    """Return weights scaled to the sum 1, (n,); InputError if one is negative or not finite, or all are zero."""
    w = np.asarray(weights, dtype=np.float64)
    if len(w) == 0 or not np.isfinite(w).all() or (w < 0).any() or w.sum() <= 0:
        raise InputError(
            "weights must not be negative, and one of them must be positive", found=w.tolist()
        )
    return np.asarray(w / w.sum(), dtype=np.float64)


def fold_mean(values: ArrayLike, weights: ArrayLike) -> FoldMean:
    """Return the weighted mean of one result per fold (an accuracy, or a difference), (n,), with both standard errors.

    ``weights`` (n,) are the documents of each fold; only their proportions matter. InputError if one is negative or all
    are zero.
    """
    x = np.asarray(values, dtype=np.float64)
    w = unit_sum(weights)
    squares = float(np.sum(w**2))
    mean = float(np.sum(w * x))
    n = int(np.count_nonzero(w))
    if n < 2:
        return FoldMean(mean, None, None, None, n, 1 / squares)
    std = math.sqrt(float(np.sum(w * (x - mean) ** 2)) / (1 - squares))
    return FoldMean(mean, std, std / math.sqrt(n), std * math.sqrt(squares), n, 1 / squares)


def published_t(difference: float, error_a: float, error_b: float, n: int) -> SummaryTest:
    """Return the paper's test of two weighted means: t = difference / √(SE_A² + SE_B²), 2n − 2 degrees of freedom.

    It treats two methods tested on the same topics as independent, which costs power; the paper's example at
    n = 23 is correct with only one of the two errors (give 0 for the other).
    """
    error = math.hypot(error_a, error_b)
    df = 2 * n - 2
    if error == 0 or df < 1:
        return SummaryTest(None, df, None)
    from scipy.special import stdtr

    t = difference / error
    return SummaryTest(t, df, 2 * float(stdtr(df, -abs(t))))


EXACT_LIMIT = 20
EXACT_INTERVAL = 12
TRIALS = 20_000
LEVEL = 0.95
_TOLERANCE = 1e-12


class PairedTopics(NamedTuple):
    """The comparison of methods a and b over topics, as a − b in the unit of their results: ``mean`` and its
    ``interval`` (None with too few topics for one), two-sided ``p``, ``least_p`` (the smallest p that this number of
    topics can give), and ``detectable``, the smallest true difference found with 80 % power."""

    mean: FoldMean
    interval: Interval | None
    p: float
    least_p: float
    detectable: float | None


def paired_topics(
    a: ArrayLike,
    b: ArrayLike,
    weights: ArrayLike,
    *,
    seed: int = 0,
    pair: str = "",
) -> PairedTopics:
    """Return the ``PairedTopics`` of two methods from their results on the same topics, (n,) each; ``weights`` (n,) are
    documents of each topic.

    Drawn sign patterns depend on ``seed`` and ``pair`` only. InputError if a weight is negative or all are zero.
    """
    d = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    mean = fold_mean(d, weights)
    n = int(np.count_nonzero(unit_sum(weights)))
    least = 2.0 ** (1 - n) if n <= EXACT_LIMIT else 1 / (TRIALS + 1)
    return PairedTopics(
        mean,
        (_interval(d, unit_sum(weights), mean.mean, seed, pair) if least <= 1 - LEVEL else None),
        sign_flip(d * unit_sum(weights), seed, pair),
        least,
        detectable_topics(mean.std, mean.effective),
    )


def sign_flip(terms: ArrayLike, seed: int = 0, pair: str = "") -> float:
    """Return the two-sided p, 0 to 1, of the sum of ``terms`` (n,) if every sign is a coin toss."""
    x = np.asarray(terms, dtype=np.float64)
    observed = abs(float(x.sum()))
    x = x[np.abs(x) > 0]
    n = len(x)
    if n == 0:
        return 1.0
    bar = observed - _TOLERANCE * max(1.0, float(np.abs(x).sum()))
    if n <= EXACT_LIMIT:
        # Sums of all sign patterns, one term at a time.
        sums = np.zeros(1)
        for term in x:
            sums = np.concatenate([sums + term, sums - term])
        return float(np.count_nonzero(np.abs(sums) >= bar) / len(sums))
    rng = stream(seed, "topic-permutation", pair)
    signs = rng.integers(0, 2, (TRIALS, n), dtype=np.int8) * 2 - 1
    return (int(np.count_nonzero(np.abs(signs @ x) >= bar)) + 1) / (TRIALS + 1)


def _interval(d: Floats, w: Floats, mean: float, seed: int, pair: str) -> Interval:
    """Differences the test does not reject: exact up to ``EXACT_INTERVAL`` topics, else with drawn signs."""
    n = len(d)
    if n <= EXACT_INTERVAL:
        signs = ((np.arange(2**n)[:, None] >> np.arange(n)) & 1) * 2.0 - 1.0
    else:
        signs = stream(seed, "topic-interval", pair).integers(0, 2, (TRIALS, n)) * 2.0 - 1.0
        # The pattern observed is one of those possible.
        signs[0] = 1.0
    moved = signs @ (w * d)
    shares = signs @ w

    def not_rejected(shift: float) -> bool:
        far = abs(mean - shift)
        return float(np.mean(np.abs(moved - shift * shares) >= far - _TOLERANCE)) > 1 - LEVEL

    ends = []
    for side in (-1.0, 1.0):
        inside = 0.0
        step = max(float(np.ptp(d)), 1e-6)
        while not_rejected(mean + side * step) and step < 1e3:
            inside = step
            step = 2 * step
        for _ in range(40):
            middle = (inside + step) / 2
            inside, step = (
                (middle, step) if not_rejected(mean + side * middle) else (inside, middle)
            )
        ends.append(mean + side * inside)
    return ends[0], ends[1]


def detectable_topics(std: float | None, topics: float, *, power: float = 0.8) -> float | None:
    """Return the smallest true mean difference found significant with the given power; None if unknown. ``std`` is
    the (unbiased, weighted) standard deviation of one topic's paired difference, ``topics`` the effective number of
    topics, 1/Σw²."""
    if std is None or topics <= 1:
        return None
    return float(both_quantiles(topics - 1, LEVEL, power) * std / topics**0.5)


def topics_needed(std: float | None, difference: float, *, unequal: float = 1.0) -> int | None:
    """Return the number of topics that find a true difference with 80 % power; None above a million. ``unequal`` (≥ 1)
    is this corpus's number of topics for each effective topic: an equally uneven corpus needs that many times more."""
    if std is None or difference <= 0:
        return None
    low = 2
    high = 1_000_000
    if (reach := detectable_topics(std, high)) is None or reach > difference:
        return None
    while low < high:
        middle = (low + high) // 2
        reach = detectable_topics(std, middle)
        low, high = (
            (low, middle) if reach is not None and reach <= difference else (middle + 1, high)
        )
    return int(np.ceil(low * unequal))
