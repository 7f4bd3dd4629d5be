"""The plain methods that others are measured against: character n-grams, compression, function words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from ravenbench.randomness import stream
from ravenbench.text.lexicon import ALL_TOKENS
from ravenbench.text.ngrams import CharNgrams
from ravenbench.text.tfidf import Tfidf, TokenProfiles, row_cosines, unit
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Few, Floats, Ints, Length, Problems
from ravenbench.verifiers.contract.base import FoldFree, Scorer, mean_by_problem


@dataclass(eq=False, repr=False)
class CharNgram(Scorer):
    """Cosine between tf-idf vectors of character n-grams; several known documents are averaged.

    Also called: tf-idf, TFIDF, character n-grams, PAN baseline.

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
    reads = "characters"
    calibrated_by = "threshold-band"

    n: Length = 4
    size: int = 3000
    lowercase: bool = True
    bags: Few = 0
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


@dataclass(eq=False, repr=False)
class PPM(FoldFree):
    """Cross-entropies in bits a character, low where the texts are alike; the calibrator learns the sign.

    Also called: compression, cross-entropy.

    The baseline of PAN20–23 after Teahan & Harper (2003) and, with raw features, of HITS; features and answers are not
    rounded. See ``ravenbench.text.ppm`` for the model.

    With several known documents the features of the pairs are averaged. A problem with an empty text has NaN
    features: calibrators leave it unanswered.

    Parameters
    ----------
    features : "symmetric" or "raw"
        ``[(h1 + h2) / 2, |h1 − h2|]`` (PAN20/21 and the paper), or ``[h1, h2]`` (PAN22/23 and the HITS code),
        which changes when the texts of a pair are exchanged. h1 is the questioned text under the known
        text's model.
    order : int
        Longest context, 0 … 5.
    escape : "C", optional
        PPM-C's escape probabilities instead of plain shares.
    """

    name = "ppm"
    reads = "characters"
    calibrated_by = "logistic"

    features: Literal["symmetric", "raw"] = "symmetric"
    order: Literal[0, 1, 2, 3, 4, 5] = 5
    escape: Literal["C"] | None = None

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """True if exchanging the texts of a pair leaves the answer unchanged."""
        return self.features == "symmetric"

    def pair_features(self, texts: TextTable, known: Ints, questioned: Ints) -> Floats:
        """Features of document pairs, (n, 2). SpecError if a parameter is not one of those named above."""
        from ravenbench.text.ppm import cross_entropies

        h = cross_entropies(texts, known, questioned, self.order, self.escape)
        if self.features == "raw":
            return h
        return np.stack([h.mean(axis=1), np.abs(h[:, 0] - h[:, 1])], axis=1)


@dataclass(eq=False, repr=False)
class FunctionWords(Scorer):
    """(1 + cosine) / 2 of z-scored relative frequencies of the most frequent training words.

    The words come from training texts, so any language will do; among the first 150 of a mixed corpus nearly
    all are function words. Several known documents are averaged.

    Parameters
    ----------
    words : int

    References
    ----------
    Smith & Aldridge 2011; Evert et al. 2017 (Cosine Delta).
    """

    name = "function-words"
    reads = "words"
    calibrated_by = "threshold-band"
    counted = ALL_TOKENS

    words: int = 150

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.profiles_ = TokenProfiles(self.words).fit(problems.texts, problems.documents)
        return self

    def score(self, problems: Problems) -> Floats:
        return profile_cosines(self.profiles_, problems)


def profile_cosines(profiles: TokenProfiles, problems: Problems) -> Floats:
    """(1 + cosine) / 2 of each problem's profiles, averaged over known documents; a zero profile has cosine 0."""
    documents = problems.documents
    rows = unit(profiles.transform(problems.texts, documents))
    known = np.searchsorted(documents, problems.known_index)
    questioned = np.searchsorted(documents, problems.questioned_index)[problems.owner]
    each = (1 + np.einsum("ij,ij->i", rows[known], rows[questioned])) / 2
    return mean_by_problem(np.clip(each, 0, 1), problems)
