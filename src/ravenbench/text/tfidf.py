"""Makes rows of features of texts: tf-idf, and standardised frequencies of frequent words and marks (Burrows's Delta).

In: ``Tfidf(units, size)`` or ``TokenProfiles(words, marks, sentences)``; ``fit`` and ``transform`` take a ``TextTable``
and row numbers of it, ``Tfidf.fit`` also counts as weights and units to drop; ``row_cosines``: sparse rows, and pairs
of them (n,).
Out: ``Tfidf`` gives sparse rows of length 1 (texts, units), zero for a text without known units, as scikit-learn's
defaults do; ``row_cosines`` cosines (n,), of tf-idf from 0 to 1, 0 for a zero row; ``TokenProfiles`` z-scores (texts,
features), no fixed range; ``unit`` rows of length 1, ``centre_of`` mean and deviation of each column. ``spread_counts``
gives counts by column; the others fill arrays.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.text.counting import (
    CountedUnits,
    CountStore,
    frequencies,
    largest,
    most,
    totals,
    with_counts,
)
from ravenbench.text.lexicon import ALL_TOKENS, MARK, SENTENCE_MARK, WORD
from ravenbench.text.ngrams import Keys, place_of_bit
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Int32s, Ints


def unit(rows: Floats) -> Floats:
    """Return rows (n, d) scaled to length 1; a zero row stays zero."""
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return np.asarray(rows / np.where(length > 0, length, 1.0)[:, None], dtype=np.float64)


def centre_of(rows: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of every column; a constant column has deviation 1."""
    deviation = rows.std(axis=0)
    return rows.mean(axis=0), np.where(deviation > 1e-12, deviation, 1.0)


_1 = np.uint64(1)
_6 = np.uint32(6)
_63 = np.uint32(63)


class UnitRows(NamedTuple):
    """Sparse rows as a csr_array has them."""

    data: Floats
    indices: NDArray[Any]
    indptr: NDArray[Any]
    shape: tuple[int, int]


class Tfidf:
    """The ``size`` units with the largest corpus count (ties by code point), raw counts times ``ln((1 + N) / (1 + df))
    + 1``, rows of length 1; a text without any known unit is a zero row. With ``content``, of all tokens only content
    words.

    Equals ``TfidfVectorizer`` given the same vocabulary. Learned are ``vocabulary_``, units by column in code-point
    order, and ``idf_`` of each.
    """

    def __init__(self, units: CountedUnits, size: int = 3000, content: bool = False) -> None:
        self.units = units
        self.size = size
        self.content = content

    def fit(
        self,
        texts: TextTable,
        documents: Ints,
        weights: Ints | None = None,
        drop: frozenset[str] = frozenset(),
    ) -> Self:
        """Learn vocabulary and idf from rows of ``texts``, each counted ``weights`` times (default once); units in
        ``drop`` are never used."""
        return with_counts(
            self.units, lambda store: self._fit(store, texts, documents, weights, drop)
        )

    def _fit(
        self,
        store: CountStore,
        texts: TextTable,
        documents: Ints,
        weights: Ints | None,
        drop: frozenset[str],
    ) -> Self:
        # Handed on before None becomes ones: only sums without weights follow from those of an earlier fit.
        total, documents_with = frequencies(store, texts, documents, weights)
        weights = np.ones(len(documents), np.int64) if weights is None else weights
        if self.content:
            total = total * store.lexicon.content
        if store.lexicon.fold is not None:
            total = np.bincount(store.lexicon.fold, weights=total).astype(np.int64)
        known = store.lexicon.ids(sorted(drop))
        total[known[known < len(total)]] = 0
        self.vocabulary_ = store.named(most(store, total, self.size))
        if store.lexicon.fold is None:
            df = documents_with[store.ids(self.vocabulary_)]
        else:
            df = self._folded_frequency(store, texts, documents, weights)
        self.idf_ = np.log((1 + weights.sum()) / (1 + df)) + 1
        return self

    def _folded_frequency(
        self, store: CountStore, texts: TextTable, documents: Ints, weights: Ints
    ) -> Ints:
        # Several ids of a document may be counted as one unit.
        columns = _Columns(store, self.vocabulary_)
        df = np.zeros(len(self.vocabulary_), np.int64)
        for rows in store.blocks(texts, documents):
            last_document, frequency = np.zeros((2, _room(len(df))), np.int64)
            add_documents(
                rows.ids,
                rows.starts,
                rows.stops,
                columns.map(),
                weights[rows.first :],
                last_document,
                frequency,
            )
            df += frequency[: len(df)]
        return df

    def transform(self, texts: TextTable, documents: Ints) -> Any:
        """Return unit rows for rows of ``texts``: a scipy csr_array (len(documents), len(vocabulary_)), columns
        sorted."""
        from scipy.sparse import csr_array

        rows = self.rows(texts, documents)
        return csr_array(rows[:3], shape=rows.shape)

    def rows(self, texts: TextTable, documents: Ints) -> UnitRows:
        """Return the same in plain arrays, for ``row_cosines``."""
        return with_counts(self.units, lambda store: self._rows(store, texts, documents))

    def _rows(self, store: CountStore, texts: TextTable, documents: Ints) -> UnitRows:
        columns = _Columns(store, self.vocabulary_)
        width = len(self.vocabulary_)
        # A text has no more units than bytes. What is not filled takes no memory.
        most_units = np.minimum(texts.offsets[documents + 1] - texts.offsets[documents], width)
        data = np.empty(int(most_units.sum()) + 1)
        index = np.empty(int(most_units.sum()) + 1, np.int32)
        pointers = np.zeros(len(documents) + 1, np.int64)
        spread = np.zeros(_room(width), np.int64)
        touched = np.zeros(_room(width) >> 6, np.uint64)
        for rows in store.blocks(texts, documents):
            weigh(
                rows.ids,
                rows.counts,
                rows.starts,
                rows.stops,
                columns.map(),
                self.idf_,
                spread,
                touched,
                data,
                index,
                pointers[rows.first :],
            )
        filled = pointers[-1]
        kind = np.int32 if filled < 2**31 else np.int64
        index = index[:filled].astype(kind, copy=False)
        pointers = pointers.astype(kind)
        return UnitRows(data[:filled], index, pointers, (len(documents), width))


class _Columns:
    """Lexicon id → column, where the unit has none ``nowhere``; follows a lexicon that grows."""

    def __init__(self, store: CountStore, vocabulary: list[str]) -> None:
        self._lexicon = store.lexicon
        self._ids = store.ids(vocabulary)

    def map(self) -> Int32s:
        column = np.full(len(self._lexicon), nowhere(len(self._ids)), np.int32)
        column[self._ids] = np.arange(len(self._ids))
        return column if self._lexicon.fold is None else column[self._lexicon.fold]


def nowhere(width: int) -> int:
    """The column of what has none among ``width``: it begins a word of 64 bits of its own."""
    return ((width >> 6) + 1) << 6


def _room(width: int) -> int:
    """Places for so many columns, and the word of those that have none."""
    return nowhere(width) + 64


def row_cosines(rows: Any, left: Ints, right: Ints, keep: Bools | None = None) -> Floats:
    """Return cosines of pairs of sparse rows with sorted columns, shape (len(left),); 0 if a row is zero.

    ``keep`` (columns,) restricts both rows to some columns. Exchanging left and right changes no bit.
    """
    keep = np.ones(rows.shape[1], np.bool_) if keep is None else keep
    square = np.zeros(rows.shape[0])
    spread = np.zeros(rows.shape[1])
    result = np.zeros(len(left))
    cosines(rows.data, rows.indices, rows.indptr, left, right, keep, square, spread, result)
    return result


# Zeros are handed to kernels: to compile their making takes a tenth of a second for each type.


@njit(cache=True)
def add_documents(
    ids: Int32s,
    starts: Ints,
    stops: Ints,
    column: Int32s,
    weights: Ints,
    last: Ints,
    frequency: Ints,
) -> None:
    """Add to ``frequency`` the weighted number of documents with each column's unit; ``last`` is work space of 0."""
    # Taking along what has no column is cheaper than a branch no processor foresees.
    for document in range(len(starts)):
        for j in range(np.uint64(starts[document]), np.uint64(stops[document])):
            feature = np.uint32(column[np.uint32(ids[j])])
            frequency[feature] += weights[document] * int(last[feature] <= document)
            last[feature] = document + 1


@njit(cache=True)
def weigh(
    ids: Int32s,
    counts: Int32s,
    starts: Ints,
    stops: Ints,
    column: Int32s,
    idf: Floats,
    spread: Ints,
    touched: Keys,
    data: Floats,
    index: Int32s,
    ptr: Ints,
) -> None:
    """Write unit rows into ``data`` and ``index``, and their pointers into ``ptr``, from ``ptr[0]`` on.

    A row is spread out and read back bit by bit of those set for its columns, which so come sorted; what has no column
    is written behind all others, into a place and a word that nobody reads. ``spread`` and ``touched`` are 0 before.
    """
    filled = np.uint64(ptr[0])
    for document in range(len(starts)):
        for j in range(np.uint64(starts[document]), np.uint64(stops[document])):
            feature = np.uint32(column[np.uint32(ids[j])])
            spread[feature] += counts[j]
            touched[feature >> _6] |= _1 << np.uint64(feature & _63)
        first_entry = filled
        for block in range(len(touched) - 1):
            word = touched[block]
            touched[block] = 0
            while word:
                lowest = word & (~word + _1)
                word ^= lowest
                feature = np.uint32((block << 6) + place_of_bit(lowest))
                data[filled] = spread[feature] * idf[feature]
                index[filled] = feature
                spread[feature] = 0
                filled += _1
        square = 0.0
        for j in range(first_entry, filled):
            square += data[j] * data[j]
        length = np.sqrt(square)
        for j in range(first_entry, filled):
            data[j] /= length
        ptr[document + 1] = filled


@njit(cache=True)
def cosines(
    data: Floats,
    index: Int32s,
    ptr: Int32s,
    left: Ints,
    right: Ints,
    keep: Bools,
    square: Floats,
    spread: Floats,
    result: Floats,
) -> None:
    """Fill ``result`` with the cosine of each pair of rows over the columns in ``keep``; all zeros before."""
    for row in range(len(square)):
        for i in range(np.uint64(ptr[row]), np.uint64(ptr[row + 1])):
            square[row] += keep[np.uint32(index[i])] * data[i] * data[i]
    # The left row lies spread out; a column that it lacks adds 0, which changes no sum.
    other_row = np.int64(-1)
    for pair in range(len(left)):
        if left[pair] != other_row:
            if other_row >= 0:
                for i in range(np.uint64(ptr[other_row]), np.uint64(ptr[other_row + 1])):
                    spread[np.uint32(index[i])] = 0.0
            other_row = left[pair]
            for i in range(np.uint64(ptr[other_row]), np.uint64(ptr[other_row + 1])):
                feature = np.uint32(index[i])
                spread[feature] = keep[feature] * data[i]
        dot = 0.0
        for j in range(np.uint64(ptr[right[pair]]), np.uint64(ptr[right[pair] + 1])):
            dot += spread[np.uint32(index[j])] * data[j]
        if square[left[pair]] > 0 and square[right[pair]] > 0:
            result[pair] = min(dot / np.sqrt(square[left[pair]] * square[right[pair]]), 1.0)


class TokenProfiles:
    """Represents texts by frequencies of the most frequent training tokens, as z-scores by training mean and deviation.

    Learned are ``words_`` and ``marks_``, ``mean_`` and ``deviation_`` (features,); a feature that never varies has
    deviation 1.

    Parameters
    ----------
    words, marks : int
        Most frequent lowercase words and punctuation marks used, ties by code point.
    sentences : bool
        Add the logarithm of the mean sentence length in words.
    """

    def __init__(self, words: int, marks: int = 0, sentences: bool = False) -> None:
        self.words = words
        self.marks = marks
        self.sentences = sentences

    def fit(self, texts: TextTable, documents: Ints) -> Self:
        """Choose tokens and learn their mean frequencies on rows of ``texts``."""
        return with_counts(ALL_TOKENS, lambda store: self._fit(store, texts, documents))

    def _fit(self, store: CountStore, texts: TextTable, documents: Ints) -> Self:
        total = totals(store, texts, documents)
        kind = store.lexicon.kind
        total = np.bincount(store.lexicon.fold, weights=total, minlength=len(kind)).astype(np.int64)
        self.words_ = largest(store, np.where(kind == WORD, total, 0), self.words)[0]
        self.marks_ = largest(store, np.where(kind >= MARK, total, 0), self.marks)[0]
        raw = self._frequencies(store, texts, documents)
        self.mean_ = raw.mean(axis=0) if len(raw) else np.zeros(raw.shape[1])
        deviation = raw.std(axis=0) if len(raw) else np.ones(raw.shape[1])
        self.deviation_ = np.where(deviation > 1e-12, deviation, 1.0)
        return self

    def transform(self, texts: TextTable, documents: Ints) -> Floats:
        """Return the z-scores of documents, (len(documents), features)."""
        raw = with_counts(ALL_TOKENS, lambda store: self._frequencies(store, texts, documents))
        return np.asarray((raw - self.mean_) / self.deviation_, dtype=np.float64)

    def _frequencies(self, store: CountStore, texts: TextTable, documents: Ints) -> Floats:
        columns = _Columns(store, [*self.words_, *self.marks_])
        width = len(self.words_) + len(self.marks_)
        result = np.zeros((len(documents), width + self.sentences))
        for rows in store.blocks(texts, documents):
            column = np.minimum(columns.map(), width).astype(np.int64)
            kind = store.lexicon.kind
            block = slice(rows.first, rows.first + len(rows))
            counts = spread_counts(
                rows.ids, rows.counts, rows.starts, rows.stops, column, width + 1
            )
            kinds = spread_counts(
                rows.ids, rows.counts, rows.starts, rows.stops, kind, SENTENCE_MARK + 1
            )
            result[block, :width] = counts[:, :width] / np.maximum(kinds[:, WORD], 1)[:, None]
            if self.sentences:
                result[block, width] = np.log((1 + kinds[:, WORD]) / (1 + kinds[:, SENTENCE_MARK]))
        return result


def spread_counts(
    ids: Int32s, counts: Int32s, starts: Ints, stops: Ints, column: Ints, width: int
) -> Ints:
    """Return counts of each document summed by column, shape (documents, width)."""
    result = np.zeros((len(starts), width), np.int64)
    add_spread(ids, counts, starts, stops, column, result)
    return result


@njit(cache=True)
def add_spread(
    ids: Int32s, counts: Int32s, starts: Ints, stops: Ints, column: Ints, result: Ints
) -> None:
    """Add counts of each document to its row by column."""
    for document in range(len(starts)):
        for j in range(np.uint64(starts[document]), np.uint64(stops[document])):
            result[document, np.uint32(column[np.uint32(ids[j])])] += counts[j]
