"""A run's report on disk and in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ravenbench.files import write_text
from ravenbench.reports import view
from ravenbench.reports.content import WIDE, content_table
from ravenbench.reports.report import write_parts
from ravenbench.reports.run import axes_tables, sweep_tables
from ravenbench.reports.run import tables as run_tables
from ravenbench.reports.run.fold_rows import SHOWN
from ravenbench.reports.run.json_form import to_json
from ravenbench.reports.run.lengths import lengths_table
from ravenbench.reports.run.records import Analysis, title

if TYPE_CHECKING:
    from rich.console import RenderableType


def write(analysis: Analysis, folder: Path) -> None:
    """Fill a report's folder."""
    from ravenbench.reports.run.figures import draw
    from ravenbench.reports.run.page import failures, fold_tables, run_page

    figures = draw(analysis)
    write_parts(
        folder,
        kind="run",
        page=run_page(analysis, figures),
        json=to_json(analysis),
        tables=run_tables.run_tables(analysis),
        figures=figures,
    )
    for table in (*fold_tables(analysis), failures(analysis)):
        if table.rows:
            write_text(folder / "tables" / f"{table.key}.csv", view.to_csv(table))


def terminal(analysis: Analysis) -> list[RenderableType]:
    """A run's closing tables for 80 columns: the two axes, scores, the shortcut test, then what failed."""
    from rich.text import Text

    shown: list[RenderableType] = []
    content = view.without(content_table(analysis.content), *WIDE)
    for table in (content, axes_tables.domain_table(analysis)):
        if table.rows:
            shown.append(view.for_terminal(view.without(table, "shows")))
    shown += [Text(text) for text in axes_tables.missing(analysis)]
    for table in (run_tables.results(analysis), view.without(run_tables.shortcut(analysis), "Diff", "≠ 0?")):
        if table.rows:
            shown.append(view.for_terminal(table))
    if analysis.no_choice is not None:
        shown.append(Text(analysis.no_choice))
    if analysis.detectable is not None:
        text = f"A true difference of {view.figure(analysis.detectable)} in AUC between HITS and Random"
        shown.append(Text(f"{text} would show four times in five."))
    if analysis.lengths:
        shown.append(view.for_terminal(lengths_table(analysis.lengths)))
    for table in sweep_tables.sweep_tables(analysis):
        # The metrics one by one are for the page: 80 columns hold their mean.
        shown.append(view.for_terminal(view.without(table, *(title(m) for m in SHOWN), "test pairs")))
    if "training" in analysis.plan.corpus.notes:
        shown.append(Text(f"training: {analysis.plan.corpus.notes['training']}."))
    if analysis.failures:
        shown.append(Text(f"{len(analysis.failures)} of {len(analysis.plan.cells)} cells have no answers."))
    return shown
