"""Blocks of test problems: each is answered, committed and read again by itself."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ravenbench.bench.verify.record import ProblemBlock, VerifyPlan
from ravenbench.bench.verify.trained import loaded
from ravenbench.engine.guard import answer_each, isolated, tell
from ravenbench.programs.confinement import ways
from ravenbench.store.records import CellRecord, Seconds
from ravenbench.store.store import Cell, Store, open_store
from ravenbench.types import Answers, Floats, name_array
from ravenbench.verifiers.contract.base import Verifier


@dataclass(frozen=True)
class BlockUnit:
    """Some test problems for the trained verifier of a folder, or for the one given."""

    run: Path
    block: ProblemBlock
    verifier: Verifier | None = None

    def work(self) -> list[str]:
        """Answer the block and commit its cell."""
        return self._work()

    def lost(self, reason: str) -> list[str]:
        """Commit the cell as failed."""
        return self._work(reason)

    def _work(self, wrong: str | None = None) -> list[str]:
        store = open_store(self.run)
        plan = store.plan_as(VerifyPlan)
        test = store.fold(self.block.fold).test.select(np.arange(self.block.start, self.block.stop))
        arrays: dict[str, Floats] = {}
        faults: dict[str, str] = {}
        began = time.perf_counter()
        if wrong is None:
            try:
                with isolated():
                    scores, answers, faults = answer_each(self.verifier or loaded(self.run), test)
                arrays = {"scores": scores, "answers": answers}
            except Exception as error:
                wrong = tell(error)
        record = CellRecord(
            key=self.block.key,
            verifier=plan.verifiers[0].name,
            identity=plan.verifiers[0].identity,
            train_digest=plan.learned,
            test_digest=test.digest(),
            n=len(test),
            seconds=Seconds(fit=0.0, score=time.perf_counter() - began),
            error=wrong,
            faults=faults,
            programs=ways(),
        )
        store.write_cell(record, arrays)
        return [] if wrong is None else [wrong.splitlines()[0]]


@dataclass(frozen=True, eq=False)
class Collected:
    """What a folder holds of the answers.

    ``answers`` has every test problem, those that could not be read last; 0.5 where there is none. ``faults`` says
    why, but for blocks that are not there, whose reasons are ``missing`` by block.
    """

    answers: Answers
    faults: dict[str, str]
    missing: dict[str, str]
    seconds: float


def collect(store: Store) -> Collected:
    """Answers of all blocks, the problems without one, and the seconds that answering took."""
    plan = store.plan_as(VerifyPlan)
    ids = [*store.fold("test").test.ids.tolist(), *plan.faults]
    value = np.full(len(ids), 0.5)
    faults, missing, seconds = dict(plan.faults), {}, 0.0
    for block in plan.blocks:
        if block.fold != "test":
            continue
        cell = store.read_cell(block.key)
        if cell is None or cell.answers is None:
            error = "not computed" if cell is None or cell.error is None else cell.error
            missing[f"problems {block.start + 1} to {block.stop}"] = error
            continue
        value[block.start : block.stop] = cell.answers
        faults |= cell.record.faults
        seconds += cell.record.seconds.score
    return Collected(Answers(name_array(ids), value), faults, missing, seconds)


def cells_of(store: Store, plan: VerifyPlan, fold: str) -> tuple[list[Cell], str]:
    """The cells of a fold's blocks in order; none, and why, where one has no answers."""
    cells = []
    for block in plan.blocks:
        if block.fold == fold:
            cell = store.read_cell(block.key)
            if cell is None or cell.answers is None:
                return [], "not computed" if cell is None or cell.error is None else cell.error
            cells.append(cell)
    return cells, ""


def unanswered(store: Store, plan: VerifyPlan) -> list[ProblemBlock]:
    """Blocks that are missing, damaged or failed."""
    return [block for block in plan.blocks if (cell := store.read_cell(block.key)) is None or cell.error is not None]
