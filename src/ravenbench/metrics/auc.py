"""Area under the ROC curve as the Mann–Whitney statistic."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.metrics.sums import Sums, checked, count
from ravenbench.types import Floats


def auc_of(s: Sums) -> Floats:
    """AUC from the sums of a system; NaN where truth has one class only."""
    pairs = s.positives * s.negatives
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(pairs > 0, np.asarray(s.u2) / (2 * pairs), np.nan)


def auc(same: ArrayLike, value: ArrayLike) -> float | None:
    """Probability that a same-author problem is scored above a different-author one.

    A value of 0.5 is an ordinary tied score here. Equal to the area by Fawcett's trapezoids.

    Returns
    -------
    float or None
        None where truth has one class only.
    """
    area = float(auc_of(count(*checked(same, value))))
    return None if np.isnan(area) else area


def auc_of_scores(same: ArrayLike, score: ArrayLike) -> float | None:
    """The same probability for finite scores of any range; None where truth has one class only."""
    truth, values = np.asarray(same, dtype=bool), np.asarray(score, dtype=np.float64)
    positives = int(truth.sum())
    pairs = positives * (len(truth) - positives)
    if not pairs:
        return None
    order = np.sort(values)
    # Twice the mean rank, ties shared: exact in integers.
    ranks = np.searchsorted(order, values, "left") + np.searchsorted(order, values, "right") + 1
    return float((int(ranks[truth].sum()) - positives * (positives + 1)) / (2 * pairs))
