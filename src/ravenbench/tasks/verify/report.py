"""Makes the report of ``raven verify``: its answers, and scores where the test problems came with truth.

In: the ``Store`` of one verifier's answers.
Out: an ``Answered`` (answers, AUC, c@1, final = AUC · c@1, each from 0 to 1, None where undefined; times in seconds;
counts of problems; reasons), its ``Table`` objects, JSON values, Rich objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from ravenbench.errors import is_remarked
from ravenbench.reports.cells import published
from ravenbench.reports.content import (
    ContentProbe,
    content_figure,
    content_json,
    content_probe,
    content_table,
    headline,
    no_verdict,
    reference_sentences,
    reference_table,
    verdicts,
)
from ravenbench.reports.page import style
from ravenbench.reports.report import Report
from ravenbench.reports.view import Table, col, figure, printable, public_head, table
from ravenbench.shown import Shown
from ravenbench.store.records import Head
from ravenbench.tasks.verify.plan import Collected, VerifyPlan, cells_of, collect, read_trained
from ravenbench.types import Answers, Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

    from ravenbench.store.store import Cell

METRICS = ("auc", "c@1", "final")
"""Those of PAN-2014: the area under the ROC curve, accuracy that rewards non-answers, and their product."""
SHOWN = 5
"""Reasons of a kind shown in the terminal; page and JSON name all."""


@dataclass(frozen=True, eq=False, repr=False)
class Answered(Shown):
    """Everything the report says: answers and scores from 0 to 1, seconds, and reasons.

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
    def unjudged(self) -> int:
        """Count of problems that the truth of others does not name: they are neither answered nor judged."""
        return len(self.plan.faults.keys() - self.plan.fault_truth.keys()) if self.plan.truth else 0

    @property
    def unanswered(self) -> int:
        """Count of problems whose answer is exactly 0.5, without those that truth does not name."""
        return int((self.answers.value == 0.5).sum()) - self.unjudged


class VerifyReport(Report[Answered]):
    """What ``raven verify`` answered."""

    kind = "verify"
    template = "ravenbench.tasks.verify:template.html.j2"

    @classmethod
    def products(cls, values: Mapping[str, Any]) -> dict[str, str | None]:
        return {"answers": values.get("out"), "saved": values.get("save")}

    @classmethod
    def trouble(cls, result: Any, values: Mapping[str, Any], failure: str) -> None:
        return None

    @cached_property
    def plan(self) -> VerifyPlan:
        """The plan of the folder."""
        return self.store.plan_as(VerifyPlan)

    def analyse(self) -> Answered:
        plan = self.plan
        collected = collect(self.store)
        trained = read_trained(self.store)

        def read(_: str, fold: str) -> tuple[Floats | None, str]:
            """Answers and scores of a fold's blocks one after the other."""
            cells, error = cells_of(self.store, plan, fold)
            values = [values for cell in cells if (values := published(cell)) is not None]
            return (np.concatenate(values, axis=1), "") if values else (None, error)

        def cells(_: str, fold: str) -> list[Cell]:
            return cells_of(self.store, plan, fold)[0]

        return Answered(
            path=str(self.store.path),
            run=public_head(self.store.run),
            plan=plan,
            answers=collected.answers,
            faults=collected.faults,
            missing={block: why.splitlines()[0] for block, why in collected.missing.items()},
            scores=None if collected.missing or not plan.truth else self._scores(collected),
            fit=None if trained is None else trained.seconds,
            score=collected.seconds,
            content=content_probe(
                self.store, plan.transplant, [plan.verifiers[0].name], (), read, cells
            ),
        )

    def _scores(self, collected: Collected) -> dict[str, float | None]:
        from ravenbench.metrics import scores

        # Problems that could not be read stand last; where truth names them, they count as unanswered.
        unread = [
            self.plan.fault_truth[name]
            for name in self.plan.faults
            if name in self.plan.fault_truth
        ]
        read = self.store.truth("test")
        value = np.append(collected.answers.value[: len(read)], np.full(len(unread), 0.5))
        every = scores([*read.tolist(), *unread], value)
        return {metric: every[metric] for metric in METRICS}

    def planned(self) -> list[tuple[str, str, str]]:
        name = self.plan.verifiers[0].name
        return [
            (name, f"{block.fold}, problems {block.start + 1} to {block.stop}", block.key)
            for block in self.plan.blocks
        ]

    def tables(self) -> list[Table]:
        analysis = self.analysis
        return [
            self.scores(),
            content_table(analysis.content),
            reference_table(analysis.content),
            self.seconds(),
            self.reasons(),
        ]

    def scores(self) -> Table:
        """Metrics of PAN-2014; no row where truth is not known."""
        analysis = self.analysis
        return table(
            "scores",
            "Scores",
            [] if analysis.scores is None else [analysis.scores],
            col("verifier", lambda scores: analysis.verifier, text=True),
            col("AUC", lambda scores: scores["auc"]),
            col("c@1", lambda scores: scores["c@1"]),
            col("final", lambda scores: scores["final"]),
            col("unanswered", lambda scores: analysis.unanswered),
            note="final = AUC · c@1.",
        )

    def seconds(self) -> Table:
        """Problems and what they took."""
        return table(
            "seconds",
            "Problems and seconds",
            [self.analysis],
            col("problems", lambda answered: len(answered.answers.ids)),
            col("unanswered", lambda answered: answered.unanswered),
            col("to train", lambda answered: answered.fit, digits=1),
            col("to answer", lambda answered: answered.score, digits=1),
            note="Seconds to train and to answer; n/a where a trained verifier was loaded.",
            terminal=False,
        )

    def reasons(self) -> Table:
        """Problems that were not answered or not learned from, and remarks."""
        analysis = self.analysis
        failures = () if analysis.content is None else analysis.content.failures
        rows = [
            *((name, "unanswered", why) for name, why in analysis.faults.items()),
            *((block, "no answers", why) for block, why in analysis.missing.items()),
            *(
                (failure.fold, "content: no answers", failure.error.splitlines()[0])
                for failure in failures
            ),
            *((name, "left out of training", why) for name, why in analysis.plan.left_out.items()),
            *(("", "remark", note) for note in analysis.plan.notes),
        ]
        return table(
            "reasons",
            "Left out, unanswered",
            rows,
            col("problem", lambda row: row[0], text=True),
            col("what", lambda row: row[1], text=True),
            col("why", lambda row: row[2], text=True),
            terminal=False,
        )

    def figures(self) -> dict[str, Figure]:
        probe = self.analysis.content
        if probe is None or all(row.figures.swing is None for row in probe.rows):
            return {}
        with style():
            return {"content": content_figure(probe)}

    def finding(self) -> str:
        analysis = self.analysis
        scores = (
            ""
            if analysis.scores is None
            else f"AUC {figure(analysis.scores['auc'])}, c@1 {figure(analysis.scores['c@1'])}; "
        )
        alone = (
            f"; {analysis.unjudged:,} more that truth does not name are neither answered nor judged"
            if analysis.unjudged
            else ""
        )
        read = len(analysis.answers.ids) - analysis.unjudged
        return f"{analysis.verifier}: {scores}{analysis.unanswered:,} of {read:,} problems are unanswered{alone}."

    def context(self) -> dict[str, Any]:
        analysis = self.analysis
        return {
            "a": analysis,
            "verdicts": verdicts(analysis.content),
            "headline": headline(analysis.content),
            "lets": reference_sentences(analysis.content),
            "no_verdict": no_verdict(analysis.content, each=False),
            "run": msgspec.to_builtins(analysis.run),
        }

    def to_json(self) -> dict[str, Any]:
        analysis = self.analysis
        return {
            "run": analysis.path,
            "verifier": analysis.verifier,
            "problems": len(analysis.answers.ids),
            "unanswered": analysis.unanswered,
            "scores": None if analysis.scores is None else dict(analysis.scores),
            "faults": dict(analysis.faults),
            "left_out_of_training": dict(analysis.plan.left_out),
            "notes": list(analysis.plan.notes),
            "missing": dict(analysis.missing),
            "content": content_json(analysis.content),
            "seconds": {"fit": analysis.fit, "score": analysis.score},
        }

    def closing(self) -> list[RenderableType]:
        from rich.text import Text

        analysis = self.analysis
        blocks: list[RenderableType] = []
        for title, reasons in (
            ("could not be answered", [f"{name}: {why}" for name, why in analysis.faults.items()]),
            (
                "training problems were left out",
                [f"{name}: {why}" for name, why in analysis.plan.left_out.items()],
            ),
            (
                "blocks have no answers",
                [f"{block}: {why}" for block, why in analysis.missing.items()],
            ),
            ("remarks", [note for note in analysis.plan.notes if not is_remarked(note)]),
        ):
            if reasons:
                blocks.append(f"{len(reasons):,} {title}:")
                blocks += [f"  {printable(reason)}" for reason in reasons[:SHOWN]]
                if len(reasons) > SHOWN:
                    blocks.append(f"  and {len(reasons) - SHOWN:,} more (--json names all)")
        blocks += [Text(text) for text in no_verdict(analysis.content)]
        return [*blocks, *super().closing()]
