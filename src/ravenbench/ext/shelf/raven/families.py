"""Defines families of features, and the similarity of two documents in each.

In: for ``fit`` chunks of training texts in the family's view (a rewriting of texts), or their ``GramCounts``; for
``between`` documents and impostors (texts by others), both ``Chunked``, and ``links`` (m, 2), pairs of rows of the
documents from 0.
Out: ``between`` gives similarities to impostors (documents, impostors) and of linked documents (m,), higher = more
alike: mean cosines, −1 to 1 (``Delta``), or mean Σmin / Σmax, 0 to 1 (``MinMax``). ``chunk_pairs`` takes bounds and
links and returns rows of chunks on either side, and the number of the link of each. No error of its own.

A document consists of chunks (``text.views``); the similarity of two documents is the mean over pairs of chunks, so
that it does not depend on their length.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ravenbench.text.grams import GramCounts, Grams
from ravenbench.text.minmax import Vectors, paired_similarities, whole_similarities
from ravenbench.text.tfidf import centre_of, unit
from ravenbench.text.views import UNLEARNED, View
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Chunked:
    """Chunks of documents in every view; document d has chunks ``bounds[d]:bounds[d + 1]``, at least one."""

    views: dict[View, list[str]]
    bounds: Ints
    cache: dict[Hashable, Any] = field(default_factory=dict)
    """What was computed from them so far."""

    def once(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return what ``make`` computes from these documents; it is computed at first use."""
        if key not in self.cache:
            self.cache[key] = make()
        return self.cache[key]

    def counts(self, view: View, n: int) -> GramCounts:
        """Return the n-grams of every chunk."""
        counts: GramCounts = self.once((view, n), lambda: self._count(view, n))
        return counts

    def _count(self, view: View, n: int) -> GramCounts:
        if view not in UNLEARNED:
            return GramCounts.of(self.views[view], n)
        table, rows = self.once(view, lambda: TextTable.collect(self.views[view]))
        return GramCounts.of_table(table, rows, n)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def mean(self, rows: Floats) -> Floats:
        """Return means over each document's chunks of rows (chunks, …), shape (documents, …)."""
        sizes = np.diff(self.bounds)
        if len(rows) == len(sizes):
            return rows
        total = rows[self.bounds[:-1]]
        for place in range(1, int(sizes.max())):
            longer = np.flatnonzero(sizes > place)
            total[longer] += rows[self.bounds[longer] + place]
        return np.asarray(total / sizes[:, None])


@dataclass(eq=False)
class Delta:
    """Cosine of standardised relative frequencies (Cosine Delta).

    Attributes
    ----------
    grams_ : Grams
    mean_, deviation_ : (size,)
    """

    view: View
    n: int
    size: int

    def fit(self, texts: Sequence[str] | GramCounts) -> Self:
        self.grams_ = Grams(self.n, self.size).fit(texts)
        rows = self.grams_.dense(texts)
        self.mean_, self.deviation_ = centre_of(rows)
        return self

    def standard(self, texts: Sequence[str] | GramCounts) -> Floats:
        """Return standardised frequencies of texts, (texts, size)."""
        return np.asarray((self.grams_.dense(texts) - self.mean_) / self.deviation_)

    def embed(self, documents: Chunked) -> Floats:
        """Return vectors whose inner products are mean cosines of chunks."""
        return documents.mean(unit(self.standard(documents.counts(self.view, self.n))))

    def between(self, documents: Chunked, impostors: Chunked, links: Ints) -> tuple[Floats, Floats]:
        """Return similarities of documents to impostors (documents, impostors) and of linked documents (links,).

        ``links`` (m, 2) are rows of ``documents``.
        """
        own = self.embed(documents)
        others = impostors.once(self, lambda: self.embed(impostors))
        return own @ others.T, np.einsum("ij,ij->i", own[links[:, 0]], own[links[:, 1]])


@dataclass(eq=False)
class MinMax:
    """Σmin / Σmax of relative frequencies (Koppel & Winter 2014).

    Attributes
    ----------
    grams_ : Grams
    """

    view: View
    n: int
    size: int

    def fit(self, texts: Sequence[str] | GramCounts) -> Self:
        self.grams_ = Grams(self.n, self.size).fit(texts)
        return self

    def between(self, documents: Chunked, impostors: Chunked, links: Ints) -> tuple[Floats, Floats]:
        """Return similarities, as ``Delta`` does."""
        own = self._vectors(documents)
        others = impostors.once(self, lambda: self._vectors(impostors))
        each = documents.mean(impostors.mean(whole_similarities(own, others).T).T)
        left, right, owner = chunk_pairs(documents.bounds, links)
        similarities = paired_similarities(own, left, right)
        linked = np.bincount(owner, weights=similarities, minlength=len(links)) / np.bincount(
            owner, minlength=len(links)
        )
        return each, linked

    def _vectors(self, documents: Chunked) -> Vectors:
        return self.grams_.vectors(documents.counts(self.view, self.n))


Family = Delta | MinMax
"""A kind of similarity, learned from chunks of training texts in its view."""


def chunk_pairs(bounds: Ints, links: Ints) -> tuple[Ints, Ints, Ints]:
    """Return every pair of chunks of two linked documents: rows of the first's, of the second's, and which link it is."""
    sizes = np.diff(bounds)
    first = sizes[links[:, 0]]
    second = sizes[links[:, 1]]
    owner = np.repeat(np.arange(len(links)), first * second)
    ends = np.cumsum(first * second)
    place = np.arange(len(owner)) - (ends - first * second)[owner]
    left, right = np.divmod(place, second[owner])
    return left + bounds[links[owner, 0]], right + bounds[links[owner, 1]], owner
