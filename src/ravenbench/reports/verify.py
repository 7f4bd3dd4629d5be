"""The report of ``raven verify``: its answers, and scores where the test problems came with truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ravenbench.bench.verify.blocks import Collected, cells_of, collect
from ravenbench.bench.verify.record import VerifyPlan
from ravenbench.bench.verify.trained import read_trained
from ravenbench.reports import view
from ravenbench.reports.cells import answered
from ravenbench.reports.content import (
    ContentProbe,
    Read,
    content_json,
    content_probe,
    content_table,
    headline,
    no_verdict,
    reference_sentences,
    reference_table,
    verdicts,
)
from ravenbench.reports.report import write_parts
from ravenbench.reports.view import Column, Table, Value, printable, public_head
from ravenbench.store.records import Head
from ravenbench.store.store import Store
from ravenbench.types import Answers, Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType


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


SHOWN = 5
"""Reasons of a kind shown in the terminal; page and JSON name all."""


def write(answered: Answered, folder: Path) -> None:
    """Fill a report's folder."""
    figures = draw(answered)
    write_parts(
        folder,
        kind="verify",
        page=page(answered, figures),
        json=to_json(answered),
        tables=all_tables(answered),
        figures=figures,
    )


def draw(answered: Answered) -> dict[str, Figure]:
    """``content``: style left and swing, where the probe found any."""
    from ravenbench.reports.content import content_figure
    from ravenbench.reports.page import style

    if answered.content is None or all(r.figures.swing is None for r in answered.content.rows):
        return {}
    with style():
        return {"content": content_figure(answered.content)}


def page(answered: Answered, figures: Mapping[str, Figure]) -> str:
    """One self-contained page."""
    import msgspec

    from ravenbench.reports.page import inline, render

    made = {table.key: view.to_html(table) for table in all_tables(answered) if table.rows}
    sections = {
        "summary": "Answers",
        "content": "Content" if answered.content is not None else "",
        "reasons": "Left out, unanswered" if "reasons" in made else "",
        "run": "Run",
    }
    return render(
        "verify.html.j2",
        sections=[item for item in sections.items() if item[1]],
        a=answered,
        tables=made,
        figures={name: inline(figure, name) for name, figure in figures.items()},
        verdicts=verdicts(answered.content),
        headline=headline(answered.content),
        lets=reference_sentences(answered.content),
        no_verdict=no_verdict(answered.content),
        run=msgspec.to_builtins(answered.run),
    )


def terminal(answered: Answered) -> list[RenderableType]:
    """What a reader must know before using the answers, for 80 columns."""
    from rich.text import Text

    count = len(answered.answers.ids)
    shown: list[RenderableType] = [
        f"{answered.verifier}: {count:,} problems, {answered.unanswered:,} of them unanswered"
    ]
    faults = [f"{name}: {why}" for name, why in answered.faults.items()]
    left_out = [f"{name}: {why}" for name, why in answered.plan.left_out.items()]
    missing = [f"{block}: {why.splitlines()[0]}" for block, why in answered.missing.items()]
    for title, reasons in (
        ("could not be answered", faults),
        ("training problems were left out", left_out),
        ("blocks have no answers", missing),
        ("remarks", answered.plan.notes),
    ):
        if reasons:
            shown.append(f"{len(reasons):,} {title}:")
            shown += [f"  {printable(reason)}" for reason in reasons[:SHOWN]]
            if len(reasons) > SHOWN:
                shown.append(f"  and {len(reasons) - SHOWN:,} more (--json names all)")
    shown += [Text(text) for text in no_verdict(answered.content)]
    content = content_table(answered.content)
    return [*shown, *(view.for_terminal(table) for table in (scores_table(answered), content) if table.rows)]


def all_tables(answered: Answered) -> tuple[Table, ...]:
    """Every table in the order of the page."""
    content = answered.content
    return (
        scores_table(answered),
        content_table(content),
        reference_table(content),
        seconds_table(answered),
        reasons_table(answered),
    )


def scores_table(answered: Answered) -> Table:
    """Metrics of PAN-2014; no row where truth is not known."""
    columns = (Column("verifier", text=True), Column("AUC"), Column("c@1"), Column("final"), Column("open"))
    s = answered.scores
    rows = () if s is None else ((answered.verifier, s["auc"], s["c@1"], s["final"], answered.unanswered),)
    note = "final = AUC · c@1; “open”: unanswered problems."
    return Table("scores", "Scores", columns, rows, note)


def seconds_table(answered: Answered) -> Table:
    """Problems and what they took."""
    columns = (Column("problems"), Column("unanswered"), Column("to train", digits=1), Column("to answer", digits=1))
    row = (len(answered.answers.ids), answered.unanswered, answered.fit, answered.score)
    note = "Seconds to train and to answer; n/a where a trained verifier was loaded."
    return Table("seconds", "Problems and seconds", columns, (row,), note)


def reasons_table(answered: Answered) -> Table:
    """Problems that were not answered or not learned from, and remarks."""
    rows: list[tuple[Value, ...]] = [(name, "unanswered", why) for name, why in answered.faults.items()]
    rows += [(block, "no answers", why.splitlines()[0]) for block, why in answered.missing.items()]
    failures = () if answered.content is None else answered.content.failures
    rows += [(f.fold, "content: no answers", f.error.splitlines()[0]) for f in failures]
    rows += [(name, "left out of training", why) for name, why in answered.plan.left_out.items()]
    rows += [("", "remark", note) for note in answered.plan.notes]
    columns = (Column("problem", text=True), Column("what", text=True), Column("why", text=True))
    return Table("reasons", "Left out, unanswered", columns, tuple(rows))


def planned(store: Store) -> list[tuple[str, str, str]]:
    """Method, fold and key of every block of problems."""
    plan = store.plan_as(VerifyPlan)
    name = plan.verifiers[0].name
    return [(name, f"{b.fold}, problems {b.start + 1} to {b.stop}", b.key) for b in plan.blocks]
