"""Cells: how a result is computed, timed, committed or marked failed, and which are done in what order.

What a task does with a method is a ``CellUnit``; whatever engine calls it, its cells are the same (contracts 3, 8, 13,
14). ``execute`` does those of verifiers on folds.
"""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from ravenbench.components import Component
from ravenbench.engine.apart import answered, exposed, learned, outsider
from ravenbench.engine.guard import UNTAUGHT, answer, answer_each, isolated, tell, untaught
from ravenbench.engine.pool import Engine, Progress, run_units, silent
from ravenbench.engine.prepare import (
    PairUnit,
    features_of,
    no_counts_left,
    plan_counting,
    plan_encoding,
    plan_pairs,
    read_block,
)
from ravenbench.programs.parent import ways
from ravenbench.store.records import CellPlace, CellRecord, Seconds
from ravenbench.store.store import Store, keep_open, open_store
from ravenbench.types import Problems
from ravenbench.verifiers.contract.base import Calibrated, Scorer, as_verifier, fresh
from ravenbench.verifiers.contract.languages import check_language

Filled = tuple[Mapping[str, NDArray[Any]], Mapping[str, str]]
"""Arrays of a cell, and by problem why it was left unanswered."""
FIRST = 2
"""Fits of a verifier that are done before its others: where all their cells fail alike, the others are not tried."""


@dataclass(frozen=True)
class CellUnit:
    """A method and the cells that it fills once it has learned; a task says how it learns and how it answers.

    Whatever goes wrong in either fails its cells and nothing else. ``identity`` of a cell is that of its verifier in
    the plan.
    """

    run: Path
    method: Any
    cells: tuple[CellPlace, ...]
    user_code: ClassVar[bool] = True
    """Whether the method may be the user's own code, and has a limit on its time."""

    @property
    def name(self) -> str:
        """Name of the method in the plan."""
        return self.cells[0].verifier

    def learn(self, store: Store) -> Any:
        """What answers the cells; it is learned once and timed as their ``fit``."""

    def answer(self, store: Store, learned: Any, place: CellPlace) -> Filled:
        """What one cell holds; where it was all learned, that."""
        return learned, {}

    def digests(self, store: Store, place: CellPlace) -> tuple[str, str]:
        """Hashes of what a cell learned from and of what it answers."""
        fold = store.plan.folds[place.fold]
        return fold.train_digest, fold.test_digest

    def size(self, store: Store, place: CellPlace, filled: Mapping[str, NDArray[Any]]) -> int:
        """How many problems a cell answers, also where it failed."""
        return len(store.shared_fold(place.fold).test)

    def where(self, place: CellPlace) -> str:
        """How an error message begins."""
        return f"{place.verifier} on {place.fold}: "

    def exposed(self, store: Store, learned: Any) -> str | None:
        """``CellRecord.exposed`` of a cell that was answered."""
        return exposed(self.method, store, learned)

    def work(self) -> list[str]:
        """Learn, answer, commit each cell; returns the errors of those that failed."""
        return self._commit()

    def lost(self, reason: str) -> list[str]:
        """Commit all cells as failed for this reason; nothing is tried."""
        return self._commit(reason)

    def _commit(self, failure: str | None = None) -> list[str]:
        store, learned, errors = open_store(self.run), None, []
        records = {record.name: record for record in store.plan.verifiers}
        began = time.perf_counter()
        if failure is None:
            learned, failure = self._tried(self.learn, store)
        fit = time.perf_counter() - began
        for place in self.cells:
            start, filled, wrong = time.perf_counter(), None, failure
            if failure is None:
                filled, wrong = self._tried(self.answer, store, learned, place)
            seconds = Seconds(fit=fit, score=time.perf_counter() - start)
            arrays, faults = filled or ({}, {})
            train_digest, test_digest = self.digests(store, place)
            more = self.exposed(store, learned) if wrong is None else None
            if more is None and records[place.verifier].source is not None:
                more = ""
            record = CellRecord(
                key=place.key, verifier=place.verifier, identity=records[place.verifier].identity,
                train_digest=train_digest, test_digest=test_digest, n=self.size(store, place, arrays), seconds=seconds,
                error=wrong, faults=dict(faults), programs=ways(), exposed=msgspec.UNSET if more is None else more,
            )  # fmt: skip
            store.write_cell(record, arrays)
            if wrong is not None:
                errors.append(self.where(place) + wrong.splitlines()[0])
        return errors

    def _tried(self, do: Callable[..., Any], *args: Any) -> tuple[Any, str | None]:
        try:
            with isolated() if self.user_code else nullcontext():
                return do(*args), None
        except Exception as error:
            return None, tell(error)


def pending(store: Store) -> dict[tuple[str, str], list[CellPlace]]:
    """Cells that are missing, damaged or failed, by verifier and by what they learn from."""
    places: dict[tuple[str, str], list[CellPlace]] = defaultdict(list)
    for place in store.unanswered():
        places[place.verifier, store.plan.folds[place.fold].train_digest].append(place)
    return places


def abstained(filled: Filled, taught: Problems, test: Problems) -> Filled:
    """Answers with 0.5 for problems that are in letters which were not learned from, and why."""
    strange = untaught(taught, test)
    if not strange.any():
        return filled
    arrays, faults = filled
    answers = np.where(strange, 0.5, arrays["answers"])
    return {**arrays, "answers": answers}, dict.fromkeys(test.ids[strange].tolist(), UNTAUGHT) | dict(faults)


@dataclass(frozen=True)
class FitUnit(CellUnit):
    """One fit of a verifier and all its test sets: the folds share a train set.

    ``blocks`` are keys of the feature blocks of a fold-free scorer. With ``isolate``, a problem on which the method
    fails becomes a non-answer (``answer_each``) and does not fail its cell.
    """

    blocks: tuple[str, ...] = ()
    isolate: bool = False

    def learn(self, store: Store) -> Any:
        fold = store.shared_fold(self.cells[0].fold)
        if outsider(self.method):
            return learned(self.method, store, fold.train, fold.train_same, check=not self.isolate)
        features = features_of(store, self.blocks) if self.blocks else None
        if not self.isolate:  # a shared task runs methods as they were, an English tagger on Dutch included
            check_language(self.method, fold.train)
        verifier = as_verifier(fresh(self.method))
        if features is None or not isinstance(verifier, Calibrated):
            verifier.fit(fold.train, fold.train_same)
            return verifier, features
        same = fold.train_same if fold.train.calibrate is None else fold.train_same[fold.train.calibrate]
        return verifier.calibrate(features.score(fold.train.calibration_split[1]), same), features

    def answer(self, store: Store, learned: Any, place: CellPlace) -> Filled:
        fold = store.shared_fold(place.fold)
        return abstained(self._answer(store, learned, place, fold.test), fold.train, fold.test)

    def _answer(self, store: Store, learned: Any, place: CellPlace, test: Problems) -> Filled:
        if outsider(self.method):
            return answered(learned, store, place.fold, test, each=self.isolate)
        verifier, features = learned
        if self.isolate:
            scores, answers, faults = answer_each(verifier, test)
        else:
            (scores, answers), faults = answer(verifier, test, features), {}
        return {"scores": scores, "answers": answers}, faults


def execute(
    store: Store,
    components: Mapping[str, Component],
    engine: Engine,
    progress: Progress = silent,
    *,
    isolate: bool = False,
) -> list[str]:
    """Compute every cell that is missing, damaged or failed; returns the errors of cells that failed now.

    ``components`` has the verifiers by the plan's names. A verifier whose first fits all fail alike is not tried on the
    other folds, whose cells stay missing. With ``isolate`` a problem on which a method fails is left unanswered, and
    does not fail its cell.
    """
    keep_open(store)
    missing_cells = pending(store)
    waiting = {name for name, _ in missing_cells}
    # A problem that fails must not fail others, so its pairs are not compared in blocks with theirs.
    own = {n: components[n] for n in waiting if not outsider(components[n])}
    free = [c for c in own.values() if isinstance(c, Scorer) and c.fold_free]
    blocks = plan_pairs(store, free, sorted({entry.fold for entry in store.plan.cells})) if free and not isolate else {}
    fits = [
        FitUnit(
            store.path,
            components[name],
            tuple(cells),
            tuple(unit.key for unit in blocks.get(str(components[name]), ())),
            isolate,
        )
        for (name, _), cells in missing_cells.items()
    ]
    first, rest = _first(fits)
    missing: list[PairUnit] = [u for units in blocks.values() for u in units if read_block(store, u.key) is None]
    folds = sorted({place.fold for cells in missing_cells.values() for place in cells})
    with no_counts_left(store):
        run_units(engine, plan_encoding(store, own, folds), progress, "encoding texts")
        counting = plan_counting(store, [unit.method for unit in fits if unit.name in own], folds)
        stage = "comparing pairs" if missing else "counting texts"
        errors = run_units(engine, [*counting, *missing], progress, stage)
        errors += run_units(engine, first, progress, "first fits")
        hopeless = _failing_alike(store, first)
        untried = [
            f"{unit.where(place)}not tried, for its first {FIRST} fits failed alike "
            f"({hopeless[unit.name]}); mend it and repeat the command"
            for unit in rest
            if unit.name in hopeless
            for place in unit.cells
        ]
        going = _longest_first(store, first, [unit for unit in rest if unit.name not in hopeless])
        return untried + errors + run_units(engine, going, progress, "fitting and scoring")


def _first(fits: Sequence[FitUnit]) -> tuple[list[FitUnit], list[FitUnit]]:
    """The first fits of every verifier that has more than ``FIRST``, and all others."""
    count = Counter(unit.name for unit in fits)
    first, rest, seen = list[FitUnit](), list[FitUnit](), Counter[str]()
    for unit in fits:
        early = count[unit.name] > FIRST and seen[unit.name] < FIRST
        (first if early else rest).append(unit)
        seen[unit.name] += early
    return first, rest


def _failing_alike(store: Store, first: Sequence[FitUnit]) -> dict[str, str]:
    """Verifiers all of whose cells of these fits failed with one error, and that error."""
    errors_of: dict[str, set[str | None]] = defaultdict(set)
    for unit in first:
        for place in unit.cells:
            cell = store.read_cell(place.key)
            line = None if cell is None or cell.error is None else cell.error.splitlines()[0]
            # The values may differ from fold to fold, what is wrong does not.
            errors_of[unit.name].add(line and line.partition("; found: ")[0])
    return {name: error for name, (error, *more) in errors_of.items() if error is not None and not more}


def _longest_first(store: Store, first: Sequence[FitUnit], rest: Sequence[FitUnit]) -> list[FitUnit]:
    """Units in an order that leaves no worker with a long one at the end, by what the first fits of a method took.

    Methods that were not tried yet go first. Those that take about as long stay in the order of folds, cheap ones all
    together: a worker reads a fold once for all its methods.
    """
    seconds_of: dict[str, float] = defaultdict(float)
    for unit in first:
        done = (store.read_cell(place.key) for place in unit.cells)
        seconds = sum(cell.record.seconds.fit + cell.record.seconds.score for cell in done if cell is not None)
        seconds_of[unit.name] = max(seconds_of[unit.name], seconds)
    rank = {name: max(math.ceil(math.log2(seconds)), -3) for name, seconds in seconds_of.items() if seconds > 0}
    return sorted(rest, key=lambda unit: rank.get(unit.name, math.inf), reverse=True)
