"""``best_swap`` as its definition reads."""

from __future__ import annotations

import numpy as np

from ravenbench.ext.shelf.local_search import LEAST, set_leakage
from ravenbench.types import Floats, Ints


def best_swap_plainly(clipped: Floats, chosen: Ints) -> tuple[int, int, float]:
    """``best_swap`` as its definition reads: every set after a swap built and measured anew."""
    found = (-1, -1, np.inf)
    for out in range(len(chosen)):
        for new in np.setdiff1d(np.arange(len(clipped)), chosen):
            swapped = chosen.copy()
            swapped[out] = new
            leakage = set_leakage(clipped, swapped)
            if leakage < found[2] * (1 - LEAST):
                found = (out, int(new), leakage)
    return found
