"""Delta: the nearest author by z-scores of the most frequent words."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from ravenbench.attribution.base import Attributor, author_means
from ravenbench.text.tfidf import TokenProfiles, unit
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints


@dataclass(eq=False, repr=False)
class Delta(Attributor):
    """Base of Delta methods: z-scores of word frequencies, an author's profile being the mean of their texts."""

    words: int = 150

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        self.profiles_ = TokenProfiles(self.words).fit(texts, rows)
        self.authors_ = author_means(self.profiles_.transform(texts, rows), codes, len(self.classes_))

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        return -self._distances(self.profiles_.transform(texts, rows))

    @abstractmethod
    def _distances(self, documents: Floats) -> Floats:
        """Distances (documents, authors) of z-scored rows from ``authors_``."""


class BurrowsDelta(Delta):
    """Burrows's Delta: distance is the mean absolute difference of z-scores.

    Also called: Delta, most frequent words, stylo.

    Parameters
    ----------
    words : int
        Most frequent training words.

    References
    ----------
    Burrows 2002, "Delta": a measure of stylistic difference and a guide to likely authorship.
    """

    name = "burrows-delta"

    def _distances(self, documents: Floats) -> Floats:
        from scipy.spatial.distance import cdist

        return np.asarray(cdist(documents, self.authors_, "cityblock") / self.authors_.shape[1])


class CosineDelta(Delta):
    """Cosine Delta: distance is one minus the cosine of z-scores; a profile of zeros is at distance 1.

    Parameters
    ----------
    words : int
        Most frequent training words.

    References
    ----------
    Smith & Aldridge 2011; Evert et al. 2017.
    """

    name = "cosine-delta"

    def _distances(self, documents: Floats) -> Floats:
        return np.asarray(1 - unit(documents) @ unit(self.authors_).T)
