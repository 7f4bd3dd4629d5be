"""Standardised relative frequencies of the most frequent words and marks (the features of Burrows's Delta)."""

from __future__ import annotations

from typing import Self

import numpy as np
from numba import njit

from ravenbench.text.counting import CountStore, with_counts
from ravenbench.text.lexicon import ALL_TOKENS, MARK, SENTENCE_MARK, WORD
from ravenbench.text.sums import largest, totals
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Int32s, Ints


class TokenProfiles:
    """Represents texts by frequencies of the most frequent training tokens, as z-scores by training mean and deviation.

    Parameters
    ----------
    words, marks : int
        Most frequent lowercase words and punctuation marks taken up, ties by code point.
    sentences : bool
        Add the logarithm of the mean sentence length in words.

    Attributes
    ----------
    words_, marks_ : list of str
    mean_, deviation_ : (features,) float64
        A feature that never varies in training has deviation 1.
    """

    def __init__(self, words: int, marks: int = 0, sentences: bool = False) -> None:
        self.words, self.marks, self.sentences = words, marks, sentences

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
        chosen = store.lexicon.ids([*self.words_, *self.marks_])
        width = len(chosen)
        result = np.zeros((len(documents), width + self.sentences))
        for rows in store.blocks(texts, documents):
            column = np.full(len(store.lexicon), width, np.int64)
            column[chosen] = np.arange(width)
            column = column[store.lexicon.fold]
            kind = store.lexicon.kind
            some = slice(rows.first, rows.first + len(rows))
            counts = spread_counts(rows.ids, rows.counts, rows.starts, rows.stops, column, width + 1)
            kinds = spread_counts(rows.ids, rows.counts, rows.starts, rows.stops, kind, SENTENCE_MARK + 1)
            result[some, :width] = counts[:, :width] / np.maximum(kinds[:, WORD], 1)[:, None]
            if self.sentences:
                result[some, width] = np.log((1 + kinds[:, WORD]) / (1 + kinds[:, SENTENCE_MARK]))
        return result


def spread_counts(ids: Int32s, counts: Int32s, starts: Ints, stops: Ints, column: Ints, width: int) -> Ints:
    """Counts of each document summed by column, shape (documents, width)."""
    result = np.zeros((len(starts), width), np.int64)
    add_spread(ids, counts, starts, stops, column, result)
    return result


@njit(cache=True)
def add_spread(ids: Int32s, counts: Int32s, starts: Ints, stops: Ints, column: Ints, result: Ints) -> None:
    """Add counts of each document to its row by column."""
    for d in range(len(starts)):
        for j in range(np.uint64(starts[d]), np.uint64(stops[d])):
            result[d, np.uint32(column[np.uint32(ids[j])])] += counts[j]
