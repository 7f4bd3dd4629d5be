"""A scorer of known topic reliance: style-only and topic-only in a stated mixture, for simulations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.errors import SpecError
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.calibrators.threshold_band import ThresholdBand
from ravenbench.verifiers.contract.base import Calibrator, Scorer
from ravenbench.verifiers.controls.style_only import StyleOnly
from ravenbench.verifiers.controls.topic_only import TopicOnly


@dataclass(eq=False, repr=False)
class Blend(Scorer):
    """(1 − dose) · z(style-only) + dose · z(topic-only), standardised on the training problems.

    Parameters
    ----------
    dose : float
        From 0 (style alone) to 1 (topic alone).

    Attributes
    ----------
    parts_ : fitted scorers, style first
    mean_, scale_ : (2,) of their scores on the training problems
    """

    name = "blend"
    provenance = "ours"

    dose: float = 0.5

    def fit(self, problems: Problems, same: Bools) -> Self:
        if not 0 <= self.dose <= 1:
            raise SpecError("blend: dose must lie in [0, 1]", found=self.dose)
        self.parts_: tuple[Scorer, Scorer] = (StyleOnly().fit(problems, same), TopicOnly().fit(problems, same))
        seen = np.stack([part.score(problems) for part in self.parts_], axis=1)
        self.mean_, spread = seen.mean(axis=0), seen.std(axis=0)
        self.scale_ = np.where(spread > 0, spread, 1.0)
        return self

    def standardised(self, problems: Problems) -> Floats:
        """z-scores of style-only and topic-only, (n, 2): what every dose mixes."""
        scores = np.stack([part.score(problems) for part in self.parts_], axis=1)
        return np.asarray((scores - self.mean_) / self.scale_, dtype=np.float64)

    def score(self, problems: Problems) -> Floats:
        return mixed(self.standardised(problems), self.dose)

    def default_calibrator(self) -> Calibrator:
        return ThresholdBand()


def mixed(parts: Floats, dose: float) -> Floats:
    """The blend of standardised parts (n, 2) at a dose, (n,)."""
    return np.asarray((1 - dose) * parts[:, 0] + dose * parts[:, 1], dtype=np.float64)
