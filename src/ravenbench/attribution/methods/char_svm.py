"""Linear support vector machine on character n-grams, the baseline of PAN's attribution tasks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ravenbench.attribution import linear
from ravenbench.attribution.base import Attributor
from ravenbench.attribution.scaled import Scaled
from ravenbench.text.ngrams import CharNgrams
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints


@dataclass(eq=False, repr=False)
class CharSVM(Attributor):
    """One-against-all linear machines on relative frequencies of character n-grams, each scaled by its maximum.

    As PAN's baseline has it: n-grams that stand at least five times in the known texts, their frequencies divided by
    the largest in a known text, so that the rare ones are heard as well as the frequent ones.

    Parameters
    ----------
    n, size : int
        Length of the n-grams, and how many are taken up at most.
    least : int
        Occurrences in the known texts that an n-gram needs.
    lowercase : bool
    c : float
        Weight of the loss.

    References
    ----------
    Kestemont et al. 2018, 2019 (PAN's SVM baseline: character 3-grams, linear, one against all).
    """

    name = "svm"
    version = 2

    n: int = 3
    size: int = 20_000
    least: int = 5
    lowercase: bool = False
    c: float = 1.0

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        self.grams_ = Scaled(CharNgrams(self.n, self.lowercase), self.size, self.least).fit(texts, rows)
        features = self.grams_.transform(texts, rows)
        self.weights_, self.biases_ = linear.svm(features, codes, len(self.classes_), self.c)

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        return np.asarray(self.grams_.transform(texts, rows) @ self.weights_ + self.biases_)

    def feature_weights(self) -> tuple[list[str], Floats]:
        """The n-grams and their weights, (n-grams, authors)."""
        return self.grams_.vocabulary_, self.weights_
