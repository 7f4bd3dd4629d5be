"""Defines the base class of attribution methods, two Delta methods, and ``Distorted`` (a mask for any method).

In: for ``fit`` texts and their authors' names, of two authors or more; for ``predict`` and ``scores`` n texts to
attribute. For ``author_means`` rows of numbers (n, f), author codes (n,) from 0 and the number of authors.
Out: ``predict`` gives an author's name for each text (n,), ``scores`` (n, authors), columns as ``classes_`` (sorted
names), no fixed range, higher = more likely this author (Delta: minus a distance); ``author_means`` gives means
(authors, f). InputError from ``fit`` if texts and authors differ in number or fewer than two authors are given;
SpecError for a parameter, such as an unknown mask, when the method is made. ``Distorted`` has its inner method's scores
and errors.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from ravenbench.components import Component
from ravenbench.errors import InputError
from ravenbench.text.masks import mask
from ravenbench.text.tfidf import TokenProfiles, unit
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints, Size, Strings


class Attributor(Component):
    """Base of Raven's attribution methods, estimators over texts in scikit-learn's manner.

    Other objects with ``fit(texts, authors)`` and ``predict(texts)`` work as well, for example a scikit-learn pipeline;
    rejection in open sets needs ``scores(texts)``. If a method has ``probabilities(texts)``, these are
    calibrated. A method with ``reads_topics``
    takes topics of the texts as a third argument of ``fit``. Counts of texts are stored by content hash, so folds that
    share documents share their counts; everything that depends on the training set is learned in each fold.

    Attributes
    ----------
    classes_ : (authors,) str
        Authors in sorted order.

    Examples
    --------
    >>> from ravenbench.attribution.linear import MaxEnt
    >>> method = MaxEnt().fit(["whilst I hoped", "whilst we hope", "while I wait", "while we wait"], list("AABB"))
    >>> method.predict(["whilst you hope", "while you wait"]).tolist()
    ['A', 'B']
    """

    provenance: ClassVar[Literal["sourced", "reconstructed", "ours"]] = "sourced"
    reads_topics: ClassVar[bool] = False

    def fit(self, texts: Sequence[str], authors: Sequence[str]) -> Self:
        """Learn from texts with their authors. InputError if lengths differ or fewer than two authors are given."""
        if len(texts) != len(authors):
            raise InputError(
                "texts and authors differ in number", found=f"{len(texts)} and {len(authors)}"
            )
        self.classes_: Strings
        self.classes_, codes = np.unique(np.asarray(authors, dtype=np.str_), return_inverse=True)
        if len(self.classes_) < 2:
            raise InputError("attribution needs at least two authors", found=self.classes_.tolist())
        self._fit(*TextTable.collect(texts), codes.astype(np.int64))
        return self

    def predict(self, texts: Sequence[str]) -> Strings:
        """Return the author with the highest score for each text; ties go to the first by name."""
        return np.asarray(self.classes_[np.argmax(self.scores(texts), axis=1)])

    def scores(self, texts: Sequence[str]) -> Floats:
        """Return a score for each text and author, (texts, authors), columns as ``classes_``; higher = more likely."""
        if len(texts) == 0:
            return np.zeros((0, len(self.classes_)))
        return self._scores(*TextTable.collect(texts))

    @abstractmethod
    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        """Learn from rows of ``texts`` with author codes (n,)."""

    @abstractmethod
    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        """Return scores for rows of ``texts``."""


def author_means(values: Floats, codes: Ints, authors: int) -> Floats:
    """Return the mean of document rows (n, f) over each author's documents, shape (authors, f)."""
    sums = np.zeros((authors, values.shape[1]))
    np.add.at(sums, codes, values)
    return np.asarray(sums / np.bincount(codes, minlength=authors)[:, None], dtype=np.float64)


@dataclass(eq=False, repr=False)
class Distorted(Component):
    """A method that reads texts through a mask learned from the training texts.

    Parameters
    ----------
    inner : estimator over texts
    variant : "ma", "sa" or "topic"
        DV-MA and DV-SA keep the frequent words, ``topic`` masks them.
    k : int
        Number of frequent words.
    """

    name = "distorted"
    provenance: ClassVar[Literal["sourced", "reconstructed", "ours"]] = "sourced"

    inner: Component
    variant: Literal["ma", "sa", "topic"] = "ma"
    k: Size = 300

    def fit(self, texts: Sequence[str], authors: Sequence[str]) -> Self:
        """Learn the mask, then the method on masked texts."""
        from sklearn.base import clone

        self.mask_ = mask(self.variant, self.k).fit(texts)
        self.inner_: Any = clone(self.inner).fit(self.mask_.transform(texts), authors)
        self.classes_: Strings = self.inner_.classes_
        return self

    def predict(self, texts: Sequence[str]) -> Strings:
        """Return the inner method's prediction on masked texts."""
        predicted: Strings = self.inner_.predict(self.mask_.transform(texts))
        return predicted

    def scores(self, texts: Sequence[str]) -> Floats:
        """Return the inner method's scores on masked texts."""
        inner_scores: Floats = self.inner_.scores(self.mask_.transform(texts))
        return inner_scores


@dataclass(eq=False, repr=False)
class Delta(Attributor):
    """Base of Delta methods: z-scores of word frequencies; an author's profile is the mean of the author's texts."""

    words: int = 150

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        self.profiles_ = TokenProfiles(self.words).fit(texts, rows)
        self.authors_ = author_means(
            self.profiles_.transform(texts, rows), codes, len(self.classes_)
        )

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
        Number of the most frequent training words.

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
        Number of the most frequent training words.

    References
    ----------
    Smith & Aldridge 2011; Evert et al. 2017.
    """

    name = "cosine-delta"

    def _distances(self, documents: Floats) -> Floats:
        return np.asarray(1 - unit(documents) @ unit(self.authors_).T)
