"""Logistic regression whose band of non-answers is chosen on out-of-fold answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.randomness import stream
from ravenbench.types import Bools, Floats
from ravenbench.verifiers.calibrators.band import apply_band, best_radius
from ravenbench.verifiers.calibrators.logistic import Logistic
from ravenbench.verifiers.contract.base import Calibrator
from ravenbench.verifiers.contract.folds import Folds, out_of_fold


@dataclass(eq=False, repr=False)
class Banded(Calibrator):
    """Logistic regression that leaves a band of answers about 0.5 unanswered, the one with the best c@1 out of fold.

    Parameters
    ----------
    C : float
        Inverse strength of regularisation.
    folds : int
        Of the cross-validation that gives the answers the band is chosen on.
    most : float
        Widest half-width tried.

    Attributes
    ----------
    logistic_ : Logistic
    radius_ : float
        Half-width of the band.
    """

    name = "banded"

    C: float = 1.0
    folds: int = 5
    most: float = 0.1

    def fit(self, scores: Floats, same: Bools) -> Self:
        """Learn from scores (n,) or (n, f).

        Raises
        ------
        CorpusError
            If one class is absent.
        """
        scores, same = np.asarray(scores, dtype=np.float64), np.asarray(same, dtype=bool)
        self.logistic_ = Logistic(radius=0.0, C=self.C).fit(scores, same)
        folds = Folds(stream(0, "banded-folds", len(same)).permutation(len(same)) % self.folds)

        def answered(rest: Bools, out: Bools) -> Floats:
            return Logistic(radius=0.0, C=self.C).fit(scores[rest], same[rest]).transform(scores[out])

        self.radius_ = best_radius(out_of_fold(answered, folds, same), same, self.most)
        return self

    def transform(self, scores: Floats) -> Floats:
        return apply_band(self.logistic_.transform(scores), self.radius_)
