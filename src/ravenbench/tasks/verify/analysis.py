"""Computes the results of ``raven verify`` from its store: answers, and scores if the test problems have truth.

In: the ``Store`` of one verifier's answers.
Out: an ``Answered``: answers, AUC, c@1, final = AUC · c@1, each from 0 to 1, None where undefined; seconds; reasons.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ravenbench.reports.answers import Answer
from ravenbench.reports.cells import published
from ravenbench.reports.content import ContentProbe, content_probe
from ravenbench.store.store import Cell, Store
from ravenbench.tasks.verify.plan import Collected, VerifyPlan, cells_of, collect, read_trained
from ravenbench.types import Answers, Floats, Measures

METRICS = ("auc", "c@1", "final")
"""Those of PAN-2014: the area under the ROC curve, accuracy that rewards non-answers, and their product."""


@dataclass(frozen=True, eq=False, repr=False)
class Answered(Answer[VerifyPlan]):
    """Everything the report says: answers and scores from 0 to 1, seconds, and reasons.

    ``answers`` contain every test problem; ``faults`` say why one could not be answered, ``missing`` why whole blocks
    have no answers yet. ``scores`` (None where undefined) are over the problems whose truth is known; there are none
    without truth or while blocks are missing. ``fit`` is the seconds of training, None for a verifier that was loaded
    or could not be kept, ``score`` those of answering.
    ``content`` is the transplant probe, None where it was not asked for.
    """

    Plan = VerifyPlan
    unstated = ("seconds", "fit", "score")

    answers: Answers
    faults: Mapping[str, str]
    missing: Mapping[str, str]
    scores: Measures | None
    fit: float | None
    score: float
    content: ContentProbe | None = None

    @classmethod
    def of(cls, store: Store) -> Answered:
        plan = store.plan_as(VerifyPlan)
        collected = collect(store)
        trained = read_trained(store)

        def read(_: str, fold: str) -> tuple[Floats | None, str]:
            """Answers and scores of a fold's blocks one after the other."""
            cells, error = cells_of(store, plan, fold)
            values = [values for cell in cells if (values := published(cell)) is not None]
            return (np.concatenate(values, axis=1), "") if values else (None, error)

        def cells(_: str, fold: str) -> list[Cell]:
            return cells_of(store, plan, fold)[0]

        judged = plan.truth and not collected.missing
        names = [plan.verifiers[0].name]
        return cls(
            answers=collected.answers,
            faults=collected.faults,
            missing={block: why.splitlines()[0] for block, why in collected.missing.items()},
            scores=_scores(store, plan, collected) if judged else None,
            fit=None if trained is None else trained.seconds,
            score=collected.seconds,
            content=content_probe(store, plan.transplant, names, (), read, cells),
        )

    @property
    def verifier(self) -> str:
        """The verifier by its printed form."""
        return self.plan.verifiers[0].name

    @property
    def unjudged(self) -> int:
        """Count of problems that truth does not contain: they are neither answered nor judged."""
        return len(self.plan.faults.keys() - self.plan.fault_truth.keys()) if self.plan.truth else 0

    @property
    def unanswered(self) -> int:
        """Count of problems whose answer is exactly 0.5, without those that truth does not name."""
        return int((self.answers.value == 0.5).sum()) - self.unjudged


def _scores(store: Store, plan: VerifyPlan, collected: Collected) -> Measures:
    from ravenbench.metrics import scores

    # Problems that could not be read stand last; where truth names them, they count as unanswered.
    unread = [plan.fault_truth[name] for name in plan.faults if name in plan.fault_truth]
    read = store.truth("test")
    value = np.append(collected.answers.value[: len(read)], np.full(len(unread), 0.5))
    every = scores([*read.tolist(), *unread], value)
    return {metric: every[metric] for metric in METRICS}
