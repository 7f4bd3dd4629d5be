"""Meta-classifiers, which combine the answers of several systems; the unweighted mean of all scores, 0.5s included, is
that of the PAN-2014 overview (Stamatatos et al. 2014)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.errors import InputError
from ravenbench.metrics.pan import CAt1
from ravenbench.metrics.sums import checked, count
from ravenbench.types import Floats


def mean_of(values: ArrayLike) -> Floats:
    """Mean score of each problem, (s, n) → (n,)."""
    return np.asarray(np.mean(np.asarray(values, dtype=np.float64), axis=0))


def rank_mean(values: ArrayLike) -> Floats:
    """Mean over systems of the share of problems a system scores lower, ties half, (s, n) → (n,).

    Free of the systems' scales; transductive, and its 0.5 is the middle of the problems at hand, so decisions by
    it suppose even classes.
    """
    from scipy.stats import rankdata

    each = np.asarray(values, dtype=np.float64)
    return mean_of((rankdata(each, axis=1) - 0.5) / each.shape[1])


def with_band(value: ArrayLike, a: float) -> Floats:
    """Leave unanswered what lies within ± a of 0.5."""
    score = np.asarray(value, dtype=np.float64)
    return np.where(np.abs(score - 0.5) <= a, 0.5, score)


def choose_band(same: ArrayLike, value: ArrayLike) -> float:
    """The half-width 0, .005, … .495 of greatest c@1 on training answers; the smallest of equal ones."""
    truth, score, _ = checked(same, value)
    widths = np.arange(100) / 200
    reached = [float(CAt1().of(count(truth, score, with_band(score, a)))) for a in widths]
    return float(widths[int(np.argmax(reached))])


def stacked(train_same: ArrayLike, train: ArrayLike, test: ArrayLike) -> Floats:
    """Logistic regression (L2, C = 1) of truth on all systems' scores, (s, m) and (s, n) → (n,); InputError if training
    truth has one class."""
    from sklearn.linear_model import LogisticRegression

    same = np.asarray(train_same, dtype=np.bool_)
    if same.all() or not same.any():
        raise InputError("stacking needs training problems of both classes", found=f"{same.sum()} of {len(same)} same")
    model = LogisticRegression(C=1.0).fit(np.asarray(train, dtype=np.float64).T, same)
    return np.asarray(model.predict_proba(np.asarray(test, dtype=np.float64).T)[:, 1], dtype=np.float64)
