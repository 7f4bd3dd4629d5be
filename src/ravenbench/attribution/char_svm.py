"""Linear support vector machine on character n-grams, the baseline of PAN's attribution tasks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ravenbench.attribution import linear
from ravenbench.attribution.base import Attributor
from ravenbench.text.ngrams import CharNgrams
from ravenbench.text.tfidf import Tfidf
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints


@dataclass(eq=False, repr=False)
class CharSVM(Attributor):
    """One-against-all linear machines on tf-idf of the most frequent character n-grams.

    Parameters
    ----------
    n, size : int
        Length of the n-grams, and how many are taken up.
    lowercase : bool
    c : float
        Weight of the loss.

    References
    ----------
    Kestemont et al. 2018, 2019 (PAN's SVM baseline: character 3-grams, linear, one against all).
    """

    name = "svm"

    n: int = 3
    size: int = 20_000
    lowercase: bool = False
    c: float = 1.0

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        self.tfidf_ = Tfidf(CharNgrams(self.n, self.lowercase), self.size).fit(texts, rows)
        features = self.tfidf_.transform(texts, rows)
        self.weights_, self.biases_ = linear.svm(features, codes, len(self.classes_), self.c)

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        return np.asarray(self.tfidf_.transform(texts, rows) @ self.weights_ + self.biases_)

    def feature_weights(self) -> tuple[list[str], Floats]:
        """The n-grams and their weights, (n-grams, authors)."""
        return self.tfidf_.vocabulary_, self.weights_
