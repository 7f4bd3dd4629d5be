"""Families of features and the similarity each gives to two documents.

A document is some chunks (``views.chunks``); the similarity of two documents is the mean over pairs of chunks, so
that it does not drift with their length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from ravenbench.text.minmax import norms, similarities
from ravenbench.types import Floats, Ints
from ravenbench.verifiers.contract.spread import centre_of, unit
from ravenbench.verifiers.raven_2026.grams import Grams
from ravenbench.verifiers.raven_2026.views import View


@dataclass(frozen=True, eq=False)
class Chunked:
    """Chunks of documents in every view; document d has chunks ``bounds[d]:bounds[d + 1]``, at least one."""

    views: dict[View, list[str]]
    bounds: Ints

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def mean(self, rows: Floats) -> Floats:
        """Means over each document's chunks of rows (chunks, …)."""
        sizes = np.diff(self.bounds)
        if len(rows) == len(sizes):
            return rows
        return np.asarray(np.add.reduceat(rows, self.bounds[:-1], axis=0) / sizes[:, None])


class Family(Protocol):
    """A kind of similarity, learned from chunks of training texts."""

    view: View

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn from chunks in this family's view."""
        ...

    def between(self, documents: Chunked, impostors: Chunked, links: Ints) -> tuple[Floats, Floats]:
        """Similarities of documents to impostors (documents, impostors) and of linked documents (links,).

        ``links`` (m, 2) are rows of ``documents``.
        """
        ...


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

    def fit(self, texts: Sequence[str]) -> Self:
        self.grams_ = Grams(self.n, self.size).fit(texts)
        rows = self.grams_.dense(texts)
        self.mean_, self.deviation_ = centre_of(rows)
        return self

    def standard(self, texts: Sequence[str]) -> Floats:
        """Standardised frequencies of texts, (texts, size)."""
        return np.asarray((self.grams_.dense(texts) - self.mean_) / self.deviation_)

    def embed(self, documents: Chunked) -> Floats:
        """Vectors whose inner products are mean cosines of chunks."""
        return documents.mean(unit(self.standard(documents.views[self.view])))

    def between(self, documents: Chunked, impostors: Chunked, links: Ints) -> tuple[Floats, Floats]:
        own, others = self.embed(documents), self.embed(impostors)
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

    def fit(self, texts: Sequence[str]) -> Self:
        self.grams_ = Grams(self.n, self.size).fit(texts)
        return self

    def between(self, documents: Chunked, impostors: Chunked, links: Ints) -> tuple[Floats, Floats]:
        own, others = (self.grams_.vectors(c.views[self.view]) for c in (documents, impostors))
        whole = np.ones((own.features, 1), dtype=np.float32)
        own_norms, others_norms = norms(own, whole), norms(others, whole)
        everyone = np.arange(len(others))
        each = np.empty((len(own), len(impostors)))
        linked = np.zeros(len(links))
        by_left = np.argsort(links[:, 0], kind="stable")
        first = np.searchsorted(links[by_left, 0], np.arange(len(documents) + 1))
        for d in range(len(documents)):
            mine = by_left[first[d] : first[d + 1]]
            parts = [np.arange(documents.bounds[e], documents.bounds[e + 1]) for e in links[mine, 1]]
            rows = np.concatenate([np.zeros(0, np.int64), *parts])
            owner = np.repeat(np.arange(len(mine)), [len(part) for part in parts])
            for chunk in range(documents.bounds[d], documents.bounds[d + 1]):
                x = own.dense(chunk)
                found = similarities(x, own_norms[chunk], others, others_norms, everyone, whole)
                each[chunk] = impostors.mean(found)[:, 0]
                if len(mine):
                    found = similarities(x, own_norms[chunk], own, own_norms, rows, whole)[:, 0]
                    count = np.bincount(owner, minlength=len(mine)) * (documents.bounds[d + 1] - documents.bounds[d])
                    linked[mine] += np.bincount(owner, weights=found, minlength=len(mine)) / count
        return documents.mean(each), linked
