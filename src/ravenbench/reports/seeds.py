"""Pools runs of one spec with several seeds, or of several data sets: numbers are means over them, with their spread.

In: the ``Store`` objects of finished runs, a folder of them, or a ``SeededRun``; for ``pooled_table`` one table of
each run.
Out: a ``PooledSeeds`` or ``PooledSets``, whose ``Table`` objects are those of the runs, row by row: means in the unit
of each column, with standard deviation and interval; ``runs_of_seeds`` paths. InputError if runs differ in more than
seeds or two have one seed.

A seed draws topics, pairs and starting weights again from the same texts; it brings no author and no topic of its own.
So more seeds make that part of an interval narrower that comes of drawing, and no other: the variance of a pooled value
is the mean of the runs' variances (of their intervals' halves) plus the variance of the mean over seeds, and Student's
t has the degrees of freedom that Rubin gives such sums. The interval of a run includes some of this variation already,
so the pooled interval is too wide rather than too narrow. Its middle is the mean of the runs' middles.

Data sets share methods and draw nothing of each other: the half of their pooled interval is the root of the mean
square, as wide as that of one data set.

References
----------
.. [1] D. B. Rubin (1987). *Multiple Imputation for Nonresponse in Surveys*, chapter 3. Wiley.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from statistics import NormalDist, fmean, stdev
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ravenbench.components import seedless
from ravenbench.engine.task import SeededRun
from ravenbench.errors import InputError
from ravenbench.papers import Paper
from ravenbench.reports.report import FolderView, Report, report_of, write_parts
from ravenbench.reports.view import Measure, Range, Section, Table, Value, narrow, rows_json
from ravenbench.store.resume import changed
from ravenbench.store.store import Store

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NOTE = (
    "Means over {} seeds; ± is the standard deviation between them. Each seed draws again"
    " from the same texts, so the intervals are as wide as those of one run plus the"
    " variation between draws. p-values and stars are for a single seed and are on the page"
    " of that seed."
)
NORMAL = NormalDist().inv_cdf(0.975)
SETS = (
    "Means over {} data sets with equal weight; ± is the standard deviation between them."
    " Intervals are as wide as those of one data set. p-values are on the page of each data"
    " set."
)


def pooled_stores(stores: Sequence[Store]) -> PooledSeeds:
    """The ``PooledSeeds`` of finished runs that differ in nothing but their seeds. InputError if they differ
    otherwise."""
    first_store, *other_stores = stores
    for other_store in other_stores:
        specs = (
            {k: value for k, value in store.run.spec.items() if value is not None}
            for store in (first_store, other_store)
        )
        mine, theirs = ({k: str(value) for k, value in spec.items()} for spec in specs)
        differing = [key for key in changed(mine, theirs) if key != "seed"]
        # The hash of the methods has their seeds in it.
        differing += [
            f"the data of {key}"
            for key in changed(first_store.run.data, other_store.run.data)
            if key != "methods"
        ]
        differing += (
            [] if _methods(first_store) == _methods(other_store) else ["versions of methods"]
        )
        if first_store.kind != other_store.kind or differing:
            raise InputError(
                "these runs differ not only in their seeds, so Raven does not pool them",
                file=other_store.path,
                found=", ".join(differing) or f"raven {other_store.kind}",
                expected=f"the spec and data of {first_store.path.name}",
                fix="give runs of one command; run.json in each folder contains the options",
            )
    by_seed = {store.run.seed: store for store in stores}
    if len(by_seed) < len(stores):
        raise InputError(
            "two of these runs have the same seed",
            found=", ".join(str(store.run.seed) for store in stores),
        )
    return PooledSeeds({seed: report_of(store) for seed, store in by_seed.items()})


def runs_of_seeds(folder: Path) -> list[Path]:
    """The runs in a folder that ``--seed 0,1,…`` filled; none in any other folder."""
    return (
        []
        if (folder / "run.json").is_file()
        else sorted(run.parent for run in folder.glob("seed-*/run.json"))
    )


def _methods(store: Store) -> list[Any]:
    return [(verifier.version, seedless(verifier.identity)) for verifier in store.plan.verifiers]


def of_seeds(result: SeededRun) -> PooledSeeds:
    """What is shown of the runs that a function in Python made."""
    return PooledSeeds({seed: report_of(run) for seed, run in result.runs.items()})


class PooledSeeds(FolderView):
    """The tables that all runs have, pooled row by row; ``reports`` are by seed."""

    run = "seed"
    note = NOTE
    drawing = True

    def __init__(self, reports: Mapping[Any, Report[Any]]) -> None:
        self.reports = reports
        self.first = next(iter(reports.values()))
        self.kind = self.first.kind  # type: ignore[misc]

    @cached_property
    def _pooled(self) -> list[Table]:
        by_key = [
            {table.key: table for table in report.tables() if table.rows}
            for report in self.reports.values()
        ]
        shared = [key for key in by_key[0] if all(key in tables for tables in by_key)]
        pooled = (
            pooled_table([tables[key] for tables in by_key], drawn=self.drawing) for key in shared
        )
        same = [pooled_or_none for pooled_or_none in pooled if pooled_or_none is not None]
        return [
            *(replace(pooled, note=self.note.format(len(self.reports))) for pooled in same[:1]),
            *same[1:],
        ]

    def tables(self) -> list[Table]:
        return self._pooled

    def figures(self) -> dict[str, Figure]:
        """The columns of the first table that have intervals: means and pooled intervals."""
        first_table = self.tables()[0]
        ranged = [
            column.title
            for column in first_table.columns
            if column.terminal and f"interval of {column.title}" in first_table.objects[0]
        ]
        return {first_table.key: _drawn(first_table, ranged)} if ranged else {}

    def finding(self) -> str:
        findings = Counter(report.finding() for report in self.reports.values())
        if len(findings) == 1:
            return f"With each of {len(self.reports)} {self.run}s: {next(iter(findings))}"
        first_table = self._pooled[:1]
        verdicts = [
            i
            for table in first_table
            for i, column in enumerate(table.columns)
            if column.name == "verdict"
        ]
        if not verdicts:
            return " ".join(
                f"{self.run.capitalize()} {n}: {report.finding()}"
                for n, report in self.reports.items()
            )
        pooled = "; ".join(f"{row[0]}: {row[verdicts[0]]}" for row in first_table[0].rows)
        return (
            f"Over {len(self.reports)} seeds (number of seeds in brackets): "
            f"{pooled.replace('content: ', '')}."
        )

    def papers(self) -> list[Paper]:
        """Return the papers to cite for the results: the same for every seed."""
        return self.first.papers()

    def to_json(self) -> dict[str, Any]:
        """The pooled rows of each table, and the findings of each seed."""
        findings = {str(seed): report.finding() for seed, report in self.reports.items()}
        tables = {table.key: rows_json(table) for table in self.tables()}
        return {
            f"{self.run.replace(' ', '_')}s": list(self.reports),
            "findings": findings,
            **tables,
        }

    def _fill(self, folder: Path) -> None:
        from ravenbench.reports.page import inline, render

        runs = Markup("<ul>{}</ul>").format(
            Markup("").join(
                Markup("<li>{} {}, folder {}: {}</li>").format(
                    self.run, name, report.store.path.name, report.finding()
                )
                for name, report in self.reports.items()
            )
        )
        sections = [Section("seeds", f"{len(self.reports)} {self.run}s", runs)]
        title = self.first.title or f"raven {self.kind}, {len(self.reports)} {self.run}s"
        figures = self.figures()
        for name, figure in figures.items():
            drawn = Markup("<figure>{}</figure>").format(inline(figure, name))
            sections.append(Section(f"figure-{name}", "Means and their intervals", drawn))
        page = render(
            "task.html.j2",
            title=title,
            task=self.kind,
            finding=self.finding(),
            sections=sections,
            tables=map(narrow, self.tables()),
            papers=self.papers(),
        )
        write_parts(
            folder,
            kind=self.kind,
            page=page,
            json=self.to_json(),
            tables=self.tables(),
            figures=figures,
            papers=self.papers(),
            forms=self.forms,
        )


class PooledSets(PooledSeeds):
    """As for seeds, ``reports`` being by data set; rows that not all of them have are left out.

    Those of the first table are ordered by its first number, the largest first, where ``ranked``.
    """

    run = "data set"
    note = SETS
    drawing = False

    def __init__(self, reports: Mapping[str, Report[Any]], *, ranked: bool) -> None:
        super().__init__(reports)
        self.ranked = ranked

    def tables(self) -> list[Table]:
        if not self.ranked or not self._pooled:
            return self._pooled
        first_table, *other_tables = self._pooled
        number = next(i for i, column in enumerate(first_table.columns) if not column.text)
        order = sorted(
            range(len(first_table.rows)), key=lambda i: -(_number(first_table.rows[i][number]) or 0)
        )
        rows = tuple(first_table.rows[i] for i in order)
        return [
            replace(first_table, rows=rows, objects=tuple(first_table.objects[i] for i in order)),
            *other_tables,
        ]


def pooled_table(tables: Sequence[Table], *, drawn: bool = True) -> Table | None:
    """Merge one table of several runs; return None if their columns or rows differ.

    ``drawn``: runs differ in what was drawn; otherwise in their data, and rows that some lack are left out. A row is
    identified by its first texts, as many as necessary, at any place; other texts (verdicts, say) are counted.
    """
    first_table = tables[0]
    titles = [column.title for column in first_table.columns]
    if any([column.title for column in table.columns] != titles for table in tables):
        return None
    rows = _matched_rows(tables, whole=drawn)
    if not rows:
        return None
    left_out = {i for i, column in enumerate(first_table.columns) if column.probability}
    shown = [i for i in range(len(titles)) if i not in left_out]
    values = [
        [pooled_value([row_of_run[i] for row_of_run in row], drawn=drawn) for i in shown]
        for row in rows
    ]
    columns = tuple(
        replace(column, digits=1) if isinstance(first_row, int) else column
        for column, first_row in ((first_table.columns[i], rows[0][0][i]) for i in shown)
    )
    objects = tuple(
        {column.title: _plain_value(value) for column, value in zip(columns, row, strict=True)}
        for row in values
    )
    return Table(
        first_table.key,
        first_table.title,
        columns,
        tuple(map(tuple, values)),
        objects=objects,
        terminal=first_table.terminal,
    )


def _drawn(table: Table, ranged: Sequence[str]) -> Figure:
    """A panel for each of these columns, with a mean and an interval for each row."""
    from ravenbench.reports.content import name_rows
    from ravenbench.reports.page import COLORS, INK, canvas, style

    names = [str(row[0]) for row in table.rows]
    with style():
        figure, panels = canvas(6.0, 0.8 + 0.3 * len(names), columns=len(ranged))
        for axes, title in zip(panels, ranged, strict=True):
            axes.set_title(title)
            name_rows(axes, names)
            for y, row in enumerate(table.objects):
                if row[title]:
                    axes.plot(row[f"interval of {title}"], (y, y), color=INK)
                    axes.plot(row[title]["mean"], y, "o", color=COLORS[0])
            names = [""] * len(names)
    return figure


def _matched_rows(tables: Sequence[Table], *, whole: bool) -> list[list[tuple[Value, ...]]] | None:
    """Rows of all tables that say something of the same, in the order of the first table; None where, if ``whole``,
    one lacks some."""
    texts = [i for i, column in enumerate(tables[0].columns) if column.text]
    for count in range(1, len(texts) + 1):
        by_name = [
            {tuple(row[i] for i in texts[:count]): row for row in table.rows} for table in tables
        ]
        alike = not whole or all(rows.keys() == by_name[0].keys() for rows in by_name)
        if alike and all(
            len(rows) == len(table.rows) for rows, table in zip(by_name, tables, strict=True)
        ):
            return [
                [rows[n] for rows in by_name]
                for n in by_name[0]
                if all(n in rows for rows in by_name)
            ]
    return None


def pooled_value(values: Sequence[Value], *, drawn: bool = True) -> Value:
    """A cell's values in all runs as one, in their unit."""
    if all(isinstance(value, str) for value in values):
        counts = Counter(map(str, values))
        return (
            next(iter(counts))
            if len(counts) == 1
            else ", ".join(f"{text} ({n})" for text, n in counts.items())
        )
    if any(isinstance(value, Range) for value in values):
        return _pooled_range(values, drawn=drawn)
    numbers = [_number(value) for value in values]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers) or not all(map(math.isfinite, known)):
        return None
    if all(isinstance(value, int) for value in values) and len(set(known)) == 1:
        return int(known[0])
    return Measure(fmean(known), stdev(known))


def _pooled_range(ranges: Sequence[Value], *, drawn: bool) -> Range | None:
    ends = [(value.low, value.high) for value in ranges if isinstance(value, Range)]
    if len(ends) < len(ranges):
        return None
    within = fmean(((high - low) / 2 / NORMAL) ** 2 for low, high in ends)
    middles = [(low + high) / 2 for low, high in ends]
    between = stdev(middles) ** 2 / len(middles) if drawn else 0.0
    freedom = (len(middles) - 1) * (1 + within / between) ** 2 if between else math.inf
    half = _student(freedom) * math.sqrt(within + between)
    return Range(fmean(middles) - half, fmean(middles) + half)


def _student(freedom: float) -> float:
    from scipy.stats import t

    return float(t.ppf(0.975, freedom))


def _number(value: Value) -> float | None:
    if isinstance(value, Measure):
        return value.mean
    return float(value) if isinstance(value, int | float) else None


def _plain_value(value: Value) -> Any:
    if isinstance(value, Measure):
        return {"mean": value.mean, "sd": value.spread}
    return [value.low, value.high] if isinstance(value, Range) else value
