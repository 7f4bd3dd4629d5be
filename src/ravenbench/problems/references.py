"""Scores transplanted problems only by content, or only by lengths of words (ours).

In: ``References``: a ``Transplanter`` (it has a corpus' texts); its ``score``: ``Problems`` (n) with content words of
other texts or unchanged.
Out: scores (n,) by the names ``content`` (cosine, 0 to 1) and ``lengths`` (cosine, −1 to 1), higher = more alike: means
over a problem's known texts.

The results of these scorers show what the probe misses: if content still separates authors after
content was replaced, this much of a verifier's *style left* may be content in words that stayed; if lengths
change, this much of a swing may come from lengths. Both learn nothing and read only the texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from math import log
from typing import Any

import numpy as np

from ravenbench.problems.transplant import Transplanter
from ravenbench.text.splicing import Splicer
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Int32s, Ints, Problems

LONGEST = 15
"""Number of letters above which words count as equally long."""
SAMPLE = 2_000
"""Approximate number of texts of a corpus from which weights and usual lengths are computed."""


class References:
    """Both scorers for one corpus; what they need of a known text is computed once.

    The weight of a word is the logarithm of how rare it is among texts, times how unevenly it is distributed over topics (or
    texts): s/(1 + s), with s its spread (``text.content_words``). A word that is equally frequent in all topics therefore
    does not count; a habit of spelling counts no more than an article.
    """

    def __init__(self, transplanter: Transplanter) -> None:
        self._splicer = splicer = transplanter.splicer
        self._table = splicer.texts
        rows = _some(splicer.texts)
        spread = np.maximum(np.nan_to_num(splicer.spread, nan=0.0), 0.0)
        # Of words with one stem the most frequent counts.
        stems = (self._stem(word) for word in reversed(splicer.ranked))
        self._uneven = {
            stem: spread_of_stem / (1 + spread_of_stem)
            for stem, spread_of_stem in zip(stems, spread.tolist()[::-1], strict=True)
        }
        self._number = dict[str, int]()
        self._stem_of = np.empty(0, np.int32)
        self._size = np.empty(0, np.int64)
        self._weight = np.empty(0)
        self._rarest = log(1 + len(rows))
        words = [splicer.words(self._table, row) for row in rows]
        self._meet()
        document_counts = np.bincount(
            np.concatenate([np.unique(self._stem_of[word]) for word in words] or [self._stem_of])
        )
        self._weight[: len(document_counts)] *= (
            self._rarest - np.log1p(document_counts)
        ) / self._rarest
        self._usual = _usual([self._shares(word) for word in words])
        self._made: dict[bytes, tuple[Int32s, Floats, Floats]] = {}

    def score(self, problems: Problems) -> dict[str, Floats]:
        """Return scores of ``content`` and ``lengths``, (n,) each, higher = more alike; means over known texts."""
        from scipy.sparse import csr_array

        cited = problems.documents
        texts = problems.texts
        known = np.isin(cited, problems.known_index)
        measured = list[tuple[Int32s, Floats, Floats]]()
        for row, stays in zip(cited.tolist(), known.tolist(), strict=True):
            key = texts.hash(row)
            measured.append(self._made.get(key) or self._stems_and_lengths(texts, row))
            if stays:
                self._made[key] = measured[-1]
        ends = np.concatenate([[0], np.cumsum([len(stems) for stems, _, _ in measured])])
        stems, weights = (
            np.concatenate([text_pair[side] for text_pair in measured]) for side in (0, 1)
        )
        rows = csr_array((weights, stems, ends), shape=(len(measured), len(self._number)))
        lengths = np.stack([text_pair[2] for text_pair in measured])
        left_text, right = problems.places
        right = right[problems.owner]
        from ravenbench.text.tfidf import row_cosines  # numba takes a while

        scores = {
            "content": row_cosines(rows, left_text, right),
            "lengths": np.einsum("ij,ij->i", lengths[left_text], lengths[right]),
        }
        return {
            name: np.add.reduceat(values, problems.known_ptr[:-1]) / problems.sizes
            for name, values in scores.items()
        }

    def _stems_and_lengths(self, texts: TextTable, row: int) -> tuple[Int32s, Floats, Floats]:
        """The stems of a text, their weights, and its lengths of words."""
        words = self._splicer.words(texts, row)
        self._meet()
        stems, counts = np.unique(self._stem_of[words], return_counts=True)
        weights = (1 + np.log(counts)) * self._weight[stems]
        return stems[weights > 0], weights[weights > 0], _standard(self._shares(words), self._usual)

    def _shares(self, words: Int32s) -> Floats:
        return _shares(self._size[words])

    def _stem(self, word: str) -> str:
        return word[slice(*self._splicer.segmenter.stem(word))]

    def _meet(self) -> None:
        """Number the stems of words that were not met before; one that no text of the sample has is the rarest."""
        new = self._splicer.named(len(self._size))
        if not new:
            return
        before = len(self._number)
        stems = [self._number.setdefault(self._stem(word), len(self._number)) for word in new]
        weights = [
            self._rarest * self._uneven.get(stem, 1.0)
            for stem in islice(self._number, before, None)
        ]
        self._stem_of = np.concatenate([self._stem_of, np.array(stems, np.int32)])
        self._size = np.concatenate([self._size, [min(len(word), LONGEST) for word in new]])
        self._weight = np.concatenate([self._weight, weights])


ASPECTS = 50
"""Number of directions of content that are predicted; with more, the prediction would compare style."""


class FromWhatStays:
    """Predicts topic only from what stays when content words are replaced: frequent words, marks, digits,
    layout, and the length and case of content words. It is a ridge regression from these, weighted by tf-idf, to content
    words, learned from the texts of the ``train`` problems.
    """

    def __init__(self, splicer: Splicer, train: Problems) -> None:
        from scipy.linalg import eigh, solve

        self._splicer = splicer
        rows = train.documents
        rows = rows[:: -(-len(rows) // SAMPLE)]
        content = [splicer.content(train.texts, row) for row in rows.tolist()]
        words = _counted(content, np.unique(np.concatenate(content)))
        first = max(0, len(rows) - ASPECTS)
        values, vectors = eigh(_products(words), subset_by_index=(first, len(rows) - 1))
        aspects = vectors * np.sqrt(np.maximum(values, 0.0))
        left = self._left(train.texts, rows)
        self._units, texts_with = np.unique(
            np.concatenate([*map(np.unique, left)]), return_counts=True
        )
        self._rarity = np.log((1 + len(rows)) / (1 + texts_with)) + 1
        self._learned = _counted(left, self._units, self._rarity)
        products = _products(self._learned)
        products.flat[:: len(rows) + 1] += 1.0
        self._dual = solve(products, aspects - aspects.mean(axis=0), assume_a="pos")

    def score(self, problems: Problems) -> Floats:
        """Return the predicted similarity in content of each problem's texts, (n,), cosines from −1 to 1; means over known
        texts."""
        cited = problems.documents
        rows = _counted(self._left(problems.texts, cited), self._units, self._rarity)
        from ravenbench.text.tfidf import unit  # numba takes a while

        guessed = unit((rows @ self._learned.T) @ self._dual)
        known, questioned = (guessed[side] for side in problems.places)
        cosines = np.einsum("ij,ij->i", known, questioned[problems.owner])
        return np.asarray(np.add.reduceat(cosines, problems.known_ptr[:-1]) / problems.sizes)

    def _left(self, texts: TextTable, rows: Ints) -> list[Ints]:
        """What stays of each text: its units and every two in a row, as numbers."""
        left = [self._splicer.left(texts, row).astype(np.int64) for row in rows.tolist()]
        # No unit has the number −1, so no two have that of a single one.
        return [np.concatenate([one, (one[:-1] + 1 << 32) ^ one[1:]]) for one in left]


def _counted(texts: list[Ints] | list[Int32s], units: Ints, rarity: Floats | None = None) -> Any:
    """Sparse rows of length 1 of what texts have of these ascending units: how often, or by tf-idf the logarithm of that
    where their ``rarity`` is given."""
    from scipy.sparse import csr_array

    counts = [np.unique(text, return_counts=True) for text in texts]
    row = np.repeat(np.arange(len(texts)), [len(unit) for unit, _ in counts])
    unit, count = (np.concatenate(side) for side in zip(*counts, strict=True))
    known = np.isin(unit, units)
    row, column, count = row[known], np.searchsorted(units, unit[known]), count[known]
    weight = count if rarity is None else (1 + np.log(count)) * rarity[column]
    length = np.sqrt(np.bincount(row, weight**2, len(texts)))
    return csr_array((weight / length[row], (row, column)), (len(texts), len(units)))


def _products(rows: Any) -> Floats:
    """The inner products of all pairs of sparse rows, dense."""
    return np.asarray((rows @ rows.T).toarray())


def _shares(sizes: Sequence[int] | Ints) -> Floats:
    """How often words are so long, (LONGEST + 1,), of a text whose words have these lengths."""
    counts = np.bincount(np.asarray(sizes, dtype=np.int64), minlength=LONGEST + 1)
    return np.asarray(counts / max(len(sizes), 1), dtype=np.float64)


def _usual(shares: list[Floats]) -> tuple[Floats, Floats]:
    """Mean and spread of some texts' shares."""
    usual = np.stack(shares or [np.zeros(LONGEST + 1)])
    spread = usual.std(axis=0)
    return usual.mean(axis=0), np.where(spread > 0, spread, 1.0)


def _standard(shares: Floats, usual: tuple[Floats, Floats]) -> Floats:
    """Shares standardised by what is usual, of length 1."""
    standardised = (shares - usual[0]) / usual[1]
    return np.asarray(
        standardised / max(float(np.linalg.norm(standardised)), 1e-12), dtype=np.float64
    )


def _some(texts: TextTable) -> range:
    return range(0, len(texts), max(1, len(texts) // SAMPLE))
