"""Units of work: one importable function each, called alike by every engine (contracts 3, 8, 13, 14)."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ravenbench.bench.shared.care import guarded
from ravenbench.bench.shared.opened import open_store
from ravenbench.bench.shared.pair_blocks import PairFeatures, features_of
from ravenbench.bench.shared.record import CellRecord, Seconds
from ravenbench.bench.shared.work import tell
from ravenbench.components import Component, foreign, identity
from ravenbench.errors import said
from ravenbench.programs.confinement import ways
from ravenbench.types import Floats, Fold, Ints, Problems
from ravenbench.verifiers.contract.base import (
    Calibrated,
    Verifier,
    as_verifier,
    checked_answers,
    checked_scores,
    fresh,
)

FIRST = {"off": 0, "along": 1, "against": 1, "batch": 2}
"""When the arms of a transplant are asked; test sets as they are come last."""


@dataclass(frozen=True)
class FitUnit:
    """One fit and all its test sets: the folds share a train set."""

    run: Path
    verifier: str
    component: Component
    cells: tuple[tuple[str, str], ...]
    """(key, fold name) of each."""
    blocks: tuple[str, ...] = ()
    """Keys of the feature blocks of a fold-free scorer."""
    isolate: bool = False
    """Whether a problem on which the method fails becomes a non-answer (``answer_each``) or fails its cell."""

    def work(self) -> list[str]:
        return run_fit(self)

    def lost(self, reason: str) -> list[str]:
        return run_fit(self, reason)


def run_fit(unit: FitUnit, failure: str | None = None) -> list[str]:
    """Fit once, answer every test set, commit a cell each; with a ``failure`` nothing is tried and all cells get it."""
    store = open_store(unit.run)
    errors = []
    # Who wrote a method of their own may change what it is given.
    fold_of = store.fold if foreign(unit.component) else store.shared_fold
    fold = fold_of(unit.cells[0][1])
    stated = identity(unit.component)
    train_digest = store.plan.folds[fold.name].train_digest
    began = time.perf_counter()
    features = features_of(store, unit.blocks) if unit.blocks and failure is None else None
    if failure is None:
        try:
            with guarded():
                verifier = _fitted(unit.component, fold, features)
        except Exception as error:
            failure = tell(error)
    fitted = time.perf_counter()
    # Replaced content is asked first: what a method keeps of its answers then never comes from the texts as they were.
    for key, name in sorted(unit.cells, key=lambda cell: FIRST.get(store.plan.folds[cell[1]].transplanted or "", 3)):
        test = fold.test if name == fold.name else fold_of(name).test
        arrays: dict[str, Floats] = {}
        faults: dict[str, str] = {}
        wrong = failure
        start = time.perf_counter()
        if failure is None:
            try:
                with guarded():
                    asked = _copied(verifier) if foreign(unit.component) else verifier
                    if unit.isolate:
                        scores, answers, faults = answer_each(asked, test)
                    else:
                        scores, answers = answer(asked, test, features)
                arrays = {"scores": scores, "answers": answers}
            except Exception as error:
                wrong = tell(error)
        record = CellRecord(
            key=key,
            verifier=unit.verifier,
            identity=stated,
            train_digest=train_digest,
            test_digest=store.plan.folds[name].test_digest,
            n=len(test),
            seconds=Seconds(fit=fitted - began, score=time.perf_counter() - start),
            error=wrong,
            faults=faults,
            programs=ways(),
        )
        store.write_cell(record, arrays)
        if wrong is not None:
            errors.append(f"{unit.verifier} on {name}: {wrong.splitlines()[0]}")
    return errors


def _copied(verifier: Verifier) -> Verifier:
    """A copy of what was fitted, which does not know what it was asked before; itself where it cannot be copied."""
    try:
        return copy.deepcopy(verifier)
    except Exception:
        return verifier


def _fitted(component: Component, fold: Fold, features: PairFeatures | None) -> Verifier:
    verifier = as_verifier(fresh(component))
    if features is None or not isinstance(verifier, Calibrated):
        verifier.fit(fold.train, fold.train_same)
        return verifier
    same = fold.train_same if fold.train.calibrate is None else fold.train_same[fold.train.calibrate]
    return verifier.calibrate(features.score(fold.train.apart[1]), same)


def answer(verifier: Verifier, test: Problems, features: PairFeatures | None = None) -> tuple[Floats, Floats]:
    """Raw scores and answers of a fitted verifier; without a scorer of its own its scores are its answers.

    Raises
    ------
    AnswerError
        If it gives anything else.
    """
    if isinstance(verifier, Calibrated):
        given = features.score(test) if features is not None else verifier.scorer_.score(test)
        scores = checked_scores(given, len(test), verifier)
        return scores, checked_answers(verifier.calibrator_.transform(scores), test.ids, verifier)
    answers = checked_answers(verifier.verify(test), test.ids, verifier)
    return answers, answers


def answer_each(verifier: Verifier, test: Problems) -> tuple[Floats, Floats, dict[str, str]]:
    """As ``answer``, but a problem on which the method fails is left unanswered; also its reason, by id.

    The set is halved until the problems at fault stand alone. Where more than ten and more than a tenth of them
    fail, or all do, the fault is the method's and its error is raised, as it is for transductive methods.
    """
    faults: dict[str, str] = {}
    most = min(max(10, len(test) // 10), len(test) - 1)

    def work(rows: Ints) -> list[tuple[Ints, Floats, Floats]]:
        try:
            return [(rows, *answer(verifier, test if len(rows) == len(test) else test.select(rows)))]
        except (MemoryError, OSError):
            raise
        except Exception as error:
            if len(rows) == 1:
                faults[str(test.ids[rows[0]])] = f"the method failed ({type(error).__name__}: {said(error)})"
            if verifier.transductive or len(faults) > most:
                raise
        return [] if len(rows) == 1 else [part for half in np.array_split(rows, 2) for part in work(half)]

    parts = work(np.arange(len(test), dtype=np.int64))
    scores = np.full((len(test), *parts[0][1].shape[1:]), np.nan)
    answers = np.full(len(test), 0.5)
    for rows, score, value in parts:
        scores[rows], answers[rows] = score, value
    return scores, answers, faults
