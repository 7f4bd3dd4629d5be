"""When to say that no candidate wrote a text: PAN19's rule, with probabilities learned from the known texts.

The baseline of PAN19 answers ``<UNK>`` where the probabilities of the two likeliest candidates differ by less than .1.
It needs probabilities, which most methods do not give. Here they are learned for any method with scores: known texts
are scored by a method that did not learn from them, each text's scores are standardised over its candidates, and one
logistic curve for all candidates says how likely a standardised score belongs to the author.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from ravenbench.attribution.protocols import k_fold
from ravenbench.errors import CorpusError
from ravenbench.types import Bools, Floats

FOLDS = 4


class Leads:
    """How far the likeliest candidate leads the second, as a difference of probabilities.

    Attributes
    ----------
    slope_, intercept_ : float
        Of the logistic curve over standardised scores.
    """

    slope_: float
    intercept_: float

    def fit(self, method: Any, texts: Sequence[str], authors: Sequence[str]) -> Self:
        """Learn from known texts, each scored by a method that learned from other texts.

        Raises
        ------
        CorpusError
            If no candidate has two known texts.
        """
        from sklearn.linear_model import LogisticRegression

        parts = list(_apart(method, texts, authors))
        if not any(right.any() for _, right in parts):
            raise CorpusError(
                "no candidate has two known texts, so nothing tells how sure an answer is", fix="give --reject 0"
            )
        x = np.concatenate([standardised(scores).ravel() for scores, _ in parts])
        y = np.concatenate([right.ravel() for _, right in parts])
        model = LogisticRegression(tol=1e-8, max_iter=1000).fit(x[:, None], y)
        self.slope_, self.intercept_ = float(model.coef_[0, 0]), float(model.intercept_[0])
        return self

    def of(self, scores: Floats) -> Floats:
        """Leads of texts with scores (texts, candidates), (texts,) in [0, 1]."""
        from scipy.special import expit

        chance = expit(self.slope_ * standardised(scores) + self.intercept_)
        ranked = np.sort(chance / chance.sum(axis=1, keepdims=True), axis=1)
        return np.asarray(ranked[:, -1] - ranked[:, -2])


def standardised(scores: Floats) -> Floats:
    """Scores with mean 0 and deviation 1 over each text's candidates; of two candidates, half their difference."""
    centred = scores - scores.mean(axis=1, keepdims=True)
    if scores.shape[1] == 2:
        return np.asarray(centred)
    deviation = centred.std(axis=1, keepdims=True)
    return np.asarray(np.divide(centred, deviation, out=np.zeros_like(centred), where=deviation > 0))


def _apart(method: Any, texts: Sequence[str], authors: Sequence[str]) -> Iterator[tuple[Floats, Bools]]:
    """For every fold of known texts: scores (n, candidates) by what learned from the others, and which are right."""
    from sklearn.base import clone

    names, codes = np.unique(np.asarray(authors, dtype=np.str_), return_inverse=True)
    fold = k_fold(codes.astype(np.int64), FOLDS)
    for f in np.unique(fold):
        rest, out = np.flatnonzero(fold != f).tolist(), np.flatnonzero(fold == f).tolist()
        there = np.unique(codes[rest])
        if len(there) > 1:
            fitted = clone(method).fit([texts[i] for i in rest], [authors[i] for i in rest])
            scores = np.asarray(fitted.scores([texts[i] for i in out]), dtype=np.float64)
            yield scores, np.asarray(names[codes[out]][:, None] == names[there])
