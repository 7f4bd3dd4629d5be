"""Cosine Delta: cosine of standardised frequencies of the most frequent words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.text.lexicon import ALL_TOKENS
from ravenbench.text.tfidf import TokenProfiles, unit
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.calibrators.threshold_band import ThresholdBand
from ravenbench.verifiers.contract.base import Calibrator, Scorer, mean_by_problem


@dataclass(eq=False, repr=False)
class FunctionWords(Scorer):
    """(1 + cosine) / 2 of z-scored relative frequencies of the most frequent training words.

    The words come from training texts, so any language will do; among the first 150 of a mixed corpus nearly
    all are function words. Several known documents are averaged.

    Parameters
    ----------
    words : int

    References
    ----------
    Smith & Aldridge 2011; Evert et al. 2017 (Cosine Delta).
    """

    name = "function-words"
    counted = ALL_TOKENS

    words: int = 150

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.profiles_ = TokenProfiles(self.words).fit(problems.texts, problems.documents)
        return self

    def score(self, problems: Problems) -> Floats:
        return profile_cosines(self.profiles_, problems)

    def default_calibrator(self) -> Calibrator:
        return ThresholdBand()


def profile_cosines(profiles: TokenProfiles, problems: Problems) -> Floats:
    """(1 + cosine) / 2 of each problem's profiles, averaged over known documents; a zero profile has cosine 0."""
    documents = problems.documents
    rows = unit(profiles.transform(problems.texts, documents))
    known = np.searchsorted(documents, problems.known_index)
    questioned = np.searchsorted(documents, problems.questioned_index)[problems.owner]
    each = (1 + np.einsum("ij,ij->i", rows[known], rows[questioned])) / 2
    return mean_by_problem(np.clip(each, 0, 1), problems)
