"""Distances of local n-gram profiles: SCAP, CNG, and RLP against a language's default profile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Self

import numpy as np

from ravenbench.text.ngrams import CharNgrams
from ravenbench.text.tokens import frequent
from ravenbench.types import Bools, Floats, Ints

METHODS = ("scap", "cng", "rlp")
_MOST = 20_000


class LanguageProfile:
    """Relative frequencies of the most frequent n-grams of training texts; others count as absent.

    Attributes
    ----------
    names_ : list of str
    frequency_ : (len(names_),) float64
    """

    def __init__(self, n: int) -> None:
        self.n = n

    def fit(self, texts: Sequence[str]) -> Self:
        """Count."""
        total: Counter[str] = Counter()
        for counts in grams_of(texts, self.n):
            total.update(counts)
        self.names_ = frequent(total, _MOST)
        self.frequency_: Floats = np.array([total[name] for name in self.names_], dtype=np.float64)
        self.frequency_ /= max(total.total(), 1)
        return self


def grams_of(texts: Sequence[str], n: int) -> list[Counter[str]]:
    """Character n-grams of each text, case intact."""
    units = CharNgrams(n, lowercase=False)
    return [units.reference(text) for text in texts]


def table(counted: Sequence[Counter[str]], profile: LanguageProfile, common: int) -> tuple[Ints, Floats]:
    """Counts (texts, n-grams), n-grams in code-point order, and what the language has of each, (n-grams,).

    The n-grams are those of the texts and the ``common`` most frequent of the language: a text may be marked by what
    it lacks.
    """
    names = sorted(set(profile.names_[:common]).union(*counted))
    counts = np.array([[one[name] for name in names] for one in counted], dtype=np.int64)
    known = dict(zip(profile.names_, profile.frequency_.tolist(), strict=True))
    return counts, np.array([known.get(name, 0.0) for name in names])


def distances(left: Ints, right: Ints, language: Floats, sizes: Sequence[int]) -> Floats:
    """Distances of rows of counts, pair by pair: (methods · sizes, pairs), sizes varying fastest.

    SCAP: 1 − |P ∩ Q| / L over the L most frequent n-grams. CNG: Σ ((p − q) / ((p + q) / 2))² over P ∪ Q, a
    frequency outside its profile being 0. RLP: frequencies minus the language's, the L of largest absolute value,
    1 − cosine over the union with actual values. Ties by code point. Rows without a count have no profile.
    """
    p, q = _shares(left), _shares(right)
    most = tuple(_ranks(counts, counts > 0) for counts in (left, right))
    relative = p - language, q - language
    marked = tuple(_ranks(np.abs(value), np.ones(value.shape, dtype=bool)) for value in relative)
    result = np.empty((len(METHODS), len(sizes), len(left)))
    for s, size in enumerate(sizes):
        mine, theirs = most[0] < size, most[1] < size
        result[0, s] = 1 - (mine & theirs).sum(axis=1) / size
        x, y = np.where(mine, p, 0.0), np.where(theirs, q, 0.0)
        both = x + y
        result[1, s] = ((2 * (x - y) / np.where(both > 0, both, 1.0)) ** 2).sum(axis=1)
        union = (marked[0] < size) | (marked[1] < size)
        a, b = np.where(union, relative[0], 0.0), np.where(union, relative[1], 0.0)
        length = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
        result[2, s] = 1 - (a * b).sum(axis=1) / np.where(length > 0, length, 1.0)
    return result.reshape(len(METHODS) * len(sizes), len(left))


def _shares(counts: Ints) -> Floats:
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))


def _ranks(values: Ints | Floats, present: Bools) -> Ints:
    """Place of each column in its row's descending order, ties by column; absent ones come behind all others."""
    order = np.argsort(-values, axis=1, kind="stable")
    ranks = np.empty(values.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, np.arange(values.shape[1])[None, :], axis=1)
    return np.where(present, ranks, np.iinfo(np.int64).max)
