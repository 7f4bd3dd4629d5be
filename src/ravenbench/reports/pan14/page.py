"""Page and figures of a PAN-2014 overview."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ravenbench.reports.content import content_figure, headline, no_verdict, reference_sentences, verdicts
from ravenbench.reports.evaluate import report as evaluation_figures
from ravenbench.reports.page import FAINT, INK, SETUP, canvas, inline, render, style
from ravenbench.reports.pan14 import tables as pan14_tables
from ravenbench.reports.pan14.analysis import META, Overview, Rows
from ravenbench.reports.view import printable, to_html

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST = 28
"""Characters of a name in a figure."""


def draw(overview: Overview) -> dict[str, Figure]:
    """``content``: style left and swing; ``finals``: final scores by corpus; ``roc``: curves over all problems."""
    made = {}
    with style():
        if overview.content is not None and any(r.figures.swing is not None for r in overview.content.rows):
            made["content"] = content_figure(overview.content)
        made["finals"] = finals(overview)
        if overview.pooled is not None and overview.pooled.hull is not None:
            made["roc"] = evaluation_figures.roc(overview.pooled)
    return made


def finals(overview: Overview) -> Figure:
    """One panel a corpus and one for all problems: final scores and their intervals."""
    panels: list[tuple[str, Rows]] = [(c.name, c.rows) for c in overview.corpora]
    if len(panels) > 1 and overview.micro:
        panels.append(("all problems", overview.micro))
    order = list(dict.fromkeys(name for rows in (overview.micro, *(r for _, r in panels)) for name in rows))
    order.sort(key=lambda name: name == META)
    figure, axes = canvas(7.2, 1.0 + 0.3 * len(order), columns=len(panels))
    for place, (ax, (title, rows)) in enumerate(zip(axes, panels, strict=True)):
        for y, name in enumerate(order):
            row = rows.get(name)
            if row is None or row.scores["final"] is None:
                continue
            color = SETUP["random"] if name == META else SETUP["hits"]
            if (interval := row.interval["final"]) is not None:
                ax.plot(interval, (y, y), color=color, linewidth=2, solid_capstyle="butt", alpha=0.6)
            ax.plot([row.scores["final"]], [y], "D" if name == META else "o", markersize=5, color=color)
        ax.set_title(printable(title), color=INK)
        ax.set_xlim(0, 1)
        ax.set_xticks((0, 0.5, 1), ("0", ".5", "1"))
        for label, side in zip(ax.get_xticklabels(), ("left", "center", "right"), strict=True):
            label.set_horizontalalignment(side)
        ax.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
        names = [printable(n) if len(n) <= LONGEST else printable(n)[: LONGEST - 1] + "…" for n in order]
        ax.set_yticks(range(len(order)), names if place == 0 else [""] * len(order))
        ax.set_ylim(len(order) - 0.45, -0.55)
        ax.spines["left"].set_visible(False)
    return figure


def page(overview: Overview, figures: dict[str, Figure]) -> str:
    """One self-contained page."""
    tables = pan14_tables.all_tables(overview)

    def html(prefix: str) -> list[str]:
        return [to_html(t) for t in tables if t.key.startswith(prefix)]

    significance, reasons = html("significance"), html("reasons")
    sections = {
        "summary": "Findings",
        "content": "Content" if overview.content is not None else "",
        "overall": "All problems",
        "corpora": "Corpora",
        "significance": "Significance" if significance else "",
        "roc": "ROC" if "roc" in figures else "",
        "data": "Data",
        "method": "Method",
        "reasons": "Left out" if reasons else "",
    }
    return render(
        "pan14.html.j2",
        sections=[item for item in sections.items() if item[1]],
        o=overview,
        run=msgspec.to_builtins(overview.run),
        meta=META,
        verdicts=verdicts(overview.content),
        headline=headline(overview.content),
        lets=[{"name": c.name, "sentences": reference_sentences(c.content)} for c in overview.corpora],
        missing=[{"corpus": c.name, "text": text} for c in overview.corpora for text in no_verdict(c.content)],
        best=next(iter(overview.micro), None),
        problems=sum(len(c.info.fault_truth) + c.info.test.problems for c in overview.corpora),
        unread=sum(len(c.info.faults) for c in overview.corpora),
        figures={name: inline(figure, name) for name, figure in figures.items()},
        tables={
            "content": [*html("content"), *html("references")],
            "overall": html("overall"),
            "corpora": html("corpus-"),
            "shared": html("shared-"),
            "published": html("published"),
            "significance": significance,
            "hull": html("hull"),
            "data": html("data"),
            "reasons": reasons,
        },
    )
