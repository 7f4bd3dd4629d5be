"""Scores that are log likelihood ratios already: nothing is learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.errors import SpecError
from ravenbench.types import Bools, Floats
from ravenbench.verifiers.calibrators.inputs import one_column
from ravenbench.verifiers.contract.base import Calibrator


@dataclass(eq=False, repr=False)
class LogOdds(Calibrator):
    """Reads a score as the logarithm of a likelihood ratio: the answer is 1 / (1 + base^−score), at even prior odds.

    For scores that are on this scale without training data, such as those of ``lambdag(correction='hapax')``. A score
    of 0, or none, is unanswered.

    Parameters
    ----------
    base : float
        Of the logarithm.
    """

    name = "log-odds"

    base: float = 2.0

    def fit(self, scores: Floats, same: Bools) -> Self:
        """Return itself: there is nothing to learn.

        Raises
        ------
        SpecError
            If the base is not above 1, or the scorer gives several features a problem.
        """
        if not self.base > 1:
            raise SpecError("the base of a logarithm must be above 1", found=self.base, expected="2, e or 10")
        one_column(scores, self.name)
        return self

    def transform(self, scores: Floats) -> Floats:
        scores = one_column(scores, self.name)
        # Beyond 500 the answer is 0 or 1 in any case.
        bounded = np.clip(np.where(np.isnan(scores), 0.0, scores) * np.log(self.base), -500, 500)
        answers: Floats = 1 / (1 + np.exp(-bounded))
        return np.where((answers == 0.5) & (bounded != 0), np.nextafter(0.5, np.sign(bounded)), answers)
