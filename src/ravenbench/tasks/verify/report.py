"""The report of ``raven verify``: its answers, and scores where the test problems came with truth."""

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
    def unjudged(self) -> int:
        """Problems that the truth of others does not name: they are neither answered nor judged."""
        return len(self.plan.faults.keys() - self.plan.fault_truth.keys()) if self.plan.truth else 0

    @property
    def unanswered(self) -> int:
        """Problems whose answer is exactly 0.5, without those that truth does not name."""
        return int((self.answers.value == 0.5).sum()) - self.unjudged


class VerifyReport(Report[Answered]):
    """What ``raven verify`` answered."""

    kind = "verify"
    template = "ravenbench.tasks.verify:template.html.j2"

    @cached_property
    def plan(self) -> VerifyPlan:
        """The plan of the folder."""
        return self.store.plan_as(VerifyPlan)

    def analyse(self) -> Answered:
        plan, collected, trained = self.plan, collect(self.store), read_trained(self.store)

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
            content=content_probe(self.store, plan.transplant, [plan.verifiers[0].name], (), read, cells),
        )

    def _scores(self, collected: Collected) -> dict[str, float | None]:
        from ravenbench.metrics import scores

        # Problems that could not be read stand last; where truth names them, they count as unanswered.
        unread = [self.plan.fault_truth[name] for name in self.plan.faults if name in self.plan.fault_truth]
        read = self.store.truth("test")
        value = np.append(collected.answers.value[: len(read)], np.full(len(unread), 0.5))
        every = scores([*read.tolist(), *unread], value)
        return {metric: every[metric] for metric in METRICS}

    def planned(self) -> list[tuple[str, str, str]]:
        name = self.plan.verifiers[0].name
        return [(name, f"{b.fold}, problems {b.start + 1} to {b.stop}", b.key) for b in self.plan.blocks]

    def tables(self) -> list[Table]:
        a = self.analysis
        return [self.scores(), content_table(a.content), reference_table(a.content), self.seconds(), self.reasons()]

    def scores(self) -> Table:
        """Metrics of PAN-2014; no row where truth is not known."""
        a = self.analysis
        return table(
            "scores", "Scores", [] if a.scores is None else [a.scores],
            col("verifier", lambda s: a.verifier, text=True),
            col("AUC", lambda s: s["auc"]),
            col("c@1", lambda s: s["c@1"]),
            col("final", lambda s: s["final"]),
            col("unanswered", lambda s: a.unanswered),
            note="final = AUC · c@1.",
        )  # fmt: skip

    def seconds(self) -> Table:
        """Problems and what they took."""
        return table(
            "seconds", "Problems and seconds", [self.analysis],
            col("problems", lambda a: len(a.answers.ids)),
            col("unanswered", lambda a: a.unanswered),
            col("to train", lambda a: a.fit, digits=1),
            col("to answer", lambda a: a.score, digits=1),
            note="Seconds to train and to answer; n/a where a trained verifier was loaded.", terminal=False,
        )  # fmt: skip

    def reasons(self) -> Table:
        """Problems that were not answered or not learned from, and remarks."""
        a = self.analysis
        failures = () if a.content is None else a.content.failures
        rows = [
            *((name, "unanswered", why) for name, why in a.faults.items()),
            *((block, "no answers", why) for block, why in a.missing.items()),
            *((f.fold, "content: no answers", f.error.splitlines()[0]) for f in failures),
            *((name, "left out of training", why) for name, why in a.plan.left_out.items()),
            *(("", "remark", note) for note in a.plan.notes),
        ]
        return table(
            "reasons", "Left out, unanswered", rows,
            col("problem", lambda r: r[0], text=True),
            col("what", lambda r: r[1], text=True),
            col("why", lambda r: r[2], text=True), terminal=False,
        )  # fmt: skip

    def figures(self) -> dict[str, Figure]:
        probe = self.analysis.content
        if probe is None or all(r.figures.swing is None for r in probe.rows):
            return {}
        with style():
            return {"content": content_figure(probe)}

    def finding(self) -> str:
        a = self.analysis
        scores = "" if a.scores is None else f"AUC {figure(a.scores['auc'])}, c@1 {figure(a.scores['c@1'])}; "
        alone = f"; {a.unjudged:,} more that truth does not name are neither answered nor judged" if a.unjudged else ""
        read = len(a.answers.ids) - a.unjudged
        return f"{a.verifier}: {scores}{a.unanswered:,} of {read:,} problems are unanswered{alone}."

    def context(self) -> dict[str, Any]:
        a = self.analysis
        return {
            "a": a,
            "verdicts": verdicts(a.content),
            "headline": headline(a.content),
            "lets": reference_sentences(a.content),
            "no_verdict": no_verdict(a.content, each=False),
            "run": msgspec.to_builtins(a.run),
        }

    def to_json(self) -> dict[str, Any]:
        a = self.analysis
        return {
            "run": a.path,
            "verifier": a.verifier,
            "problems": len(a.answers.ids),
            "unanswered": a.unanswered,
            "scores": None if a.scores is None else dict(a.scores),
            "faults": dict(a.faults),
            "left_out_of_training": dict(a.plan.left_out),
            "notes": list(a.plan.notes),
            "missing": dict(a.missing),
            "content": content_json(a.content),
            "seconds": {"fit": a.fit, "score": a.score},
        }

    def closing(self) -> list[RenderableType]:
        from rich.text import Text

        a = self.analysis
        parts: list[RenderableType] = []
        for title, reasons in (
            ("could not be answered", [f"{name}: {why}" for name, why in a.faults.items()]),
            ("training problems were left out", [f"{name}: {why}" for name, why in a.plan.left_out.items()]),
            ("blocks have no answers", [f"{block}: {why}" for block, why in a.missing.items()]),
            ("remarks", [note for note in a.plan.notes if not is_remarked(note)]),
        ):
            if reasons:
                parts.append(f"{len(reasons):,} {title}:")
                parts += [f"  {printable(reason)}" for reason in reasons[:SHOWN]]
                if len(reasons) > SHOWN:
                    parts.append(f"  and {len(reasons) - SHOWN:,} more (--json names all)")
        parts += [Text(text) for text in no_verdict(a.content)]
        return [*parts, *super().closing()]
