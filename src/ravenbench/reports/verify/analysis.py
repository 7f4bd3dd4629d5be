"""What ``raven verify`` answered, derived from its store; scores where the test problems came with truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ravenbench.bench.verify.blocks import Collected, cells_of, collect
from ravenbench.bench.verify.record import VerifyPlan
from ravenbench.bench.verify.trained import read_trained
from ravenbench.reports.shared.cell_scores import answered
from ravenbench.reports.shared.content import ContentProbe, Read, content_probe
from ravenbench.reports.shared.content_json import content_json
from ravenbench.reports.shared.public import public_head
from ravenbench.store.records import Head
from ravenbench.store.store import Store
from ravenbench.types import Answers, Floats

METRICS = ("auc", "c@1", "final")
"""Those of PAN-2014: the area under the ROC curve, accuracy that rewards non-answers, and their product."""


@dataclass(frozen=True, eq=False)
class Answered:
    """Everything the report says.

    ``answers`` hold every test problem; ``faults`` say why one could not be answered, ``missing`` why whole blocks
    have no answers yet. ``scores`` (None where undefined) are over the problems whose truth is known; there are none
    without truth or while blocks are missing. ``fit`` is the seconds of training, None for a verifier that was loaded
    or could not be kept, ``score`` those of answering.
    ``content`` is the transplant probe, None where it was not asked for.
    """

    path: str
    run: Head
    plan: VerifyPlan
    answers: Answers
    faults: Mapping[str, str]
    missing: Mapping[str, str]
    scores: Mapping[str, float | None] | None
    fit: float | None
    score: float
    content: ContentProbe | None = None

    @property
    def verifier(self) -> str:
        """The verifier by the name it prints."""
        return self.plan.verifiers[0].name

    @property
    def unanswered(self) -> int:
        """Problems whose answer is exactly 0.5."""
        return int((self.answers.value == 0.5).sum())


def analyse(store: Store) -> Answered:
    """Everything the report of a run of ``raven verify`` says.

    Raises
    ------
    InputError
        If the folder belongs to another command.
    """
    store.expect("verify")
    plan = store.plan_as(VerifyPlan)
    found = collect(store)
    trained = read_trained(store)
    return Answered(
        path=str(store.path),
        run=public_head(store.run),
        plan=plan,
        answers=found.answers,
        faults=found.faults,
        missing=found.missing,
        scores=None if found.missing or not plan.truth else _scores(store, plan, found),
        fit=None if trained is None else trained.seconds,
        score=found.seconds,
        content=content_probe(store, plan.transplant, [plan.verifiers[0].name], read=_read(store, plan)),
    )


def _read(store: Store, plan: VerifyPlan) -> Read:
    """Scores of a fold's blocks one after the other."""

    def read(_: str, fold: str) -> tuple[Floats | None, str]:
        cells, error = cells_of(store, plan, fold)
        values = [values for cell in cells if (values := answered(cell)) is not None]
        return (np.concatenate(values), "") if values else (None, error)

    return read


def _scores(store: Store, plan: VerifyPlan, found: Collected) -> dict[str, float | None]:
    from ravenbench.metrics import scores

    # Problems that could not be read stand last; where truth names them, they count as unanswered.
    unread = [plan.fault_truth[name] for name in plan.faults if name in plan.fault_truth]
    read = store.truth("test")
    value = np.append(found.answers.value[: len(read)], np.full(len(unread), 0.5))
    every = scores([*read.tolist(), *unread], value)
    return {metric: every[metric] for metric in METRICS}


def to_json(found: Answered) -> dict[str, Any]:
    """One object of plain values; undefined values are None."""
    return {
        "run": found.path,
        "verifier": found.verifier,
        "problems": len(found.answers.ids),
        "unanswered": found.unanswered,
        "scores": None if found.scores is None else dict(found.scores),
        "faults": dict(found.faults),
        "left_out_of_training": dict(found.plan.left_out),
        "notes": list(found.plan.notes),
        "missing": {block: error.splitlines()[0] for block, error in found.missing.items()},
        "content": content_json(found.content),
        "seconds": {"fit": found.fit, "score": found.score},
    }
