"""Computes the metrics of PAN's verification tasks, and all of them for one system in one call.

In: ``scores``: truth (n,) bool, answers (n,) from 0 to 1, higher = same author, 0.5 = unanswered, optionally decisions
(n,) of 0, 0.5 or 1; ``auc``: truth and answers; ``auc_of_scores``: truth and finite scores of any range; ``scores_of``
and a metric's ``of`` (``AUC``, ``CAt1`` …): ``Sums``.
Out: metrics from 0 to 1 by name (``auc…`` and ``of``: one), None if undefined (``of``: NaN); higher is better except
for FPR and FNR; ``unanswered`` is a count. InputError for an answer that is NaN, infinite or out of range, or for
lengths that differ; ``auc_of_scores`` checks nothing.

NaN marks an undefined value inside the formulas; ``scores`` turns it into None.

References
----------
Peñas & Rodrigo 2011, A simple measure to assess non-response (c@1).
Bevendorff et al. 2019, Generalizing unmasking for short texts (F0.5u).
Overviews of PAN 2013–2015 (final) and 2020–2023 (overall).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.metrics.base import Counted, Metric, Sums, checked, count, measure
from ravenbench.types import Floats


class AUC(Counted):
    """Area under the ROC curve, the Mann–Whitney statistic; undefined if truth has only one class."""

    name = "auc"
    title = "AUC"

    def of(self, s: Sums) -> Floats:
        pairs = s.positives * s.negatives
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(pairs > 0, np.asarray(s.u2) / (2 * pairs), np.nan)


class CAt1(Counted):
    """(1/n)(correct + unanswered·correct/n): accuracy if all problems are answered, 0 if none is."""

    name = "c@1"
    title = "c@1"

    def of(self, s: Sums) -> Floats:
        return _ratio(s.correct * (s.n + s.unanswered), np.square(s.n), np.nan)


class Accuracy(Counted):
    """Proportion of problems answered correctly; an unanswered problem is not correct."""

    name = "accuracy"
    title = "accuracy"

    def of(self, s: Sums) -> Floats:
        return _ratio(s.correct, s.n, np.nan)


class FPR(Counted):
    """Proportion of different-author problems, or texts by people, answered with .5 or more: false alarms as PAN's
    evaluator of generated content counts them since 2025."""

    name = "fpr"
    title = "FPR"
    higher = False

    def of(self, s: Sums) -> Floats:
        return _ratio(s.fp + s.un, s.negatives, np.nan)


class FNR(Counted):
    """Proportion of same-author problems, or texts by machines, answered below .5, as the same evaluator counts them."""

    name = "fnr"
    title = "FNR"
    higher = False

    def of(self, s: Sums) -> Floats:
        return _ratio(s.fn, s.positives, np.nan)


class F05u(Counted):
    """F0.5 that counts unanswered problems of both classes as missed; undefined if nothing is counted (all problems are
    different-author and answered correctly), because PAN's evaluator then divides by 0."""

    name = "f05u"
    title = "F0.5u"

    def of(self, s: Sums) -> Floats:
        return _ratio(1.25 * s.tp, 1.25 * s.tp + 0.25 * (s.fn + s.unanswered) + s.fp, np.nan)


class F05u2020(Counted):
    """F0.5u as the evaluator of 2020 computed it: it counted 0.5 as "same author"."""

    name = "f05u_2020"
    title = "F0.5u (2020)"

    def of(self, s: Sums) -> Floats:
        tp = s.tp + s.up
        fp = s.fp + s.un
        return _ratio(1.25 * tp, 1.25 * tp + 0.25 * s.fn + fp, np.nan)


class F1(Counted):
    """F1 of "same author" over answered problems; undefined without positives, and if no positive is answered and no
    negative is called positive; PAN's evaluator then gives 0."""

    name = "f1"
    title = "F1"

    def of(self, s: Sums) -> Floats:
        return np.where(s.positives > 0, _ratio(2 * s.tp, 2 * s.tp + s.fp + s.fn, np.nan), np.nan)


class F12024(Counted):
    """F1 as the evaluators of generated content compute it since 2024: an unanswered problem counts as "different"."""

    name = "f1_2024"
    title = "F1 (2024)"

    def of(self, s: Sums) -> Floats:
        return np.where(
            s.positives > 0, _ratio(2 * s.tp, 2 * s.tp + s.fp + s.fn + s.up, 0.0), np.nan
        )


class Precision(Counted):
    """Proportion of correct answers among "same author" answers; undefined without these answers."""

    name = "precision"
    title = "precision"

    def of(self, s: Sums) -> Floats:
        return _ratio(s.tp, s.tp + s.fp, np.nan)


class Recall(Counted):
    """Proportion of answered same-author problems that are found; undefined without any."""

    name = "recall"
    title = "recall"

    def of(self, s: Sums) -> Floats:
        return _ratio(s.tp, s.tp + s.fn, np.nan)


class Brier(Counted):
    """1 − mean squared error of the values, so that higher is better."""

    name = "brier"
    title = "Brier"

    def of(self, s: Sums) -> Floats:
        return 1.0 - _ratio(s.sq, s.n, np.nan)


class Overall(Counted):
    """Mean of AUC, c@1, F0.5u and F1 (PAN 2020, HITS), from unrounded values."""

    name = "overall"
    title = "overall"
    parts: ClassVar[tuple[type[Counted], ...]] = (AUC, CAt1, F05u, F1)

    def of(self, s: Sums) -> Floats:
        return np.asarray(sum(component().of(s) for component in self.parts) / len(self.parts))


class Overall2020(Overall):
    """``overall`` with the 2020 form of F0.5u: the number printed in that year's table."""

    name = "overall_2020"
    title = "overall (2020)"
    parts = (AUC, CAt1, F05u2020, F1)


class Overall5(Overall):
    """Mean of AUC, c@1, F0.5u, F1 and Brier (PAN 2021–2023)."""

    name = "overall5"
    title = "overall (5)"
    parts = (AUC, CAt1, F05u, F1, Brier)


class Overall2024(Overall):
    """Mean of AUC, Brier, c@1, F1 and F0.5u with F1 as since 2024: the mean of PAN's tasks on generated content."""

    name = "overall_2024"
    title = "mean (2024)"
    parts = (AUC, Brier, CAt1, F12024, F05u)


class Overall52020(Overall):
    """``overall5`` with the 2020 form of F0.5u."""

    name = "overall5_2020"
    title = "overall (5, 2020)"
    parts = (AUC, CAt1, F05u2020, F1, Brier)


class Final(Counted):
    """AUC · c@1 (PAN 2014 and 2015)."""

    name = "final"
    title = "final"

    def of(self, s: Sums) -> Floats:
        return AUC().of(s) * CAt1().of(s)


_REPORTED = (AUC, CAt1, F05u, F05u2020, F1, Brier, Precision, Recall, Overall, Overall5, Final)

METRICS: Mapping[str, Counted] = MappingProxyType({metric.name: metric() for metric in _REPORTED})
"""Every reported metric, in the order of the tables. All are in [0, 1], and higher is better."""

STANDARD: Mapping[str, Counted] = MappingProxyType(
    {
        **METRICS,
        **{
            metric.name: metric()
            for metric in (Accuracy, FPR, FNR, F12024, Overall2020, Overall2024, Overall52020)
        },
    }
)
"""These, and further metrics in which Raven can test a difference."""

TITLES: Mapping[str, str] = MappingProxyType(
    {name: metric.title for name, metric in STANDARD.items()} | {"unanswered": "unanswered"}
)
"""The names of metrics, and of the number of unanswered problems, in tables and figures."""

FORM_2020: Mapping[str, str] = MappingProxyType(
    {"f05u": "f05u_2020", "overall": "overall_2020", "overall5": "overall5_2020"}
)
"""The metric that replaces another if the 2020 form of F0.5u is asked for."""


def _ratio(above: Floats, below: Floats, empty: float) -> Floats:
    above, below = np.broadcast_arrays(np.asarray(above, dtype=np.float64), below)
    quotient: Floats = np.divide(above, below, out=np.full(above.shape, empty), where=below > 0)
    return quotient


def auc(same: ArrayLike, value: ArrayLike) -> float | None:
    """Return the AUC, 0 to 1: the probability that a same-author problem scores higher than a different-author problem.

    A value of 0.5 is an ordinary score here. Equal to the area by Fawcett's trapezoids.

    Returns
    -------
    float or None
        None if truth has one class only.
    """
    truth, values, _ = checked(same, value)
    return AUC().value(truth, values)


def auc_of_scores(same: ArrayLike, score: ArrayLike) -> float | None:
    """Return the AUC, 0 to 1, of finite scores of any range; None if truth has one class only."""
    truth = np.asarray(same, dtype=bool)
    values = np.asarray(score, dtype=np.float64)
    positives = int(truth.sum())
    pairs = positives * (len(truth) - positives)
    if not pairs:
        return None
    order = np.sort(values)
    # Twice the mean rank, ties shared: exact in integers.
    ranks = np.searchsorted(order, values, "left") + np.searchsorted(order, values, "right") + 1
    return float((int(ranks[truth].sum()) - positives * (positives + 1)) / (2 * pairs))


def scores(
    same: ArrayLike,
    value: ArrayLike,
    decision: ArrayLike | None = None,
    metrics: Mapping[str, Metric] = METRICS,
) -> dict[str, float | None]:
    """Return every metric of the answers of one system by name, 0 to 1.

    InputError if a value is NaN, infinite or outside [0, 1], or lengths differ.

    Parameters
    ----------
    same : (n,) bool
        Truth: same author or not.
    value : (n,) float
        Answers in [0, 1], higher = same author, exactly 0.5 = unanswered.
    decision : (n,) float, optional
        0, 0.5 or 1, if the system gives decisions besides scores (PAN 2013). AUC and Brier then use
        ``value``, all others ``decision``.
    metrics : mapping of str to Metric
        Other metrics under these or further names; metrics that are not a formula over counts read ``value``.

    Returns
    -------
    dict
        ``auc``, ``c@1``, ``f05u``, ``f05u_2020``, ``f1``, ``brier``, ``precision``, ``recall``, ``overall``,
        ``overall5``, ``final`` in [0, 1], higher is better, and ``unanswered``, a count. None if undefined:
        AUC and its combinations if truth has one class, F1 and recall if it has no same-author problem, F1 and
        F0.5u (and their combinations) if they would be 0/0, precision if "same author" is never answered.
    """
    truth, values, decisions = checked(same, value, decision)
    counted = {name: metric for name, metric in metrics.items() if isinstance(metric, Counted)}
    measures = scores_of([count(truth, values, decisions)], counted)[0]
    if len(counted) < len(metrics):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            measured = {
                n: measure(metric, truth, values)
                for n, metric in metrics.items()
                if n not in counted
            }
        all_scores = measures | {
            name: None if math.isnan(number) else number for name, number in measured.items()
        }
        measures = {name: all_scores[name] for name in (*metrics, "unanswered")}
    return measures


def scores_of(
    sums: Sequence[Sums], metrics: Mapping[str, Counted] = METRICS
) -> list[dict[str, float | None]]:
    """Return ``scores`` (0 to 1, by name) of many systems or folds, each from its sums, with one computation of every
    formula for all of them."""
    every = Sums(*np.array(sums, dtype=np.float64).reshape(-1, len(Sums._fields)).T)
    columns = {name: metric.of(every).tolist() for name, metric in metrics.items()}
    columns["unanswered"] = every.unanswered.tolist()
    rows = zip(*columns.values(), strict=True)
    return [
        {k: None if value != value else value for k, value in zip(columns, row, strict=True)}
        for row in rows
    ]
