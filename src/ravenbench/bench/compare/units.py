"""Units of a comparison: one method learned once, and its raw scores on all test sets that share its training."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench.components import Component, identity
from ravenbench.engine.guard import isolated, tell
from ravenbench.store.records import CellRecord, Seconds
from ravenbench.store.store import Store, open_store
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.combinations import Masked
from ravenbench.verifiers.contract.base import Scorer, as_verifier, checked_answers, checked_scores, fresh

LEAST = 1e-6
"""Answers are kept so far from 0 and 1 before their log odds are taken."""


@dataclass(frozen=True)
class ScoreUnit:
    """One method, one training set, and the (key, fold) of every cell that shares it."""

    run: Path
    verifier: str
    component: Component
    cells: tuple[tuple[str, str], ...]

    def work(self) -> list[str]:
        """Learn once, score every test set, commit a cell each."""
        return self._work()

    def lost(self, reason: str) -> list[str]:
        """Commit all cells as failed."""
        return self._work(reason)

    def _work(self, failure: str | None = None) -> list[str]:
        store = open_store(self.run)
        fold = store.fold(self.cells[0][1])
        began = time.perf_counter()
        method = None
        if failure is None:
            try:
                with isolated():
                    method = learned(self.component, fold.train, fold.train_same)
            except Exception as error:
                failure = tell(error)
        fitted = time.perf_counter() - began
        errors = []
        for key, name in self.cells:
            test = store.fold(name).test
            arrays: dict[str, Floats] = {}
            wrong, start = failure, time.perf_counter()
            if method is not None:
                try:
                    with isolated():
                        arrays = {"scores": checked_scores(method(test), len(test), self.verifier)}
                except Exception as error:
                    wrong = tell(error)
            record = CellRecord(
                key=key,
                verifier=self.verifier,
                identity=identity(self.component),
                train_digest=store.plan.folds[name].train_digest,
                test_digest=store.plan.folds[name].test_digest,
                n=len(test),
                seconds=Seconds(fit=fitted, score=time.perf_counter() - start),
                error=wrong,
            )
            store.write_cell(record, arrays)
            if wrong is not None:
                errors.append(f"{self.verifier} on {name}: {wrong.splitlines()[0]}")
        return errors


def learned(component: Component, problems: Problems, same: Bools) -> Callable[[Problems], Floats]:
    """A method that has learned from training problems, as a function that gives what calibration starts from: raw
    scores (n,) or (n, f), or the log odds of a verifier's answers. The scorer behind a mask is asked for its own."""
    made = fresh(component)
    if isinstance(made, Scorer):
        scorer = made.fit(problems, same)
        return scorer.score
    if isinstance(made, Masked):
        made.require()
        mask: Any = fresh(made.mask)
        mask.fit(problems.texts.rows(problems.documents))
        inner = learned(made.inner, problems.map_texts(mask), same)
        return lambda asked: inner(asked.map_texts(mask))
    verifier: Any = as_verifier(made).fit(problems, same)
    if hasattr(verifier, "log_odds"):
        return lambda asked: np.asarray(verifier.log_odds(asked), dtype=np.float64)
    return lambda asked: _log_odds(checked_answers(verifier.verify(asked), asked.ids, str(made)))


def _log_odds(answers: Floats) -> Floats:
    held = np.clip(answers, LEAST, 1 - LEAST)
    return np.asarray(np.log(held / (1 - held)), dtype=np.float64)


def units_of(store: Store, components: Mapping[str, Component]) -> list[ScoreUnit]:
    """What is missing, damaged or failed, the longest work first."""
    pending: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for place in store.unanswered():
        pending[place.verifier, store.plan.folds[place.fold].train_digest].append((place.key, place.fold))
    made = [ScoreUnit(store.path, name, components[name], tuple(cells)) for (name, _), cells in pending.items()]
    order = {name: number for number, name in enumerate(components)}
    return sorted(
        made, key=lambda unit: (order[unit.verifier], not any(fold.endswith("-case") for _, fold in unit.cells))
    )
