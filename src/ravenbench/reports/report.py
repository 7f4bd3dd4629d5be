"""Makes the report of any task: page, tables, figures and ``report.json`` in a folder, and the tables at the end in a
terminal.

In: the ``Store`` of a run, or a result that has it; further forms of figures ("pdf,png"). Out: ``analyse`` gives what
the report says, ``write_report`` the page's path after writing ``RUN/report``, ``terminal`` Rich objects, ``frames``
and ``figures`` data frames and figures by name; ``gaps`` lists methods with missing results (counts). InputError if the
task has no report or the place is taken. A subclass of ``Report`` for each task says what is in it.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from msgspec import to_builtins

from ravenbench import registry
from ravenbench.engine.task import SeededRun, Task, task_of, tasks
from ravenbench.errors import InputError, remedy
from ravenbench.files import is_remote, location, write_json, write_text
from ravenbench.outputs import fresh_folder
from ravenbench.papers import Paper, bibtex, cited_by
from ravenbench.reports.results import View
from ravenbench.reports.view import (
    Section,
    Table,
    col,
    for_terminal,
    public_head,
    public_json,
    rows_json,
    table,
    to_csv,
    to_html,
    to_latex,
)
from ravenbench.shown import Shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from polars import DataFrame
    from rich.console import RenderableType

    from ravenbench.store.store import Store

SHOWN = 12
"""Methods that the sentence on missing cells names."""
A = TypeVar("A")


@dataclass(frozen=True)
class Gap:
    """A method with ``planned`` (a count) cells; its cells on ``folds`` are missing, damaged or failed, the first
    because of ``reason``."""

    method: str
    planned: int
    folds: tuple[str, ...]
    reason: str


class Report(View, Generic[A]):
    """The report of a task on one of its folders; ``write`` and ``terminal`` show it.

    ``analysis`` has everything that the report says, computed only from the store. The page uses the template named by
    ``template``; without one it shows its sections one after another.
    """

    kind: ClassVar[str]
    title: ClassVar[str] = ""
    """Heading of the page, where it has no template of its own."""
    template: ClassVar[str] = ""
    """The page's template, ``package:file``."""
    tight: ClassVar[bool] = False
    """Whether a terminal's tables have no gaps or edges."""
    takes_answers: ClassVar[bool] = False
    """Whether systems that were not run here may be judged beside its verifiers."""
    forms: tuple[str, ...] = ()
    """Forms in which figures are written beside SVG: pdf, png."""

    def __init__(self, store: Store, analysis: A | None = None) -> None:
        self.store = store
        self._given = analysis

    @cached_property
    def analysis(self) -> A:
        """The result of ``analyse``, computed once; it is shown like its report."""
        value = self.analyse() if self._given is None else self._given
        if isinstance(value, Shown):
            value.__dict__.update(_kept_view=self, store=self.store)
        return value

    def finding(self) -> str:
        """Return the finding in one sentence; by default how much was done."""
        planned = len(self.planned())
        missing = sum(len(gap.folds) for gap in self.gaps)
        return f"{self.title or self.kind}: {planned - missing} of {planned} cells have results."

    def line(self) -> str:
        """Return the task, its folder, and the finding if it is known: a ``repr`` computes nothing."""
        done = f"raven {self.kind}, {self.store.path.name}"
        return f"{done}: {self.finding()}" if "analysis" in self.__dict__ else done

    def page(self) -> tuple[Path | None, str]:
        """Return ``report/index.html`` in the folder, if it was written."""
        path = report_place(self.store.path) / "index.html"
        return (path if path.is_file() else None), "ravenbench.write_report(…)"

    def analyse(self) -> A:
        """Return everything that the report says, by default the answer of the task. Equal stores give equal analyses."""
        _ = self.gaps  # reads the cells as they are now
        stated: A = registry.load("answer", task_of(self.kind).answer).read(self.store)
        return stated

    def sections(self) -> Sequence[Section]:
        """Return the sections of a page without its own template, before the sections of its tables."""
        return []

    def page_tables(self) -> Sequence[Table]:
        """Return the tables of the page, possibly including tables without rows."""
        return self.tables()

    def published(self) -> Sequence[Table]:
        """Return tables that compare the figures of the repeated paper with those found."""
        return ()

    def named(self) -> dict[str, Table]:
        return super().named() | {table.key: table for table in self.published()}

    def figures(self) -> dict[str, Figure]:
        """Figures by name."""
        return {}

    def context(self) -> dict[str, Any]:
        """Return further values for the template, in addition to the analysis (``a``), the ``run``, ``figures`` and
        ``tables``, which is ``page.PageTables``."""
        return {}

    def to_json(self) -> dict[str, Any]:
        """Return the same as plain values; by default the rows of each table."""
        return {table.key: rows_json(table) for table in self.tables()}

    @classmethod
    def beforehand(cls, values: Mapping[str, Any]) -> list[str]:
        """Return what the command says about its values before it begins."""
        return []

    @classmethod
    def previewed(cls, preview: Any) -> Sequence[Any] | None:
        """Return the terminal output for a preview of a special kind; None for a ``Preview``."""
        return None

    @classmethod
    def products(cls, values: Mapping[str, Any]) -> dict[str, str | None]:
        """Return what the command writes in addition to its folder, by name."""
        return {}

    @classmethod
    def trouble(cls, result: Any, values: Mapping[str, Any], failure: str) -> str | None:
        """Return what went wrong, as the command says it if its exit code is 1; ``failure`` is the message on failed
        cells."""
        errors = result.errors
        several = len(errors) > 1
        words = {"count": len(errors), "s": "s" * several, "have": "have" if several else "has"}
        return failure.format(**words, first=errors[0]) if errors else None

    @classmethod
    def farewell(cls, values: Mapping[str, Any], results: Sequence[Any]) -> str | None:
        """Return what the command says after success."""
        return None

    def closing(self) -> Sequence[RenderableType]:
        """Return the tables for the end of a terminal's output in 80 columns; by default all tables for a terminal."""
        tables = (table for table in self.tables() if table.rows and table.terminal)
        return [for_terminal(table, tight=self.tight) for table in tables]

    def papers(self) -> list[Paper]:
        """Return the papers to cite for the results: only the papers of the methods and corpora of this run."""
        methods = [verifier.identity for verifier in self.store.plan.verifiers]
        return cited_by(self.kind, self.store.run.spec, methods)

    def planned(self) -> list[tuple[str, str, str]]:
        """Return method, fold and key of every cell that the folder should have."""
        return self.store.plan.planned

    @cached_property
    def gaps(self) -> list[Gap]:
        """A gap for each method with missing cells, in the order of the plan; empty if every cell has its result."""
        missing: dict[str, list[str]] = {}
        reasons: dict[str, str] = {}
        planned = self.planned()
        self.store.outcomes.clear()
        for name, fold, key in planned:
            if wrong := self.store.outcome(key):
                missing.setdefault(name, []).append(fold)
                reasons.setdefault(name, wrong)
        count = Counter(name for name, _, _ in planned)
        return [
            Gap(name, count[name], tuple(folds), reasons[name]) for name, folds in missing.items()
        ]

    @cached_property
    def programs(self) -> list[dict[str, Any]]:
        """Each verifier that ran outside programs, or uses classes of other authors: its cells, whether all ran
        confined, and how they ran."""
        programs = []
        for verifier in self.store.plan.verifiers:
            if not verifier.confinement and '"component": "command"' not in json.dumps(
                verifier.identity
            ):
                continue
            cells = (
                self.store.read_cell(cell.key)
                for cell in self.store.plan.cells
                if cell.verifier == verifier.name
            )
            noted = [
                cell.record.programs or verifier.confinement for cell in cells if cell is not None
            ]
            ways = [program for program in noted if program]
            if ways:
                described = "; ".join(dict.fromkeys(ways))
                programs.append(
                    {
                        "verifier": verifier.name,
                        "cells": len(ways),
                        "confined": described == "confined",
                        "how": described,
                    }
                )
        return programs

    def fill(self, folder: Path) -> None:
        """Write page, tables, figures and ``report.json`` into a folder."""
        from ravenbench.reports.page import inline, render

        figures = self.figures()
        tables = self.tables()
        published = list(self.published())
        programs = [programs_table(self.programs)] if self.programs else []
        page = render(
            self.template or "task.html.j2",
            **{
                "title": self.title or self.kind,
                "task": self.kind,
                "finding": "" if self.template else self.finding(),
                "a": self.analysis,
                "run": to_builtins(public_head(self.store.run)),
                "sections": self.sections(),
                "figures": {name: inline(figure, name) for name, figure in figures.items()},
                "tables": self.page_tables(),
                "incomplete": averaged_over(self.gaps) if self.gaps else "",
                "appendix": [
                    Section(f"section-{table.key}", table.title, to_html(table))
                    for table in [*published, *programs]
                ],
                "papers": self.papers(),
                **self.context(),
            },
        )
        json = {**self.to_json(), "programs": self.programs, "incomplete": gaps_json(self.gaps)}
        json |= {table.key: rows_json(table) for table in published}
        write_parts(
            folder,
            kind=self.kind,
            page=page,
            json=json,
            tables=[*tables, *published, *programs],
            figures=figures,
            papers=self.papers(),
            forms=self.forms,
        )
        for long in self.listings():
            write_text(folder / "tables" / f"{long.key}.csv", to_csv(long))


def report_of(run: Store | Any, analysis: Any = None) -> Report[Any]:
    """Return the report of a run or of its store, by its task; with ``analysis`` it is not computed again. InputError
    if the task has no report.
    """
    store: Store = getattr(run, "store", run)
    if not hasattr(store, "kind"):
        raise InputError(
            "this is neither a run nor its store", found=store, expected="Store.open(FOLDER)"
        )
    report_type = report_class(store.kind)
    if report_type is None:
        raise InputError(f"a folder of raven {store.kind} has no report", file=store.path)
    return report_type(store, analysis)


def report_class(kind: str) -> type[Report[Any]] | None:
    """The class of a task's report, None where it has none."""
    return report_of_task(task_of(kind)) if kind in tasks() else None


def report_of_task(task: type[Task]) -> type[Report[Any]] | None:
    """The class of a task's report, None where it has none."""
    report_type: type[Report[Any]] | None = (
        registry.load("report", task.report) if task.report else None
    )
    return report_type


def analyse(run: Store | Any) -> Any:
    """Return everything that the report of a run or of its store says, for any task.

    It writes nothing and reads only the store; equal stores give equal analyses.

    Raises
    ------
    InputError
        If the task has no report.
    StoreError
        If the folder is damaged.
    """
    return report_of(run).analysis


def frames(result: Shown) -> dict[str, DataFrame]:
    """Return all tables of a result as polars data frames, unrounded; ``result.to_polars(name)`` returns a single
    table."""
    view: View = result._view()
    return {name: view.frame(name) for name in view.named()}


def figures(result: Shown) -> dict[str, Figure]:
    """Return all matplotlib figures of a result by name; ``result.figure(name)`` returns a single figure."""
    return dict(result._view().figures())


def write_report(
    run: Store | Any, analysis: Any = None, *, figures: str | Sequence[str] = ()
) -> Path:
    """Write ``RUN/report`` (page, report.json, tables, figures) of a run or of its store and return the page's path.

    An earlier report is replaced only when the new one is complete; the report of a run in an object store is written
    to ``raven-runs`` on this machine. With ``analysis`` it is not computed again; ``figures`` are formats in addition
    to SVG, such as ``"pdf,png"``.

    Raises
    ------
    InputError
        If the task has no report, the folder cannot be written, or a form is not known.
    """
    if isinstance(run, SeededRun):
        for seed_run in run.runs.values():
            write_report(seed_run, figures=figures)
        pooled: FolderView = run._view()
        return pooled.write(pooled_place(run.store.path))
    report = report_of(run, analysis)
    report.forms = forms_of(figures)
    return write(report)


def pooled_place(first_run: Path) -> Path:
    """Return the default place of the report on several runs, given the place of the first run."""
    return report_place(first_run.with_name(f"{first_run.name}-seeds"))


def forms_of(figures: str | Sequence[str]) -> tuple[str, ...]:
    """Return formats of figures in addition to SVG, from ``pdf,png`` or a list. InputError for an unknown format."""
    from ravenbench.reports.page import FORMS

    names = figures.split(",") if isinstance(figures, str) else figures
    forms = tuple(dict.fromkeys(form.strip().lower() for form in names if form.strip()))
    if strange := [form for form in forms if form not in (*FORMS, "svg")]:
        raise InputError(
            "unknown format of figures", found=strange[0], expected=f"svg, {', '.join(FORMS)}"
        )
    return tuple(form for form in forms if form != "svg")


def write(report: Report[Any]) -> Path:
    """Write a report into the folder of its run, as ``write_report`` does."""
    return replace_report(report.store.path, report.fill, report.kind)


def terminal(report: Report[Any]) -> list[RenderableType]:
    """Return the tables of a report for 80 columns, preceded by missing results and followed by how programs ran."""
    return [
        *([averaged_over(report.gaps)] if report.gaps else []),
        *report.closing(),
        *map(for_terminal, report.published()),
        *([for_terminal(programs_table(report.programs))] if report.programs else []),
    ]


def averaged_over(gaps: Sequence[Gap]) -> str:
    """Return a sentence on the cells behind the figures of a report with gaps."""
    clauses = [
        f"{gap.method} has {gap.planned - len(gap.folds)} of its {gap.planned}"
        for gap in gaps[:SHOWN]
    ]
    suffix = f", and {len(gaps) - SHOWN} more methods lack some" if len(gaps) > SHOWN else ""
    return (
        "Cells are missing, and means are over completed cells only: "
        f"{', '.join(clauses)}{suffix}; the other methods have all."
    )


def gaps_json(gaps: Iterable[Gap]) -> list[dict[str, object]]:
    """Return gaps as plain values."""
    return [
        {"method": gap.method, "cells": gap.planned - len(gap.folds), "planned": gap.planned}
        for gap in gaps
    ]


def programs_table(programs: Iterable[dict[str, Any]]) -> Table:
    """Return how outside programs and methods of other authors ran: confined, or able to read everything that the user
    can read."""
    return table(
        "programs",
        "Outside programs and methods of other authors",
        programs,
        col("verifier", lambda program: program["verifier"], text=True),
        col("cells", lambda program: program["cells"]),
        col("how it ran", lambda program: program["how"], text=True),
        note=(
            "A confined program or method saw its input, the files that its command or"
            " parameters name, its own code and the system; it saw no network, no other"
            " process and no truth. An unconfined one could read everything that the user can"
            " read, including truth."
        ),
    )


def replace_report(folder: Path, write: Callable[[Path], None], kind: str) -> Path:
    """``write_whole`` of ``PLACE/report``; the report of a run in an object store is written to ``raven-runs`` here."""
    return write_whole(report_place(folder), write, kind)


def report_place(folder: Path) -> Path:
    """The folder of a run's report."""
    return (Path("raven-runs") / folder.name if is_remote(folder) else folder) / "report"


def write_whole(target: Path, write: Callable[[Path], None], kind: str) -> Path:
    """Fill a temporary folder, replace the earlier folder with it when it is complete, and return the path of its page.

    Parameters
    ----------
    target : Path
        The folder's place (``outputs`` says what may be there).
    write : callable
        Fills the folder that it gets; if it fails, the earlier folder stays.
    kind : str
        The command; only its earlier product is replaced.

    Raises
    ------
    InputError
        If the folder cannot be written, or contains other files.
    """
    try:
        with fresh_folder(target, kind=kind, private=False) as folder:
            write(folder)
    except OSError as error:
        raise InputError(
            f"the report cannot be written ({error.strerror or error})",
            file=target,
            fix=remedy(error),
        ) from error
    return target / "index.html"


class FolderView(View):
    """A view with a page in a separate folder, made by the command of this name (``kind``)."""

    kind: ClassVar[str]
    written: Path | None = None
    forms: tuple[str, ...] = ()
    """Forms in which figures are written beside SVG: pdf, png."""

    def write(self, folder: str | Path, figures: str | Sequence[str] = ()) -> Path:
        """Write page, tables, JSON and figures, if there are any, and return the page's path; an earlier product of the
        kind is replaced. ``figures`` are formats in addition to SVG, such as ``"pdf,png"``.

        Raises
        ------
        InputError
            If there are other files, the place cannot be written, or a form is not known.
        """
        self.forms = forms_of(figures)
        self.written = write_whole(location(folder), self._fill, self.kind)
        return self.written

    @abstractmethod
    def _fill(self, folder: Path) -> None:
        """Write all files into an empty folder."""


def write_parts(
    folder: Path,
    *,
    kind: str,
    page: str,
    json: Mapping[str, Any],
    tables: Iterable[Table] = (),
    figures: Mapping[str, Figure] | None = None,
    papers: Iterable[Paper] = (),
    forms: Iterable[str] = (),
) -> None:
    """Write what every report has: ``index.html``, ``report.json``, ``references.bib``, ``tables/*.csv`` and ``.tex``,
    ``figures/*.svg``, and the figures in further ``forms``. ``report.json`` has its ``kind`` and the ``format`` of run
    folders, in addition to the values of the report.
    """
    from ravenbench.reports.page import write_figures
    from ravenbench.store.records import FORMAT

    for inner in ("tables", "figures"):
        (folder / inner).mkdir()
    for written in tables:
        write_text(folder / "tables" / f"{written.key}.csv", to_csv(written))
        write_text(folder / "tables" / f"{written.key}.tex", to_latex(written))
    write_figures(folder, figures or {}, forms)
    write_json(folder / "report.json", {"format": FORMAT, "kind": kind, **public_json(json)})
    write_text(folder / "references.bib", bibtex(papers))
    write_text(folder / "index.html", page)
