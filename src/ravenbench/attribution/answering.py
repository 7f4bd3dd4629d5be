"""Answering attribution problems with given candidates, closed or open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ravenbench.attribution.open_set import Leads
from ravenbench.errors import SpecError
from ravenbench.formats.pan_attribution import UNKNOWN, AttributionProblem


def answer_problem(problem: AttributionProblem, method: Any, reject: float = 0.0) -> dict[str, str]:
    """The predicted author of each unknown text.

    Parameters
    ----------
    method : estimator over texts
    reject : float
        A text is nobody's (``<UNK>``) where the probability of the best candidate leads that of the second by less than
        this (see ``open_set``); PAN19's baseline has .1. 0 answers everything, as closed sets want.

    Raises
    ------
    SpecError
        If the lead is not in [0, 1), or rejection is wanted of a method without scores.
    CorpusError
        If no candidate has two known texts, from which probabilities could be learned.
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
    leads = Leads().fit(method, texts, authors)
    scores = np.asarray(fitted.scores(unknown), dtype=np.float64)
    best = [str(fitted.classes_[i]) for i in scores.argmax(axis=1)]
    return {n: UNKNOWN if far < reject else a for n, a, far in zip(names, best, leads.of(scores), strict=True)}


def training(candidates: Mapping[str, Sequence[str]]) -> tuple[list[str], list[str]]:
    """The known texts of a problem and their authors, candidates in order of name."""
    pairs = [(text, author) for author in sorted(candidates) for text in candidates[author]]
    return [text for text, _ in pairs], [author for _, author in pairs]
