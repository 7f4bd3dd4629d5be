"""Stacked generalisation: logistic regression over members' out-of-fold answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from ravenbench.components import Component
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.calibrators.band import apply_band, best_radius
from ravenbench.verifiers.calibrators.inputs import learnable
from ravenbench.verifiers.combinations.meta import Combined, answers_apart, answers_of, fit_members
from ravenbench.verifiers.contract.folds import calibration_folds, levelled


@dataclass(eq=False, repr=False)
class Stacked(Combined):
    """Logistic regression over the log-odds of the members' answers, learned on answers out of fold.

    No member weighs less than nothing (Breiman 1996): a higher answer always means the same author, and where out of
    fold the opposite seems true it is by chance. Weights are drawn to those of the plain mean. The members of each fold
    learned from another share of same-author problems, and answer higher or lower for that alone: answers out of fold
    are compared within a fold (``levelled``).

    Marks for calibration are ignored: the folds keep groups whole and give every problem an answer by members
    that never saw it.

    Parameters
    ----------
    members : list of verifiers or scorers
    C : float
        Inverse strength of the pull to the plain mean.
    folds : int
        Of the cross-validation that gives the answers out of fold.
    band : bool
        Leave answers near 0.5 unanswered, within a half-width chosen for c@1 on the training problems.

    Attributes
    ----------
    members_ : list of fitted verifiers
    coef_ : (members,) float64
        Weight of each member's log-odds, at least 0.
    intercept_ : float
    radius_ : float
        Half-width of the band.

    References
    ----------
    Wolpert 1992, Stacked generalization. Breiman 1996, Stacked regressions.
    """

    name = "stacked"
    version = 5
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
        truth = same[told]
        apart = levelled(apart[told], calibration_folds(problems, same, self.folds).fold[told], truth)
        self.coef_, self.intercept_ = weights(apart, truth, self.C)
        self.radius_ = best_radius(self._weighed(apart), truth) if self.band else 0.0
        self.members_ = fit_members(self.members, problems, same)
        return self

    def verify(self, problems: Problems) -> Floats:
        return apply_band(self._weighed(log_odds(answers_of(self.members_, problems))), self.radius_)

    def _weighed(self, odds: Floats) -> Floats:
        # Not a matrix product: its rounding may depend on how many rows there are.
        return np.asarray(expit((odds * self.coef_).sum(axis=1) + self.intercept_))


def weights(odds: Floats, same: Bools, C: float) -> tuple[Floats, float]:
    """Coefficients (members,) of at least 0 and an intercept, of odds (n, members).

    They minimise the logistic loss · ``C`` + ½ |coefficients − 1 / members|².

    Raises
    ------
    CorpusError
        If one class is absent.
    """
    odds, same = learnable(odds, same, Stacked.name)
    members = odds.shape[1]
    design = np.column_stack([odds, np.ones(len(odds))])
    mean = np.append(np.full(members, 1 / members), 0.0)
    sign = np.where(same, 1.0, -1.0)
    pulled = np.append(np.ones(members), 0.0)

    def loss(beta: Floats) -> tuple[float, Floats]:
        margin, off = sign * (design @ beta), pulled * (beta - mean)
        slope = C * (design.T @ (-sign * expit(-margin))) + off
        return float(C * np.logaddexp(0.0, -margin).sum() + off @ off / 2), slope

    bounds = [(0.0, None)] * members + [(None, None)]
    beta = minimize(loss, mean, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-14, "gtol": 1e-9}).x
    return beta[:members], float(beta[members])


def log_odds(answers: Floats) -> Floats:
    """log(p / (1 − p)) of answers kept within [.01, .99], so that none is beyond recall."""
    p = np.clip(answers, 0.01, 0.99)
    return np.asarray(np.log(p / (1 - p)))
