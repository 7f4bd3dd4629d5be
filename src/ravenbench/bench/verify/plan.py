"""From problems to a manifest: one fold, and those of the transplant probe, whose problems are cut into blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec
import numpy as np

from ravenbench.bench.verify.asked import Asked
from ravenbench.bench.verify.record import ProblemBlock, VerifyPlan
from ravenbench.components import Component
from ravenbench.engine.pool import Progress, silent
from ravenbench.engine.transplants import TransplantRecord, longer, nothing_to_ask, plan_given_transplants
from ravenbench.problems.sources import given
from ravenbench.store.plans import cell_key, fold_record, on_one_table, save_plan, verifier_record
from ravenbench.store.store import Store
from ravenbench.texts import TextTable
from ravenbench.types import Fold
from ravenbench.verifiers.contract.base import as_verifier
from ravenbench.verifiers.contract.folds import collapsed

BLOCK = 512
"""Test problems in a block; those of a transductive method are never divided."""


@dataclass(frozen=True, eq=False)
class Draft:
    """A whole plan, nothing of it written yet."""

    plan: VerifyPlan
    folds: list[Fold]
    texts: TextTable

    def write(self, store: Store, begin: Callable[[], None]) -> None:
        """Write it into a folder that ``begin`` makes."""
        train, size = self.folds[0].train, len(self.texts)
        labels = {name: longer(getattr(train, name), size) for name in ("author", "topic", "language")}
        save_plan(store, begin, self.plan, self.folds, self.texts, labels)


def draft(asked: Asked, progress: Progress = silent) -> Draft:
    """The fold of what was asked for, and the plan that tells of it."""
    nothing = asked.test.problems.select(np.arange(0))
    _, (train, test) = on_one_table([nothing if asked.train is None else asked.train.problems, asked.test.problems])
    train_same = np.zeros(0, dtype=bool) if asked.train is None else asked.train.truth()
    # Test problems may come without truth; nothing reads it then.
    truth = np.zeros(len(test), dtype=bool) if asked.test.same is None else asked.test.same
    fold = given(train, train_same, test, truth, "test")
    record = fold_record(fold)
    section, folds, texts = _transplanted(asked, fold, progress)
    if asked.test.same is None:
        record = msgspec.structs.replace(record, counts=None, composition=None)
    learned = record.train_digest if asked.train is not None else asked.hashes["load"]
    taught: list[str] = []
    if asked.train is not None:
        joined = collapsed(asked.train.problems, train_same)
        taught = [*asked.train.notes, *([] if joined is None else [joined])]
    plan = VerifyPlan(
        folds={fold.name: record} | {made.name: fold_record(made) for made in folds},
        verifiers=[verifier_record(str(asked.component), asked.component)],
        cells=[],
        name=asked.test.name,
        trained_on=None if asked.train is None else asked.train.name,
        learned=learned,
        truth=asked.test.same is not None,
        blocks=[block for part in (fold, *folds) for block in _blocks(asked.component, part, learned)],
        faults=dict(asked.test.faults),
        fault_truth=dict(asked.test.fault_truth),
        left_out={} if asked.train is None else dict(asked.train.faults),
        notes=[*(f"training: {note}" for note in taught), *asked.test.notes],
        transplant=section,
    )
    return Draft(plan, [fold, *folds], texts)


def _transplanted(
    asked: Asked, fold: Fold, progress: Progress
) -> tuple[TransplantRecord | None, list[Fold], TextTable]:
    """The transplant probe's section and folds, and the table of all texts."""
    texts = fold.test.texts
    if asked.spec.probe == "none":
        return None, [], texts
    if asked.test.same is None:
        return nothing_to_ask("the problems came without truth, so nothing tells which have one author"), [], texts
    made = plan_given_transplants(fold, progress)
    return made.section, made.folds, made.texts


def _blocks(component: Component, fold: Fold, learned: str) -> list[ProblemBlock]:
    size = len(fold.test) if as_verifier(component).transductive else BLOCK
    blocks = []
    for start in range(0, len(fold.test), size):
        stop = min(start + size, len(fold.test))
        digest = fold.test.select(np.arange(start, stop)).digest()
        blocks.append(ProblemBlock(key=cell_key(component, learned, digest), start=start, stop=stop, fold=fold.name))
    return blocks
