"""Calibrates raw scores in three further ways: ``Isotonic``, ``Linear``, ``Banded`` (logistic with a band).

In: raw scores (n,), NaN = none, and for ``fit`` truth (n,) bool, True = same author. ``Isotonic`` and ``Linear`` take
higher = same author (``Linear``: minus a distance, and learns nothing); ``Banded`` also takes (n, f), in any direction.
Out: answers (n,) from 0 to 1, higher = same author, exactly 0.5 = unanswered (``Linear``: only for NaN). SpecError for
several features for each problem (not ``Banded``), or a parameter out of range; CorpusError if one class is absent (not
``Linear``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.randomness import stream
from ravenbench.types import Bools, Floats, Positive
from ravenbench.verifiers.calibrators import (
    Logistic,
    apply_band,
    best_radius,
    learnable,
    one_column,
    scored,
)
from ravenbench.verifiers.contract.base import Calibrator
from ravenbench.verifiers.contract.folds import Folds, out_of_fold


class Isotonic(Calibrator):
    """The non-decreasing map that fits best: linear between blocks of pooled scores, constant outside the training scores.

    A problem is left unanswered if a block has as many same-author as different-author problems; a line
    between two blocks that passes through 0.5 there answers with the next larger number.

    Attributes
    ----------
    scores_, values_ : (k,) float64
        Corners of the map.
    """

    name = "isotonic"

    def fit(self, scores: Floats, same: Bools) -> Self:
        """Learn from scores (n,).

        SpecError if there are several features for each problem. CorpusError if one class is absent.
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
        tied = (
            (scores >= half[0]) & (scores <= half[-1])
            if len(half)
            else np.zeros(len(out), dtype=bool)
        )
        out[(out == 0.5) & ~tied] = np.nextafter(0.5, 1)
        out[~scored(scores)] = 0.5
        return out


@dataclass(eq=False, repr=False)
class Linear(Calibrator):
    """A linear map for scores −M of a distance-like M: 0.5 + (theta − M) / (2 · width), clipped to [0, 1].

    Nothing is learned, and nothing is left unanswered: a distance of exactly ``theta`` is accepted. The answer is 0.5
    only if the scorer could not tell (NaN).

    Parameters
    ----------
    theta : float
        The distance up to which an author is accepted.
    width : float
        Distance from ``theta`` to a certain answer.
    """

    name = "linear"

    theta: float = 1.02
    width: Positive = 0.15

    def fit(self, scores: Floats, same: Bools) -> Self:
        """Return itself: there is nothing to learn. SpecError if the scorer gives several features for each problem."""
        one_column(scores, self.name)
        return self

    def transform(self, scores: Floats) -> Floats:
        scores = one_column(scores, self.name)
        out = np.clip(0.5 + (self.theta + scores) / (2 * self.width), 0.0, 1.0)
        accepted = -scores <= self.theta
        out[(out == 0.5) & accepted] = np.nextafter(0.5, 1)
        out[(out == 0.5) & ~accepted] = np.nextafter(0.5, 0)
        out[~scored(scores)] = 0.5
        return np.asarray(out, dtype=np.float64)


@dataclass(eq=False, repr=False)
class Banded(Calibrator):
    """Logistic regression that leaves answers around 0.5 unanswered, in the band with the best out-of-fold c@1.

    Parameters
    ----------
    C : float
        Inverse strength of regularisation.
    folds : int
        Number of folds of the cross-validation whose answers decide the band.
    most : float
        Largest half-width tried.

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
        """Learn from scores (n,) or (n, f). CorpusError if one class is absent."""
        scores = np.asarray(scores, dtype=np.float64)
        same = np.asarray(same, dtype=bool)
        self.logistic_ = Logistic(radius=0.0, C=self.C).fit(scores, same)
        folds = Folds(stream(0, "banded-folds", len(same)).permutation(len(same)) % self.folds)

        def answered(rest: Bools, out: Bools) -> Floats:
            return (
                Logistic(radius=0.0, C=self.C).fit(scores[rest], same[rest]).transform(scores[out])
            )

        self.radius_ = best_radius(out_of_fold(answered, folds, same), same, self.most)
        return self

    def transform(self, scores: Floats) -> Floats:
        return apply_band(self.logistic_.transform(scores), self.radius_)
