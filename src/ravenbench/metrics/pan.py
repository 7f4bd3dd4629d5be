"""The metrics of PAN's verification tasks, as formulas over :class:`~ravenbench.metrics.sums.Sums`.

NaN marks an undefined value inside these formulas; ``scores`` turns it into None.

References
----------
Peñas & Rodrigo 2011, A simple measure to assess non-response (c@1).
Bevendorff et al. 2019, Generalizing unmasking for short texts (F0.5u).
Overviews of PAN 2013–2015 (final) and 2020–2023 (overall).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from ravenbench.metrics.auc import auc_of
from ravenbench.metrics.sums import Sums
from ravenbench.types import Floats


def _ratio(above: Floats, below: Floats, empty: float) -> Floats:
    above, below = np.broadcast_arrays(np.asarray(above, dtype=np.float64), below)
    found: Floats = np.divide(above, below, out=np.full(above.shape, empty), where=below > 0)
    return found


def c_at_1(s: Sums) -> Floats:
    """(1/n)(correct + unanswered·correct/n): accuracy when all is answered, 0 when nothing is."""
    return _ratio(s.correct * (s.n + s.unanswered), np.square(s.n), np.nan)


def accuracy(s: Sums) -> Floats:
    """Share of problems answered rightly; an unanswered one is not."""
    return _ratio(s.correct, s.n, np.nan)


def f05u(s: Sums) -> Floats:
    """F0.5 counting unanswered problems of both classes as missed ones; 0 where nothing is counted."""
    return _ratio(1.25 * s.tp, 1.25 * s.tp + 0.25 * (s.fn + s.unanswered) + s.fp, 0.0)


def f05u_2020(s: Sums) -> Floats:
    """F0.5u as the 2020 evaluator computed it: it took 0.5 for "same author" before counting."""
    tp, fp = s.tp + s.up, s.fp + s.un
    return _ratio(1.25 * tp, 1.25 * tp + 0.25 * s.fn + fp, 0.0)


def f1(s: Sums) -> Floats:
    """F1 of "same author" over answered problems; 0 where none is answered, undefined without positives."""
    return np.where(s.positives > 0, _ratio(2 * s.tp, 2 * s.tp + s.fp + s.fn, 0.0), np.nan)


def precision(s: Sums) -> Floats:
    """Share of true ones among "same author" answers; undefined where there is no such answer."""
    return _ratio(s.tp, s.tp + s.fp, np.nan)


def recall(s: Sums) -> Floats:
    """Share of answered same-author problems found; undefined where there is none."""
    return _ratio(s.tp, s.tp + s.fn, np.nan)


def brier(s: Sums) -> Floats:
    """1 − mean squared error of the values, so that higher is better."""
    return 1.0 - _ratio(s.sq, s.n, np.nan)


def overall(s: Sums) -> Floats:
    """Mean of AUC, c@1, F0.5u and F1 (PAN 2020, HITS), from unrounded values."""
    return (auc_of(s) + c_at_1(s) + f05u(s) + f1(s)) / 4


def overall_2020(s: Sums) -> Floats:
    """``overall`` with the 2020 form of F0.5u: the figure printed in that year's table."""
    return (auc_of(s) + c_at_1(s) + f05u_2020(s) + f1(s)) / 4


def overall5(s: Sums) -> Floats:
    """Mean of AUC, c@1, F0.5u, F1 and Brier (PAN 2021–2023)."""
    return (auc_of(s) + c_at_1(s) + f05u(s) + f1(s) + brier(s)) / 5


def overall5_2020(s: Sums) -> Floats:
    """``overall5`` with the 2020 form of F0.5u."""
    return (auc_of(s) + c_at_1(s) + f05u_2020(s) + f1(s) + brier(s)) / 5


def final(s: Sums) -> Floats:
    """AUC · c@1 (PAN 2014 and 2015)."""
    return auc_of(s) * c_at_1(s)


METRICS: Mapping[str, Callable[[Sums], Floats]] = MappingProxyType(
    {
        "auc": auc_of,
        "c@1": c_at_1,
        "f05u": f05u,
        "f05u_2020": f05u_2020,
        "f1": f1,
        "brier": brier,
        "precision": precision,
        "recall": recall,
        "overall": overall,
        "overall5": overall5,
        "final": final,
    }
)
"""Every reported metric, in the order of the tables. All lie in [0, 1] and higher is better."""

TITLES: Mapping[str, str] = MappingProxyType(
    {
        "auc": "AUC",
        "c@1": "c@1",
        "f05u": "F0.5u",
        "f05u_2020": "F0.5u (2020)",
        "f1": "F1",
        "brier": "Brier",
        "precision": "precision",
        "recall": "recall",
        "overall": "overall",
        "overall5": "overall (5)",
        "final": "final",
        "accuracy": "accuracy",
        "overall_2020": "overall (2020)",
        "overall5_2020": "overall (5, 2020)",
        "unanswered": "unanswered",
    }
)
"""How tables and figures write each metric, and the number of unanswered problems that stands beside them."""

TESTABLE: Mapping[str, Callable[[Sums], Floats]] = MappingProxyType(
    {**METRICS, "accuracy": accuracy, "overall_2020": overall_2020, "overall5_2020": overall5_2020}
)
"""Metrics a difference can be tested in."""

FORM_2020: Mapping[str, str] = MappingProxyType(
    {"f05u": "f05u_2020", "overall": "overall_2020", "overall5": "overall5_2020"}
)
"""What stands in a metric's place where the 2020 form of F0.5u is asked for."""
