"""A ridge logistic regression on standardised features, as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.metrics.calibration import newton
from ravenbench.text.tfidf import centre_of
from ravenbench.types import Bools, Floats

_FURTHEST = 3.0


@dataclass(eq=False)
class Ridge:
    """Probabilities of "same author" from features.

    Features are standardised by training mean and deviation and clipped at ± 3, so that one odd text cannot
    outvote everything else.

    Parameters
    ----------
    C : float
        Inverse strength of the L2 penalty.

    Attributes
    ----------
    mean_, deviation_, coef_ : (features,) float64
    intercept_ : float
    """

    C: float

    def fit(self, features: Floats, same: Bools) -> Self:
        """Learn from features (n, f) of problems of both classes."""
        self.mean_, self.deviation_ = centre_of(features)
        rows = self._standard(features)
        found = newton(rows, same, np.full(len(rows), self.C), 1.0, np.zeros(rows.shape[1]))
        self.coef_: Floats = found[:-1]
        self.intercept_ = float(found[-1])
        return self

    def answers(self, features: Floats) -> Floats:
        """Probabilities of the same author from features (n, f), (n,)."""
        from scipy.special import expit

        return np.asarray(expit(self.log_odds(features)), dtype=np.float64)

    def log_odds(self, features: Floats) -> Floats:
        """Log odds of the same author from features (n, f), (n,)."""
        # Not a matrix product: its rounding may depend on how many rows there are.
        odds = (self._standard(features) * self.coef_).sum(axis=1) + self.intercept_
        return np.asarray(odds, dtype=np.float64)

    def _standard(self, features: Floats) -> Floats:
        return np.asarray(np.clip((features - self.mean_) / self.deviation_, -_FURTHEST, _FURTHEST))
