"""Ranking stability: whether two folds rank the models alike."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.statistics.ranks import average_ranks


class Stability(NamedTuple):
    """Mean Spearman ρ over fold pairs (None where there is none), pairs used, and pairs left out as constant."""

    rho: float | None
    pairs: int
    constant: int


def ranking_stability(values: ArrayLike) -> Stability:
    """Mean Spearman correlation of the rankings of models in all pairs of folds.

    Parameters
    ----------
    values : (folds, models) float
        One metric; higher is better. Ties share their mean rank. A pair of folds of which one ranks all models
        equal has no correlation: it is left out and counted.

    References
    ----------
    Sawatphol et al. 2024 (HITS), ranking stability over C(10, 2) = 45 fold pairs.
    """
    ranks = average_ranks(values)
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    length = np.sqrt(np.square(centred).sum(axis=1))
    rho, constant = [], 0
    for i, j in combinations(range(len(ranks)), 2):
        if length[i] == 0 or length[j] == 0:
            constant += 1
        else:
            rho.append(float(centred[i] @ centred[j] / (length[i] * length[j])))
    return Stability(float(np.mean(rho)) if rho else None, len(rho), constant)
