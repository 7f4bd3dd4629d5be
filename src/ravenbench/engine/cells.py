"""Computes the results of a run, one a method and test set (a cell), times them, and commits them or marks them failed.

In: a ``Store`` with its plan, the methods by name, an engine (what does units of work) and a callback of progress.
Out: one cell a method and fold, in the store: arrays ``answers`` (n,) from 0 to 1 (0.5 = unanswered, higher = same
author) and ``scores`` (no fixed range), and seconds of fitting and answering, or an error. ``execute`` returns the
errors of the cells that failed, as texts; ``pending`` the cells still to do. ``plan_encoding``, ``plan_counting`` and
``plan_pairs`` give units of work that prepare texts; ``PairFeatures.score`` raises RuntimeError if one is missing.

What a task does with a method is a ``CellUnit``; its cells are the same for every engine (contracts 3, 8, 13,
14). ``execute`` does those of verifiers on folds. Before the cells that need it, texts are encoded by a fixed model,
those of a large run counted, and features of document pairs worked out for scorers that learn nothing from a fold:
workers that begin with different folds of one corpus would else do it for the texts of both.
"""

from __future__ import annotations

import math
import shutil
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import isqrt
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

import msgspec
import numpy as np

from ravenbench import files
from ravenbench.components import Component, identity
from ravenbench.engine.apart import answered, exposed, learned, outsider
from ravenbench.engine.guard import UNTAUGHT, answer, answer_each, isolated, tell, untaught
from ravenbench.engine.pool import Engine, Progress, run_units, silent
from ravenbench.programs import ways
from ravenbench.store.plans import content_key
from ravenbench.store.records import (
    CellPlace,
    CellRecord,
    Record,
    Seconds,
    packed_or_none,
    write_packed,
)
from ravenbench.store.store import Store, keep_open, open_store
from ravenbench.text.counting import CountedUnits, count_ahead, folder_of
from ravenbench.text.ppm import close_together
from ravenbench.types import Arrays, Floats, Ints, Problems
from ravenbench.verifiers.contract.base import (
    Calibrated,
    FoldFree,
    Scorer,
    as_verifier,
    checked_scores,
    fresh,
    mean_by_problem,
)
from ravenbench.verifiers.contract.languages import check_language

Filled = tuple[Arrays, Mapping[str, str]]
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

    def answer(self, store: Store, learned: Any, cell: CellPlace) -> Filled:
        """The content of one cell; where it was all learned, that."""
        return learned, {}

    def digests(self, store: Store, cell: CellPlace) -> tuple[str, str]:
        """Hashes of what a cell learned from and of what it answers."""
        fold = store.plan.folds[cell.fold]
        return fold.train_digest, fold.test_digest

    def size(self, store: Store, cell: CellPlace, filled: Arrays) -> int:
        """How many problems a cell answers, also where it failed."""
        return len(store.shared_fold(cell.fold).test)

    def where(self, cell: CellPlace) -> str:
        """How an error message begins."""
        return f"{cell.verifier} on {cell.fold}: "

    @cached_property
    def of_others(self) -> bool:
        """Whether the method is not Raven's (``outsider``)."""
        return outsider(self.method)

    def exposed(self, store: Store, learned: Any) -> str | None:
        """``CellRecord.exposed`` of a cell that was answered."""
        return exposed(self.method, store, learned) if self.of_others else None

    def work(self) -> list[str]:
        """Learn, answer, commit each cell; returns the errors of those that failed."""
        return self._commit()

    def lost(self, reason: str) -> list[str]:
        """Commit all cells as failed for this reason; nothing is tried."""
        return self._commit(reason)

    def _commit(self, failure: str | None = None) -> list[str]:
        store = open_store(self.run)
        learned = None
        errors = []
        records = {record.name: record for record in store.plan.verifiers}
        began = time.perf_counter()
        if failure is None:
            learned, failure = self._tried(self.learn, store)
        fit = time.perf_counter() - began
        for cell in self.cells:
            start = time.perf_counter()
            filled = None
            wrong = failure
            if failure is None:
                filled, wrong = self._tried(self.answer, store, learned, cell)
            seconds = Seconds(fit=fit, score=time.perf_counter() - start)
            arrays, faults = filled or ({}, {})
            train_digest, test_digest = self.digests(store, cell)
            exposed_paths = self.exposed(store, learned) if wrong is None else None
            if exposed_paths is None and records[cell.verifier].source is not None:
                exposed_paths = ""
            record = CellRecord(
                key=cell.key,
                verifier=cell.verifier,
                identity=records[cell.verifier].identity,
                train_digest=train_digest,
                test_digest=test_digest,
                n=self.size(store, cell, arrays),
                seconds=seconds,
                error=wrong,
                faults=dict(faults),
                programs=ways(),
                exposed=msgspec.UNSET if exposed_paths is None else exposed_paths,
            )
            store.write_cell(record, arrays)
            if wrong is not None:
                errors.append(self.where(cell) + wrong.splitlines()[0])
        return errors

    def _tried(self, do: Callable[..., Any], *args: Any) -> tuple[Any, str | None]:
        try:
            with isolated() if self.user_code else nullcontext():
                return do(*args), None
        except Exception as error:
            return None, tell(error)


def pending(store: Store) -> dict[tuple[str, str], list[CellPlace]]:
    """Cells that are missing, damaged or failed, by verifier and by what they learn from."""
    cells_of_fit: dict[tuple[str, str], list[CellPlace]] = defaultdict(list)
    for cell in store.unanswered():
        cells_of_fit[cell.verifier, store.plan.folds[cell.fold].train_digest].append(cell)
    return cells_of_fit


def abstained(filled: Filled, taught: Problems, test: Problems) -> Filled:
    """The same cell with answers of 0.5 for problems that are in letters which were not learned from, and why."""
    strange = untaught(taught, test)
    if not strange.any():
        return filled
    arrays, faults = filled
    answers = np.where(strange, 0.5, arrays["answers"])
    return {**arrays, "answers": answers}, dict.fromkeys(
        test.ids[strange].tolist(), UNTAUGHT
    ) | dict(faults)


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
        if self.of_others:
            return learned(self.method, store, fold.train, fold.train_same, check=not self.isolate)
        features = features_of(store, self.blocks) if self.blocks else None
        if (
            not self.isolate
        ):  # a shared task runs methods as they were, an English tagger on Dutch included
            check_language(self.method, fold.train)
        verifier = as_verifier(fresh(self.method))
        if features is None or not isinstance(verifier, Calibrated):
            verifier.fit(fold.train, fold.train_same)
            return verifier, features
        same = (
            fold.train_same
            if fold.train.calibrate is None
            else fold.train_same[fold.train.calibrate]
        )
        return verifier.calibrate(features.score(fold.train.calibration_split[1]), same), features

    def answer(self, store: Store, learned: Any, cell: CellPlace) -> Filled:
        fold = store.shared_fold(cell.fold)
        return abstained(self._answer(store, learned, cell, fold.test), fold.train, fold.test)

    def _answer(self, store: Store, learned: Any, cell: CellPlace, test: Problems) -> Filled:
        if self.of_others:
            return answered(learned, store, cell.fold, test, each=self.isolate)
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
    bench_components = {n: components[n] for n in waiting if not outsider(components[n])}
    free = [
        component
        for component in bench_components.values()
        if isinstance(component, Scorer) and component.fold_free
    ]
    blocks = (
        plan_pairs(store, free, sorted({cell.fold for cell in store.plan.cells}))
        if free and not isolate
        else {}
    )
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
    first_fits, later_fits = _first_and_later_fits(fits)
    missing: list[PairUnit] = [
        unit for units in blocks.values() for unit in units if read_block(store, unit.key) is None
    ]
    folds = sorted({cell.fold for cells in missing_cells.values() for cell in cells})
    with no_counts_left(store):
        run_units(engine, plan_encoding(store, bench_components, folds), progress, "encoding texts")
        counting = plan_counting(
            store, [unit.method for unit in fits if unit.name in bench_components], folds
        )
        stage = "comparing pairs" if missing else "counting texts"
        errors = run_units(engine, [*counting, *missing], progress, stage)
        errors += run_units(engine, first_fits, progress, "first fits")
        hopeless = _failing_alike(store, first_fits)
        untried = [
            (
                f"{unit.where(cell)}not tried, because its first {FIRST} fits failed in the same"
                f" way ({hopeless[unit.name]}); fix this, then repeat the command"
            )
            for unit in later_fits
            if unit.name in hopeless
            for cell in unit.cells
        ]
        going = _longest_first(
            store, first_fits, [unit for unit in later_fits if unit.name not in hopeless]
        )
        return untried + errors + run_units(engine, going, progress, "fitting and scoring")


def _first_and_later_fits(fits: Sequence[FitUnit]) -> tuple[list[FitUnit], list[FitUnit]]:
    """The first fits of every verifier that has more than ``FIRST``, and all others."""
    count = Counter(unit.name for unit in fits)
    first_fits = list[FitUnit]()
    later_fits = list[FitUnit]()
    fits_of_method = Counter[str]()
    for unit in fits:
        early = count[unit.name] > FIRST and fits_of_method[unit.name] < FIRST
        (first_fits if early else later_fits).append(unit)
        fits_of_method[unit.name] += early
    return first_fits, later_fits


def _failing_alike(store: Store, first_fits: Sequence[FitUnit]) -> dict[str, str]:
    """Verifiers all of whose cells of these fits failed with one error, and that error."""
    errors_of: dict[str, set[str | None]] = defaultdict(set)
    for unit in first_fits:
        for cell_place in unit.cells:
            cell = store.read_cell(cell_place.key)
            line = None if cell is None or cell.error is None else cell.error.splitlines()[0]
            # The values may differ from fold to fold, what is wrong does not.
            errors_of[unit.name].add(line and line.partition("; found: ")[0])
    return {
        name: error
        for name, (error, *other_errors) in errors_of.items()
        if error is not None and not other_errors
    }


def _longest_first(
    store: Store, first_fits: Sequence[FitUnit], later_fits: Sequence[FitUnit]
) -> list[FitUnit]:
    """Units in an order that leaves no worker with a long one at the end, by what the first fits of a method took.

    Methods that were not tried yet go first. Those that take about as long stay in the order of folds, cheap ones all
    together: a worker reads a fold once for all its methods.
    """
    seconds_of: dict[str, float] = defaultdict(float)
    for unit in first_fits:
        done = (store.read_cell(cell.key) for cell in unit.cells)
        seconds = sum(
            cell.record.seconds.fit + cell.record.seconds.score for cell in done if cell is not None
        )
        seconds_of[unit.name] = max(seconds_of[unit.name], seconds)
    rank = {
        name: max(math.ceil(math.log2(seconds)), -3)
        for name, seconds in seconds_of.items()
        if seconds > 0
    }
    return sorted(later_fits, key=lambda unit: rank.get(unit.name, math.inf), reverse=True)


LARGE = 64 * 2**20
"""Bytes of text from which on counting ahead pays."""
MOST = 3072
FEWEST = 512
"""Texts in a unit: large ones leave less of their batches empty, small ones at the end let workers end together."""
BLOCK = 16_384
"""Document pairs in a block of features, more if it contains the pairs between two groups of documents: a document is
modelled again in every block."""
PARTNERS = 8
"""Other documents that one meets in the blocks of many pairs, at least, so that it pays to model it in each."""
KEPT = 64
"""Blocks a worker keeps: 16 MB of the smallest where a pair has two features."""


@runtime_checkable
class Prepares(Protocol):
    """A method that can encode texts before it answers."""

    def prepare(self, texts: list[str]) -> None:
        """Encode them and keep the result where every process finds it."""


@dataclass(frozen=True)
class EncodeUnit:
    """Some texts of a run for one model."""

    run: Path
    method: Prepares
    rows: tuple[int, ...]

    def work(self) -> list[str]:
        """Encode them. What fails here fails again, with its reason, in the cells that need it."""
        texts = open_store(self.run).texts
        with suppress(Exception), isolated():
            self.method.prepare([texts[row] for row in self.rows])
        return []

    def lost(self, reason: str) -> list[str]:
        """As where it fails: the cells that need these texts say so."""
        return []


def plan_encoding(
    store: Store, components: Mapping[str, Component], folds: Sequence[str]
) -> list[EncodeUnit]:
    """Units for all texts of these folds; texts of about equal length together, for a batch is as wide as its longest.

    A method counts that reads whole texts as they are: by itself, or as the scorer of a calibrated one.
    """
    named_components = {
        str(part): part
        for component in components.values()
        for part in (component, getattr(component, "scorer", None))
    }
    methods = [
        component for component in named_components.values() if isinstance(component, Prepares)
    ]
    if not methods:
        return []
    rows = store.documents(folds)
    rows = rows[
        np.argsort(store.texts.offsets[rows] - store.texts.offsets[rows + 1], kind="stable")
    ]
    blocks = list[tuple[int, ...]]()
    while len(rows):
        size = min(MOST, max(FEWEST, len(rows) // 6))
        blocks.append(tuple(rows[:size].tolist()))
        rows = rows[size:]
    return [EncodeUnit(store.path, method, block) for method in methods for block in blocks]


@dataclass(frozen=True)
class CountUnit:
    """All texts of a run in one kind of unit."""

    run: Path
    units: CountedUnits
    rows: tuple[int, ...]

    def work(self) -> list[str]:
        """Count them. Where this fails, workers count for themselves."""
        with suppress(Exception):
            count_ahead(open_store(self.run).texts, np.array(self.rows, dtype=np.int64), self.units)
        return []

    def lost(self, reason: str) -> list[str]:
        """It has no cells that could fail."""
        return []


@contextmanager
def no_counts_left(store: Store) -> Iterator[None]:
    """Remove counts of texts before and after: those that a killed process left may be those of another version."""
    folder = folder_of(store.texts)
    with ExitStack() as stack:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
        yield


def plan_counting(
    store: Store, fitted: Sequence[Component], folds: Sequence[str]
) -> list[CountUnit]:
    """Units for the texts of these folds where they are large, one for every kind that is counted in several fits.

    ``fitted`` has the verifier of every fit; it counts by itself or as the scorer of a calibrated one.
    """
    kinds = [
        getattr(component_part, "counted", None)
        for component in fitted
        for component_part in (component, getattr(component, "scorer", None))
    ]
    # A user's method may mean something else by the name.
    several = [
        units
        for units, fits in Counter(kind for kind in kinds if isinstance(kind, CountedUnits)).items()
        if fits > 1
    ]
    if not several or folder_of(store.texts) is None or store.texts.offsets[-1] < LARGE:
        return []
    rows = store.documents(folds)
    if (store.texts.offsets[rows + 1] - store.texts.offsets[rows]).sum() < LARGE:
        return []
    return [CountUnit(store.path, units, tuple(rows.tolist())) for units in several]


class BlockRecord(Record, frozen=True, kw_only=True):
    """What a block of features says of itself; a failed one has an error and no array."""

    key: str
    error: str | None


@dataclass(frozen=True)
class PairUnit:
    """One block of document pairs for one fold-free scorer."""

    run: Path
    scorer: FoldFree
    key: str
    start: int
    stop: int

    def work(self) -> list[str]:
        """Compute and commit its features; an error is kept for the cells that needed it."""
        store = open_store(self.run)
        try:
            known, questioned = files.map_array(store.path / "pairs" / "pairs.npy")[
                :, self.start : self.stop
            ]
            with isolated():
                features = self.scorer.pair_features(
                    store.texts, np.array(known), np.array(questioned)
                )
            checked = checked_scores(features, self.stop - self.start, str(self.scorer))
        except Exception as error:
            return self._commit(store, tell(error))
        return self._commit(store, features=checked)

    def lost(self, reason: str) -> list[str]:
        """Commit it as failed."""
        return self._commit(open_store(self.run), reason)

    def _commit(self, store: Store, error: str | None = None, **arrays: Floats) -> list[str]:
        write_packed(
            _block_file(store, self.key), store.kind, BlockRecord(key=self.key, error=error), arrays
        )
        return []


def _block_file(store: Store, key: str) -> Path:
    return store.path / "pairs" / f"{key}.block"


def read_block(store: Store, key: str) -> Floats | None:
    """A committed block of features; None where it is missing, damaged or failed (it is then computed again)."""
    block = packed_or_none(_block_file(store, key), BlockRecord)
    return block[1].get("features") if block is not None and block[0].key == key else None


class PairFeatures:
    """Features of every distinct document pair of a run, looked up by problem; only blocks in need are read."""

    def __init__(self, store: Store, blocks: Sequence[str]) -> None:
        pairs: Ints = files.map_array(store.path / "pairs" / "pairs.npy")
        self.store = store
        self.blocks = blocks
        self.size = len(store.texts)
        keys = pairs[0] * self.size + pairs[1]
        self.order = np.argsort(keys)
        self.index = keys[self.order]
        self.starts: Ints = files.map_array(store.path / "pairs" / "starts.npy")
        self._block = lru_cache(maxsize=KEPT)(self._read)

    def _read(self, number: int) -> Floats:
        key = self.blocks[number]
        if (features := read_block(self.store, key)) is None:
            block = packed_or_none(_block_file(self.store, key), BlockRecord)
            error = None if block is None else block[0].error
            raise RuntimeError(
                error or "features of document pairs are missing or damaged; repeat the run"
            )
        return features

    def score(self, problems: Problems) -> Floats:
        """Scores of n problems, as ``FoldFree.score`` would return them. Raises RuntimeError if a block is not
        there, with the reason."""
        wanted = problems.known_index * self.size + problems.questioned_index[problems.owner]
        position = self.order[np.searchsorted(self.index, wanted)]
        number = np.searchsorted(self.starts, position, side="right") - 1
        values: Floats | None = None
        for n in np.flatnonzero(np.bincount(number)).tolist():
            block = self._block(n)
            rows_of_problem = np.flatnonzero(number == n)
            if values is None:
                values = np.empty((len(position), *block.shape[1:]))
            values[rows_of_problem] = block[position[rows_of_problem] - self.starts[n]]
        return mean_by_problem(np.empty(0) if values is None else values, problems)


@lru_cache(maxsize=4)
def features_of(store: Store, blocks: tuple[str, ...]) -> PairFeatures:
    """These blocks, kept by a worker for the fits of a few scorers, which take turns."""
    return PairFeatures(store, blocks)


def plan_pairs(
    store: Store, scorers: Sequence[Scorer], folds: Sequence[str]
) -> dict[str, list[PairUnit]]:
    """Write the distinct document pairs of these folds and cut them into blocks for each fold-free scorer."""
    free = {str(scorer): scorer for scorer in scorers if isinstance(scorer, FoldFree)}
    if not free:
        return {}
    size = len(store.texts)
    keys = []
    for fold in map(store.shared_fold, folds):
        for problems in (fold.train.calibration_split[1], fold.test):
            keys.append(problems.known_index * size + problems.questioned_index[problems.owner])
    pairs = np.stack(
        np.divmod(np.unique(np.concatenate(keys or [np.empty(0, dtype=np.int64)])), size)
    )
    pairs, starts = _pair_blocks(pairs)
    files.make_folder(store.path / "pairs")
    digest = files.write_array(store.path / "pairs" / "pairs.npy", pairs)
    files.write_array(store.path / "pairs" / "starts.npy", starts)
    cuts = list(zip(starts.tolist(), [*starts[1:].tolist(), pairs.shape[1]], strict=True))
    return {
        name: [
            PairUnit(
                store.path,
                scorer,
                content_key([identity(scorer), f"{digest}:{start}:{stop}"]),
                start,
                stop,
            )
            for start, stop in cuts
        ]
        for name, scorer in free.items()
    }


def _pair_blocks(pairs: Ints) -> tuple[Ints, Ints]:
    """Pairs (2, n) in an order in which those of a document share few blocks, and where each block begins."""
    n = pairs.shape[1]
    documents, ends = np.unique(pairs, return_inverse=True)
    groups = min(isqrt(2 * n // BLOCK), 2 * n // max(1, PARTNERS * len(documents)))
    if groups < 2:
        order = close_together(*pairs) if n > BLOCK else np.arange(n)
        return pairs[:, order], np.arange(0, n, BLOCK)
    # The pairs between two of several groups of documents.
    low, high = np.sort(ends.reshape(2, n) % groups, axis=0)
    block = low * groups + high
    order = np.argsort(block, kind="stable")
    return pairs[:, order], np.flatnonzero(np.diff(block[order], prepend=-1))
