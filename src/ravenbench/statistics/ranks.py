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
        Higher is better; where one of a row is not a number, no rank of it is.
    """
    x = np.asarray(values, dtype=np.float64)
    # Not by scipy.stats, which takes half a second to import.
    better, equal = (compare(x[..., None, :], x[..., None]).sum(axis=-1) for compare in (np.greater, np.equal))
    return np.where(np.isnan(x).any(axis=-1, keepdims=True), np.nan, better + (equal + 1) / 2)


def mean_ranks(values: ArrayLike) -> Floats:
    """Mean rank of each system over settings, (settings, s) → (s,); 1 = best."""
    return np.asarray(average_ranks(values).mean(axis=0), dtype=np.float64)
