"""Isotonic regression: the best non-decreasing map from scores to P(same author) (Zadrozny & Elkan 2002)."""

from __future__ import annotations

from typing import Self

import numpy as np

from ravenbench.types import Bools, Floats
from ravenbench.verifiers.calibrators.inputs import learnable, one_column, told
from ravenbench.verifiers.contract.base import Calibrator


class Isotonic(Calibrator):
    """The non-decreasing map that fits best: linear between blocks of pooled scores, constant beyond the scores seen.

    A problem is left unanswered where a whole block holds as many same- as different-author problems; a line
    between two blocks that passes through 0.5 there answers with the next larger number.

    Attributes
    ----------
    scores_, values_ : (k,) float64
        Corners of the map.
    """

    name = "isotonic"

    def fit(self, scores: Floats, same: Bools) -> Self:
        """Learn from scores (n,).

        Raises
        ------
        SpecError
            If there are several features a problem.
        CorpusError
            If one class is absent.
        """
        from sklearn.isotonic import IsotonicRegression

        scores, same = learnable(one_column(scores, self.name), same, self.name)
        model = IsotonicRegression(y_min=0.0, y_max=1.0).fit(scores, same.astype(np.float64))
        self.scores_: Floats = np.asarray(model.X_thresholds_, dtype=np.float64)
        self.values_: Floats = np.asarray(model.y_thresholds_, dtype=np.float64)
        return self

    def transform(self, scores: Floats) -> Floats:
        scores = one_column(scores, self.name)
        out = np.interp(scores, self.scores_, self.values_)
        half = self.scores_[self.values_ == 0.5]
        tied = (scores >= half[0]) & (scores <= half[-1]) if len(half) else np.zeros(len(out), dtype=bool)
        out[(out == 0.5) & ~tied] = np.nextafter(0.5, 1)
        out[~told(scores)] = 0.5
        return out
