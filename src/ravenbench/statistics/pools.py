"""Interval of a mean difference over pools that share topics.

Each pool gives one paired difference (HITS − Random, say). Pools are subsets of one corpus, so what is meant is the
mean over corpora of this kind, and differences of pools that share topics are correlated. With correlation ρ,
E[s²] = σ²(1 − ρ) and Var(mean) = σ²(1/n + ρ(n − 1)/n), which gives the estimate s²·(1/n + ρ/(1 − ρ)) of the squared
standard error, the correction of Nadeau & Bengio for repeated hold-out. It does not shrink to nothing with many
pools: finitely many topics cannot be outrun by drawing more pools from them. Student quantiles with n − 1 degrees of
freedom.

How large is ρ? Two pools with a share of topics in common correlate by at most that share: for a function of a
random subset, Hoeffding's variance components obey ζ_c / c ≤ ζ_k / k. But most of what moves a paired difference is
drawn anew in each pool (documents, pairs, folds), and what a topic does to both setups cancels. Over fresh synthetic
corpora the correlation came out between 0 and a tenth of the bound (docs/verdict.md), so ``PART`` of it is assumed.

References
----------
Hoeffding 1948, A class of statistics with asymptotically normal distribution. Annals of Mathematical Statistics 19.
Nadeau & Bengio 2003, Inference for the generalization error. Machine Learning 52.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.statistics.estimates import both_quantiles

PART = 0.1
"""Part of the bound on the correlation of pools that is assumed."""


class PoolMean(NamedTuple):
    """Mean of paired differences; ``interval``, ``error`` and ``p`` None where one cannot be estimated."""

    mean: float
    error: float | None
    interval: tuple[float, float] | None
    p: float | None
    overlap: float | None


def overlap_share(pools: Sequence[Sequence[int]]) -> float:
    """Mean over pairs of pools of the share of topics they have in common (of the smaller pool); 0 for one pool."""
    sets = [set(pool) for pool in pools]
    place = {topic: i for i, topic in enumerate(set().union(*sets))}
    member = np.zeros((len(sets), len(place)))
    for row, topics in zip(member, sets, strict=True):
        row[[place[topic] for topic in topics]] = 1
    size = member.sum(axis=1)
    one, two = np.triu_indices(len(sets), 1)
    shares = (member @ member.T)[one, two] / np.maximum(1, np.minimum(size[one], size[two]))
    return float(shares.mean()) if len(shares) else 0.0


def correlation(pools: Sequence[Sequence[int]], part: float = PART) -> float:
    """Correlation assumed between pools: ``part`` of the share of topics they have in common on average."""
    return part * overlap_share(pools)


def inflation(n: int, rho: float) -> float:
    """Var(mean) / s² of n values with correlation ρ < 1: 1/n + ρ/(1 − ρ)."""
    return 1 / n + rho / (1 - rho)


def pool_mean(
    differences: ArrayLike, pools: Sequence[Sequence[int]] | None = None, *, level: float = 0.95, part: float = PART
) -> PoolMean:
    """Mean paired difference over pools, (n,), with an interval and a two-sided p that allow for their overlap.

    ``pools`` are the topics of each, without which pools are taken as independent; ``part`` is the part of the bound on
    their correlation that is assumed. With one pool, or pools that are all the same, only the mean can be estimated.
    """
    from scipy.special import stdtr, stdtrit

    values = np.asarray(differences, dtype=np.float64)
    n, mean = len(values), float(values.mean())
    share = None if pools is None or n < 2 else overlap_share(pools)
    if n < 2 or share == 1:
        return PoolMean(mean, None, None, None, share)
    error = math.sqrt(float(values.var(ddof=1)) * inflation(n, part * (share or 0.0)))
    half = float(stdtrit(n - 1, (1 + level) / 2)) * error
    p = 2 * float(stdtr(n - 1, -abs(mean) / error)) if error > 0 else float(mean == 0)
    return PoolMean(mean, error, (mean - half, mean + half), p, share)


def detectable(sd: float, n: int, *, correlation: float = 0.0, level: float = 0.95, power: float = 0.8) -> float | None:
    """Smallest true mean difference found significant with the given power, of ``n`` paired differences (pools or
    folds) with standard deviation ``sd`` (ddof = 1) and this correlation, as in ``pool_mean``; None where n < 2.

    It is (t_{1−α/2} + t_{power}) · standard error with n − 1 degrees of freedom.
    """
    if n < 2 or correlation >= 1:
        return None
    return both_quantiles(n - 1, level, power) * (sd * math.sqrt(inflation(n, correlation)))
