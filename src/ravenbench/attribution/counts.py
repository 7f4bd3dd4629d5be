"""Counts the units of texts (words, n-grams), raw or scaled by the training texts.

In: a ``TextTable`` and numbers (from 0) of its rows, to learn from (``fit``) or to count (``transform``); a kind of
unit; for ``Scaled`` also the maximum number of units and the minimum occurrences of one; for ``prepare`` one text.
Out: a sparse float64 matrix (texts, units): ``Counts`` returns counts of units that occur in training; ``Scaled`` a
unit's share of the text's units that occur in training, divided by the largest share in a training text (0 to 1 on
training texts, above 1 possible on others). ``prepare`` returns text: lower case, letters, digits and white space only;
``PaperWords`` is the unit "word of a prepared text". No error of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ravenbench.text.counting import CountedUnits, CountStore, totals, with_counts
from ravenbench.text.lexicon import TokenLexicon, Tokens
from ravenbench.text.tokens import lowered
from ravenbench.texts import TextTable
from ravenbench.types import Int32s, Ints


def prepare(text: str) -> str:
    """Return the text prepared as in the novel-topic paper: lowercase, without characters that are neither alphanumeric
    nor white space (*don't* becomes *dont*, and hyphenated words fuse)."""
    return "".join(
        character for character in lowered(text) if character.isalnum() or character.isspace()
    )


@dataclass(frozen=True)
class PaperWords:
    """A kind of unit: white-space tokens of prepared text."""

    def lexicon(self) -> _PaperLexicon:
        """Return an empty lexicon of these units."""
        return _PaperLexicon(Tokens(r"\S+"))


class _PaperLexicon(TokenLexicon):
    def count(self, texts: Any) -> tuple[Ints, Int32s, Int32s]:
        return super().count([prepare(text) for text in texts])


@dataclass(eq=False, repr=False)
class Counts:
    """Counts of every unit that occurs in a training document; units unseen in training are left out.

    Attributes
    ----------
    vocabulary_ : list of str
        Units by column, in code-point order.
    """

    units: CountedUnits

    def fit(self, texts: TextTable, documents: Ints) -> Self:
        """Learn the vocabulary from rows of ``texts``."""
        return with_counts(self.units, lambda store: self._fit(store, texts, documents))

    def _fit(self, store: CountStore, texts: TextTable, documents: Ints) -> Self:
        total = totals(store, texts, documents)
        columns = np.flatnonzero(total)
        fold = store.lexicon.fold
        self.vocabulary_ = sorted(
            store.lexicon.names(columns if fold is None else np.unique(fold[columns]))
        )
        return self

    def transform(self, texts: TextTable, documents: Ints) -> Any:
        """Return the counts for rows of ``texts``: a float64 csr_array (len(documents), len(vocabulary_))."""
        return with_counts(self.units, lambda store: self._transform(store, texts, documents))

    def _transform(self, store: CountStore, texts: TextTable, documents: Ints) -> Any:
        from scipy.sparse import csr_array, vstack

        width = len(self.vocabulary_)
        chosen = store.lexicon.ids(self.vocabulary_)
        blocks = []
        for rows in store.blocks(texts, documents):
            column = np.full(len(store.lexicon), -1, dtype=np.int32)
            column[chosen] = np.arange(width, dtype=np.int32)
            if store.lexicon.fold is not None:
                column = column[store.lexicon.fold]
            sizes = rows.stops - rows.starts
            take = np.repeat(rows.starts - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
            at = column[rows.ids[take]]
            owner = np.repeat(np.arange(len(rows), dtype=np.int32), sizes)
            is_known = at >= 0
            data = rows.counts[take][is_known].astype(np.float64)
            # Building from coordinates adds up units that fold into one; liblinear wants 32-bit indices.
            blocks.append(
                csr_array((data, (owner[is_known], at[is_known])), shape=(len(rows), width))
            )
        return vstack(blocks, format="csr") if blocks else csr_array((0, width))


@dataclass(eq=False, repr=False)
class Scaled:
    """Features for linear machines: frequent and rare units all are in [0, 1] on training documents.

    Without this, a penalised machine uses little more than the few most frequent units.

    Parameters
    ----------
    units : Units
    size : int
        Number of the most frequent training units used (ties by code point).
    least : int
        Minimum occurrences of a unit in training.

    Attributes
    ----------
    vocabulary_ : list of str
        Units by column, in code-point order.
    largest_ : (len(vocabulary_),) float64
        The largest relative frequency of each unit in a training document.
    """

    units: CountedUnits
    size: int
    least: int = 1

    def fit(self, texts: TextTable, documents: Ints, drop: frozenset[str] = frozenset()) -> Self:
        """Learn units and scales from rows of ``texts``; units in ``drop`` are never used."""
        self.counts_ = Counts(self.units).fit(texts, documents)
        counts = self.counts_.transform(texts, documents)
        total = np.asarray(counts.sum(axis=0)).ravel()
        names = self.counts_.vocabulary_
        total[[i for i, name in enumerate(names) if name in drop]] = 0
        # Stable: of equally frequent units the first by code point stay.
        most_frequent = np.argsort(-total, kind="stable")[: self.size]
        self.columns_: Ints = np.sort(most_frequent[total[most_frequent] >= max(self.least, 1)])
        self.vocabulary_ = [names[i] for i in self.columns_]
        self.largest_ = self._frequencies(counts).max(axis=0).toarray().ravel()
        return self

    def transform(self, texts: TextTable, documents: Ints) -> Any:
        """Return scaled frequencies for rows of ``texts``: a csr_array (len(documents), len(vocabulary_))."""
        from scipy.sparse import csr_array, diags_array

        frequencies = self._frequencies(self.counts_.transform(texts, documents)) @ diags_array(
            1 / self.largest_
        )
        return csr_array(frequencies)

    def _frequencies(self, counts: Any) -> Any:
        """Shares of a text's units that are known, of the chosen ones; a text without any is a zero row."""
        from scipy.sparse import csr_array, diags_array

        size = np.asarray(counts.sum(axis=1)).ravel()
        return csr_array(diags_array(1 / np.maximum(size, 1)) @ counts)[:, self.columns_]
