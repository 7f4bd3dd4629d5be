"""Measures calibration of answers: the reliability diagram, ECE, and the cost of the log-likelihood ratio.

In: truth (n,) bool and answers (n,), probabilities of "same author" from 0 to 1; for ``newton`` rows (n, f), truth,
weights (n,), the strength of the penalty and its centre (f,).
Out: ``reliability`` returns a ``Reliability`` (bins: counts of problems, mean answer, proportion of same-author
problems, 0 to 1; ECE from 0 to 1, 0 = best); ``cllr`` a ``Cllr`` in bits: 0 = perfect, 1 = the cost of always answering
0.5, no upper bound, None if infinite or truth has one class. ``newton`` returns coefficients (f + 1,) of a logistic
regression, intercept last. InputError for truth or answers that Raven cannot use (not from ``newton``).

References
----------
Guo et al. 2017, On calibration of modern neural networks (ECE).
Brümmer & du Preez 2006, Application-independent evaluation of speaker detection (C_llr and its minimum).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.metrics.base import Metric, checked
from ravenbench.types import Bools, Count, Floats, Ints


class Reliability(NamedTuple):
    """The non-empty bins of a reliability diagram, and the expected calibration error, 0 to 1.

    ``problems`` counts them, ``value`` is their mean answer (0 to 1), ``same`` the proportion of same-author problems
    among them, (bins,) each; ``ece`` is from 0 to 1.
    """

    problems: Ints
    value: Floats
    same: Floats
    ece: float


class Cllr(NamedTuple):
    """C_llr in bits = discrimination (its minimum after isotonic recalibration) + calibration.

    0 is perfect, 1 is the cost of always answering 0.5. ``cllr`` and ``calibration`` are None if infinite: an answer of
    exactly 0 or 1 was wrong. All are None if truth has one class.
    """

    cllr: float | None
    discrimination: float | None
    calibration: float | None


def reliability(same: ArrayLike, value: ArrayLike, bins: int = 10) -> Reliability:
    """Return the reliability diagram over ``bins`` equal parts of [0, 1] (1 belongs to the last), without empty parts.

    ECE is the mean distance between value and truth over bins, weighted by their problems; a non-answer counts as 0.5.
    """
    truth, values, _ = checked(same, value)
    bin_of = np.minimum((values * bins).astype(np.int64), bins - 1)
    count = np.bincount(bin_of, minlength=bins)
    filled = count > 0
    count = count[filled]
    mean = np.bincount(bin_of, values, bins)[filled] / count
    share = np.bincount(bin_of, truth, bins)[filled] / count
    return Reliability(count, mean, share, float(np.abs(mean - share) @ count / count.sum()))


def cllr(same: ArrayLike, value: ArrayLike) -> Cllr:
    """Return C_llr in bits: the cost of the log-likelihood ratios value / (1 − value), split into discrimination and
    calibration.

    Values count as posteriors at even prior odds; the proportion of same-author problems does not matter.
    """
    truth, values, _ = checked(same, value)
    if truth.all() or not truth.any():
        return Cllr(None, None, None)
    total = cllr_cost(same, value)
    least = _bits(truth, _recalibrated(truth, values))
    return Cllr(total, least, None if total is None else total - least)


def cllr_cost(same: ArrayLike, value: ArrayLike) -> float | None:
    """Return only C_llr in bits, which needs no recalibration; None if a class is missing or the cost is infinite."""
    truth, values, _ = checked(same, value)
    if truth.all() or not truth.any():
        return None
    cost = _bits(truth, values)
    return cost if np.isfinite(cost) else None


class CllrCost(Metric):
    """Cost of the log-likelihood ratio in bits: 0 is perfect, 1 means no information; undefined if infinite."""

    name = "cllr"
    title = "C_llr"
    higher = False
    part: ClassVar[str] = "cllr"

    def value(self, truth: Bools, answers: Floats) -> float | None:
        cost: float | None = getattr(cllr(truth, answers), self.part)
        return cost


class CllrMin(CllrCost):
    """C_llr after the best monotone recalibration: the part that the ranking leaves undecided."""

    name = "cllr-min"
    title = "C_llr min"
    part = "discrimination"


class CllrCal(CllrCost):
    """The part of C_llr that recalibration could save."""

    name = "cllr-cal"
    title = "C_llr cal"
    part = "calibration"


@dataclass(eq=False, repr=False)
class ECE(Metric):
    """Expected calibration error: mean distance between answer and proportion of same-author problems over bins; 0 is
    best.

    Parameters
    ----------
    bins : int
        Equal parts of [0, 1].
    """

    name = "ece"
    title = "ECE"
    higher = False

    bins: Count = 10

    def value(self, truth: Bools, answers: Floats) -> float | None:
        return reliability(truth, answers, self.bins).ece


def _bits(truth: Bools, posterior: Floats) -> float:
    """Mean over both classes of the mean −log2 posterior of the truth; infinite if one is 0."""
    with np.errstate(divide="ignore"):
        return float(
            -(np.log2(posterior[truth]).mean() + np.log2(1 - posterior[~truth]).mean()) / 2
        )


def _recalibrated(truth: Bools, values: Floats) -> Floats:
    """Posterior at even odds after pool-adjacent-violators, (n,)."""
    from scipy.optimize import isotonic_regression

    _, position, count = np.unique(values, return_inverse=True, return_counts=True)
    # Weighting the classes evenly makes the isotonic fit a posterior at even prior odds.
    weight = np.where(truth, 0.5 / truth.sum(), 0.5 / (~truth).sum())
    weight_of_value = np.bincount(position, weight, len(count))
    share = np.bincount(position, weight * truth, len(count)) / weight_of_value
    fitted: Floats = isotonic_regression(share, weights=weight_of_value).x
    return np.clip(fitted, 0.0, 1.0)[position]


_ROUNDS = 60
_NEAR = 1e-7
"""If a full step changes log odds by less than this, the search has converged: the next changes them by its square."""


def newton(rows: Floats, same: Bools, weight: Floats, ridge: float, towards: Floats) -> Floats:
    """Return the coefficients of a regularised logistic regression, intercept last, (f + 1,).

    They minimise the weighted logistic loss + ``ridge / 2 · |coefficients − towards|²``, which is convex: damped
    Newton steps find its one minimum. The intercept has no penalty.

    Parameters
    ----------
    rows : (n, f) float64
    same : (n,) bool
        Truth, of both classes; the log odds ``rows @ coefficients + intercept`` are higher for True.
    weight : (n,) float64
        The weight of each row's loss.
    ridge : float
        Strength of the penalty, > 0.
    towards : (f,) float64
    """
    design = np.column_stack([rows, np.ones(len(rows))])
    goal = np.append(towards, 0.0)
    pull = np.append(np.full(rows.shape[1], ridge), 1e-12)

    sign = np.where(same, -1.0, 1.0)
    ridges = np.diag(pull)

    def loss(beta: Floats, odds: Floats) -> float:
        return float(weight @ np.logaddexp(0.0, sign * odds) + pull @ (beta - goal) ** 2 / 2)

    beta = goal.copy()
    odds = design @ beta
    value = loss(beta, odds)
    for _ in range(_ROUNDS):
        probability = 0.5 * (1 + np.tanh(odds / 2))
        gradient = design.T @ (weight * (probability - same)) + pull * (beta - goal)
        hessian = (design * (weight * probability * (1 - probability))[:, None]).T @ design + ridges
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while (
            new := loss(near := beta - size * step, odds_near := design @ near)
        ) > value + 1e-12 * (1 + value):
            if size <= 1e-6:
                break
            size /= 2
        moved = np.abs(odds_near - odds).max()
        beta = near
        odds = odds_near
        value = new
        if size == 1 and moved <= _NEAR:
            break
    return np.asarray(beta)
