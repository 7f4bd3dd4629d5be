"""A fixed linear map of a distance with a published threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.errors import SpecError
from ravenbench.types import Bools, Floats
from ravenbench.verifiers.calibrators.inputs import one_column, told
from ravenbench.verifiers.contract.base import Calibrator


@dataclass(eq=False, repr=False)
class Linear(Calibrator):
    """A linear map for scores −M of a distance-like M: 0.5 + (theta − M) / (2 · width), clipped to [0, 1].

    Nothing is learned and nothing abstained from: a distance of exactly ``theta`` is accepted. Only where the
    scorer could not tell (NaN) the answer is 0.5.

    Parameters
    ----------
    theta : float
        The distance up to which an author is accepted.
    width : float
        Distance from ``theta`` to a certain answer.
    """

    name = "linear"

    theta: float = 1.02
    width: float = 0.15

    def fit(self, scores: Floats, same: Bools) -> Self:
        """Check the parameters.

        Raises
        ------
        SpecError
            If ``width`` is not positive or the scorer gives several features a problem.
        """
        if not self.width > 0:
            raise SpecError("the width of linear must be positive", found=self.width)
        one_column(scores, self.name)
        return self

    def transform(self, scores: Floats) -> Floats:
        scores = one_column(scores, self.name)
        out = np.clip(0.5 + (self.theta + scores) / (2 * self.width), 0.0, 1.0)
        accepted = -scores <= self.theta
        out[(out == 0.5) & accepted] = np.nextafter(0.5, 1)
        out[(out == 0.5) & ~accepted] = np.nextafter(0.5, 0)
        out[~told(scores)] = 0.5
        return np.asarray(out, dtype=np.float64)
