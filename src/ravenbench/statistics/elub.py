"""Empirical lower and upper bounds of likelihood ratios: how strong an LR so many pairs can support.

An LR of a thousand asks that misleading ones are seen less than once in a thousand; a background with eighty pairs
cannot show that. Beyond the bounds, acting on the LRs (with one misleading one more on either side than was seen) would
cost more, at some prior odds, than not looking at them at all.

References
----------
Vergeer, van Es, de Jongh, Alberink & Stoel 2016, Numerical likelihood ratios outputted by LR systems are often based on
extrapolation: when to stop extrapolating? Science & Justice 56, 482–491.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.statistics.likelihood_ratios import sides
from ravenbench.types import Floats

STEP = 0.01


class Bounds(NamedTuple):
    """Least and greatest log10 LR that are supported, lower ≤ 0 ≤ upper."""

    lower: float
    upper: float

    def held(self, llr: float) -> float:
        """The value within the bounds."""
        return min(max(llr, self.lower), self.upper)


def elub(
    llr: ArrayLike,
    same: ArrayLike,
    weight: ArrayLike | None = None,
    counts: tuple[float, float] | None = None,
    step: float = STEP,
) -> Bounds:
    """Bounds of log10 LRs (n,) with truth ``same`` (n,).

    Parameters
    ----------
    weight : (n,) float, optional
        By which pairs count within their class.
    counts : (float, float), optional
        How many same-author and different-author pairs these are worth; by default as many as there are. The one
        misleading pair that is added on either side weighs one in so many.
    step : float
        Width of the grid of thresholds.

    Raises
    ------
    ValueError
        As for ``sides``.
    """
    found = sides(llr, same, weight)
    n_same, n_different = counts or (float(found.same.sum()), float((~found.same).sum()))
    low = max(float(found.llr.min()), -np.log10(n_same + 1))
    high = min(float(found.llr.max()), np.log10(n_different + 1))
    first, last = min(0, int(np.floor(low / step))), max(0, int(np.floor(high / step)) + 1)
    threshold: Floats = np.arange(first, last + 1, dtype=np.float64) * step
    odds = 10.0**threshold
    missed = (1 - _above(found.llr, np.where(found.same, found.weight, 0.0), threshold)) * n_same
    false = _above(found.llr, np.where(found.same, 0.0, found.weight), threshold) * n_different
    system = (missed + 1) / (n_same + 1) + odds * (false + 1) / (n_different + 1)
    # LR = 1 for every pair is accepted below a threshold of 1 and not from there on.
    neutral = np.where(threshold < 0, odds, 1.0)
    worse = neutral < system
    left, right = threshold[(threshold <= 0) & worse], threshold[(threshold >= 0) & worse]
    lower = float(left.max() + step) if len(left) else float(threshold[0])
    upper = float(right.min() - step) if len(right) else float(threshold[-1])
    return Bounds(min(lower, 0.0), max(upper, 0.0))


def _above(llr: Floats, weight: Floats, threshold: Floats) -> Floats:
    """Weight of the values above each threshold."""
    order = np.argsort(llr, kind="stable")
    total = np.concatenate([weight[order][::-1].cumsum()[::-1], [0.0]])
    return np.asarray(total[np.searchsorted(llr[order], threshold, side="right")])
