"""One attribution method on one split: learn from some documents, say who wrote the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ravenbench.attribution.protocols import Split
from ravenbench.attribution.selection import Chosen
from ravenbench.errors import AnswerError
from ravenbench.types import Ints


def fit_split(documents: Chosen, part: Split, method: Any) -> Any:
    """A fresh copy of a method, fitted on what a split teaches."""
    from sklearn.base import clone

    texts = [documents.texts[i] for i in part.train]
    return clone(method).fit(texts, [documents.authors[documents.author[i]] for i in part.train])


def predict_split(documents: Chosen, part: Split, fitted: Any) -> Ints:
    """Author codes (n,) of a split's held-out documents, −1 where the method names no author of the corpus.

    Raises
    ------
    AnswerError
        If the method does not answer every text once.
    """
    predicted = fitted.predict([documents.texts[i] for i in part.test])
    if isinstance(predicted, np.ma.MaskedArray) or np.shape(predicted) != (len(part.test),):
        raise AnswerError(
            "the method gave predictions that cannot be used",
            found=f"a {type(predicted).__name__} of shape {np.shape(predicted)}",
            expected=f"one author's name for each of {len(part.test)} texts",
            fix="return what predict of a scikit-learn classifier returns",
        )
    code = {name: number for number, name in enumerate(documents.authors)}
    return np.array([code.get(str(name), -1) for name in predicted], dtype=np.int64)
