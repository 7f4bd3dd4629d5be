"""Interval of a mean difference over pools that share topics.

Each pool gives one paired difference (HITS − Random, say). Pools are subsets of one corpus, so their differences
are positively correlated and s²/n is too small for any claim beyond these very topics. Two pools that share a part
ρ of their topics correlate by at most ρ: for a function of a random subset, Hoeffding's variance components obey
ζ_c / c ≤ ζ_k / k. With correlation ρ, E[s²] = σ²(1 − ρ) and Var(mean) = σ²(1/n + ρ(n − 1)/n), which gives the
estimate s²·(1/n + ρ/(1 − ρ)), the correction of Nadeau & Bengio for repeated hold-out. It is conservative, and does
not shrink to nothing with many pools: finitely many topics cannot be outrun by drawing more pools from them.
Student quantiles with n − 1 degrees of freedom.

References
----------
Hoeffding 1948, A class of statistics with asymptotically normal distribution. Annals of Mathematical Statistics 19.
Nadeau & Bengio 2003, Inference for the generalization error. Machine Learning 52.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


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
    shares = [len(a & b) / max(1, min(len(a), len(b))) for a, b in combinations(sets, 2)]
    return float(np.mean(shares)) if shares else 0.0


def pool_mean(differences: ArrayLike, pools: Sequence[Sequence[int]] | None = None, *, level: float = 0.95) -> PoolMean:
    """Mean paired difference over pools, with an interval and a two-sided p that allow for their overlap.

    Parameters
    ----------
    differences : (n,) float
        One paired difference a pool.
    pools : sequence of sequences of int, optional
        Topics of each pool; without it pools are taken as independent.

    Returns
    -------
    PoolMean
        With one pool, or pools that are all the same (ρ = 1), nothing but the mean can be estimated.
    """
    from scipy.special import stdtr, stdtrit

    values = np.asarray(differences, dtype=np.float64)
    n, mean = len(values), float(values.mean())
    share = None if pools is None or n < 2 else overlap_share(pools)
    if n < 2 or share == 1:
        return PoolMean(mean, None, None, None, share)
    rho = share or 0.0
    error = math.sqrt(float(values.var(ddof=1)) * (1 / n + rho / (1 - rho)))
    half = float(stdtrit(n - 1, (1 + level) / 2)) * error
    p = 2 * float(stdtr(n - 1, -abs(mean) / error)) if error > 0 else float(mean == 0)
    return PoolMean(mean, error, (mean - half, mean + half), p, share)
