"""Scorers whose reliance on style and on topic is a dose: what verdicts of ``raven run`` are tried on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.types import Bools, Floats, Problems, Share
from ravenbench.verifiers.baselines import StyleOnly, TopicOnly
from ravenbench.verifiers.contract.base import Scorer


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
    reads = "words"
    calibrated_by = "threshold-band"
    provenance = "ours"

    dose: Share = 0.5

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.parts_: tuple[Scorer, Scorer] = (
            StyleOnly().fit(problems, same),
            TopicOnly().fit(problems, same),
        )
        scores = np.stack([part.score(problems) for part in self.parts_], axis=1)
        self.mean_, spread = scores.mean(axis=0), scores.std(axis=0)
        self.scale_ = np.where(spread > 0, spread, 1.0)
        return self

    def standardised(self, problems: Problems) -> Floats:
        """z-scores of style-only and topic-only, (n, 2): what every dose mixes."""
        scores = np.stack([part.score(problems) for part in self.parts_], axis=1)
        return np.asarray((scores - self.mean_) / self.scale_, dtype=np.float64)

    def score(self, problems: Problems) -> Floats:
        return mixed(self.standardised(problems), self.dose)


def mixed(parts: Floats, dose: float) -> Floats:
    """The blend of standardised parts (n, 2) at a dose, (n,)."""
    return np.asarray((1 - dose) * parts[:, 0] + dose * parts[:, 1], dtype=np.float64)
