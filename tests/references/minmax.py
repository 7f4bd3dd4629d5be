"""Similarities by their definition."""

from __future__ import annotations

import numpy as np

from ravenbench.text.minmax import Measure
from ravenbench.types import Bools, Floats


def reference(x: Floats, y: Floats, subset: Bools, measure: Measure = "minmax") -> float:
    """The similarity of two documents on one subset of the features, by its definition."""
    x, y = x[subset], y[subset]
    if measure == "minmax":
        above, below = np.minimum(x, y).sum(), np.maximum(x, y).sum()
    else:
        above, below = x @ y, np.sqrt((x @ x) * (y @ y))
    return float(above / below) if below > 0 else 0.0
