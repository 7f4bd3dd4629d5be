"""Page, figures and folder of a PAN-2014 overview."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ravenbench.errors import InputError
from ravenbench.files import write_json, write_text
from ravenbench.reports.evaluate import figures as evaluation_figures
from ravenbench.reports.pan14 import tables as pan14_tables
from ravenbench.reports.pan14.analysis import META, Overview, Rows
from ravenbench.reports.run.folder import replace_folder
from ravenbench.reports.shared.figures import FAINT, INK, SETUP, canvas, style, svg
from ravenbench.reports.shared.page import inline, render
from ravenbench.reports.shared.tables import Table, printable, terminal, to_csv, to_html, to_latex

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

LONGEST = 28
"""Characters of a name in a figure."""


def draw(overview: Overview) -> dict[str, Figure]:
    """``finals``: final scores with intervals by corpus; ``roc``: curves over all problems, and their hull."""
    made = {}
    with style():
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
        meta=META,
        best=next(iter(overview.micro), None),
        problems=sum(len(c.info["fault_truth"]) + c.info["test"]["problems"] for c in overview.corpora),
        unread=sum(len(c.info["faults"]) for c in overview.corpora),
        figures={name: inline(figure, name) for name, figure in figures.items()},
        tables={
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


def write_overview(overview: Overview, folder: Path) -> Path:
    """Write ``FOLDER/report`` (page, report.json, tables, figures) and return the page's path.

    An earlier report is replaced only when the new one is complete.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    target = folder / "report"
    try:
        new = Path(tempfile.mkdtemp(prefix=".report-", dir=folder))
        try:
            _write(overview, new)
            new.chmod(0o755)
            replace_folder(new, target)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise InputError(
            f"the report cannot be written ({error.strerror})", file=target, fix="make the run's folder writable"
        ) from error
    return target / "index.html"


def shown(overview: Overview) -> list[RenderableType]:
    """The closing tables for a terminal of 80 columns."""
    tables = pan14_tables.all_tables(overview)
    wanted = ("overall", "corpus-", "shared-", "published", "significance-c1", "reasons")
    return [_tight(t) for t in tables if t.key.startswith(wanted) and t.rows]


def _tight(table: Table) -> RenderableType:
    found = terminal(table)
    found.padding, found.show_edge = 0, False
    return found


def _write(overview: Overview, folder: Path) -> None:
    figures = draw(overview)
    (folder / "tables").mkdir()
    (folder / "figures").mkdir()
    for table in pan14_tables.all_tables(overview):
        write_text(folder / "tables" / f"{table.key}.csv", to_csv(table))
        write_text(folder / "tables" / f"{table.key}.tex", to_latex(table))
    for name, figure in figures.items():
        write_text(folder / "figures" / f"{name}.svg", svg(figure, name))
    write_json(folder / "report.json", overview.to_json())
    write_text(folder / "index.html", page(overview, figures))
