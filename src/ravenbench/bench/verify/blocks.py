"""Blocks of test problems: each is answered, committed and read again by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ravenbench.bench.verify.record import ProblemBlock, VerifyPlan
from ravenbench.bench.verify.trained import loaded
from ravenbench.engine.cells import CellUnit, Filled
from ravenbench.engine.guard import answer_each
from ravenbench.store.records import CellPlace
from ravenbench.store.store import Cell, Store
from ravenbench.types import Answers, Problems, name_array
from ravenbench.verifiers.contract.base import Verifier


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
        return store.shared_fold(self.block.fold).test.select(np.arange(self.block.start, self.block.stop))

    def answer(self, store: Store, learned: None, place: CellPlace) -> Filled:
        scores, answers, faults = answer_each(self.method or loaded(self.run), self._test(store))
        return {"scores": scores, "answers": answers}, faults

    def digests(self, store: Store, place: CellPlace) -> tuple[str, str]:
        return store.plan_as(VerifyPlan).learned, self._test(store).digest()

    def size(self, store: Store, place: CellPlace, filled: Mapping[str, NDArray[Any]]) -> int:
        return self.block.stop - self.block.start

    def where(self, place: CellPlace) -> str:
        return ""


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
