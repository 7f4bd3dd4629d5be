"""What log likelihood ratios are worth once the truth is known: C_llr, its least value by PAV, EER, Tippett curves.

A likelihood ratio (LR) says how many times more probable the findings are if one author wrote both sides than if two
did. All functions take log10 LRs (n,) and truth ``same`` (n,), and optional weights (n,) ≥ 0 by which pairs count; each
class is weighted to the same total, so that nothing depends on how many pairs of each there are.

References
----------
Brümmer & du Preez 2006, Application-independent evaluation of speaker detection. Computer Speech & Language 20.
Ramos & Gonzalez-Rodriguez 2013, Reliable support: measuring calibration of likelihood ratios. Forensic Sci. Int. 230.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.types import Bools, Floats

LN10 = float(np.log(10))
WIDEST = 20.0
"""Largest |log10 LR| that PAV is given: where the classes are wholly apart it would be infinite."""


class Sides(NamedTuple):
    """Log10 LRs, truth and weights of pairs; ``weight`` sums to 1 within each class."""

    llr: Floats
    same: Bools
    weight: Floats


class Tippett(NamedTuple):
    """``llr`` (m,) ascending; shares (m,) of same-author and of different-author pairs with at least this log10 LR."""

    llr: Floats
    same: Floats
    different: Floats


class Pav(NamedTuple):
    """PAV's calibration: ``llr`` (n,) given, ascending, and ``best`` (n,) what it should have been."""

    llr: Floats
    best: Floats


def sides(llr: ArrayLike, same: ArrayLike, weight: ArrayLike | None = None) -> Sides:
    """Checked arrays with weights that sum to 1 in each class.

    Raises
    ------
    ValueError
        If lengths differ, a value is not finite, or one class has no weight.
    """
    values, truth = np.asarray(llr, dtype=np.float64), np.asarray(same, dtype=np.bool_)
    given = np.ones(len(values)) if weight is None else np.asarray(weight, dtype=np.float64)
    if not len(values) == len(truth) == len(given):
        raise ValueError("log10 LRs, truth and weights differ in length")
    if not np.isfinite(values).all() or not np.isfinite(given).all() or (given < 0).any():
        raise ValueError("a log10 LR or a weight is not a finite number")
    scaled = np.zeros(len(values))
    for side in (truth, ~truth):
        total = given[side].sum()
        if not total > 0:
            raise ValueError("both same-author and different-author pairs are needed")
        scaled[side] = given[side] / total
    return Sides(values, truth, scaled)


def cllr(llr: ArrayLike, same: ArrayLike, weight: ArrayLike | None = None) -> float:
    """C_llr in bits: 0 is perfect, 1 is what always saying LR = 1 costs; lower = better."""
    found = sides(llr, same, weight)
    signed = np.where(found.same, -found.llr, found.llr) * LN10
    return float(np.sum(np.logaddexp(0.0, signed) * found.weight) / np.log(2) / 2)


def cllr_min(llr: ArrayLike, same: ArrayLike, weight: ArrayLike | None = None) -> float:
    """C_llr after the best monotone calibration: what is lost to discrimination alone; the rest is calibration."""
    found = sides(llr, same, weight)
    order = np.argsort(found.llr, kind="stable")
    best = _pav(found)[order.argsort(kind="stable")]
    return cllr(best, found.same, found.weight)


def pav(llr: ArrayLike, same: ArrayLike, weight: ArrayLike | None = None) -> Pav:
    """The pool-adjacent-violators calibration of these very log10 LRs; within ± WIDEST."""
    found = sides(llr, same, weight)
    return Pav(np.sort(found.llr), _pav(found))


def _pav(found: Sides) -> Floats:
    """PAV's log10 LRs in ascending order of those given; equal LRs stay equal."""
    values, block = np.unique(found.llr, return_inverse=True)
    up = np.bincount(block, weights=np.where(found.same, found.weight, 0.0), minlength=len(values))
    down = np.bincount(block, weights=np.where(found.same, 0.0, found.weight), minlength=len(values))
    pools: list[tuple[float, float, int]] = []
    for a, b in zip(up.tolist(), down.tolist(), strict=True):
        pools.append((a, b, 1))
        # Pools whose share of same-author weight does not rise are joined.
        while len(pools) > 1 and pools[-2][0] * (pools[-1][0] + pools[-1][1]) >= pools[-1][0] * (
            pools[-2][0] + pools[-2][1]
        ):
            c, d, count = pools.pop()
            e, f, other = pools.pop()
            pools.append((c + e, d + f, count + other))
    sizes = [count for _, _, count in pools]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log10(np.array([a for a, _, _ in pools])) - np.log10(np.array([b for _, b, _ in pools]))
    each = np.repeat(np.clip(ratio, -WIDEST, WIDEST), sizes)
    return np.asarray(each[np.sort(block)])


def eer(llr: ArrayLike, same: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Equal error rate in [0, .5]: same-author pairs are missed as often as different-author pairs are let through.

    It is read off the convex hull of the ROC curve, so that it does not depend on which of several thresholds is taken.
    """
    found = sides(llr, same, weight)
    values, block = np.unique(-found.llr, return_inverse=True)
    hit = np.bincount(block, weights=np.where(found.same, found.weight, 0.0), minlength=len(values)).cumsum()
    false = np.bincount(block, weights=np.where(found.same, 0.0, found.weight), minlength=len(values)).cumsum()
    points = [(0.0, 0.0), *zip(false.tolist(), hit.tolist(), strict=True)]
    hull: list[tuple[float, float]] = []
    for x, y in points:
        while len(hull) > 1 and (hull[-1][1] - hull[-2][1]) * (x - hull[-2][0]) <= (y - hull[-2][1]) * (
            hull[-1][0] - hull[-2][0]
        ):
            hull.pop()
        hull.append((x, y))
    for (x0, y0), (x1, y1) in pairwise(hull):
        if x1 + y1 >= 1.0:
            # On this edge false alarms x equal misses 1 − y.
            step = (1.0 - x0 - y0) / ((x1 - x0) + (y1 - y0))
            return float(min(0.5, x0 + step * (x1 - x0)))
    return 0.0


def tippett(llr: ArrayLike, same: ArrayLike, weight: ArrayLike | None = None) -> Tippett:
    """Shares of both classes with at least each log10 LR that occurs."""
    found = sides(llr, same, weight)
    values, block = np.unique(found.llr, return_inverse=True)

    def share(side: Bools) -> Floats:
        each = np.bincount(block, weights=np.where(side, found.weight, 0.0), minlength=len(values))
        return np.asarray(np.clip(each[::-1].cumsum()[::-1], 0.0, 1.0))

    return Tippett(values, share(found.same), share(~found.same))


def misleading(llr: ArrayLike, same: ArrayLike, at: float, weight: ArrayLike | None = None) -> float:
    """Share of pairs of the other class with a log10 LR at least as strong as ``at``: of different-author pairs where
    ``at`` is positive, of same-author pairs with one as low where it is not."""
    found = sides(llr, same, weight)
    wrong = (~found.same & (found.llr >= at)) if at > 0 else (found.same & (found.llr <= at))
    return float(found.weight[wrong].sum())
