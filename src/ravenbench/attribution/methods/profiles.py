"""CNG, its variant for uneven authors, SCAP: profiles of the most frequent n-grams of each author's joined texts.

References
----------
Kešelj, Peng, Cercone & Thomas 2003, N-gram-based author profiles for authorship attribution (CNG).
Stamatatos 2007, Author identification using imbalanced and limited training texts.
Frantzeskou, Stamatatos, Gritzalis & Katsikas 2006, Effective identification of source code authors (SCAP).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.attribution.base import Attributor
from ravenbench.attribution.counts import Counts
from ravenbench.text.ngrams import CharNgrams
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints


@dataclass(eq=False, repr=False)
class CNG(Attributor):
    """Common n-grams: Σ (2 (f − g) / (f + g))² over the n-grams of either profile, absent ones counting 0.

    Ties at the last rank of a profile go by code point.

    Parameters
    ----------
    n, size : int
        Length of the n-grams and size of a profile.
    lowercase : bool
    """

    name = "cng"
    shared_only: ClassVar[bool] = False

    n: int = 4
    size: int = 1500
    lowercase: bool = False

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        from scipy.sparse import csr_array

        self.counts_ = Counts(CharNgrams(self.n, self.lowercase)).fit(texts, rows)
        of_author = csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))))
        profiles = top(of_author @ self.counts_.transform(texts, rows), self.size)
        self.sizes_ = np.diff(profiles.indptr)
        # N-grams by row, so that the kernel reads all authors of one n-gram side by side.
        self.profiles_ = np.ascontiguousarray(profiles.T.toarray())

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        documents, known = self._documents(texts, rows)
        shared, match = compare(documents.data, known, documents.indptr, self.profiles_)
        if self.shared_only:
            return np.asarray(shared / self.size)
        one_sided = self.sizes_[None, :] + np.diff(documents.indptr)[:, None] - 2 * shared
        return np.asarray(-(4 * one_sided + match))

    def _documents(self, texts: TextTable, rows: Ints) -> tuple[Any, Ints]:
        """Profiles of questioned texts, a csr_array, and the row in ``profiles_`` of each of its n-grams (or −1)."""
        own = Counts(CharNgrams(self.n, self.lowercase)).fit(texts, rows)
        documents = top(own.transform(texts, rows), self.size)
        column = {name: i for i, name in enumerate(self.counts_.vocabulary_)}
        known = np.array([column.get(name, -1) for name in own.vocabulary_], dtype=np.int64)
        return documents, known[documents.indices]


@dataclass(eq=False, repr=False)
class Stamatatos2007(CNG):
    """CNG's sum over the n-grams of the text's profile alone, so that authors of little text are not favoured.

    Parameters
    ----------
    n, size : int
        Length of the n-grams and size of a profile.
    lowercase : bool
    norm : bool
        Weigh each n-gram by how far the text is from all training texts in it, the paper's second measure.
    """

    name = "stamatatos-2007"

    norm: bool = False

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        super()._fit(texts, rows, codes)
        total = np.asarray(self.counts_.transform(texts, rows).sum(axis=0)).ravel()
        self.all_ = total / max(1.0, float(total.sum()))

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        documents, known = self._documents(texts, rows)
        found = np.zeros((len(rows), len(self.classes_)))
        if not len(self.profiles_):
            return found
        for i in range(len(rows)):
            part = slice(documents.indptr[i], documents.indptr[i + 1])
            own, at = documents.data[part][:, None], known[part]
            theirs = np.where(at[:, None] >= 0, self.profiles_[at], 0.0)
            weight = apart(own, np.where(at >= 0, self.all_[at], 0.0)[:, None]) if self.norm else 1.0
            found[i] = -(apart(own, theirs) * weight).sum(axis=0)
        return found


class SCAP(CNG):
    """Source-code author profiles, for prose too: the number of n-grams two profiles share.

    Parameters
    ----------
    n, size : int
        Length of the n-grams and size of a profile.
    lowercase : bool
    """

    name = "scap"
    shared_only = True


def apart(f: Floats, g: Floats) -> Floats:
    """(2 (f − g) / (f + g))², elementwise, f above 0."""
    return np.asarray((2 * (f - g) / (f + g)) ** 2)


def top(counts: Any, size: int) -> Any:
    """Keep the relative frequencies of each row's ``size`` largest counts (ties: first columns), as a csr_array.

    Frequencies are shares of all of a row's n-grams.
    """
    from scipy.sparse import csr_array

    counts = counts.tocsr()
    counts.sort_indices()
    data, index, ptr = [], [], [0]
    for i in range(counts.shape[0]):
        part = slice(counts.indptr[i], counts.indptr[i + 1])
        values, columns = counts.data[part], counts.indices[part]
        kept = np.sort(np.argsort(-values, kind="stable")[:size])
        data.append(values[kept] / max(1.0, float(values.sum())))
        index.append(columns[kept])
        ptr.append(ptr[-1] + len(kept))
    return csr_array((np.concatenate(data), np.concatenate(index), np.array(ptr)), shape=counts.shape)


@njit(cache=True)
def compare(data: Floats, index: NDArray[Any], ptr: NDArray[Any], profiles: Floats) -> tuple[Floats, Floats]:
    """Number of shared n-grams, and Σ (2 (f − g) / (f + g))² over them, for documents × authors.

    ``profiles`` (n-grams, authors) holds frequencies, 0 where an n-gram is not in an author's profile; an index of
    −1 is an n-gram that no profile holds.
    """
    documents, authors = len(ptr) - 1, profiles.shape[1]
    shared = np.zeros((documents, authors))
    match = np.zeros((documents, authors))
    for d in range(documents):
        for j in range(ptr[d], ptr[d + 1]):
            if index[j] < 0:
                continue
            f = data[j]
            for a in range(authors):
                g = profiles[index[j], a]
                if g > 0:
                    shared[d, a] += 1
                    match[d, a] += (2 * (f - g) / (f + g)) ** 2
    return shared, match
