"""All metrics of one system's answers in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
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
    return scores_of([count(*checked(same, value, decision))], metrics)[0]


def scores_of(
    sums: Sequence[Sums], metrics: Mapping[str, Callable[[Sums], Floats]] = METRICS
) -> list[dict[str, float | None]]:
    """``scores`` of many systems or folds, each from its sums: every formula is worked out once for all of them."""
    every = Sums(*np.array(sums, dtype=np.float64).reshape(-1, len(Sums._fields)).T)
    columns = {name: formula(every).tolist() for name, formula in metrics.items()}
    columns["unanswered"] = every.unanswered.tolist()
    rows = zip(*columns.values(), strict=True)
    return [{k: None if v != v else v for k, v in zip(columns, row, strict=True)} for row in rows]
