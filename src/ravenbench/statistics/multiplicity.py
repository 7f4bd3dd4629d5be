"""Correction of p-values for testing many hypotheses."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.types import Floats


def holm(p: ArrayLike) -> Floats:
    """Holm's step-down adjusted p-values, in the order given.

    Rejecting where the result is ≤ α keeps the chance of any false rejection ≤ α whatever the dependence.

    Parameters
    ----------
    p : (k,) float
        Raw p-values in [0, 1].

    References
    ----------
    Holm 1979, A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6.
    """
    raw = np.asarray(p, dtype=np.float64)
    order = np.argsort(raw, kind="stable")
    steps = np.maximum.accumulate(raw[order] * np.arange(len(raw), 0, -1))
    adjusted = np.empty_like(raw)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
