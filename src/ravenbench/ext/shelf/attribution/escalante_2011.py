"""Attributes after Escalante et al. 2011 (``Escalante2011``): histograms of n-grams by their place in the text.

In: for ``fit`` texts and their authors' names, of two authors or more; for ``predict`` and ``scores`` n texts; for
``histograms`` one text.
Out: ``scores`` (n, authors) of a linear support vector machine, unbounded, higher = more likely; ``predict``: names
(n,); ``histograms``: (places, n-grams), 0 to 1, whose rows sum to 1, or are 0 for a text without a known n-gram.
InputError if texts and authors differ in number or there is one author, SpecError for a parameter out of range.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from ravenbench.attribution.base import Attributor
from ravenbench.attribution.linear import svm
from ravenbench.text.tokens import collapse
from ravenbench.texts import TextTable
from ravenbench.types import Count, Floats, Ints, Length, Positive, Size


@dataclass(eq=False, repr=False)
class Escalante2011(Attributor):
    """A linear support vector machine on several histograms of a text's n-grams, each around another place in it.

    Every occurrence is weighted by a Gaussian of its distance from the place, in shares of the text, and each histogram
    sums to one. The machine uses square roots; their products are close to the diffusion kernel that the paper finds best.

    Parameters
    ----------
    n, size : int
        Length of the n-grams, and number of the most frequent n-grams used.
    places : int
        Number of places, evenly over the text.
    width : float
        Deviation of the Gaussian.
    c : float
        Weight of the loss.

    References
    ----------
    Escalante, Solorio & Montes-y-Gómez 2011, Local histograms of character n-grams for authorship attribution. ACL.
    """

    name = "escalante-2011"

    n: Length = 3
    size: Size = 2500
    places: Count = 5
    width: float = 0.2
    c: Positive = 1.0

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        count: Counter[str] = Counter()
        for text in texts.rows(rows):
            count.update(self._grams(text))
        best = sorted(count, key=lambda gram: (-count[gram], gram))[: self.size]
        self.column_ = {gram: i for i, gram in enumerate(sorted(best))}
        self.weights_, self.biases_ = svm(
            self._features(texts, rows), codes, len(self.classes_), self.c
        )

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        return np.asarray(self._features(texts, rows) @ self.weights_ + self.biases_)

    def _grams(self, text: str) -> list[str]:
        text = collapse(text)
        return [text[i : i + self.n] for i in range(len(text) - self.n + 1)]

    def _features(self, texts: TextTable, rows: Ints) -> Floats:
        return np.stack(
            [np.sqrt(self.histograms(text) / self.places).ravel() for text in texts.rows(rows)]
        )

    def histograms(self, text: str) -> Floats:
        """Return the local histograms of a text, (places, n-grams); rows sum to 1 unless the text has no known n-gram."""
        grams = self._grams(text)
        column = np.array([self.column_.get(gram, -1) for gram in grams], dtype=np.int64)
        at = (np.arange(len(grams)) + 0.5) / max(1, len(grams))
        known = column >= 0
        weights = np.zeros((self.places, len(self.column_)))
        for j in range(self.places):
            weight = np.exp(-0.5 * ((at[known] - (j + 0.5) / self.places) / self.width) ** 2)
            weights[j] = np.bincount(column[known], weight, minlength=len(self.column_))
        total = weights.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(weights, total, out=np.zeros_like(weights), where=total > 0))
