"""The report of ``raven verify`` on disk and in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ravenbench.reports import view
from ravenbench.reports.content import (
    WIDE,
    content_table,
    headline,
    no_verdict,
    reference_sentences,
    reference_table,
    verdicts,
)
from ravenbench.reports.report import write_parts
from ravenbench.reports.verify.analysis import Answered, to_json
from ravenbench.reports.view import Column, Table, Value, printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

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
    content = view.without(content_table(answered.content), *WIDE)
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
