"""Makes the report of ``raven verify``: its answers, and scores if the test problems have truth.

In: the ``Store`` of one verifier's answers.
Out: an ``Answered`` (answers, AUC, c@1, final = AUC · c@1, each from 0 to 1, None where undefined; times in seconds;
counts of problems; reasons), its ``Table`` objects, JSON values, Rich objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ravenbench.errors import is_remarked
from ravenbench.reports.content import (
    content_figure,
    content_json,
    content_table,
    headline,
    no_verdict,
    reference_sentences,
    reference_table,
    replacements_table,
    verdicts,
)
from ravenbench.reports.page import style
from ravenbench.reports.report import Report
from ravenbench.reports.view import Table, col, figure, printable, table
from ravenbench.tasks.verify.analysis import Answered
from ravenbench.tasks.verify.plan import VerifyPlan

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType


SHOWN = 5
"""Reasons of a kind shown in the terminal; page and JSON name all."""


class VerifyReport(Report[Answered]):
    """The report of ``raven verify``."""

    kind = "verify"
    template = "ravenbench.tasks.verify:template.html.j2"

    @classmethod
    def products(cls, values: Mapping[str, Any]) -> dict[str, str | None]:
        return {"answers": values.get("out"), "saved": values.get("save")}

    @classmethod
    def trouble(cls, result: Any, values: Mapping[str, Any], failure: str) -> None:
        return None

    def planned(self) -> list[tuple[str, str, str]]:
        return self.store.plan_as(VerifyPlan).planned

    def tables(self) -> list[Table]:
        analysis = self.analysis
        return [
            self.scores(),
            content_table(analysis.content),
            replacements_table(analysis.content),
            reference_table(analysis.content),
            self.seconds(),
            self.reasons(),
        ]

    def scores(self) -> Table:
        """Return the metrics of PAN-2014; no row without truth."""
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
        """Return the numbers of problems and the seconds that they took."""
        return table(
            "seconds",
            "Problems and seconds",
            [self.analysis],
            col("problems", lambda answered: len(answered.answers.ids)),
            col("unanswered", "unanswered"),
            col("to train", "fit", digits=1),
            col("to answer", "score", digits=1),
            note="Seconds for training and for answering; n/a if a trained verifier was loaded.",
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
            col("problem", "0", text=True),
            col("what", "1", text=True),
            col("why", "2", text=True),
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
            (
                f"; truth does not contain {analysis.unjudged:,} more, so Raven does not answer or"
                " score them"
            )
            if analysis.unjudged
            else ""
        )
        read = len(analysis.answers.ids) - analysis.unjudged
        return f"{analysis.verifier}: {scores}{analysis.unanswered:,} of {read:,} problems are unanswered{alone}."

    def context(self) -> dict[str, Any]:
        analysis = self.analysis
        return {
            "verdicts": verdicts(analysis.content),
            "headline": headline(analysis.content),
            "lets": reference_sentences(analysis.content),
            "no_verdict": no_verdict(analysis.content, each=False),
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
                    blocks.append(f"  and {len(reasons) - SHOWN:,} more (--json lists all)")
        blocks += [Text(text) for text in no_verdict(analysis.content)]
        return [*blocks, *super().closing()]
