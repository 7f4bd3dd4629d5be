"""Verifies by Cosine Delta (``CosineDelta``): do two texts use the same frequent words more, or less, than other texts do?

In: ``Problems`` (n); for ``fit`` training ``Problems``, from which it learns words, means and deviations (their truth
is not used).
Out: raw scores (n,), mean cosines from −1 to 1, higher = same author, NaN if a text has no word. SpecError for a
parameter out of range, when the scorer is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.text.lexicon import ALL_TOKENS
from ravenbench.text.tfidf import TokenProfiles, unit
from ravenbench.text.tokens import WORD
from ravenbench.types import Bools, Floats, Index, Problems, Several
from ravenbench.verifiers.contract.base import Scorer, mean_by_problem


@dataclass(eq=False, repr=False)
class CosineDelta(Scorer):
    """Cosine between two texts' z-scores of the most frequent words; averaged over several known documents.

    Also called: Burrows's Delta, Würzburg Delta, most frequent words.

    A z-score says by how many standard deviations a word is more or less frequent than in the training texts. Delta
    attributes texts; using its cosine as a score and calibrating it on training problems follows ``idiolect``.

    Parameters
    ----------
    words : int
        Number of the most frequent training words; 150 in ``idiolect``.
    marks : int
        Number of the most frequent punctuation marks. ``idiolect`` counts marks among the words; here they are separate.

    Attributes
    ----------
    profiles_ : TokenProfiles

    Notes
    -----
    A problem with a text without words has no score (NaN, so it stays unanswered).

    References
    ----------
    Smith and Aldridge 2011; Evert et al. 2017, Understanding and explaining Delta measures.
    """

    name = "cosine-delta"
    reads = "words"
    counted = ALL_TOKENS

    words: Several = 150
    marks: Index = 10

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Choose words, and learn their means and deviations."""
        self.profiles_ = TokenProfiles(self.words, self.marks).fit(
            problems.texts, problems.documents
        )
        return self

    def score(self, problems: Problems) -> Floats:
        """Return the mean cosine, (n,), from −1 to 1; NaN if a text has no word."""
        used = problems.documents
        profiles = unit(self.profiles_.transform(problems.texts, used))
        profiles[[WORD.search(problems.texts[row]) is None for row in used]] = np.nan
        known, questioned = problems.places
        return mean_by_problem(
            np.einsum("ij,ij->i", profiles[known], profiles[questioned[problems.owner]]), problems
        )
