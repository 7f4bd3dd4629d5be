"""Logistic regression with a radius of non-answers, as PAN's compression baselines have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.errors import SpecError
from ravenbench.metrics.calibration import newton
from ravenbench.types import Bools, Floats
from ravenbench.verifiers.calibrators.inputs import learnable, told
from ravenbench.verifiers.contract.base import Calibrator


@dataclass(eq=False, repr=False)
class Logistic(Calibrator):
    """Probability of the same author by L2-regularised logistic regression; ``|p − 0.5| ≤ radius`` is a non-answer.

    Parameters
    ----------
    radius : float
        0 ≤ radius < 0.5; .05 in PAN20/21, .01 since. With 0 every problem is answered whose log-odds are
        not exactly 0.
    C : float
        Inverse strength of regularisation, on scores as they are.
    prior : float, optional
        Share of same-author problems to expect; log-odds are shifted from the share in training to it.

    Attributes
    ----------
    coef_ : (f,) float64
    intercept_ : float
        The prior's shift included.
    """

    name = "logistic"

    radius: float = 0.01
    C: float = 1.0
    prior: float | None = None

    def fit(self, scores: Floats, same: Bools) -> Self:
        """Learn from scores (n,) or (n, f).

        Raises
        ------
        SpecError
            If a parameter is out of range.
        CorpusError
            If one class is absent.
        """
        if not 0 <= self.radius < 0.5 or not self.C > 0 or (self.prior is not None and not 0 < self.prior < 1):
            raise SpecError(
                "a parameter of logistic is out of range",
                found=str(self),
                expected="0 ≤ radius < 0.5, C > 0, 0 < prior < 1",
            )
        scores, same = learnable(table_of(scores), same, self.name)
        found = newton(scores, same, np.full(len(same), self.C), 1.0, np.zeros(scores.shape[1]))
        self.coef_: Floats = found[:-1]
        self.intercept_ = float(found[-1])
        if self.prior is not None:
            share = float(same.mean())
            self.intercept_ += float(np.log(self.prior / (1 - self.prior)) - np.log(share / (1 - share)))
        return self

    def transform(self, scores: Floats) -> Floats:
        from scipy.special import expit

        scores = table_of(scores)
        # Not a matrix product: its rounding may depend on how many rows there are.
        odds = (scores * self.coef_).sum(axis=1) + self.intercept_
        out: Floats = expit(odds)
        out[(out == 0.5) & (odds > 0)] = np.nextafter(0.5, 1)
        out[(out == 0.5) & (odds < 0)] = np.nextafter(0.5, 0)
        if self.radius:
            out[np.abs(out - 0.5) <= self.radius] = 0.5
        out[~told(scores)] = 0.5
        return out


def table_of(scores: Floats) -> Floats:
    """Scores as (n, f)."""
    scores = np.asarray(scores, dtype=np.float64)
    return scores[:, None] if scores.ndim == 1 else scores
