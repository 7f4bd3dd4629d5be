"""Scores a comparison's folds: one method learned once, and its raw scores on all test sets that share its training.

In: a ``Store`` with problems by fold, and verifiers by name.
Out: ``units_of``: ``ScoreUnit`` objects, longest work first; each fills cells (the scores of one verifier on one fold):
raw scores (n,) or (n, f), one row a problem, on the method's scale, or natural log odds of answers, higher = same
author; not yet likelihood ratios. ``learned``: a function from problems to such scores; ``calls_of``: arrays of rows
from 0; ``case_problems``: what each problem asks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ravenbench.components import Component
from ravenbench.engine import apart
from ravenbench.engine.cells import CellUnit, Filled, pending
from ravenbench.ext.case.compare.record import CaseProblem, ComparePlan, FoldRole
from ravenbench.store.records import CellPlace
from ravenbench.store.store import Store
from ravenbench.types import Bools, Floats, Ints, Problems
from ravenbench.verifiers.combinations import Masked
from ravenbench.verifiers.contract.base import (
    Scorer,
    as_verifier,
    checked_answers,
    checked_scores,
    fresh,
)
from ravenbench.verifiers.contract.languages import check_language

LEAST = 1e-6
"""Distance that answers keep from 0 and 1 before Raven takes their log odds."""


@dataclass(frozen=True)
class ScoreUnit(CellUnit):
    """A method, a training set, and the raw scores, (n,) or (n, f), of every cell that shares it."""

    def learn(self, store: Store) -> Any:
        fold = store.fold(self.cells[0].fold)
        if apart.outsider(self.method):
            return apart.learned(
                self.method,
                store,
                fold.train,
                fold.train_same,
                learn=lambda _, *given: (learned(*given[:3]), {}),
            )
        return learned(self.method, fold.train, fold.train_same)

    def answer(self, store: Store, learned: Any, place: CellPlace) -> Filled:
        test = store.fold(place.fold).test
        if apart.outsider(self.method):
            arrays, _ = apart.answered(
                learned,
                store,
                place.fold,
                test,
                calls=calls_of(store, place.fold, test),
                answers=lambda score, call, _: (
                    score,
                    {"scores": checked_scores(score(call), len(call), "it")},
                ),
            )
            return {"scores": checked_scores(arrays["scores"], len(test), place.verifier)}, {}
        arrays = {"scores": checked_scores(learned(test), len(test), place.verifier)}
        return arrays, {}


def calls_of(store: Store, fold: str, test: Problems) -> list[Ints]:
    """Return the rows of the problems of a fold that an outside method answers in one call, as a list of arrays: no
    call includes both a text and a version of it with other content, or two such versions."""
    record = store.plan.folds[fold]
    problems = case_problems(store, fold)
    origin = test.questioned_index.tolist()
    if record.source is not None:
        origin = (
            store.shared_fold(record.source)
            .test.questioned_index[list(map(int, test.ids))]
            .tolist()
        )
    of_case = {one.case: origin[row] for row, one in enumerate(problems) if one.asks == "plain"}
    groups = defaultdict[Any, list[int]](list)
    seen = Counter[Any]()
    for row in range(len(test)):
        asks = problems[row].asks if problems else record.transplanted
        if asks == "off":
            origin[row] = of_case[problems[row].case] if problems else origin[row]
            groups[seen[origin[row]]].append(row)
            seen[origin[row]] += 1
        else:
            groups[None].append(row)
    rows_of = [np.array(rows, dtype=np.int64) for rows in groups.values()]
    return [
        rows[part]
        for rows in rows_of
        for part in apart.divided(test.select(rows), [origin[i] for i in rows])
    ]


def case_problems(store: Store, fold: str) -> list[CaseProblem]:
    """Return what the problems of a fold of cases ask, in their order; an empty list for other folds."""
    for shape in store.plan_as(ComparePlan).shapes if fold.endswith(FoldRole.CASES) else ():
        if fold in shape.case_folds:
            earlier = shape.case_folds[: shape.case_folds.index(fold)]
            first = sum(len(store.shared_fold(name).test) for name in earlier)
            return shape.problems[first : first + len(store.shared_fold(fold).test)]
    return []


def learned(component: Component, problems: Problems, same: Bools) -> Callable[[Problems], Floats]:
    """Return a method that learned from training problems, as a function that gives raw scores (n,) or (n, f) for
    calibration, or the log odds of a verifier's answers. Behind a mask, the inner scorer gives its own scores."""
    check_language(component, problems)
    fitted = fresh(component)
    if isinstance(fitted, Scorer):
        scorer = fitted.fit(problems, same)
        return scorer.score
    if isinstance(fitted, Masked):
        fitted.require()
        mask: Any = fresh(fitted.mask)
        mask.fit(problems.texts.rows(problems.documents))
        inner = learned(fitted.inner, problems.map_texts(mask), same)
        return lambda tested: inner(tested.map_texts(mask))
    verifier: Any = as_verifier(fitted).fit(problems, same)
    if hasattr(verifier, "log_odds"):
        return lambda tested: np.asarray(verifier.log_odds(tested), dtype=np.float64)
    return lambda tested: _log_odds(
        checked_answers(verifier.verify(tested), tested.ids, str(fitted))
    )


def _log_odds(answers: Floats) -> Floats:
    clipped = np.clip(answers, LEAST, 1 - LEAST)
    return np.asarray(np.log(clipped / (1 - clipped)), dtype=np.float64)


def units_of(store: Store, components: Mapping[str, Component]) -> list[ScoreUnit]:
    """Return the missing, damaged or failed work, the longest first."""
    units = [
        ScoreUnit(store.path, components[name], tuple(cells))
        for (name, _), cells in pending(store).items()
    ]
    order = {name: number for number, name in enumerate(components)}
    return sorted(
        units,
        key=lambda unit: (
            order[unit.name],
            not any(c.fold.endswith(FoldRole.CASES) for c in unit.cells),
        ),
    )
