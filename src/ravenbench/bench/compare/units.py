"""Units of a comparison: one method learned once, and its raw scores on all test sets that share its training."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ravenbench.bench.shared.opened import open_store
from ravenbench.bench.shared.record import CellRecord, Seconds
from ravenbench.bench.shared.store import Store
from ravenbench.bench.shared.work import tell
from ravenbench.components import Component, identity
from ravenbench.types import Floats, Problems
from ravenbench.verifiers.contract.base import Scorer, Verifier, as_verifier, fresh

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
        store = open_store(self.run)
        fold = store.fold(self.cells[0][1])
        began = time.perf_counter()
        failure, method = None, None
        try:
            made = fresh(self.component)
            method = (made if isinstance(made, Scorer) else as_verifier(made)).fit(fold.train, fold.train_same)
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
                    arrays = {"scores": raw_scores(method, test)}
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


def raw_scores(method: Scorer | Verifier, problems: Problems) -> Floats:
    """What calibration starts from: raw scores (n,) or (n, f), or the log odds of a verifier's answers."""
    if isinstance(method, Scorer):
        return np.asarray(method.score(problems), dtype=np.float64)
    if hasattr(method, "log_odds"):
        return np.asarray(method.log_odds(problems), dtype=np.float64)
    answers = np.clip(method.verify(problems), LEAST, 1 - LEAST)
    return np.asarray(np.log(answers / (1 - answers)), dtype=np.float64)


def units_of(store: Store, components: Mapping[str, Component]) -> list[ScoreUnit]:
    """What is missing, damaged or failed, the longest work first."""
    pending: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for place in store.unanswered():
        pending[place.verifier, store.plan.folds[place.fold].train_digest].append((place.key, place.fold))
    made = [ScoreUnit(store.path, name, components[name], tuple(cells)) for (name, _), cells in pending.items()]
    order = {name: number for number, name in enumerate(components)}
    return sorted(
        made, key=lambda unit: (order[unit.verifier], -max(store.plan.folds[f].counts is None for _, f in unit.cells))
    )
