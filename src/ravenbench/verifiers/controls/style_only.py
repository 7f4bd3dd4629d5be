"""A scorer that sees style and no topic: the known truth that topic tests must acquit."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from ravenbench.text.profiles import TokenProfiles
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.baselines.function_words import profile_cosines
from ravenbench.verifiers.calibrators.threshold_band import ThresholdBand
from ravenbench.verifiers.contract.base import Calibrator, Scorer


class StyleOnly(Scorer):
    """(1 + cosine) / 2 of z-scored frequencies of few words, punctuation marks, and sentence length.

    Content words enter only through the number of words of a text.

    Parameters
    ----------
    words, marks : int
        Most frequent training words and marks taken up.
    """

    name: ClassVar[str] = "style-only"
    provenance: ClassVar[Literal["sourced", "reconstructed", "ours"]] = "ours"

    def __init__(self, words: int = 60, marks: int = 12) -> None:
        self.words = words
        self.marks = marks

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.profiles_ = TokenProfiles(self.words, self.marks, sentences=True).fit(problems.texts, problems.documents)
        return self

    def score(self, problems: Problems) -> Floats:
        return profile_cosines(self.profiles_, problems)

    def default_calibrator(self) -> Calibrator:
        return ThresholdBand()
