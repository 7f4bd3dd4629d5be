"""Attribution methods on words: maximum entropy and naive Bayes, and two extremes, function words and topic words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ravenbench.attribution import linear
from ravenbench.attribution.base import Attributor
from ravenbench.attribution.counts import Counts, PaperWords
from ravenbench.text.lexicon import CONTENT_WORDS
from ravenbench.text.tfidf import Tfidf, TokenProfiles
from ravenbench.text.tokens import frequent_words
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints


@dataclass(eq=False, repr=False)
class MaxEnt(Attributor):
    """Attributes by multinomial logistic regression on word counts, text prepared as in the novel-topic paper.

    Parameters
    ----------
    c : float
        Inverse strength of the quadratic penalty (unreported in the paper; 1 here).

    References
    ----------
    Novel-topic cross-validation 2010, section 4.
    """

    name = "maxent"

    c: float = 1.0

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        self.counts_ = Counts(PaperWords()).fit(texts, rows)
        self.weights_, self.biases_ = linear.maxent(self.counts_.transform(texts, rows), codes, self.c)

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        """Return logits; their softmax is the model's probability."""
        return np.asarray(self.counts_.transform(texts, rows) @ self.weights_ + self.biases_)

    def feature_weights(self) -> tuple[list[str], Floats]:
        """The words and their weights, (words, authors)."""
        return self.counts_.vocabulary_, self.weights_


@dataclass(eq=False, repr=False)
class NaiveBayes(Attributor):
    """Attributes by multinomial naive Bayes on the same word counts as ``maxent``.

    Parameters
    ----------
    alpha : float
        Added to every count.
    """

    name = "nb"

    alpha: float = 1.0

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        from sklearn.naive_bayes import MultinomialNB

        self.counts_ = Counts(PaperWords()).fit(texts, rows)
        self.model_: Any = MultinomialNB(alpha=self.alpha).fit(self.counts_.transform(texts, rows), codes)

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        return np.asarray(self.model_.predict_joint_log_proba(self.counts_.transform(texts, rows)))


@dataclass(eq=False, repr=False)
class FunctionWords(Attributor):
    """Attributes by a linear support vector machine on z-scored frequencies of the most frequent words: style alone.

    Parameters
    ----------
    words : int
    c : float
        Weight of the loss.
    """

    name = "function-words"
    provenance = "ours"

    words: int = 150
    c: float = 1.0

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        self.profiles_ = TokenProfiles(self.words).fit(texts, rows)
        features = self._features(texts, rows)
        self.weights_, self.biases_ = linear.svm(features, codes, len(self.classes_), self.c)

    def _features(self, texts: TextTable, rows: Ints) -> Floats:
        # Rows of about length 1, so that c means the same whatever the number of words.
        return np.asarray(self.profiles_.transform(texts, rows) / np.sqrt(max(1, len(self.profiles_.words_))))

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        return np.asarray(self._features(texts, rows) @ self.weights_ + self.biases_)

    def feature_weights(self) -> tuple[list[str], Floats]:
        """The words and their weights, (words, authors)."""
        return self.profiles_.words_, self.weights_


@dataclass(eq=False, repr=False)
class TopicWords(Attributor):
    """Attributes by a linear support vector machine on tf-idf of all but the most frequent words: topic, mostly.

    Parameters
    ----------
    without : int
        Most frequent training words left out, cases folded.
    size : int
        Most frequent remaining words taken up.
    c : float
        Weight of the loss.
    """

    name = "topic-words"
    provenance = "ours"

    without: int = 150
    size: int = 20_000
    c: float = 1.0

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        common = frozenset(frequent_words(texts.rows(rows), self.without))
        self.tfidf_ = Tfidf(CONTENT_WORDS, self.size).fit(texts, rows, drop=common)
        features = self.tfidf_.transform(texts, rows)
        self.weights_, self.biases_ = linear.svm(features, codes, len(self.classes_), self.c)

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        return np.asarray(self.tfidf_.transform(texts, rows) @ self.weights_ + self.biases_)

    def feature_weights(self) -> tuple[list[str], Floats]:
        """The words and their weights, (words, authors)."""
        return self.tfidf_.vocabulary_, self.weights_
