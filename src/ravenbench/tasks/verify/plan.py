"""Plans ``raven verify``: one fold cut into blocks of problems; a block is answered, committed and read by itself.

In: ``ProblemSet`` objects to learn from and to answer, and a verifier; then the ``Store``.
Out: a ``Draft`` of a ``VerifyPlan`` (folds of the transplant probe too, where asked for); ``collect`` gives
``Collected``: answers (n,) from 0 to 1, higher = same author, 0.5 = unanswered, reasons, seconds; ``keep`` and
``loaded`` save and give the trained verifier. CorpusError if the problems to learn from are of one class.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ravenbench import files, registry
from ravenbench.components import Component
from ravenbench.engine.apart import answered, exposed, outsider, sent
from ravenbench.engine.cells import CellUnit, Filled, abstained
from ravenbench.engine.guard import answer_each
from ravenbench.engine.pool import Progress
from ravenbench.engine.task import Draft
from ravenbench.engine.transplants import (
    TransplantRecord,
    Transplants,
    longer,
    nothing_to_ask,
    plan_given_transplants,
)
from ravenbench.errors import CorpusError, InputError, SpecError, StoreError
from ravenbench.problems.sources import given
from ravenbench.reading.problem_sets import ProblemSet
from ravenbench.store.plans import cell_key, fold_record, on_one_table, verifier_record
from ravenbench.store.records import CellPlace, Plan, Record, record_or_none, write_record
from ravenbench.store.store import Cell, Store, open_store
from ravenbench.types import Answers, Arrays, Bools, Fold, Problems, name_array
from ravenbench.verifiers.contract import persist
from ravenbench.verifiers.contract.base import Verifier, as_verifier
from ravenbench.verifiers.contract.folds import collapsed


class ProblemBlock(Record, frozen=True, kw_only=True):
    """Problems of a fold that are answered together, in one cell: the row of the first, and of the one after the last."""

    key: str
    start: int
    stop: int
    fold: str = "test"


class VerifyPlan(Plan, frozen=True, kw_only=True):
    """The manifest of ``raven verify``; its fold ``test`` has the problems that it can read.

    Folds ``test-along``, ``test-against``, ``test-off`` and ``test-batch`` are those of the transplant probe,
    ``transplant`` describes them (None if it was not asked for); their blocks follow those of ``test``.

    ``name`` and ``trained_on`` name the problem sets (None where a trained verifier was loaded); ``learned`` is the
    digest of what was learned from. ``truth`` says whether the test problems came with truth. ``faults`` says why a
    test problem could not be read, ``fault_truth`` has the truth of those that the truth file names; ``left_out``
    says why a training problem was not learned from.
    """

    name: str
    trained_on: str | None
    learned: str
    truth: bool
    blocks: list[ProblemBlock]
    faults: dict[str, str]
    fault_truth: dict[str, bool]
    left_out: dict[str, str]
    notes: list[str]
    transplant: TransplantRecord | None = None

    @property
    def planned(self) -> list[tuple[str, str, str]]:
        """The blocks."""
        name = self.verifiers[0].name
        return [
            (name, f"{block.fold}, problems {block.start + 1} to {block.stop}", block.key)
            for block in self.blocks
        ]


class TrainedRecord(Record, frozen=True, kw_only=True):
    """``trained.json``: the identity of the verifier in ``trained/``, and the seconds its training took.

    ``seconds`` is None for a verifier that was loaded.
    """

    digest: str
    seconds: float | None


BLOCK = 512
"""Test problems in a block; those of a transductive method are never divided."""


def check_classes(name: str, same: Bools) -> None:
    """Refuse training problems of one class: nothing can be learned from them. Raises CorpusError with the counts."""
    if same.all() or not same.any():
        raise CorpusError(
            f"the training problems of {name} are all of one class",
            found=f"{same.sum()} Y and {(~same).sum()} N",
            expected="same-author and different-author problems",
        )


def draft(
    component: Component,
    test: ProblemSet,
    train: ProblemSet | None,
    loaded: str,
    probe: bool,
    common: list[str],
    progress: Progress,
    transplants: Callable[[Fold, Progress], Transplants] | None = None,
) -> Draft[VerifyPlan]:
    """The fold of problems to learn from and to answer, and the plan that describes it.

    ``loaded`` is the digest of a trained verifier, where there is nothing to learn from; ``common`` says what both sets
    share.
    """
    nothing = test.problems.select(np.arange(0))
    _, (taught, answered) = on_one_table(
        [nothing if train is None else train.problems, test.problems]
    )
    train_same = np.zeros(0, dtype=bool) if train is None else train.truth()
    # Test problems may come without truth; nothing reads it then.
    truth = np.zeros(len(answered), dtype=bool) if test.same is None else test.same
    fold = given(taught, train_same, answered, truth, "test")
    record = fold_record(fold)
    section = None
    folds = []
    texts = answered.texts
    if probe and test.same is None:
        section = nothing_to_ask(
            "the problems have no truth, so Raven does not know which are same-author problems"
        )
    elif probe:
        made = (transplants or plan_given_transplants)(fold, progress)
        section = made.section
        folds = made.folds
        texts = made.texts
    if test.same is None:
        record = msgspec.structs.replace(record, counts=None, composition=None)
    learned = loaded if train is None else record.train_digest
    notes = (
        []
        if train is None
        else [*train.notes, *filter(None, [collapsed(train.problems, train_same)])]
    )
    plan = VerifyPlan(
        folds={fold.name: record} | {fold.name: fold_record(fold) for fold in folds},
        verifiers=[verifier_record(str(component), component)],
        cells=[],
        name=test.name,
        trained_on=None if train is None else train.name,
        learned=learned,
        truth=test.same is not None,
        blocks=[block for part in (fold, *folds) for block in _blocks(component, part, learned)],
        faults=dict(test.faults),
        fault_truth=dict(test.fault_truth),
        left_out={} if train is None else dict(train.faults),
        notes=[*common, *(f"training: {note}" for note in notes), *map(str, test.notes)],
        transplant=section,
    )
    labels = {
        name: longer(getattr(taught, name), len(texts)) for name in ("author", "topic", "language")
    }
    return Draft(plan, [fold, *folds], texts, labels)


def _blocks(component: Component, fold: Fold, learned: str) -> list[ProblemBlock]:
    size = len(fold.test) if as_verifier(component).transductive else BLOCK
    blocks = []
    for start in range(0, len(fold.test), size):
        stop = min(start + size, len(fold.test))
        digest = fold.test.select(np.arange(start, stop)).digest()
        blocks.append(
            ProblemBlock(
                key=cell_key(component, learned, digest), start=start, stop=stop, fold=fold.name
            )
        )
    return blocks


def trained_before(store: Store, component: Component) -> Verifier | None:
    """Return the verifier that an earlier call kept; None if there is none or it is damaged; a damaged one is removed."""
    try:
        record = read_trained(store)
        with _here(store.path / "trained") as folder:
            if record is not None and persist.digest(folder) == record.digest:
                return persist.load(folder, component)
    except (OSError, StoreError, InputError):
        pass
    if not files.is_remote(store.path):
        shutil.rmtree(store.path / "trained", ignore_errors=True)
    return None


def keep(store: Store, trained: Verifier, seconds: float | None) -> bool:
    """Keep a trained verifier in the folder of the run, unless it cannot be saved; return whether it is there now."""
    place = store.path / "trained"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "trained" if files.is_remote(place) else place
        try:
            persist.save(trained, folder)
        except SpecError:
            return False
        if folder != place:
            place.mkdir(parents=True, exist_ok=True)
            for part in folder.iterdir():
                files.write_bytes(place / part.name, part.read_bytes())
        record = TrainedRecord(digest=persist.digest(folder), seconds=seconds)
    write_record(store.path / "trained.json", store.kind, record)
    return True


def read_trained(store: Store) -> TrainedRecord | None:
    """Return the record of the kept verifier; None if there is none or it is damaged."""
    return record_or_none(store.path / "trained.json", TrainedRecord)


def loaded(run: Path) -> Verifier:
    """The kept verifier of a run, for a worker that answers several of its blocks."""
    return _loaded(run, files.sha256(run / "trained.json"))


@lru_cache(maxsize=1)
def _loaded(run: Path, trained_sha256: str) -> Verifier:
    with registry.importing("here"):
        component: Component = registry.parse("verifier", open_store(run).plan.verifiers[0].spec)
    with _here(run / "trained") as folder:
        return persist.load(folder, component)


@contextmanager
def _here(place: Path) -> Iterator[Path]:
    """A folder as it is, or what an object store has of it in a folder on this machine for a while."""
    if not files.is_remote(place):
        yield place
        return
    with tempfile.TemporaryDirectory() as scratch:
        for part in place.iterdir() if place.exists() else ():
            (Path(scratch) / part.name).write_bytes(part.read_bytes())
        yield Path(scratch)


@dataclass(frozen=True)
class BlockUnit(CellUnit):
    """Some test problems for the trained verifier of a folder, or for the one given as its ``method``."""

    block: ProblemBlock

    @classmethod
    def of(cls, store: Store, block: ProblemBlock, verifier: Verifier | None = None) -> BlockUnit:
        """The unit of a block."""
        place = CellPlace(key=block.key, verifier=store.plan.verifiers[0].name, fold=block.fold)
        return cls(store.path, verifier, (place,), block)

    def _test(self, store: Store) -> Problems:
        return store.shared_fold(self.block.fold).test.select(
            np.arange(self.block.start, self.block.stop)
        )

    def learn(self, store: Store) -> Any:
        verifier = self.method or loaded(self.run)
        return sent(verifier, store) if outsider(verifier) else verifier

    def answer(self, store: Store, learned: Any, place: CellPlace) -> Filled:
        test = self._test(store)
        return abstained(
            self._answer(store, learned, place, test), store.shared_fold("test").train, test
        )

    def _answer(self, store: Store, learned: Any, place: CellPlace, test: Problems) -> Filled:
        if outsider(self.method or loaded(self.run)):
            return answered(learned, store, place.fold, test, each=True)
        scores, answers, faults = answer_each(learned, test)
        return {"scores": scores, "answers": answers}, faults

    def exposed(self, store: Store, learned: Any) -> str | None:
        return exposed(self.method or loaded(self.run), store, learned)

    def digests(self, store: Store, place: CellPlace) -> tuple[str, str]:
        return store.plan_as(VerifyPlan).learned, self._test(store).digest()

    def size(self, store: Store, place: CellPlace, filled: Arrays) -> int:
        return self.block.stop - self.block.start

    def where(self, place: CellPlace) -> str:
        return ""


@dataclass(frozen=True, eq=False)
class Collected:
    """The answers in a folder.

    ``answers`` has every test problem, those that could not be read last; 0.5 where there is none. ``faults`` says
    why, but for blocks that are not there, whose reasons are ``missing`` by block. ``seconds`` are those of answering.
    """

    answers: Answers
    faults: dict[str, str]
    missing: dict[str, str]
    seconds: float


def collect(store: Store) -> Collected:
    """Answers (n,), 0 to 1, of all blocks, the problems without one, and the seconds that answering took."""
    plan = store.plan_as(VerifyPlan)
    ids = [*store.fold("test").test.ids.tolist(), *plan.faults]
    value = np.full(len(ids), 0.5)
    faults = dict(plan.faults)
    missing = {}
    seconds = 0.0
    for block in plan.blocks:
        if block.fold != "test":
            continue
        cell, error = _answered(store, block)
        if cell is None or cell.answers is None:
            missing[f"problems {block.start + 1} to {block.stop}"] = error
            continue
        value[block.start : block.stop] = cell.answers
        faults |= cell.record.faults
        seconds += cell.record.seconds.score
    return Collected(Answers(name_array(ids), value), faults, missing, seconds)


def cells_of(store: Store, plan: VerifyPlan, fold: str) -> tuple[list[Cell], str]:
    """The cells of a fold's blocks in order; none, and why, where one has no answers."""
    every = [_answered(store, block) for block in plan.blocks if block.fold == fold]
    cells = [cell for cell, _ in every if cell is not None]
    return (
        (cells, "")
        if len(cells) == len(every)
        else ([], next(error for cell, error in every if cell is None))
    )


def _answered(store: Store, block: ProblemBlock) -> tuple[Cell | None, str]:
    """The cell of a block; None, and why, where it has no answers."""
    cell = store.read_cell(block.key)
    if cell is not None and cell.answers is not None:
        return cell, ""
    return None, "not computed" if cell is None or cell.error is None else cell.error
