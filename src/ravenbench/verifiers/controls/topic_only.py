"""A scorer that sees topic words and no style: the known truth that topic tests must convict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.calibrators.threshold_band import ThresholdBand
from ravenbench.verifiers.contract.base import Calibrator, Scorer
from ravenbench.verifiers.controls.topic_fit import TopicFit


@dataclass(eq=False, repr=False)
class TopicOnly(Scorer):
    """Cosine of tf-idf vectors of lowercase words other than the most frequent training words.

    Parameters
    ----------
    without : int
        Most frequent words left out, cases folded: where function words lie.
    size : int
        Most frequent remaining words taken up.
    """

    name = "topic-only"
    provenance = "ours"

    without: int = 150
    size: int = 3000

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.topic_fit_ = TopicFit(self.without, self.size, folded=True).fit(problems, same)
        return self

    def score(self, problems: Problems) -> Floats:
        return self.topic_fit_.score(problems)

    def default_calibrator(self) -> Calibrator:
        return ThresholdBand()
