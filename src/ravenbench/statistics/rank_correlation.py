"""Spearman's rank correlation, with an interval for texts that come in groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.randomness import stream
from ravenbench.statistics.bootstrap import Interval, expanded
from ravenbench.types import Floats

FEWEST = 5
"""Groups below which no interval is given."""


@dataclass(frozen=True)
class RankCorrelation:
    """Spearman's ρ in [−1, 1] (None where one side never varies), its 95 % interval, and how many pairs it rests on."""

    rho: float | None
    interval: Interval | None
    pairs: int


def rank_correlation(
    x: ArrayLike, y: ArrayLike, groups: ArrayLike, *, replicates: int = 2000, level: float = 0.95, seed: int = 0
) -> RankCorrelation:
    """Correlate two measures of the same things by rank.

    Parameters
    ----------
    x, y : (n,) float
        The two measures; neither holds NaN.
    groups : (n,) of int or str
        What belongs together, such as rewritings of one text: the interval draws whole groups.

    Returns
    -------
    RankCorrelation
        Without an interval below five groups, or where half of the draws have no variation.

    References
    ----------
    Spearman 1904, The Proof and Measurement of Association between Two Things; ties share their mean rank.
    """
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    names, member = np.unique(np.asarray(groups), return_inverse=True)
    observed = _rho(a, b, np.ones((1, len(a))))[0] if len(a) > 1 else np.nan
    rho = None if np.isnan(observed) else float(observed)
    if rho is None or len(names) < FEWEST:
        return RankCorrelation(rho, None, len(a))
    rng = stream(seed, "rank-correlation", len(names), len(a))
    weights = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=replicates)[:, member]
    drawn = _rho(a, b, np.asarray(weights, dtype=np.float64))
    drawn = drawn[~np.isnan(drawn)]
    if len(drawn) < replicates / 2:
        return RankCorrelation(rho, None, len(a))
    low, high = np.quantile(drawn, expanded(level, len(names)))
    return RankCorrelation(rho, (float(low), float(high)), len(a))


def _rho(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Correlation of ranks where each thing stands as often as its weight, (B, n) → (B,); NaN without variation."""
    total = weights.sum(axis=1, keepdims=True)
    ranks = []
    for values in (x, y):
        below = (values[:, None] < values[None, :]) + 0.5 * (values[:, None] == values[None, :])
        rank = weights @ below
        ranks.append(rank - (weights * rank).sum(axis=1, keepdims=True) / total)
    a, b = ranks
    together, alone, other = ((weights * p * q).sum(axis=1) for p, q in ((a, b), (a, a), (b, b)))
    varies = (alone > 1e-9) & (other > 1e-9)
    return np.where(varies, together / np.sqrt(np.where(varies, alone * other, 1)), np.nan)
