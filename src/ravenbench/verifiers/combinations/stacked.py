"""Stacked generalisation: logistic regression over members' out-of-fold answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ravenbench.components import Component
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.calibrators.band import apply_band, best_radius
from ravenbench.verifiers.calibrators.logistic import Logistic
from ravenbench.verifiers.combinations.meta import Combined, answers_apart, answers_of, fit_members


@dataclass(eq=False, repr=False)
class Stacked(Combined):
    """Logistic regression over the log-odds of the members' answers, learned on answers out of fold.

    Marks for calibration are ignored: the folds keep groups whole and give every problem an answer by members
    that never saw it.

    Parameters
    ----------
    members : list of verifiers or scorers
    C : float
        Inverse strength of regularisation.
    folds : int
        Of the cross-validation that gives the answers out of fold.
    band : bool
        Leave answers near 0.5 unanswered, within a half-width chosen for c@1 on the training problems.

    Attributes
    ----------
    members_ : list of fitted verifiers
    weights_ : Logistic
        Fitted on log-odds (n, members).
    radius_ : float
        Half-width of the band.

    References
    ----------
    Wolpert 1992, Stacked generalization.
    """

    name = "stacked"
    version = 2
    provenance = "ours"

    members: Sequence[Component]
    C: float = 0.1
    folds: int = 5
    band: bool = False

    def fit(self, problems: Problems, same: Bools) -> Self:
        same = np.asarray(same, dtype=bool)
        problems = replace(problems, calibrate=None)
        apart = log_odds(answers_apart(self.members, problems, same, self.folds))
        told = ~np.isnan(apart).any(axis=1)
        apart, truth = apart[told], same[told]
        self.weights_ = Logistic(radius=0.0, C=self.C).fit(apart, truth)
        self.radius_ = best_radius(self.weights_.transform(apart), truth) if self.band else 0.0
        self.members_ = fit_members(self.members, problems, same)
        return self

    def verify(self, problems: Problems) -> Floats:
        answers = self.weights_.transform(log_odds(answers_of(self.members_, problems)))
        return apply_band(answers, self.radius_)


def log_odds(answers: Floats) -> Floats:
    """log(p / (1 − p)) of answers kept within [.01, .99], so that none is beyond recall."""
    p = np.clip(answers, 0.01, 0.99)
    return np.asarray(np.log(p / (1 - p)))
