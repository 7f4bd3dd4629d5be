"""Running every attribution method on every split of a corpus."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ravenbench.attribution.protocols import Split
from ravenbench.attribution.selection import Chosen
from ravenbench.errors import RavenError, SpecError
from ravenbench.types import Floats, Ints

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, eq=False)
class MethodAnswers:
    """The answers of one method under one protocol.

    Attributes
    ----------
    predicted : (n,) int64
        Author code of each document; −1 where it was not answered or an unknown name was given.
    errors : mapping of split names to messages
        A split on which the method failed is left out of its scores, never counted as wrong.
    seconds : (splits,) float64
    """

    method: str
    predicted: Ints
    errors: dict[str, str]
    seconds: Floats


def answer(
    documents: Chosen,
    parts: Sequence[Split],
    methods: dict[str, Any],
    workers: int = 1,
    progress: Progress = lambda stage, done, total: None,
) -> list[MethodAnswers]:
    """Fit a fresh copy of each method on each split and predict what was held out.

    Parameters
    ----------
    methods : mapping of names to estimators over texts
    workers : int
        Processes; they decide nothing but time.

    Raises
    ------
    SpecError
        If a method lacks ``fit`` or ``predict``.
    """
    for name, method in methods.items():
        if not (hasattr(method, "fit") and hasattr(method, "predict")):
            raise SpecError(f"{name} is no attribution method", expected="fit(texts, authors) and predict(texts)")
    jobs = [(name, number) for name in methods for number in range(len(parts))]
    results = []
    for done, result in enumerate(_run(documents, parts, methods, jobs, workers), start=1):
        results.append(result)
        progress("attributing", done, len(jobs))
    found = []
    for place, name in enumerate(methods):
        own = results[place * len(parts) : (place + 1) * len(parts)]
        predicted = np.full(len(documents), -1, dtype=np.int64)
        for part, (codes, _, _) in zip(parts, own, strict=True):
            predicted[part.test] = codes
        errors = {part.name: error for part, (_, error, _) in zip(parts, own, strict=True) if error is not None}
        found.append(MethodAnswers(name, predicted, errors, np.array([seconds for _, _, seconds in own])))
    return found


Result = tuple[Ints, str | None, float]


def _run(
    documents: Chosen, parts: Sequence[Split], methods: dict[str, Any], jobs: list[tuple[str, int]], workers: int
) -> Any:
    if workers == 1:
        return (attribute_split(documents, parts[number], methods[name]) for name, number in jobs)
    from joblib import Parallel, delayed

    work = (delayed(attribute_split)(documents, parts[number], methods[name]) for name, number in jobs)
    return Parallel(n_jobs=workers, return_as="generator")(work)


def attribute_split(documents: Chosen, part: Split, method: Any) -> Result:
    """Author codes for a split's held-out documents, the error that prevented them, and seconds."""
    from sklearn.base import clone
    from threadpoolctl import threadpool_limits

    start = time.perf_counter()
    code = {name: number for number, name in enumerate(documents.authors)}
    codes: Ints = np.full(len(part.test), -1, dtype=np.int64)
    error = None
    try:
        with threadpool_limits(1):
            fitted = clone(method).fit(
                [documents.texts[i] for i in part.train], [documents.authors[documents.author[i]] for i in part.train]
            )
            predicted = fitted.predict([documents.texts[i] for i in part.test])
        if len(predicted) != len(part.test):
            raise ValueError(f"{len(predicted)} predictions for {len(part.test)} texts")
        codes = np.array([code.get(str(name), -1) for name in predicted], dtype=np.int64)
    except (ValueError, ArithmeticError, RuntimeError, LookupError, TypeError, AttributeError, MemoryError) as caught:
        error = f"{type(caught).__name__}: {caught}"
    except RavenError as caught:
        error = str(caught)
    return codes, error, time.perf_counter() - start
