"""Units of work: one importable function each, called alike by every engine (contracts 3, 8, 13, 14)."""

from __future__ import annotations

import copy
import math
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ravenbench.components import Component, foreign, identity
from ravenbench.engine.guard import answer, answer_each, isolated, tell
from ravenbench.engine.pool import Engine, Progress, run_units, silent
from ravenbench.engine.prepare import (
    PairFeatures,
    PairUnit,
    features_of,
    no_counts_left,
    plan_counting,
    plan_encoding,
    plan_pairs,
    read_block,
)
from ravenbench.programs.confinement import ways
from ravenbench.store.records import CellRecord, Seconds
from ravenbench.store.store import Store, keep_open, open_store
from ravenbench.types import Floats, Fold
from ravenbench.verifiers.contract.base import Calibrated, Scorer, Verifier, as_verifier, fresh

ARMS_FIRST = {"off": 0, "along": 1, "against": 1, "batch": 2}
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
            with isolated():
                verifier = _fitted(unit.component, fold, features)
        except Exception as error:
            failure = tell(error)
    fitted = time.perf_counter()
    # Replaced content is asked first: what a method keeps of its answers then never comes from the texts as they were.
    for key, name in sorted(
        unit.cells, key=lambda cell: ARMS_FIRST.get(store.plan.folds[cell[1]].transplanted or "", 3)
    ):
        test = fold.test if name == fold.name else fold_of(name).test
        arrays: dict[str, Floats] = {}
        faults: dict[str, str] = {}
        wrong = failure
        start = time.perf_counter()
        if failure is None:
            try:
                with isolated():
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


FIRST = 2
"""Fits of a verifier that are done before its others: where all their cells fail alike, the others are not tried."""


def execute(
    store: Store,
    components: Mapping[str, Component],
    engine: Engine,
    progress: Progress = silent,
    *,
    isolate: bool = False,
) -> list[str]:
    """Compute every cell that is missing, damaged or failed; returns the errors of cells that failed now.

    A verifier whose first fits all fail alike is not tried on the other folds, whose cells stay missing.

    Parameters
    ----------
    components : mapping
        Verifiers by the name the plan gives them.
    isolate : bool
        Leave a problem on which a method fails unanswered, instead of failing its cell.
    """
    keep_open(store)
    pending: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for place in store.unanswered():
        pending[place.verifier, store.plan.folds[place.fold].train_digest].append((place.key, place.fold))
    waiting = {name for name, _ in pending}
    # A problem that fails must fail alone, so its pairs are not compared in blocks with others.
    blocks = {} if isolate else _pair_units(store, {n: c for n, c in components.items() if n in waiting})
    fits = [
        FitUnit(
            store.path,
            name,
            components[name],
            tuple(cells),
            tuple(unit.key for unit in blocks.get(str(components[name]), ())),
            isolate,
        )
        for (name, _), cells in pending.items()
    ]
    first, rest = _first(fits)
    missing: list[PairUnit] = [u for units in blocks.values() for u in units if read_block(store, u.key) is None]
    folds = sorted({fold for cells in pending.values() for _, fold in cells})
    with no_counts_left(store):
        run_units(engine, plan_encoding(store, {n: components[n] for n in waiting}, folds), progress, "encoding texts")
        counting = plan_counting(store, [unit.component for unit in fits], folds)
        stage = "comparing pairs" if missing else "counting texts"
        errors = run_units(engine, [*counting, *missing], progress, stage)
        errors += run_units(engine, first, progress, "first fits")
        hopeless = _failing_alike(store, first)
        untried = [
            f"{unit.verifier} on {fold}: not tried, for its first {FIRST} fits failed alike "
            f"({hopeless[unit.verifier]}); mend it and repeat the command"
            for unit in rest
            if unit.verifier in hopeless
            for _, fold in unit.cells
        ]
        going = _longest_first(store, first, [unit for unit in rest if unit.verifier not in hopeless])
        return untried + errors + run_units(engine, going, progress, "fitting and scoring")


def _first(fits: Sequence[FitUnit]) -> tuple[list[FitUnit], list[FitUnit]]:
    """The first fits of every verifier that has more than ``FIRST``, and all others."""
    count = Counter(unit.verifier for unit in fits)
    first: list[FitUnit] = []
    rest: list[FitUnit] = []
    seen: Counter[str] = Counter()
    for unit in fits:
        early = count[unit.verifier] > FIRST and seen[unit.verifier] < FIRST
        (first if early else rest).append(unit)
        seen[unit.verifier] += early
    return first, rest


def _failing_alike(store: Store, first: Sequence[FitUnit]) -> dict[str, str]:
    """Verifiers all of whose cells of these fits failed with one error, and that error."""
    told: dict[str, set[str | None]] = defaultdict(set)
    for unit in first:
        for key, _ in unit.cells:
            cell = store.read_cell(key)
            line = None if cell is None or cell.error is None else cell.error.splitlines()[0]
            # What was found may differ from fold to fold, what is wrong does not.
            told[unit.verifier].add(line and line.partition("; found: ")[0])
    return {name: error for name, (error, *more) in told.items() if error is not None and not more}


def _longest_first(store: Store, first: Sequence[FitUnit], rest: Sequence[FitUnit]) -> list[FitUnit]:
    """Units in an order that leaves no worker with a long one at the end, by what the first fits of a method took.

    Methods that were not tried yet go first. Those that take about as long stay in the order of folds, cheap ones all
    together: a worker reads a fold once for all its methods.
    """
    taken: dict[str, float] = defaultdict(float)
    for unit in first:
        done = (store.read_cell(key) for key, _ in unit.cells)
        seconds = sum(cell.record.seconds.fit + cell.record.seconds.score for cell in done if cell is not None)
        taken[unit.verifier] = max(taken[unit.verifier], seconds)
    rank = {name: max(math.ceil(math.log2(seconds)), -3) for name, seconds in taken.items() if seconds > 0}
    return sorted(rest, key=lambda unit: rank.get(unit.verifier, math.inf), reverse=True)


def _pair_units(store: Store, components: Mapping[str, Component]) -> dict[str, list[PairUnit]]:
    free = [c for c in components.values() if isinstance(c, Scorer) and c.fold_free]
    if not free:
        return {}
    folds = sorted({entry.fold for entry in store.plan.cells})
    return plan_pairs(store, free, folds)
