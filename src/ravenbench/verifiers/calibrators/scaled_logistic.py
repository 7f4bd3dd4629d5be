"""Logistic regression on standardised scores: for scorers whose scale nobody knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from ravenbench.text.tfidf import centre_of
from ravenbench.types import Bools, Floats
from ravenbench.verifiers.calibrators.inputs import learnable
from ravenbench.verifiers.calibrators.logistic import Logistic, table_of


@dataclass(eq=False, repr=False)
class ScaledLogistic(Logistic):
    """As ``logistic``, but scores are first brought to mean 0 and deviation 1.

    Regularisation acts on scores as they are, so that ``logistic`` answers .5 throughout where scores lie between .00
    and .16; this one does not depend on their scale. It is what a scorer comes with that names no calibrator.

    Attributes
    ----------
    centre_, deviation_ : (f,) float64
        Of the training scores.
    """

    name = "scaled-logistic"

    def fit(self, scores: Floats, same: Bools) -> Self:
        # NaN is a scorer's way of saying that it cannot tell: such problems are not learned from.
        table, same = learnable(table_of(scores), same, self.name)
        self.centre_, self.deviation_ = centre_of(table)
        return super().fit((table - self.centre_) / self.deviation_, same)

    def transform(self, scores: Floats) -> Floats:
        return super().transform((table_of(scores) - self.centre_) / self.deviation_)
