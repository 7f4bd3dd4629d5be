"""CharNGram: cosine of character n-gram tf-idf vectors (PAN's cngdist baseline)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.randomness import stream
from ravenbench.text.ngrams import CharNgrams
from ravenbench.text.tfidf import Tfidf, row_cosines
from ravenbench.types import Bools, Floats, Ints, Problems
from ravenbench.verifiers.calibrators.threshold_band import ThresholdBand
from ravenbench.verifiers.contract.base import Calibrator, Scorer, mean_by_problem


@dataclass(eq=False, repr=False)
class CharNgram(Scorer):
    """Cosine between tf-idf vectors of character n-grams; several known documents are averaged.

    Parameters
    ----------
    n, size : int
        Length of the n-grams and number of the most frequent ones taken up.
    lowercase : bool
    bags : int
        Where positive, the mean cosine over so many random halves of the vocabulary, drawn at fit.
    reference : bool
        Learn from pair texts as PAN does, so that a text in two problems counts twice; by default every
        document counts once.
    seed : int
        Decides the halves.

    References
    ----------
    Baseline code of PAN 2020–2023 and of Sawatphol et al. 2024.
    """

    name = "char-ngram"

    n: int = 4
    size: int = 3000
    lowercase: bool = True
    bags: int = 0
    reference: bool = False
    seed: int = 0

    @property
    def counted(self) -> CharNgrams:
        """The units that are counted in whole texts."""
        return CharNgrams(self.n, self.lowercase)

    def fit(self, problems: Problems, same: Bools) -> Self:
        documents, weights = training_documents(problems, self.reference)
        self.tfidf_ = Tfidf(self.counted, self.size).fit(problems.texts, documents, weights)
        width = len(self.tfidf_.vocabulary_)
        self.halves_ = np.zeros((self.bags, width), np.bool_)
        for bag in range(self.bags):
            rng = stream(self.seed, "char-ngram-bag", bag)
            self.halves_[bag, rng.permutation(width)[: (width + 1) // 2]] = True
        return self

    def score(self, problems: Problems) -> Floats:
        return pair_cosines(self.tfidf_, problems, self.halves_ if self.bags else None)

    def default_calibrator(self) -> Calibrator:
        return ThresholdBand()


def training_documents(problems: Problems, repeated: bool) -> tuple[Ints, Ints | None]:
    """Rows to learn from, and how often each counts (None: once) where repetitions count."""
    documents = problems.documents
    if not repeated:
        return documents, None
    uses = np.concatenate([problems.known_index, problems.questioned_index])
    return documents, np.bincount(uses, minlength=len(problems.texts))[documents]


def pair_cosines(tfidf: Tfidf, problems: Problems, halves: Bools | None = None) -> Floats:
    """Cosine of each problem's texts, averaged over its known documents, shape (n,).

    ``halves`` (bags, vocabulary) averages over bags of features too.
    """
    documents = problems.documents
    rows = tfidf.rows(problems.texts, documents)
    known = np.searchsorted(documents, problems.known_index)
    questioned = np.searchsorted(documents, problems.questioned_index)[problems.owner]
    if halves is None:
        each = row_cosines(rows, known, questioned)
    else:
        each = np.mean([row_cosines(rows, known, questioned, keep) for keep in halves], axis=0)
    return mean_by_problem(each, problems)
