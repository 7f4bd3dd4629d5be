"""Verifies by any classifier of scikit-learn, or by an object that has the same methods (``Estimator``).

In: a classifier, and optionally a transformer of texts to vectors; then ``Problems`` (n) and, for ``fit``, their truth
(n,) bool, True = same author.
Out: raw scores (n,), higher = same author: the classifier's decision function (unbounded) or, if it has none, its
probability or otherwise its prediction (0 to 1). SpecError from ``fit`` if a part is not an estimator; the classifier's
errors are raised unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ravenbench.components import is_estimator
from ravenbench.errors import SpecError
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.contract.base import Scorer


@dataclass(eq=False, repr=False)
class Estimator(Scorer):
    """A scikit-learn classifier or pipeline that learns from pairs of texts whether the same author wrote both.

    Several known documents are averaged as vectors, or joined with empty lines as texts.

    Parameters
    ----------
    classifier : estimator
        Learns with ``fit(X, same)`` and scores with ``decision_function``, ``predict_proba`` or ``predict``. Without
        ``texts``, X is a list of pairs (known text, questioned text), which the first step of a pipeline turns into
        numbers.
    texts : transformer, optional
        Turns a list of texts into vectors, (n, d) or sparse; it is fitted to the distinct training texts. X is then
        the absolute difference of the known and the questioned vector, (n, d).
    seed : int
        ``random_state`` of every part that has none.

    Attributes
    ----------
    classifier_, texts_ : estimator
        Fitted copies.
    """

    name = "estimator"
    supervised = True
    provenance = "ours"

    classifier: Any
    texts: Any = None
    seed: int = 0

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """Return whether a pair's order does not matter, because X is a difference."""
        return self.texts is not None

    def fit(self, problems: Problems, same: Bools) -> Self:
        unfitted = self.copies()
        if self.texts is not None:
            self.texts_ = unfitted["texts_"].fit(list(problems.texts.rows(problems.documents)))
        self.classifier_ = unfitted["classifier_"].fit(self._features(problems), same)
        return self

    def copies(self) -> dict[str, Any]:
        texts = {} if self.texts is None else {"texts_": self._fresh(self.texts)}
        return texts | {"classifier_": self._fresh(self.classifier)}

    def score(self, problems: Problems) -> Floats:
        ways = ("decision_function", "predict_proba", "predict")
        way = next(way for way in ways if hasattr(self.classifier_, way))
        scores = np.asarray(
            getattr(self.classifier_, way)(self._features(problems)), dtype=np.float64
        )
        return scores[:, -1] if scores.ndim == 2 else scores

    def _fresh(self, part: Any) -> Any:
        from sklearn.base import clone

        if not is_estimator(part):
            raise SpecError("estimator: this is not a scikit-learn estimator", found=part)
        copy = clone(part)
        states = {
            k: self.seed
            for k, v in copy.get_params().items()
            if k.endswith("random_state") and v is None
        }
        return copy.set_params(**states)

    def _features(self, problems: Problems) -> Any:
        texts = problems.texts
        questioned_rows = problems.questioned_index
        if self.texts is None:
            known = ("\n\n".join(texts.rows(problems.known(i))) for i in range(len(problems)))
            return list(zip(known, texts.rows(questioned_rows), strict=True))
        from scipy.sparse import csr_array, issparse

        vectors = self.texts_.transform(list(texts.rows(problems.documents)))
        vectors = csr_array(vectors) if issparse(vectors) else np.asarray(vectors)
        shares = np.repeat(1 / problems.sizes, problems.sizes).astype(
            np.result_type(vectors.dtype, np.float32)
        )
        # scikit-learn's compiled code reads indices of 32 bits alone.
        cited, questioned = problems.places
        places, ends = (part.astype(np.int32) for part in (cited, problems.known_ptr))
        mean = csr_array((shares, places, ends), shape=(len(problems), len(problems.documents)))
        return abs(mean @ vectors - vectors[questioned])
