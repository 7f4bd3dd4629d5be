"""From scores to log10 likelihood ratios: logistic calibration of one verifier, and fusion of several.

Calibration is a ridge logistic regression with pairs weighted to equal odds of the classes, so that the log odds are
log LRs, drawn a little towards LR = 1. Fusion weighs its members by the square of the information each carries
(1 − C_llr), and calibrates their weighted mean. A regression on the members, the usual fusion, has as many free weights
as members: with a few dozen background authors these follow chance, the more so as members agree (docs/compare.md).

References
----------
Brümmer & du Preez 2006, Application-independent evaluation of speaker detection. Computer Speech & Language 20.
Morrison 2013, Tutorial on logistic-regression calibration and fusion. Australian Journal of Forensic Sciences 45.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ravenbench.metrics.logistic import newton
from ravenbench.statistics.likelihood_ratios import LN10, cllr, sides
from ravenbench.types import Bools, Floats

RIDGE = 1.0
"""Weight of the pull towards LR = 1 in calibration, in pairs."""


@dataclass(frozen=True, eq=False)
class Calibration:
    """``log10 LR = offset + (score − centre) / scale · slope``; scores (n, f), or (n,) with f = 1."""

    centre: Floats
    scale: Floats
    slope: Floats
    offset: float

    def llr(self, scores: Floats) -> Floats:
        """Log10 LRs (n,), higher = same author."""
        rows = _rows(scores)
        return np.asarray(((rows - self.centre) / self.scale) @ self.slope + self.offset)


@dataclass(frozen=True, eq=False)
class Fusion:
    """``log10 LR = offset + members · weights``; the members are log10 LRs (n, m)."""

    weights: Floats
    offset: float

    def llr(self, members: Floats) -> Floats:
        """Log10 LRs (n,)."""
        return np.asarray(members @ self.weights + self.offset)


def calibrate(scores: Floats, same: Bools, weight: Floats | None = None) -> Calibration:
    """The calibration of scores (n,) or (n, f), higher or lower = same author.

    Raises
    ------
    ValueError
        If a class is absent or a score is not finite.
    """
    rows = _rows(scores)
    if not np.isfinite(rows).all():
        raise ValueError("a score is not a finite number")
    each = _balanced(same, weight)
    centre = np.average(rows, axis=0, weights=each)
    spread = np.sqrt(np.average((rows - centre) ** 2, axis=0, weights=each))
    scale = np.where(spread > 1e-12, spread, 1.0)
    found = newton((rows - centre) / scale, same, each, RIDGE, np.zeros(rows.shape[1]))
    return Calibration(centre, scale, found[:-1] / LN10, float(found[-1]) / LN10)


def fuse(members: Floats, same: Bools, weight: Floats | None = None) -> Fusion:
    """The fusion of log10 LRs (n, m) that are calibrated each; members that carry no information get no weight.

    Raises
    ------
    ValueError
        If a class is absent.
    """
    worth_of = [max(0.0, 1.0 - cllr(member, same, weight)) ** 2 for member in members.T]
    if not any(worth_of):
        worth_of = [1.0] * len(worth_of)
    weights = np.array(worth_of) / sum(worth_of)
    found = calibrate(members @ weights, same, weight)
    slope = float(found.slope[0] / found.scale[0])
    return Fusion(weights * slope, found.offset - slope * float(found.centre[0]))


def worth(weight: Floats) -> float:
    """How many equally weighted units these weights are worth (Kish): (Σw)² / Σw²."""
    total = float(weight.sum())
    return total * total / float((weight * weight).sum()) if total > 0 else 0.0


def _rows(scores: Floats) -> Floats:
    return scores[:, None] if scores.ndim == 1 else scores


def _balanced(same: Bools, weight: Floats | None) -> Floats:
    """Weights that sum to half the pairs' worth in each class."""
    found = sides(np.zeros(len(same)), same, weight)
    total = sum(worth(found.weight[side]) for side in (found.same, ~found.same))
    return np.asarray(found.weight * total / 2)
