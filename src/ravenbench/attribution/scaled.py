"""Relative frequencies of units, each divided by the largest it has in a training document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ravenbench.attribution.counts import Counts
from ravenbench.text.counting import Units
from ravenbench.texts import TextTable
from ravenbench.types import Ints


@dataclass(eq=False, repr=False)
class Scaled:
    """Features for linear machines: frequent and rare units all lie in [0, 1] on training documents.

    Without this a penalised machine hears little but the few most frequent units.

    Parameters
    ----------
    units : Units
    size : int
        Most frequent training units taken up (ties by code point).
    least : int
        Occurrences in training below which a unit is left out.

    Attributes
    ----------
    vocabulary_ : list of str
        Units by column, in code-point order.
    largest_ : (len(vocabulary_),) float64
        The largest relative frequency of each in a training document.
    """

    units: Units
    size: int
    least: int = 1

    def fit(self, texts: TextTable, documents: Ints, drop: frozenset[str] = frozenset()) -> Self:
        """Learn units and scales from rows of ``texts``; units in ``drop`` are never taken up."""
        self.counts_ = Counts(self.units).fit(texts, documents)
        counts = self.counts_.transform(texts, documents)
        total = np.asarray(counts.sum(axis=0)).ravel()
        names = self.counts_.vocabulary_
        total[[i for i, name in enumerate(names) if name in drop]] = 0
        # Stable: of equally frequent units the first by code point stay.
        first = np.argsort(-total, kind="stable")[: self.size]
        self.columns_: Ints = np.sort(first[total[first] >= max(self.least, 1)])
        self.vocabulary_ = [names[i] for i in self.columns_]
        self.largest_ = self._frequencies(counts).max(axis=0).toarray().ravel()
        return self

    def transform(self, texts: TextTable, documents: Ints) -> Any:
        """Scaled frequencies for rows of ``texts``: a csr_array (len(documents), len(vocabulary_))."""
        from scipy.sparse import csr_array, diags_array

        found = self._frequencies(self.counts_.transform(texts, documents)) @ diags_array(1 / self.largest_)
        return csr_array(found)

    def _frequencies(self, counts: Any) -> Any:
        """Shares of a text's units that are known, of the chosen ones; a text without any is a zero row."""
        from scipy.sparse import csr_array, diags_array

        size = np.asarray(counts.sum(axis=1)).ravel()
        return csr_array(diags_array(1 / np.maximum(size, 1)) @ counts)[:, self.columns_]
