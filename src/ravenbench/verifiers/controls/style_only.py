"""A scorer that sees style and no topic: the known truth that topic tests must acquit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from ravenbench.text.lexicon import ALL_TOKENS
from ravenbench.text.tfidf import TokenProfiles
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.baselines.function_words import profile_cosines
from ravenbench.verifiers.calibrators.threshold_band import ThresholdBand
from ravenbench.verifiers.contract.base import Calibrator, Scorer


@dataclass(eq=False, repr=False)
class StyleOnly(Scorer):
    """(1 + cosine) / 2 of z-scored frequencies of few words, punctuation marks, and sentence length.

    Content words enter only through the number of words of a text.

    Parameters
    ----------
    words, marks : int
        Most frequent training words and marks taken up.
    """

    name = "style-only"
    provenance = "ours"
    counted = ALL_TOKENS

    words: int = 60
    marks: int = 12

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.profiles_ = TokenProfiles(self.words, self.marks, sentences=True).fit(problems.texts, problems.documents)
        return self

    def score(self, problems: Problems) -> Floats:
        return profile_cosines(self.profiles_, problems)

    def default_calibrator(self) -> Calibrator:
        return ThresholdBand()
