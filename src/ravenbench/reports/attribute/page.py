"""The attribution report on disk and in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from ravenbench import __version__
from ravenbench.reports.attribute import tables
from ravenbench.reports.attribute.json_form import settings, to_json
from ravenbench.reports.attribute.records import AttributionAnalysis
from ravenbench.reports.page import FAINT, SETUP, canvas, inline, render, style
from ravenbench.reports.report import write_parts
from ravenbench.reports.view import Table, to_html
from ravenbench.reports.view import for_terminal as rich_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType


def page(analysis: AttributionAnalysis, figure: Figure) -> str:
    """The report as one self-contained page."""
    shown: dict[str, Markup] = {t.key: to_html(t) for t in tables.all_tables(analysis)}
    sections = {
        "summary": "Findings",
        "comparison": "Comparison",
        "topics": "Topics" if analysis.topics else "",
        "reliance": "Topic reliance" if analysis.reliance() else "",
        "data": "Corpus",
        "folds": "Folds",
        "method": "Method",
    }
    return render(
        "attribute.html.j2",
        sections=[item for item in sections.items() if item[1]],
        view=analysis.view,
        settings=settings(analysis.result),
        protocols=analysis.protocols,
        novel=analysis.main.protocol == "novel-topic",
        difference=analysis.difference,
        titles=tables.TITLES,
        tables=shown,
        figure=inline(figure, "accuracies"),
        version=__version__,
    )


def accuracies(analysis: AttributionAnalysis) -> Figure:
    """Accuracy of each method in every protocol, with bars of one standard error."""
    with style():
        figure, (axes,) = canvas(4.6, 1.1 + 0.4 * len(analysis.main.methods))
        spread = 0.16 if len(analysis.protocols) > 1 else 0.0
        names = [m.method for m in analysis.main.methods]
        for place, scores in enumerate(analysis.protocols):
            color, shape = (SETUP["random"], "s") if scores.protocol == "k-fold" else (SETUP["hits"], "o")
            label = tables.TITLES[scores.protocol]
            for y, m in enumerate(scores.methods):
                if m.mean is None:
                    continue
                at = y + spread * (2 * place - 1 if spread else 0)
                error = m.mean.se or 0.0
                axes.plot([m.mean.mean - error, m.mean.mean + error], [at, at], color=color, linewidth=2, alpha=0.7)
                axes.plot([m.mean.mean], [at], shape, color=color, markersize=6, label=label)
                label = "_nolegend_"
        axes.set_yticks(range(len(names)), [n if len(n) <= 28 else n[:27] + "…" for n in names])
        axes.set_ylim(len(names) - 0.45, -0.55)
        axes.set_xlim(left=0)
        axes.set_xlabel("accuracy")
        axes.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
        if spread:
            axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, fontsize=8)
    return figure


def write(analysis: AttributionAnalysis, folder: Path) -> None:
    """Fill a report's folder."""
    figure = accuracies(analysis)
    write_parts(
        folder,
        kind="attribute",
        page=page(analysis, figure),
        json=to_json(analysis),
        tables=tables.all_tables(analysis),
        figures={"accuracies": figure},
    )


def terminal(analysis: AttributionAnalysis) -> list[RenderableType]:
    """The corpus in a line, its warnings, then scores and comparisons for 80 columns."""
    from rich.text import Text

    view = analysis.view
    dropped = ", ".join(f"{n:,} {reason}" for reason, n in view.dropped.items())
    shown: list[RenderableType] = [
        Text(f"{view.name}: {view.documents:,} documents, {len(view.authors)} authors, {len(view.topics)} topics"),
        *([Text(f"left out: {dropped}", style="dim")] if dropped else []),
        *(Text(f"• {sentence}") for sentence in view.advice()),
    ]
    for scores in analysis.protocols:
        shown.append(rich_table(tables.methods(scores)))
        if scores.pairs:
            shown.append(rich_table(_short(tables.pairs(scores, analysis.difference))))
        shown.append(Text(f"{scores.leaders()} {scores.answerable()}"))
        failed = [(m.method, f.fold, f.error) for m in scores.methods for f in m.folds if f.error is not None]
        if failed:
            shown.append(
                Text(f"{len(failed)} fits have no result, the first: {' on '.join(failed[0][:2])}: {failed[0][2]}")
            )
        unseen = [f for f in scores.methods[0].folds if f.unseen]
        if unseen:
            some = "; ".join(f"{f.fold}: {', '.join(f.unseen)}" for f in unseen[:5])
            shown.append(Text(f"{len(unseen)} folds hold authors unseen in training (counted as errors): {some}"))
    if analysis.topics:
        shown.append(rich_table(tables.topics(analysis)))
    if analysis.reliance():
        shown.append(rich_table(tables.reliance(analysis)))
    return shown


def _short(table: Table) -> Table:
    """The columns of a comparison that fit 80 characters."""
    kept = [0, 1, 2, 3, 7]
    rows = tuple(tuple(row[i] for i in kept) for row in table.rows)
    return Table(table.key, table.title, tuple(table.columns[i] for i in kept), rows, table.note.split(";")[0] + ".")
