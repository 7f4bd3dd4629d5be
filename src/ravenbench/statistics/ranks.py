"""Ranks of systems, over settings or folds."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.types import Floats


def average_ranks(values: ArrayLike) -> Floats:
    """Ranks 1 = best along the last axis, ties sharing their mean rank.

    Parameters
    ----------
    values : (…, s) float
        Higher is better.
    """
    from scipy.stats import rankdata

    return np.asarray(rankdata(-np.asarray(values, dtype=np.float64), axis=-1), dtype=np.float64)


def mean_ranks(values: ArrayLike) -> Floats:
    """Mean rank of each system over settings, (settings, s) → (s,); 1 = best."""
    return np.asarray(average_ranks(values).mean(axis=0), dtype=np.float64)
