"""A PAN-2014 overview on disk and in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ravenbench.reports import view
from ravenbench.reports.content import no_verdict
from ravenbench.reports.pan14 import tables as pan14_tables
from ravenbench.reports.pan14.analysis import Overview
from ravenbench.reports.pan14.json_form import to_json
from ravenbench.reports.report import write_parts

if TYPE_CHECKING:
    from rich.console import RenderableType


def write(overview: Overview, folder: Path) -> None:
    """Fill a report's folder."""
    from ravenbench.reports.pan14.page import draw, page

    figures = draw(overview)
    write_parts(
        folder,
        kind="pan14",
        page=page(overview, figures),
        json=to_json(overview),
        tables=pan14_tables.all_tables(overview),
        figures=figures,
    )


def terminal(overview: Overview) -> list[RenderableType]:
    """The closing tables for 80 columns."""
    wanted = ("content", "overall", "corpus-", "shared-", "published", "significance-c1", "reasons")
    shown = [t for t in pan14_tables.all_tables(overview) if t.key.startswith(wanted) and t.rows]
    from rich.text import Text

    missing = [Text(f"{c.name}: {text}") for c in overview.corpora for text in no_verdict(c.content)]
    return [*(_tight(table) for table in shown), *missing]


def _tight(table: view.Table) -> RenderableType:
    found = view.for_terminal(table)
    found.padding, found.show_edge = 0, False
    return found
