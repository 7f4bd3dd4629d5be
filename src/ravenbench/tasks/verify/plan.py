"""From problems to a manifest: one fold, and those of the transplant probe, whose problems are cut into blocks."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np

from ravenbench.components import Component
from ravenbench.engine.pool import Progress
from ravenbench.engine.task import Draft
from ravenbench.engine.transplants import TransplantRecord, Transplants, longer, nothing_to_ask, plan_given_transplants
from ravenbench.errors import CorpusError
from ravenbench.formats.problems import ProblemSet
from ravenbench.problems.sources import given
from ravenbench.store.plans import cell_key, fold_record, on_one_table, verifier_record
from ravenbench.store.records import Plan, Record
from ravenbench.types import Bools, Fold
from ravenbench.verifiers.contract.base import as_verifier
from ravenbench.verifiers.contract.folds import collapsed


class ProblemBlock(Record, frozen=True, kw_only=True):
    """Problems of a fold that are answered together, a cell of its own: the first, and the one after the last."""

    key: str
    start: int
    stop: int
    fold: str = "test"


class VerifyPlan(Plan, frozen=True, kw_only=True):
    """The manifest of ``raven verify``; its fold ``test`` has the problems that it can read.

    Folds ``test-along``, ``test-against``, ``test-off`` and ``test-batch`` are those of the transplant probe,
    ``transplant`` tells of them (None where it was not asked for); their blocks follow those of ``test``.

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


class TrainedRecord(Record, frozen=True, kw_only=True):
    """``trained.json``: the identity of the verifier in ``trained/``, and how long its training took.

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
            f"the training problems of {name} are of one class", found=f"{same.sum()} Y and {(~same).sum()} N",
            expected="problems by the same author and by different authors",
        )  # fmt: skip


def draft(
    component: Component, test: ProblemSet, train: ProblemSet | None, loaded: str, probe: bool, common: list[str],
    progress: Progress, transplants: Callable[[Fold, Progress], Transplants] | None = None,
) -> Draft[VerifyPlan]:  # fmt: skip
    """The fold of problems to learn from and to answer, and the plan that tells of it.

    ``loaded`` is the digest of a trained verifier, where there is nothing to learn from; ``common`` says what both sets
    share.
    """
    nothing = test.problems.select(np.arange(0))
    _, (taught, answered) = on_one_table([nothing if train is None else train.problems, test.problems])
    train_same = np.zeros(0, dtype=bool) if train is None else train.truth()
    # Test problems may come without truth; nothing reads it then.
    truth = np.zeros(len(answered), dtype=bool) if test.same is None else test.same
    fold = given(taught, train_same, answered, truth, "test")
    record = fold_record(fold)
    section, folds, texts = None, [], answered.texts
    if probe and test.same is None:
        section = nothing_to_ask("the problems came without truth, so nothing tells which have one author")
    elif probe:
        made = (transplants or plan_given_transplants)(fold, progress)
        section, folds, texts = made.section, made.folds, made.texts
    if test.same is None:
        record = msgspec.structs.replace(record, counts=None, composition=None)
    learned = loaded if train is None else record.train_digest
    notes = [] if train is None else [*train.notes, *filter(None, [collapsed(train.problems, train_same)])]
    plan = VerifyPlan(
        folds={fold.name: record} | {one.name: fold_record(one) for one in folds},
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
        notes=[*common, *(f"training: {note}" for note in notes), *test.notes],
        transplant=section,
    )
    labels = {name: longer(getattr(taught, name), len(texts)) for name in ("author", "topic", "language")}
    return Draft(plan, [fold, *folds], texts, labels)


def _blocks(component: Component, fold: Fold, learned: str) -> list[ProblemBlock]:
    size = len(fold.test) if as_verifier(component).transductive else BLOCK
    blocks = []
    for start in range(0, len(fold.test), size):
        stop = min(start + size, len(fold.test))
        digest = fold.test.select(np.arange(start, stop)).digest()
        blocks.append(ProblemBlock(key=cell_key(component, learned, digest), start=start, stop=stop, fold=fold.name))
    return blocks
