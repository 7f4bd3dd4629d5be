"""Offers every verifier of Raven as a classifier of scikit-learn (``ravenbench.PairClassifier``).

In: a verifier by name or as a component; for ``fit`` and what follows n pairs of texts (known, questioned), as an array
(n, 2) of text, a data frame of two columns or a list of tuples; for ``fit`` two classes (n,), of which the one that is
sorted last means the same author.
Out: ``predict_proba`` (n, 2) from 0 to 1, the last column is the verifier's answer (higher = same author, 0.5 =
unanswered); ``decision_function`` (n,), that answer less 0.5; ``predict`` (n,), one of ``classes_``. PairsError, a
ValueError, for what cannot be used; NotFittedError before ``fit``; other errors of a method are raised unchanged.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import (
    assert_all_finite,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)

from ravenbench import registry
from ravenbench.components import Component
from ravenbench.engine.cells import abstained
from ravenbench.engine.guard import answer_each
from ravenbench.errors import InputError
from ravenbench.texts import TextTable, composed
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.contract.base import as_verifier, fresh
from ravenbench.verifiers.contract.languages import check_language


class PairsError(InputError, ValueError):
    """Pairs, classes or a verifier that cannot be used: an InputError, and the ValueError that scikit-learn expects."""


@contextmanager
def _as_value_error() -> Iterator[None]:
    """Raise what Raven says about bad input as a ValueError too."""
    try:
        yield
    except InputError as error:
        raise PairsError(
            error.problem, found=error.found, expected=error.expected, fix=error.fix
        ) from error


class PairClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Decides for pairs of texts whether the same author wrote both, by one of Raven's verifiers.

    The answers are those of ``raven verify`` for the same verifier and problems. A problem's id is made from its two
    texts, as in the folds of ``raven run``; a few verifiers draw random numbers by this id.

    Parameters
    ----------
    verifier : str or component
        A verifier of ``raven list``, such as ``"ppm"`` or ``"char-ngram(n=3)"``, one of your own as
        ``"module:Class"``, or an object.

    Attributes
    ----------
    classes_ : (2,)
        The classes, sorted; the last means the same author.
    verifier_ : Verifier
        The fitted verifier.
    n_features_in_ : int
        2: the known and the questioned text.

    Examples
    --------
    >>> from ravenbench import PairClassifier
    >>> X = [("we sail at dawn", "we sailed by dawn"), ("we sail at dawn", "taxes are due")] * 5
    >>> PairClassifier("char-ngram").fit(X, [True, False] * 5).predict(X[:1])
    array([ True])
    """

    def __init__(self, verifier: str | Component = "ppm") -> None:
        self.verifier = verifier

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Pairs of texts: an array of numbers, from which scikit-learn's common checks are made, is refused.
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from n pairs of texts and their classes (n,)."""
        classes, same = _classes(y)
        problems = _problems(X)
        check_consistent_length(problems.ids, same)
        with _as_value_error():
            component = self._component()
            check_language(component, problems)
            self.verifier_ = as_verifier(fresh(component)).fit(problems, same)
        self.classes_ = classes
        self.n_features_in_ = 2
        self._learned = problems
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability (n, 2) of each class; that of the last is the verifier's answer."""
        answers = self._answers(X)
        return np.column_stack([1 - answers, answers])

    def decision_function(self, X: Any) -> Floats:
        """Return the answers less 0.5 (n,): above 0 for the same author, 0 for a pair that stays unanswered."""
        return self._answers(X) - 0.5

    def predict(self, X: Any) -> Any:
        """Return the class of each pair (n,); an unanswered pair is not said to be by the same author."""
        same = self.decision_function(X) > 0
        return self.classes_.take(same)

    def _component(self) -> Component:
        if isinstance(self.verifier, Component):
            return self.verifier
        with registry.importing("here"):
            component: Component = registry.parse("verifier", self.verifier)
        component.require()
        return component

    def _answers(self, pairs: Any) -> Floats:
        """Answers (n,) with the rules of ``raven verify`` for texts without words or in unknown letters."""
        check_is_fitted(self)
        problems = _problems(pairs)
        with _as_value_error():
            scores, answers, faults = answer_each(self.verifier_, problems)
        arrays, reasons = abstained(
            ({"scores": scores, "answers": answers}, faults), self._learned, problems
        )
        if reasons:
            reason, _ = Counter(reasons.values()).most_common(1)[0]
            # The line that asked for predict_proba or decision_function.
            warnings.warn(
                f"{len(reasons):,} of {len(problems):,} pairs stay unanswered (0.5): {reason}",
                stacklevel=3,
            )
        return arrays["answers"]


def _problems(pairs: Any) -> Problems:
    """Blind problems of n pairs of texts."""
    table = np.asarray(pairs, dtype=object)
    if table.ndim != 2 or table.shape[1] != 2 or not len(table):
        raise PairsError(
            "these are not pairs of texts",
            found=f"shape {table.shape}",
            expected="an array (n, 2) of texts, or a list of tuples (known, questioned)",
        )
    flat = table.ravel().tolist()
    for place, text in enumerate(flat):
        if not isinstance(text, str):
            side = ("known", "questioned")[place % 2]
            raise PairsError(
                f"the {side} side of pair {place // 2} (counted from 0) is not text",
                found=f"{type(text).__name__} {text!r}",
                expected="one str on each side: join several texts with empty lines",
            )
    texts, rows = TextTable.collect(map(composed, flat))
    return Problems.pairs(texts, rows[::2], rows[1::2])


def _classes(given: Any) -> tuple[Any, Bools]:
    """The two classes, sorted, and whether each pair has the last (n,)."""
    if given is None:
        raise PairsError(
            "PairClassifier requires y to be passed, but the target y is None",
            expected="a class for each pair: same author or not",
        )
    targets = column_or_1d(given, warn=True)
    if len(targets) == 0 or (targets == targets[0]).all():
        raise PairsError(
            "nothing can be learned from one class",
            found=f"{len(targets):,} pairs of one class",
            expected="same-author and different-author pairs",
        )
    assert_all_finite(targets, input_name="y")
    check_classification_targets(targets)
    if (kind := type_of_target(targets)) != "binary":
        raise PairsError(
            f"Only binary classification is supported. The type of the target is {kind}.",
        )
    classes, codes = np.unique(targets, return_inverse=True)
    return classes, codes == 1
