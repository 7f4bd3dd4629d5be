"""A random score: the floor that every method should beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.randomness import stream
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.calibrators.threshold_band import ThresholdBand
from ravenbench.verifiers.contract.base import Calibrator, Scorer


@dataclass(eq=False, repr=False)
class Chance(Scorer):
    """A uniform draw from [0, 1) for each problem id.

    Parameters
    ----------
    seed : int
        Decides the draws, together with the problem's id.
    """

    name = "chance"
    provenance = "ours"

    seed: int = 0

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Return itself: there is nothing to learn."""
        return self

    def score(self, problems: Problems) -> Floats:
        draws = [stream(self.seed, "chance", name).random() for name in problems.ids.tolist()]
        return np.array(draws, dtype=np.float64)

    def default_calibrator(self) -> Calibrator:
        return ThresholdBand()
