"""All metrics of one system's answers in one call."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from numpy.typing import ArrayLike

from ravenbench.metrics.pan import METRICS
from ravenbench.metrics.sums import Sums, checked, count
from ravenbench.types import Floats


def scores(
    same: ArrayLike,
    value: ArrayLike,
    decision: ArrayLike | None = None,
    metrics: Mapping[str, Callable[[Sums], Floats]] = METRICS,
) -> dict[str, float | None]:
    """Compute every metric of one system's answers.

    Parameters
    ----------
    same : (n,) bool
        Truth: same author or not.
    value : (n,) float
        Answers in [0, 1], higher = same author, exactly 0.5 = unanswered.
    decision : (n,) float, optional
        0, 0.5 or 1 where decisions were given apart from the scores (PAN 2013). AUC and Brier then use
        ``value``, everything else ``decision``.
    metrics : mapping of str to formula
        Other formulas under these or further names.

    Returns
    -------
    dict
        ``auc``, ``c@1``, ``f05u``, ``f05u_2020``, ``f1``, ``brier``, ``precision``, ``recall``, ``overall``,
        ``overall5``, ``final`` in [0, 1], higher is better, and ``unanswered``, a count. None where undefined:
        AUC and what rests on it when truth has one class, F1 and recall when it has no same-author problem,
        precision when "same author" is never answered.

    Raises
    ------
    InputError
        If a value is NaN, infinite or outside [0, 1], or lengths differ.
    """
    sums = count(*checked(same, value, decision))
    found: dict[str, float | None] = {}
    for name, formula in metrics.items():
        number = float(formula(sums))
        found[name] = None if math.isnan(number) else number
    return found | {"unanswered": float(sums.unanswered)}
