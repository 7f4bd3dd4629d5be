"""Verifies as Castillo et al. 2014 (``Castillo2014``): feature families vote for or against the same author.

In: ``Problems`` (n); for ``fit`` training ``Problems``, for a list of frequent words (their truth is not used). For
``voted`` similarities (parts, parts), the document of each part and which parts are questioned (parts,); for ``jaccard``
counts (rows, n-grams).
Out: answers (n,) from 0 to 1, shares of votes, higher = same author, 0.5 = unanswered; ``voted``: True, False or None
(nothing to compare); ``jaccard``: for pairs of rows, n-grams in both divided by n-grams in either, 0 to 1. No error of
its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.ext.shelf.published.one_class import OneClass, accepts
from ravenbench.ext.shelf.published.shelf_views import Family, cosines, count, dense, units_of
from ravenbench.text.tokens import frequent_words
from ravenbench.text.views import chunks
from ravenbench.types import Bools, Floats, Ints, Problems

FAMILIES: tuple[tuple[Family, int], ...] = (
    ("word", 1),
    ("word", 2),
    ("word", 3),
    ("char", 3),
    ("char", 4),
    ("prefix", 1),
    ("suffix", 1),
    ("stop", 1),
    ("mark", 1),
)


@dataclass(eq=False, repr=False)
class Castillo2014(OneClass):
    """Share of feature families that vote for the same author; training truth is not used.

    The paper says that the method uses only the problem, learns nothing, and abstains on short problems with one
    known document (76 of 100 Dutch reviews). Everything else is lost, and ours: word 1–3-grams, character 3–4-grams,
    prefixes, suffixes, frequent words and punctuation, each compared by cosine and by Jaccard similarity, make 18
    voters. A voter says yes if the questioned document's mean similarity to the known documents is at least their mean
    leave-one-out similarity minus one standard deviation. All documents are read in parts of similar length
    (the shortest document's, but at most ``part`` characters), so that length does not vote; a single known document
    counts as its parts. With as many yes as no, or one known document of fewer than ``few`` words, the answer is 0.5.

    Training texts are used only for the list of frequent words. After a second reading: the overview says no more than
    the above about the method, so it can neither confirm nor correct features, measures and threshold.

    Parameters
    ----------
    part : int
        Maximum characters of a part.
    few : int
        Minimum words of a single known document.
    words : int
        Number of frequent words, which are a separate family.

    Attributes
    ----------
    words_ : list of str

    References
    ----------
    Castillo, Cervantes, Vilariño, Pinto & León 2014, Unsupervised method for the authorship identification task (PAN
    at CLEF).
    """

    name = "castillo-2014"
    reads = "both"

    part: int = 3000
    few: int = 150
    words: int = 150

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.words_ = frequent_words(
            (problems.texts[row] for row in problems.documents), self.words
        )
        return self

    def answer(self, known: list[str], questioned: str) -> float:
        if len(known) == 1 and len(units_of(known[0], "word")) < self.few:
            return 0.5
        stopwords = frozenset(self.words_)
        pieces = 4 if len(known) == 1 else 1
        size = min(self.part, len(questioned), *(len(text) // pieces for text in known))
        parts = [chunks(text, max(size, 1)) for text in [*known, questioned]]
        owner = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        texts = [text for part in parts for text in part]
        is_questioned = owner == len(known)
        if len(known) == 1:
            owner = np.arange(len(texts))
        yes = total = 0
        for family, n in FAMILIES:
            rows = dense(count([units_of(text, family, stopwords) for text in texts], n))
            for similarity in (cosines(rows), jaccard(rows)):
                vote = voted(similarity, owner, is_questioned)
                if vote is not None:
                    yes = yes + vote
                    total = total + 1
        return yes / total if total else 0.5


def voted(similarity: Floats, owner: Ints, questioned: Bools) -> bool | None:
    """Return one voter's decision: are questioned parts about as similar to known parts as known documents to each other?

    They must reach the mean similarity within the known documents minus one standard deviation.

    Parameters
    ----------
    similarity : (parts, parts) float64
    owner : (parts,) int64
        Document of each part.
    questioned : (parts,) bool
        Parts of the questioned document.

    Returns
    -------
    bool or None
        None if there is nothing to compare.
    """
    documents = np.unique(owner[~questioned])
    if len(documents) < 2 or not questioned.any():
        return None
    within = []
    for document in documents:
        own = owner == document
        within.append(similarity[np.ix_(own, ~own & ~questioned)].mean())
    if not np.any(within):
        return None
    return accepts(similarity[np.ix_(questioned, ~questioned)], np.array(within), slack=1e-9)


def jaccard(rows: Floats) -> Floats:
    """Return shares (0 to 1) of distinct n-grams in both, of all distinct n-grams, for pairs of rows of counts; 0 if both
    are empty."""
    present = (rows > 0).astype(np.float64)
    shared = present @ present.T
    size = present.sum(axis=1)
    either = size[:, None] + size - shared
    return np.asarray(shared / np.where(either > 0, either, 1))
