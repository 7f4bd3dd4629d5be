"""Estimates with standard errors: means and AUCs over problems that share authors (and topics), in one fold or several.

In: ``mean_auc``: for each fold truth (n,) bool, scores (n,), higher = same author, and the units that problems share
(as in ``Units``); ``estimate``: a value, the effect (n,) of each problem on it, ``Units``; ``pool_mean``: paired
differences (n,), one per pool, and the topics of each pool or None.
Out: an ``Estimate`` (value, standard error, 95 % interval, degrees of freedom; the last three None if unknown) or
``PoolMean`` (mean, standard error, 95 % interval, two-sided p from 0 to 1, proportion of shared topics from 0 to 1; all
but the mean may be None), in the unit of the figure (AUC, placements, ``wilson``: 0 to 1). Helpers: ``mean_of_all``
gives a mean or None, ``wilson`` and ``percentiles`` return intervals, ``detectable`` a difference or None,
``correlation`` and ``overlap_share`` 0 to 1.

Resampling authors changes all problems of an author, in every fold at once. With the influence ψ of each problem on an
estimate, the variance is Σ ψᵢψⱼ over all pairs of problems that share an author: the sandwich formula for dyads. It is
the limit of the bootstrap that resamples authors, without its draws and without its excess (a problem between two
authors would count three times there, see ``resampling``), so a verdict needs no seed. It allows for the overlap of
folds: a problem in several folds has one ψ, the sum over them, and an author's problems are summed over all folds
before squaring.

Topics can be further units: then pairs of problems that share a topic count too, and a problem that shares an author
and a topic with itself does not count twice (Cameron, Gelbach & Miller). Similar topics are not independent either (a
verifier trained on one finds the other easy, and the reverse): with similarities, pairs of problems on two topics count
by the similarity of the topics (after Conley). A variance is never below that of resampling problems independently.

The influence on an AUC comes from placements: the AUC is the mean, over same-author problems, of the proportion of
different-author problems below them, and also the mean, over different-author problems, of the proportion of
same-author problems above them. With these proportions, V, the AUC changes by about (V − AUC)/m if one of m problems of
a class is drawn once more.

A mean difference over pools of topics has another estimate (``pool_mean``). Each pool gives one paired difference (such
as HITS − Random). Pools are subsets of one corpus, so the estimand is the mean over corpora of this kind, and
differences of pools that share topics are correlated. With correlation ρ, E[s²] = σ²(1 − ρ) and
Var(mean) = σ²(1/n + ρ(n − 1)/n), which gives the estimate s²·(1/n + ρ/(1 − ρ)) of the squared standard error, the
correction of Nadeau & Bengio for repeated hold-out. It does not go to zero with many pools: more pools from finitely
many topics do not replace more topics. The correlation of two pools is at most their proportion of shared topics: for a
function of a random subset, Hoeffding's variance components obey ζ_c / c ≤ ζ_k / k. But each pool has fresh draws of
most that changes a paired difference (documents, pairs, folds), and a topic's effect on both setups cancels. Over fresh
synthetic corpora the correlation was between 0 and a tenth of the bound (docs/verdict.md), so Raven assumes ``PART`` of
it.

References
----------
Aronow, Samii & Assenova 2015, Cluster-robust variance estimation for dyadic data. Political Analysis 23(4).
Cameron, Gelbach & Miller 2011, Robust inference with multiway clustering. JBES 29(2).
Conley 1999, GMM estimation with cross sectional dependence. Journal of Econometrics 92(1).
DeLong, DeLong & Clarke-Pearson 1988, Comparing the areas under two or more correlated receiver operating
characteristic curves. Biometrics 44.
Hoeffding 1948, A class of statistics with asymptotically normal distribution. Annals of Mathematical Statistics 19.
Nadeau & Bengio 2003, Inference for the generalization error. Machine Learning 52.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.types import Bools, Floats, Interval, Ints


def placements(same: Bools, positive: Floats, negative: Floats) -> tuple[float, Floats]:
    """Return an AUC (0 to 1) and the placement (n,), 0 to 1, of every problem; their mean over either class is the AUC.

    ``positive`` (n,) has the scores of same-author problems, ``negative`` (n,) of the others, higher = same author;
    both classes occur.
    """
    above = positive[same]
    below = negative[~same]
    result = np.empty(len(same))
    result[same] = _share(np.sort(below), above)
    result[~same] = 1 - _share(np.sort(above), below)
    return float(result[same].mean()), result


def influence(same: Bools, value: float, placement: Floats) -> Floats:
    """Return how much the AUC changes if each problem is drawn once more, (n,); the sum over each class is 0.

    The effects are multiplied by √(m/(m − 1)), so that for independent problems the sum of squares is DeLong's variance.
    """
    sizes = np.where(same, same.sum(), len(same) - same.sum()).astype(np.float64)
    return np.asarray(
        (placement - value) / np.sqrt(sizes * np.maximum(sizes - 1, 1)), dtype=np.float64
    )


def _share(ordered: Floats, values: Floats) -> Floats:
    """Share of ``ordered`` below each value, ties half."""
    count = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")
    return np.asarray(count / (2 * len(ordered)), dtype=np.float64)


def mean_of_all(values: Sequence[float | None]) -> float | None:
    """Return the mean in the unit of the values; None if there are no values or one is None."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known and len(known) == len(values) else None


class Estimate(NamedTuple):
    """A number with its standard error, interval (both in its unit) and degrees of freedom; the last three are None if
    unknown."""

    value: float
    error: float | None
    interval: Interval | None
    freedom: float | None


@dataclass(frozen=True, eq=False)
class Units:
    """The units that n problems share: ``sides`` (n, 2), codes of the units that are drawn: the two authors of a problem,
    or its group twice if authors are unknown; −1 for one unknown author (then a separate unit); the same in all folds;
    ``problem`` (n,), equal if the same problem occurs again in another fold."""

    sides: Ints
    problem: Ints

    @cached_property
    def _codes(self) -> tuple[Ints, Ints, int]:
        """Left and right code of each problem, numbered without gaps, and how many there are."""
        sides = np.where(self.sides >= 0, self.sides, 0)
        nobody = int(sides.max(initial=-1)) + 1
        alone = nobody + 2 * self.problem[:, None] + np.arange(2)
        sides = np.where(self.sides >= 0, self.sides, alone)
        names, codes = np.unique(sides, return_inverse=True)
        codes = codes.reshape(-1, 2)
        return codes[:, 0].astype(np.int64), codes[:, 1].astype(np.int64), len(names)

    @property
    def count(self) -> int:
        """Return the number of distinct units."""
        return self._codes[2]

    @cached_property
    def _dyad(self) -> Ints:
        left_codes, right, count = self._codes
        key = np.minimum(left_codes, right) * count + np.maximum(left_codes, right)
        return np.unique(key, return_inverse=True)[1].astype(np.int64)

    def likeness(self, effects: Floats, similarity: Floats) -> float:
        """Return what similar units add to the variance of the sum: Σ k(a, b)·s_a·s_b over pairs of different units.

        Half of a problem's effect goes to each of its units; their sums are s. ``similarity`` (U, U), higher = more alike,
        is indexed by the codes of ``sides``; k is 0 up to its median over pairs and rises to 1 for equals.
        """
        known = self.sides >= 0
        total = np.bincount(
            self.sides[known], np.repeat(effects, 2)[known.ravel()] / 2, len(similarity)
        )
        kernel = alike(similarity)
        return float(total @ kernel @ total - np.diag(kernel) @ total**2)

    def variance(self, effects: Floats) -> float:
        """Return the variance of the sum of ``effects`` (n,) if units are resampled; negative in some small samples."""
        left_codes, right, count = self._codes
        two = left_codes != right
        of_unit = np.bincount(left_codes, effects, count) + np.bincount(
            right[two], effects[two], count
        )
        of_dyad = np.bincount(self._dyad[two], effects[two]) if two.any() else np.zeros(1)
        return float((of_unit**2).sum() - (of_dyad**2).sum()) * count / max(count - 1, 1)

    def of_problems(self, effects: Floats) -> float:
        """Return the variance if problems are drawn independently."""
        effects_of_problems = np.bincount(np.unique(self.problem, return_inverse=True)[1], effects)
        return float((effects_of_problems**2).sum())


def estimate(
    value: float,
    effects: Floats,
    units: Units,
    topics: Units | None = None,
    similarity: Floats | None = None,
    level: float = 0.95,
) -> Estimate:
    """Return a number with its standard error and Student interval.

    ``effects`` (n,) are the changes if each problem is drawn once more; ``units`` are authors or groups, ``topics``
    those of the same problems. With ``similarity`` (T, T), similar topics do not count as independent.
    """
    if units.count < 2:
        return Estimate(value, None, None, None)
    least = units.of_problems(effects)
    variance_and_df = [(max(units.variance(effects), least), float(units.count - 1))]
    variance = variance_and_df[0][0]
    if topics is not None and topics.count > 1:
        shared = topics.variance(effects)
        if similarity is not None:
            shared += max(topics.likeness(effects, similarity), 0.0)
        shared = max(shared, least)
        variance_and_df.append((shared - least, float(topics.count - 1)))
        variance += shared
        variance -= least
    return from_variances(value, variance_and_df, level, variance)


def mean_auc(
    folds: Sequence[tuple[Bools, Floats, Ints, Ints]],
    topics: Sequence[Ints] = (),
    similarity: Floats | None = None,
) -> Estimate:
    """Return the AUC (0 to 1), mean over folds, with its interval.

    A fold has truth (n,) of both classes, scores (n,), and ``sides`` and ``problem`` of ``Units``; ``topics`` (n, 2) of
    each fold, with their ``similarity`` (T, T), are units too if given."""
    areas = [placements(same, scores, scores) for same, scores, _, _ in folds]
    effects = [influence(same, *area) for (same, *_), area in zip(folds, areas, strict=True)]
    problem = np.concatenate([fold[3] for fold in folds])
    units = Units(np.concatenate([fold[2] for fold in folds]), problem)
    return within(
        estimate(
            float(np.mean([value for value, _ in areas])),
            np.concatenate(effects) / len(folds),
            units,
            Units(np.concatenate(topics), problem) if topics else None,
            similarity,
        ),
        0.0,
        1.0,
    )


def from_variances(
    value: float,
    variance_and_df: Sequence[tuple[float, float]],
    level: float = 0.95,
    variance: float | None = None,
) -> Estimate:
    """Return an estimate from variances, each with its degrees of freedom (Satterthwaite); ``variance`` is their sum."""
    from scipy.special import stdtrit

    variance = sum(variance for variance, _ in variance_and_df) if variance is None else variance
    if variance <= 0:
        return Estimate(value, 0.0, (value, value), float(variance_and_df[0][1]))
    freedom = variance**2 / sum(variance**2 / max(df, 1) for variance, df in variance_and_df)
    error = math.sqrt(variance)
    half = float(stdtrit(freedom, (1 + level) / 2)) * error
    return Estimate(value, error, (value - half, value + half), float(freedom))


def both_quantiles(freedom: float, level: float = 0.95, power: float = 0.8) -> float:
    """Return by how many standard errors a true value must exceed a bound to be found above it with this power."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2) + stdtrit(freedom, power))


def percentiles(draws: Floats, units: int, level: float = 0.95) -> Interval:
    """Return the expanded percentile interval (low, high) of resampled values, given the number of independent units,
    without NaN."""
    low, high = np.nanquantile(draws, expanded(level, units))
    return float(low), float(high)


def expanded(level: float, units: int) -> tuple[float, float]:
    """Return the two quantiles of an expanded percentile interval from ``units`` independent units."""
    from scipy.special import ndtr, stdtrit

    if units < 2:
        return 0.0, 1.0
    tail = float(ndtr(np.sqrt(units / (units - 1)) * stdtrit(units - 1, (1 - level) / 2)))
    return tail, 1 - tail


def within(wide: Estimate, low: float, high: float) -> Estimate:
    """Return a figure with a limited range, such as an AUC, with its interval cut to the range."""
    if wide.interval is None:
        return wide
    return wide._replace(interval=(max(wide.interval[0], low), min(wide.interval[1], high)))


def alike(similarity: Floats) -> Floats:
    """Return how similar topics are, (T, T), from 0 (the median pair, or less) to 1 (equal)."""
    if len(similarity) < 2:
        return np.ones_like(similarity)
    median = float(np.median(similarity[~np.eye(len(similarity), dtype=bool)]))
    return np.clip((similarity - median) / max(1 - median, 1e-12), 0.0, 1.0)


def mean_effects(values: ArrayLike) -> tuple[float, Floats]:
    """Return a plain mean, and how much it changes if each value is drawn once more, (n,), in the unit of the values."""
    effects = np.asarray(values, dtype=np.float64)
    n = len(effects)
    mean = float(effects.mean())
    return mean, np.asarray((effects - mean) / math.sqrt(n * max(n - 1, 1)), dtype=np.float64)


Z = 1.959963984540054
"""95 % of a normal distribution are within this many standard deviations."""


def wilson(share: float, of: int) -> Interval:
    """Return Wilson's 95 % interval of a proportion, given its number of trials."""
    middle = share + Z**2 / (2 * of)
    spread = Z * np.sqrt(share * (1 - share) / of + Z**2 / (4 * of**2))
    return float(max(0.0, (middle - spread) / (1 + Z**2 / of))), float(
        min(1.0, (middle + spread) / (1 + Z**2 / of))
    )


PART = 0.1
"""Part of the bound on the correlation of pools that is assumed."""


class PoolMean(NamedTuple):
    """Mean of paired differences, in their unit; ``overlap`` is the proportion of topics that pools share (None without
    topics, or for one pool); ``interval``, ``error`` and ``p`` are None if Raven cannot estimate them."""

    mean: float
    error: float | None
    interval: Interval | None
    p: float | None
    overlap: float | None


def overlap_share(pools: Sequence[Sequence[int]]) -> float:
    """Return the mean, over pairs of pools, of the proportion of shared topics (of the smaller pool); 0 for one pool."""
    sets = [set(pool) for pool in pools]
    column_of = {topic: i for i, topic in enumerate(set().union(*sets))}
    member = np.zeros((len(sets), len(column_of)))
    for row, topics in zip(member, sets, strict=True):
        row[[column_of[topic] for topic in topics]] = 1
    size = member.sum(axis=1)
    left_set, two = np.triu_indices(len(sets), 1)
    shares = (member @ member.T)[left_set, two] / np.maximum(
        1, np.minimum(size[left_set], size[two])
    )
    return float(shares.mean()) if len(shares) else 0.0


def correlation(pools: Sequence[Sequence[int]], part: float = PART) -> float:
    """Return the assumed correlation of pools: ``part`` of the mean proportion of topics that they share."""
    return part * overlap_share(pools)


def inflation(n: int, rho: float) -> float:
    """Var(mean) / s² of n values with correlation ρ < 1: 1/n + ρ/(1 − ρ)."""
    return 1 / n + rho / (1 - rho)


def pool_mean(
    differences: ArrayLike,
    pools: Sequence[Sequence[int]] | None = None,
    *,
    part: float = PART,
) -> PoolMean:
    """Return the mean paired difference over pools, (n,), with an interval and a two-sided p that allow for overlap.

    ``pools`` are the topics of each; without them pools count as independent; ``part`` is the assumed part of the bound
    on their correlation. With one pool, or identical pools, Raven can estimate only the mean.
    """
    from scipy.special import stdtr, stdtrit

    values = np.asarray(differences, dtype=np.float64)
    n = len(values)
    mean = float(values.mean())
    share = None if pools is None or n < 2 else overlap_share(pools)
    if n < 2 or share == 1:
        return PoolMean(mean, None, None, None, share)
    error = math.sqrt(float(values.var(ddof=1)) * inflation(n, part * (share or 0.0)))
    half = float(stdtrit(n - 1, 0.975)) * error
    p_value = 2 * float(stdtr(n - 1, -abs(mean) / error)) if error > 0 else float(mean == 0)
    return PoolMean(mean, error, (mean - half, mean + half), p_value, share)


def detectable(
    sd: float, n: int, *, correlation: float = 0.0, level: float = 0.95, power: float = 0.8
) -> float | None:
    """Return the smallest true mean difference found significant with the given power, from ``n`` paired differences
    (pools or folds) with standard deviation ``sd`` (ddof = 1) and this correlation, as in ``pool_mean``; None if n < 2.

    It is (t_{1−α/2} + t_{power}) · standard error with n − 1 degrees of freedom.
    """
    if n < 2 or correlation >= 1:
        return None
    return both_quantiles(n - 1, level, power) * (sd * math.sqrt(inflation(n, correlation)))
