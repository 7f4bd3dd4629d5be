"""A run's report on disk and in the terminal."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ravenbench.errors import InputError
from ravenbench.files import is_remote, write_json, write_text
from ravenbench.reports.run import probe_tables, sweep_tables
from ravenbench.reports.run import tables as run_tables
from ravenbench.reports.run.analysis import analyse
from ravenbench.reports.run.fold_rows import SHOWN
from ravenbench.reports.run.json_form import to_json
from ravenbench.reports.run.records import Analysis, title
from ravenbench.reports.shared import tables

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ravenbench.bench.shared.store import Store


def write_report(store: Store, analysis: Analysis | None = None) -> Path:
    """Write ``RUN/report`` (page, report.json, tables, figures) and return the page's path.

    An earlier report is replaced only when the new one is complete; that of a run in an object store is written
    to ``raven-runs`` here. ``analysis`` spares computing it again.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    analysis = analysis or analyse(store)
    place = Path("raven-runs") / store.path.name if is_remote(store.path) else store.path
    target = place / "report"
    try:
        place.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=".report-", dir=place))
        try:
            _write(analysis, folder)
            folder.chmod(0o755)
            replace_folder(folder, target)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        raise InputError(
            f"the report cannot be written ({error.strerror})", file=target, fix="make the run's folder writable"
        ) from error
    return target / "index.html"


def _write(analysis: Analysis, folder: Path) -> None:
    from ravenbench.reports.run.figures import draw
    from ravenbench.reports.shared.figures import svg
    from ravenbench.reports.shared.page import run_page

    figures = draw(analysis)
    (folder / "tables").mkdir()
    (folder / "figures").mkdir()
    for table in run_tables.run_tables(analysis):
        write_text(folder / "tables" / f"{table.key}.csv", tables.to_csv(table))
        write_text(folder / "tables" / f"{table.key}.tex", tables.to_latex(table))
    for name, figure in figures.items():
        write_text(folder / "figures" / f"{name}.svg", svg(figure, name))
    write_json(folder / "report.json", to_json(analysis))
    write_text(folder / "index.html", run_page(analysis, figures))


def replace_folder(folder: Path, target: Path) -> None:
    """Put a finished folder in the place of an older one."""
    if target.exists():
        aside = Path(tempfile.mkdtemp(prefix=".report-old-", dir=target.parent))
        target.replace(aside)
        folder.replace(target)
        shutil.rmtree(aside, ignore_errors=True)
    else:
        folder.replace(target)


def terminal(analysis: Analysis) -> list[RenderableType]:
    """A run's closing tables for 80 columns: scores, the shortcut test, the verdicts, then what failed."""
    from rich.text import Text

    shown: list[RenderableType] = []
    for table in (run_tables.results(analysis), tables.without(run_tables.shortcut(analysis), "Diff", "≠ 0?")):
        if table.rows:
            shown.append(tables.terminal(table))
    if analysis.no_choice is not None:
        shown.append(Text(analysis.no_choice))
    if analysis.detectable is not None:
        shown.append(Text(f"A true difference of {analysis.detectable:.3f} in AUC would show four times in five."))
    verdicts = tables.without(probe_tables.verdicts(analysis), "metric", "p Holm")
    if verdicts.rows:
        shown.append(tables.terminal(verdicts))
        shown += [Text(f"{name}: no verdict, {reason}.") for name, reason in probe_tables.reasons(analysis)]
    elif (missing := probe_tables.probe_missing(analysis.probe)) is not None:
        shown.append(Text(f"No verdict: there is no crossed probe ({missing})."))
    for table in sweep_tables.sweep_tables(analysis):
        # The metrics one by one are for the page: 80 columns hold their mean.
        shown.append(tables.terminal(tables.without(table, *(title(m) for m in SHOWN), "test pairs")))
    if analysis.failures:
        shown.append(Text(f"{len(analysis.failures)} of {len(analysis.plan['cells'])} cells have no answers."))
    return shown
