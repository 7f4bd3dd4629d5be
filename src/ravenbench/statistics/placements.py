"""What each problem contributes to an AUC: its placement among the problems of the other class.

AUC is the mean over same-author problems of the share of different-author problems below them, and as well the mean
over different-author problems of the share of same-author problems above them. With these shares, the placements V,
an AUC moves by about (V − AUC)/m when one of m problems of a class is drawn once more, which is what standard errors
for any way of drawing problems are made of.

References
----------
DeLong, DeLong & Clarke-Pearson 1988, Comparing the areas under two or more correlated receiver operating
characteristic curves. Biometrics 44.
"""

from __future__ import annotations

import numpy as np

from ravenbench.types import Bools, Floats


def placements(same: Bools, positive: Floats, negative: Floats) -> tuple[float, Floats]:
    """An AUC and the placement of every problem.

    Parameters
    ----------
    same : (n,) bool
        Truth; both classes occur.
    positive, negative : (n,) float
        Scores, higher = same author: same-author problems are scored by ``positive``, the others by ``negative``.

    Returns
    -------
    auc : float
    placement : (n,) float
        Its mean over either class is the AUC.
    """
    above, below = positive[same], negative[~same]
    result = np.empty(len(same))
    result[same] = _share(np.sort(below), above)
    result[~same] = 1 - _share(np.sort(above), below)
    return float(result[same].mean()), result


def influence(same: Bools, value: float, placement: Floats) -> Floats:
    """What drawing each problem once more adds to the AUC, (n,): sums to 0 over each class.

    Widened by √(m/(m − 1)), so that for problems drawn independently the sum of squares is DeLong's variance.
    """
    sizes = np.where(same, same.sum(), len(same) - same.sum()).astype(np.float64)
    return np.asarray((placement - value) / np.sqrt(sizes * np.maximum(sizes - 1, 1)), dtype=np.float64)


def _share(ordered: Floats, values: Floats) -> Floats:
    """Share of ``ordered`` below each value, ties half."""
    count = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")
    return np.asarray(count / (2 * len(ordered)), dtype=np.float64)
