"""Answering attribution problems with given candidates, closed or open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ravenbench.errors import SpecError
from ravenbench.formats.pan_attribution import UNKNOWN, AttributionProblem


def answer_problem(problem: AttributionProblem, method: Any, reject: float = 0.0) -> dict[str, str]:
    """The predicted author of each unknown text.

    Parameters
    ----------
    method : estimator over texts
    reject : float
        A text is nobody's (``<UNK>``) where the best candidate leads the second by less than this share of the whole
        range of its scores; 0 answers everything, as closed sets want.

    Raises
    ------
    SpecError
        If the share is not in [0, 1), or rejection is wanted of a method without scores.
    """
    from sklearn.base import clone

    if not 0 <= reject < 1:
        raise SpecError("the lead for rejection must lie in [0, 1)", found=reject)
    if reject and not hasattr(method, "scores"):
        raise SpecError(f"{method} gives no scores, so it cannot reject", fix="give --reject 0, or another method")
    texts, authors = training(problem.candidates)
    fitted = clone(method).fit(texts, authors)
    names, unknown = list(problem.unknown), list(problem.unknown.values())
    if not reject:
        return {name: str(author) for name, author in zip(names, fitted.predict(unknown), strict=True)}
    scores = np.asarray(fitted.scores(unknown), dtype=np.float64)
    ranked = np.sort(scores, axis=1)
    span = ranked[:, -1] - ranked[:, 0]
    lead = np.divide(ranked[:, -1] - ranked[:, -2], span, out=np.zeros(len(span)), where=span > 0)
    best = [str(fitted.classes_[i]) for i in scores.argmax(axis=1)]
    return {n: UNKNOWN if far < reject else a for n, a, far in zip(names, best, lead, strict=True)}


def training(candidates: Mapping[str, Sequence[str]]) -> tuple[list[str], list[str]]:
    """The known texts of a problem and their authors, candidates in order of name."""
    pairs = [(text, author) for author in sorted(candidates) for text in candidates[author]]
    return [text for text, _ in pairs], [author for _, author in pairs]
