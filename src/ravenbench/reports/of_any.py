"""The report of any run's folder, by the task it belongs to."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from ravenbench.errors import InputError
from ravenbench.reports.shared.completeness import Gap, add_gaps, gaps
from ravenbench.reports.shared.folder import replace_report
from ravenbench.reports.shared.programs import add_programs, programs

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ravenbench.store.store import Store

REPORTS = {
    "run": "run.task",
    "pan14": "pan14.task",
    "attribute": "attribute.report",
    "safety": "safety.report",
    "simulate": "simulate",
    "verify": "verify",
    "obfuscate": "obfuscate",
    "compare": "compare.report",
}
"""Tasks with a report, and the module here that has the four functions below."""


class Report(Protocol):
    """What a task's report can do with what it found (``analysis``)."""

    def analyse(self, store: Store) -> Any:
        """Everything its report says, derived from the store alone."""

    def write(self, analysis: Any, folder: Path) -> None:
        """Fill a folder with page, tables, figures and ``report.json``."""

    def to_json(self, analysis: Any) -> dict[str, Any]:
        """The same as plain values."""

    def terminal(self, analysis: Any) -> list[RenderableType]:
        """The closing tables for 80 columns."""


def report_of(store: Store) -> Report:
    """The report of the task that a folder belongs to.

    Raises
    ------
    InputError
        If that task has none.
    """
    if store.kind not in REPORTS:
        raise InputError(f"a folder of raven {store.kind} has no report", file=store.path)
    return cast(Report, import_module(f"ravenbench.reports.{REPORTS[store.kind]}"))


def analyse(store: Store) -> Any:
    """Everything the report of a run says, whichever task it belongs to.

    Nothing is written and nothing but the store is read; equal stores give equal analyses.

    Raises
    ------
    InputError
        If the task has no report.
    StoreError
        If the folder is damaged.
    """
    return report_of(store).analyse(store)


def write_report(store: Store, analysis: Any = None, missing: list[Gap] | None = None) -> Path:
    """Write ``RUN/report`` (page, report.json, tables, figures) and return the page's path.

    An earlier report is replaced only when the new one is complete; that of a run in an object store is written
    to ``raven-runs`` here. ``analysis`` and ``missing`` (its ``gaps``) spare computing them again.

    Raises
    ------
    InputError
        If the task has no report, or the folder cannot be written.
    """
    report = report_of(store)
    found = report.analyse(store) if analysis is None else analysis

    def write(folder: Path) -> None:
        report.write(found, folder)
        add_programs(folder, programs(store))
        add_gaps(folder, gaps(store) if missing is None else missing)

    return replace_report(store.path, write, store.kind)
