"""Calibration of answers: the reliability diagram, ECE, and the cost of the log-likelihood ratio.

References
----------
Guo et al. 2017, On calibration of modern neural networks (ECE).
Brümmer & du Preez 2006, Application-independent evaluation of speaker detection (C_llr and its minimum).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.metrics.sums import checked
from ravenbench.types import Bools, Floats, Ints


class Reliability(NamedTuple):
    """The bins of a reliability diagram that hold problems, and the expected calibration error.

    ``problems`` counts them, ``value`` is their mean answer, ``same`` the share of same-author problems among them.
    """

    problems: Ints
    value: Floats
    same: Floats
    ece: float


class Cllr(NamedTuple):
    """C_llr in bits = discrimination (its minimum after isotonic recalibration) + calibration.

    0 is perfect, 1 what always answering 0.5 costs. ``cllr`` and ``calibration`` are None where infinite: an
    answer of exactly 0 or 1 was wrong. All are None where truth has one class.
    """

    cllr: float | None
    discrimination: float | None
    calibration: float | None


def reliability(same: ArrayLike, value: ArrayLike, bins: int = 10) -> Reliability:
    """Reliability diagram over ``bins`` equal parts of [0, 1] (1 belongs to the last), empty ones left out.

    ECE is the mean distance of value and truth over bins, weighted by their problems; non-answers are taken at
    their value of 0.5.
    """
    truth, values, _ = checked(same, value)
    place = np.minimum((values * bins).astype(np.int64), bins - 1)
    count = np.bincount(place, minlength=bins)
    used = count > 0
    count = count[used]
    mean = np.bincount(place, values, bins)[used] / count
    share = np.bincount(place, truth, bins)[used] / count
    return Reliability(count, mean, share, float(np.abs(mean - share) @ count / count.sum()))


def cllr(same: ArrayLike, value: ArrayLike) -> Cllr:
    """Cost of the log-likelihood ratios value / (1 − value), split into discrimination and calibration.

    Values are read as posteriors at even prior odds; the class balance of the problems does not matter.
    """
    truth, values, _ = checked(same, value)
    if truth.all() or not truth.any():
        return Cllr(None, None, None)
    whole, least = _bits(truth, values), _bits(truth, _recalibrated(truth, values))
    if not np.isfinite(whole):
        return Cllr(None, least, None)
    return Cllr(whole, least, whole - least)


def _bits(truth: Bools, posterior: Floats) -> float:
    """Mean of both classes' mean −log2 of the posterior of the truth; infinite where one is 0."""
    with np.errstate(divide="ignore"):
        return float(-(np.log2(posterior[truth]).mean() + np.log2(1 - posterior[~truth]).mean()) / 2)


def _recalibrated(truth: Bools, values: Floats) -> Floats:
    """Posterior at even odds after pool-adjacent-violators, (n,)."""
    from scipy.optimize import isotonic_regression

    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    # Weighting the classes evenly makes the isotonic fit a posterior at even prior odds.
    weight = np.where(truth, 0.5 / truth.sum(), 0.5 / (~truth).sum())
    each = np.bincount(place, weight, len(count))
    share = np.bincount(place, weight * truth, len(count)) / each
    fitted: Floats = isotonic_regression(share, weights=each).x
    return np.clip(fitted, 0.0, 1.0)[place]
