"""Attributes a text to the nearest profile of frequent n-grams (CNG and related), by votes, or by graphs of words.

In: for ``fit`` texts and their authors' names, of two authors or more; for ``predict`` and ``scores`` n texts.
Out: ``scores`` (n, authors), higher = more likely: ``CNG`` and ``Stamatatos2007`` minus a dissimilarity, ``Arun2009``
minus a divergence in nats (all at most 0); ``SCAP`` shared n-grams divided by the parameter ``size``, 0 to 1;
``Koppel2011`` the share of votes, 0 to 1, and less than one vote more by cosine. ``predict``: names (n,). InputError if
texts and authors differ in number or there is one author, SpecError for a parameter out of range. ``apart`` takes
frequencies (the first above 0) and gives 0 to 4; ``top`` counts (n, n-grams), and gives frequencies; ``compare`` such
rows and profiles (n-grams, authors), and gives shared n-grams (counts) and summed differences, (n, authors);
``cosines`` two sparse matrices, and gives 0 where a row is empty.

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
from ravenbench.randomness import stream
from ravenbench.text.lexicon import Tokens
from ravenbench.text.ngrams import CharNgrams
from ravenbench.text.tokens import frequent_words, lowered, words
from ravenbench.texts import TextTable
from ravenbench.types import Count, Floats, Ints, Length, Positive


@dataclass(eq=False, repr=False)
class CNG(Attributor):
    """Common n-grams: Σ (2 (f − g) / (f + g))² over the n-grams of either profile; absent n-grams count as 0.

    Ties at the last rank of a profile go by code point.

    Parameters
    ----------
    n, size : int
        Length of the n-grams and size of a profile.
    lowercase : bool
    """

    name = "cng"
    shared_only: ClassVar[bool] = False

    n: Length = 4
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
    """CNG's sum over only the n-grams of the text's profile, so that authors with little text are not favoured.

    Parameters
    ----------
    n, size : int
        Length of the n-grams and size of a profile.
    lowercase : bool
    norm : bool
        Weight each n-gram by how far the text differs from all training texts in it (the paper's second measure).
    """

    name = "stamatatos-2007"

    norm: bool = False

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        super()._fit(texts, rows, codes)
        total = np.asarray(self.counts_.transform(texts, rows).sum(axis=0)).ravel()
        self.all_ = total / max(1.0, float(total.sum()))

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        documents, known = self._documents(texts, rows)
        distances = np.zeros((len(rows), len(self.classes_)))
        if not len(self.profiles_):
            return distances
        for i in range(len(rows)):
            part = slice(documents.indptr[i], documents.indptr[i + 1])
            own = documents.data[part][:, None]
            at = known[part]
            theirs = np.where(at[:, None] >= 0, self.profiles_[at], 0.0)
            weight = (
                apart(own, np.where(at >= 0, self.all_[at], 0.0)[:, None]) if self.norm else 1.0
            )
            distances[i] = -(apart(own, theirs) * weight).sum(axis=0)
        return distances


class SCAP(CNG):
    """Source-code author profiles, for prose too: the number of n-grams two profiles share, divided by ``size``.

    Parameters
    ----------
    n, size : int
        Length of the n-grams and size of a profile.
    lowercase : bool
    """

    name = "scap"
    shared_only = True


def apart(f: Floats, g: Floats) -> Floats:
    """Return (2 (f − g) / (f + g))², elementwise, f above 0."""
    return np.asarray((2 * (f - g) / (f + g)) ** 2)


def top(counts: Any, size: int) -> Any:
    """Return the relative frequencies of each row's ``size`` largest counts (ties: first columns), as a csr_array.

    Frequencies are shares of all of a row's n-grams.
    """
    from scipy.sparse import csr_array

    counts = counts.tocsr()
    counts.sort_indices()
    data = []
    index = []
    ptr = [0]
    for i in range(counts.shape[0]):
        part = slice(counts.indptr[i], counts.indptr[i + 1])
        values = counts.data[part]
        columns = counts.indices[part]
        largest = np.sort(np.argsort(-values, kind="stable")[:size])
        data.append(values[largest] / max(1.0, float(values.sum())))
        index.append(columns[largest])
        ptr.append(ptr[-1] + len(largest))
    return csr_array(
        (np.concatenate(data), np.concatenate(index), np.array(ptr)), shape=counts.shape
    )


@njit(cache=True)
def compare(
    data: Floats, index: NDArray[Any], ptr: NDArray[Any], profiles: Floats
) -> tuple[Floats, Floats]:
    """Return the number of shared n-grams, and Σ (2 (f − g) / (f + g))² over them, for documents × authors.

    ``profiles`` (n-grams, authors) has frequencies, 0 if an n-gram is not in an author's profile; an index of
    −1 is an n-gram that no profile contains.
    """
    documents = len(ptr) - 1
    authors = profiles.shape[1]
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


SPACE_FREE = Tokens(r"(?=(\S{4}|(?<!\S)\S{1,3}(?!\S)))")
"""Character 4-grams within a word, and complete words that are shorter; cases folded."""


@dataclass(eq=False, repr=False)
class Koppel2011(Attributor):
    """Votes repeatedly, on random features, for the author whose joined texts have the highest cosine.

    The score is the share of these votes, which the paper compares with a threshold to answer "nobody"; the cosine over
    all features, which has less weight than one vote, decides between equal votes.

    Parameters
    ----------
    repeats : int
        How often features are drawn.
    share : float
        The share of features drawn each time.

    References
    ----------
    Koppel, Schler & Argamon 2011, Authorship attribution in the wild. Language Resources and Evaluation 45.
    """

    name = "koppel-2011"

    repeats: Count = 100
    share: float = 0.4

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        from scipy.sparse import csr_array

        self.counts_ = Counts(SPACE_FREE).fit(texts, rows)
        of_author = csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))))
        self.authors_ = (of_author @ self.counts_.transform(texts, rows)).tocsc()
        width = self.authors_.shape[1]
        rng = stream(0, "koppel-2011", width)
        size = max(1, round(self.share * width))
        self.drawn_ = [np.sort(rng.permutation(width)[:size]) for _ in range(self.repeats)]

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        counts = self.counts_.transform(texts, rows).tocsc()
        votes = np.zeros((len(rows), len(self.classes_)))
        for columns in self.drawn_:
            near = cosines(counts[:, columns], self.authors_[:, columns])
            votes[np.arange(len(rows)), near.argmax(axis=1)] += near.max(axis=1) > 0
        return np.asarray((votes + 0.5 * cosines(counts, self.authors_)) / self.repeats)


def cosines(a: object, b: object) -> Floats:
    """Return the cosines of the rows of two sparse matrices, 0 if a row is empty."""
    from scipy.sparse import csr_array

    left = csr_array(a)
    right = csr_array(b)
    norms = [np.sqrt(np.asarray(m.multiply(m).sum(axis=1)).ravel()) for m in (left, right)]
    lengths = [np.where(norm > 0, norm, 1.0) for norm in norms]
    return np.asarray((left @ right.T).toarray() / lengths[0][:, None] / lengths[1])


@dataclass(eq=False, repr=False)
class Arun2009(Attributor):
    """Attributes to the author whose graph of frequent words is nearest in Kullback–Leibler divergence.

    Nodes are frequent words; the weight of an edge is Σ e^−d over the places where both words occur at a distance of d
    words. Rows are normalised: they show the neighbours of a word. Departures: the most frequent words of the training
    texts instead of an English list; edges that an author lacks have a little of all authors' weight, because leaving
    them out would favour authors with few edges; rows count by their share in the questioned text.

    Parameters
    ----------
    stopwords : int
        Number of the most frequent training words, which are the nodes.
    window : int
        The greatest distance, in words.
    smoothing : float
        Weight of all authors' graph in the rows of each.

    References
    ----------
    Arun, Suresh & Veni Madhavan 2009, Stopword graphs and authorship attribution in text corpora. ICSC.
    """

    name = "arun-2009"

    stopwords: int = 200
    window: int = 10
    smoothing: Positive = 1.0

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        every = texts.rows(rows)
        chosen = sorted(frequent_words(every, self.stopwords))
        self.node_ = {word: i for i, word in enumerate(chosen)}
        graphs = np.zeros((len(self.classes_), len(chosen), len(chosen)))
        for text, code in zip(every, codes, strict=True):
            graphs[code] += self.graph(text)
        shared = graphs.sum(axis=0) + 1e-3
        shared *= self.smoothing / shared.sum(axis=1, keepdims=True)
        smoothed = graphs + shared
        self.logs_ = np.log(smoothed / smoothed.sum(axis=2, keepdims=True)).reshape(len(graphs), -1)

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        """Minus the divergence of each author's rows from the text's, in nats."""
        distances = np.zeros((len(rows), len(self.classes_)))
        for i, text in enumerate(texts.rows(rows)):
            graph = self.graph(text)
            row = graph.sum(axis=1, keepdims=True)
            own = np.divide(graph, row, out=np.zeros_like(graph), where=row > 0)
            entropy = float((graph * np.log(np.where(own > 0, own, 1))).sum())
            distances[i] = (self.logs_ @ graph.ravel() - entropy) / max(float(row.sum()), 1e-12)
        return distances

    def graph(self, text: str) -> Floats:
        """Return the edge weights of a text, symmetric, (nodes, nodes)."""
        ids = np.array([self.node_.get(lowered(word), -1) for word in words(text)], dtype=np.int64)
        weights = np.zeros((len(self.node_),) * 2)
        for distance in range(1, min(self.window, len(ids) - 1) + 1):
            left = ids[:-distance]
            right = ids[distance:]
            both = (left >= 0) & (right >= 0)
            np.add.at(weights, (left[both], right[both]), np.exp(-distance))
        return np.asarray(weights + weights.T)
