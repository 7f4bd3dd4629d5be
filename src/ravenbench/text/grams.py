"""Counts character n-grams of texts (case kept) for several methods, and makes the most frequent ones features.

In: for ``GramCounts.of`` texts and n in characters, for ``of_table`` a ``TextTable``, rows of it and n; for ``Grams(n,
size)`` training texts (``fit``), then texts, or ``GramCounts`` of either; for ``frequent_grams`` texts, n and the
number of n-grams to keep.
Out: ``GramCounts`` has int32 counts by text; its ``frequent`` gives counts by n-gram, the most frequent first, and the
count of all; ``columns`` each entry's place among names from 0, −1 = none. ``Grams`` gives counts divided by the count
of all n-grams of the text (0 to 1): ``vectors`` sparse (``Vectors``), ``dense`` (texts, names). ``frequent_grams``
gives what ``frequent`` does, ``as_counts`` ``GramCounts``. No error of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.text.counting import CountStore, with_counts
from ravenbench.text.minmax import Vectors
from ravenbench.text.ngrams import CharNgrams, NgramLexicon
from ravenbench.text.tokens import frequent
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Int32s, Ints

_BATCH = 1 << 16
"""Number of characters counted at a time."""


class GramCounts:
    """All n-grams of some texts, counted once for every vocabulary that is taken from them or looked up in them.

    Attributes
    ----------
    bounds : (texts + 1,) int64
    ids, counts : (entries,) int32
        Text i has n-grams ``ids[bounds[i]:bounds[i + 1]]``, each once, as often as ``counts`` say; numbered from 0.
    known : (n-grams,) int64
        Their ids in the lexicon, ascending.
    share : (entries,) float64
        The counts relative to all n-grams of their text.
    """

    def __init__(self, lexicon: NgramLexicon, sizes: Ints, ids: Int32s, counts: Int32s) -> None:
        self.lexicon = lexicon
        self.counts = counts
        met = np.zeros(len(lexicon), dtype=bool)
        met[ids] = True
        self.known = np.flatnonzero(met)
        number = np.empty(len(lexicon), np.int32)
        number[self.known] = np.arange(len(self.known))
        self.ids: Int32s = number[ids]
        self.bounds: Ints = np.concatenate([[0], np.cumsum(sizes)])
        self.document = np.repeat(np.arange(len(sizes)), sizes)
        total = np.bincount(self.document, weights=counts, minlength=len(sizes))
        self.share: Floats = counts / total[self.document]

    @classmethod
    def of(cls, texts: Sequence[str], n: int) -> Self:
        """Count the n-grams of these texts."""
        lexicon = CharNgrams(n, lowercase=False).lexicon()
        bounds, ids, counts = zip(*map(lexicon.count, _batches(texts)), strict=True)
        sizes = np.concatenate([np.diff(ends) for ends in bounds])
        return cls(lexicon, sizes, np.concatenate(ids), np.concatenate(counts))

    @classmethod
    def of_table(cls, table: TextTable, rows: Ints, n: int) -> Self:
        """Counts of these rows of a table, each text counted once in a process."""

        def work(store: CountStore) -> tuple[NgramLexicon, list[tuple[Ints, Int32s, Int32s]]]:
            blocks = [
                (b.stops - b.starts, b.ids.copy(), b.counts.copy())
                for b in store.blocks(table, rows)
            ]
            return store.lexicon, blocks or [
                (np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32))
            ]

        lexicon, blocks_counted = with_counts(CharNgrams(n, lowercase=False), work)
        sizes, ids, counts = zip(*blocks_counted, strict=True)
        return cls(lexicon, np.concatenate(sizes), np.concatenate(ids), np.concatenate(counts))

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def frequent(self, size: int) -> tuple[dict[str, int], int]:
        """Return counts of the ``size`` most frequent n-grams, in order, ties by code point; and of all n-grams."""
        total = np.bincount(self.ids, weights=self.counts, minlength=len(self.known)).astype(
            np.int64
        )
        columns = np.arange(len(total))
        if len(columns) > size:
            columns = np.flatnonzero(total >= np.partition(total, -size)[-size])
        number = Counter(
            dict(zip(self.lexicon.names(self.known[columns]), total[columns].tolist(), strict=True))
        )
        return {name: number[name] for name in frequent(number, size)}, int(total.sum())

    def columns(self, names: Sequence[str]) -> Ints:
        """Return the position among ``names`` of every entry's n-gram, (entries,); −1 if it is not among them."""
        # A lexicon may be shared by threads, and learns the names that it does not know.
        index = (
            with_counts(self.lexicon.units, lambda _: self.lexicon.ids(names))
            if names
            else np.zeros(0, np.int64)
        )
        place = np.searchsorted(self.known, index)
        matches = np.flatnonzero(np.append(self.known, -1)[place] == index)
        column = np.full(len(self.known), -1, dtype=np.int64)
        column[place[matches]] = matches
        return column[self.ids]


@dataclass(eq=False)
class Grams:
    """Relative frequencies of the ``size`` n-grams most frequent in training texts, ties by code point.

    Attributes
    ----------
    names_ : list of str
    """

    n: int
    size: int

    def fit(self, texts: Sequence[str] | GramCounts) -> Self:
        """Choose the vocabulary from training texts."""
        self.names_ = list(as_counts(texts, self.n).frequent(self.size)[0])
        return self

    def vectors(self, texts: Sequence[str] | GramCounts) -> Vectors:
        """Frequencies relative to all n-grams of a text, sparse."""
        counts = as_counts(texts, self.n)
        feature = counts.columns(self.names_)
        inside = np.flatnonzero(feature >= 0)
        document = counts.document[inside]
        feature = feature[inside]
        order = np.argsort(document * max(len(self.names_), 1) + feature)
        ends = np.searchsorted(document, np.arange(len(counts) + 1)).astype(np.int64)
        return Vectors(
            ends, feature[order].astype(np.int32), counts.share[inside][order], len(self.names_)
        )

    def dense(self, texts: Sequence[str] | GramCounts) -> Floats:
        """Frequencies as ``vectors`` gives them, as a matrix (texts, names)."""
        counts = as_counts(texts, self.n)
        feature = counts.columns(self.names_)
        inside = np.flatnonzero(feature >= 0)
        matrix = np.zeros((len(counts), len(self.names_)))
        np.put(
            matrix,
            counts.document[inside] * len(self.names_) + feature[inside],
            counts.share[inside],
        )
        return matrix


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Parts of some texts, at least one: a lexicon makes room for what it is given, and a small one stays in cache."""
    first = size = 0
    for i, text in enumerate(texts):
        size += len(text)
        if size > _BATCH:
            yield texts[first : i + 1]
            first = i + 1
            size = 0
    if first < len(texts) or not first:
        yield texts[first:]


def as_counts(texts: Sequence[str] | GramCounts, n: int) -> GramCounts:
    """Count the n-grams of texts, unless they are counted already."""
    return texts if isinstance(texts, GramCounts) else GramCounts.of(texts, n)


def frequent_grams(texts: Sequence[str], n: int, size: int) -> tuple[dict[str, int], int]:
    """Counts of the ``size`` most frequent n-grams of some texts, in order, ties by code point; and of all n-grams."""
    return GramCounts.of(texts, n).frequent(size)
