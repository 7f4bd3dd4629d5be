"""Learns linear classifiers of many authors from few documents, by the documents' inner products.

In: for ``svm`` and ``maxent`` features (n documents, V units), author codes (n,) from 0, the weight ``c`` of the loss
(above 0), for ``svm`` also the number of authors; for methods (``MaxEnt``, ``NaiveBayes``, ``FunctionWords``,
``TopicWords``, ``CharSVM``) texts with authors' names, then n texts.
Out: ``svm`` and ``maxent`` give weights (V, authors) and biases (authors,), float64, unbounded, higher = this author.
Methods give names (n,) and scores (n, authors), unbounded (``NaiveBayes``: natural log joint probabilities), higher =
more likely; InputError if texts and authors differ in number or there is one author. Helpers: ``products`` gives inner
products (n, n) of rows; ``dual_svm`` takes these plus 1, codes, the number of authors, ``c`` and orders of documents,
and returns coefficients (n, authors).

With n documents, V units and V ≫ n, a linear model with a quadratic penalty is a combination of the n documents, so
training needs only their n × n products. Support vector machines, one author against all others, are then solved
for all authors at once; maximum entropy is solved by scikit-learn in n coordinates instead of V. Both give the model
that scikit-learn gives on the counts themselves, which is used if there are many documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from ravenbench.attribution.base import Attributor
from ravenbench.attribution.counts import Counts, PaperWords, Scaled
from ravenbench.randomness import stream
from ravenbench.text.lexicon import CONTENT_WORDS
from ravenbench.text.ngrams import CharNgrams
from ravenbench.text.tfidf import Tfidf, TokenProfiles
from ravenbench.text.tokens import frequent_words
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints, Length, NotNegative, Positive

DUAL_LIMIT = 4000
"""Maximum number of documents (also fewer than features) for which products are used."""
_RIDGE = 1e-9
_ORDERS = 64
_TOLERANCE = 1e-4


def svm(features: Any, codes: Ints, authors: int, c: float) -> tuple[Floats, Floats]:
    """Fit one-against-all linear support vector machines with squared hinge loss and a penalised bias.

    The result equals scikit-learn's ``LinearSVC`` (dual, intercept scaling 1) up to tolerance. ``codes`` are the authors of
    the rows, ``c`` is the weight of the loss.

    Returns
    -------
    (V, authors), (authors,) float64
        Weights and biases.
    """
    n = features.shape[0]
    if n > DUAL_LIMIT:
        from sklearn.svm import LinearSVC

        model = LinearSVC(C=c, random_state=0).fit(features, codes)
        return _columns(model.coef_, model.intercept_, -1.0)
    gram = products(features) + 1.0
    rng = stream(0, "svm-order", n)
    orders = np.stack([rng.permutation(n) for _ in range(_ORDERS)])
    beta = dual_svm(gram, codes, authors, c, orders)
    return np.ascontiguousarray(features.T @ beta), beta.sum(axis=0)


def maxent(features: Any, codes: Ints, c: float) -> tuple[Floats, Floats]:
    """Fit multinomial logistic regression with a quadratic penalty and unpenalised biases (scikit-learn's).

    Parameters (without ``authors``) and results are those of ``svm``.
    """
    from scipy.linalg import cholesky, solve_triangular
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=c, max_iter=1000, tol=_TOLERANCE)
    n = features.shape[0]
    if n > DUAL_LIMIT or n >= features.shape[1]:
        model.fit(features, codes)
        return _columns(model.coef_, model.intercept_, 0.0)
    gram = products(features)
    gram[np.diag_indices(n)] += _RIDGE * max(1.0, float(np.trace(gram)) / n)
    root = cholesky(gram, lower=True)
    model.fit(root, codes)
    beta = solve_triangular(root, model.coef_.T, lower=True, trans="T")
    return _columns((features.T @ beta).T, model.intercept_, 0.0)


def products(features: Any) -> Floats:
    """Return the inner products of all pairs of rows, dense (n, n)."""
    gram = features @ features.T
    return np.ascontiguousarray(
        gram if isinstance(gram, np.ndarray) else gram.toarray(), dtype=np.float64
    )


def _columns(weights: Floats, biases: Floats, first: float) -> tuple[Floats, Floats]:
    """(V, authors) weights and biases from scikit-learn's (authors, V); where two authors share one row, it is the
    second's, and the first's is ``first`` times it."""
    if len(weights) == 1:
        weights = np.concatenate([first * weights, weights])
        biases = np.concatenate([first * biases, biases])
    return np.ascontiguousarray(weights.T), np.asarray(biases)


@njit(cache=True)
def dual_svm(
    gram: Floats,
    codes: Ints,
    authors: int,
    c: float,
    orders: Ints,
) -> Floats:
    """Return coefficients (n, authors) of documents in every author's machine, by dual coordinate descent.

    For author a with signs y: minimise ½ αᵀ(yy'K + I/2c)α − Σα over α ≥ 0; the result is αy. A machine is done when
    no projected gradient of a whole epoch exceeds a thousandth. All machines visit documents in the same order,
    so the inner loops run over authors, side by side in memory.
    """
    n = len(codes)
    beta = np.zeros((n, authors))
    margin = np.zeros((n, authors))
    step = np.zeros(authors)
    worst = np.zeros(authors)
    waiting = np.arange(authors)
    soft = 0.5 / c
    for epoch in range(1000):
        worst[:] = 0.0
        for i in orders[epoch % len(orders)]:
            moved = False
            for author in waiting:
                sign = 1.0 if codes[i] == author else -1.0
                alpha = beta[i, author] * sign
                slope = sign * margin[i, author] - 1.0 + soft * alpha
                projected = slope if alpha > 0 else min(slope, 0.0)
                worst[author] = max(worst[author], abs(projected))
                step[author] = 0.0
                if abs(projected) > 1e-12:
                    step[author] = sign * (max(alpha - slope / (gram[i, i] + soft), 0.0) - alpha)
                    beta[i, author] += step[author]
                    moved = True
            if moved:
                for j in range(n):
                    product = gram[i, j]
                    if product != 0.0:
                        for other_author in range(authors):
                            margin[j, other_author] += product * step[other_author]
        waiting = waiting[worst[waiting] > 1e-3]
        step[:] = 0.0
        if len(waiting) == 0:
            break
    return beta


class LinearMachine(Attributor):
    """Base of linear methods: ``units_`` makes features from texts, which ``weights_`` and ``biases_`` weight."""

    units_: Any
    weights_: Floats
    biases_: Floats

    def _features(self, texts: TextTable, rows: Ints) -> Any:
        return self.units_.transform(texts, rows)

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        return np.asarray(self._features(texts, rows) @ self.weights_ + self.biases_)

    def feature_weights(self) -> tuple[list[str], Floats]:
        """Return the units and their weights, (units, authors)."""
        return self.units_.vocabulary_, self.weights_


@dataclass(eq=False, repr=False)
class MaxEnt(LinearMachine):
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

    c: Positive = 1.0

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        self.units_ = Counts(PaperWords()).fit(texts, rows)
        self.weights_, self.biases_ = maxent(self._features(texts, rows), codes, self.c)


@dataclass(eq=False, repr=False)
class NaiveBayes(Attributor):
    """Attributes by multinomial naive Bayes on the same word counts as ``maxent``.

    Parameters
    ----------
    alpha : float
        Added to every count.
    """

    name = "nb"

    alpha: NotNegative = 1.0

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        from sklearn.naive_bayes import MultinomialNB

        self.counts_ = Counts(PaperWords()).fit(texts, rows)
        self.model_: Any = MultinomialNB(alpha=self.alpha).fit(
            self.counts_.transform(texts, rows), codes
        )

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        return np.asarray(self.model_.predict_joint_log_proba(self.counts_.transform(texts, rows)))


@dataclass(eq=False, repr=False)
class FunctionWords(LinearMachine):
    """Attributes by a linear support vector machine on z-scored frequencies of the most frequent words: style only.

    Parameters
    ----------
    words : int
    c : float
        Weight of the loss.
    """

    name = "function-words"
    provenance = "ours"

    words: int = 150
    c: Positive = 1.0

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        self.units_ = TokenProfiles(self.words).fit(texts, rows)
        self.weights_, self.biases_ = svm(
            self._features(texts, rows), codes, len(self.classes_), self.c
        )

    def _features(self, texts: TextTable, rows: Ints) -> Floats:
        # Rows of about length 1, so that c means the same whatever the number of words.
        return np.asarray(super()._features(texts, rows) / np.sqrt(max(1, len(self.units_.words_))))

    def feature_weights(self) -> tuple[list[str], Floats]:
        return self.units_.words_, self.weights_


@dataclass(eq=False, repr=False)
class TopicWords(LinearMachine):
    """Attributes by a linear support vector machine on tf-idf of all but the most frequent words: topic, mostly.

    Parameters
    ----------
    without : int
        Number of the most frequent training words left out; cases are folded.
    size : int
        Number of the most frequent remaining words used.
    c : float
        Weight of the loss.
    """

    name = "topic-words"
    provenance = "ours"

    without: int = 150
    size: int = 20_000
    c: Positive = 1.0

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        common = frozenset(frequent_words(texts.rows(rows), self.without))
        self.units_ = Tfidf(CONTENT_WORDS, self.size).fit(texts, rows, drop=common)
        self.weights_, self.biases_ = svm(
            self._features(texts, rows), codes, len(self.classes_), self.c
        )


@dataclass(eq=False, repr=False)
class CharSVM(LinearMachine):
    """One-against-all linear machines on relative frequencies of character n-grams, each scaled by its maximum.

    Also called: support vector machine, PAN baseline.

    As in PAN's baseline: n-grams that occur at least five times in the known texts, with frequencies divided by
    the largest frequency in a known text, so that rare n-grams count as much as frequent n-grams.

    Parameters
    ----------
    n, size : int
        Length of the n-grams, and their maximum number.
    least : int
        Minimum occurrences of an n-gram in the known texts.
    lowercase : bool
    c : float
        Weight of the loss.

    References
    ----------
    Kestemont et al. 2018, 2019 (PAN's SVM baseline: character 3-grams, linear, one against all).
    """

    name = "svm"
    version = 2

    n: Length = 3
    size: int = 20_000
    least: int = 5
    lowercase: bool = False
    c: Positive = 1.0

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        self.units_ = Scaled(CharNgrams(self.n, self.lowercase), self.size, self.least).fit(
            texts, rows
        )
        self.weights_, self.biases_ = svm(
            self._features(texts, rows), codes, len(self.classes_), self.c
        )
