"""Pools runs of one spec with several seeds, or of several data sets: numbers are means over them, with their spread.

In: the ``Store`` objects of finished runs, a folder of them, or a ``SeededRun``; for ``pooled_table`` one table of
each run.
Out: a ``PooledSeeds`` or ``PooledSets``, whose ``Table`` objects are those of the runs, row by row: means in the unit
of each column, with standard deviation and interval; ``runs_of_seeds`` paths. InputError if runs differ in more than
seeds or two have one seed.

A seed draws topics, pairs and starting weights anew from the same texts; it brings no author and no topic of its own.
So more seeds make that part of an interval narrower that comes of drawing, and no other: the half of a pooled interval
is the root of the mean square of the runs' halves plus the square of the half of Student's interval of the mean over
seeds. As a run's own interval holds some of the drawing already, the pooled one is rather too wide than too narrow.

Data sets share methods and draw nothing of each other: the half of their pooled interval is the root of the mean
square, as wide as that of one data set.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from markupsafe import Markup

from ravenbench.components import seedless
from ravenbench.engine.task import SeededRun
from ravenbench.errors import InputError
from ravenbench.papers import Paper
from ravenbench.reports.report import FolderView, Report, report_of, write_parts
from ravenbench.reports.view import Measure, Range, Section, Table, Value, rows_json
from ravenbench.store.resume import changed
from ravenbench.store.store import Store

NOTE = (
    "Means over {} seeds; ± is the standard deviation between them. Seeds draw anew from the same"
    " texts: the intervals are as wide as those of one run, and wider by what drawing adds."
    " p-values and stars are those of one seed each and stand on its own page."
)
SETS = (
    "Means over {} data sets, each of the same weight; ± is the standard deviation between them."
    " Intervals are as wide as those of one data set. p-values stand on each data set's own page."
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
                "these runs differ in more than their seeds, and are not pooled",
                file=other_store.path,
                found=", ".join(differing) or f"raven {other_store.kind}",
                expected=f"the spec and data of {first_store.path.name}",
                fix="give runs of one command; run.json in each folder says what it was given",
            )
    by_seed = {store.run.seed: store for store in stores}
    if len(by_seed) < len(stores):
        raise InputError(
            "two of these runs have one seed",
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
            f"Over {len(self.reports)} seeds (in brackets, how many of them):"
            f" {pooled.replace('content: ', '')}."
        )

    def papers(self) -> list[Paper]:
        """What whoever uses the results cites: the same for every seed."""
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
        from ravenbench.reports.page import render

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
        page = render(
            "task.html.j2",
            title=title,
            task=self.kind,
            finding=self.finding(),
            sections=sections,
            tables=self.tables(),
            papers=self.papers(),
        )
        json = self.to_json()
        write_parts(
            folder, kind=self.kind, page=page, json=json, tables=self.tables(), papers=self.papers()
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
    """One table of the same in several runs; None where their columns or rows are not the same.

    ``drawn``: runs differ in what was drawn; otherwise in their data, and rows that some lack are left out. A row is
    known by its first texts, as many as it takes, wherever it stands; other texts (verdicts, say) are counted.
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
        [
            pooled_value(
                [row[i] for row in row], [row[i - 1] for row in row] if i else [], drawn=drawn
            )
            for i in shown
        ]
        for row in rows
    ]
    columns = tuple(first_table.columns[i] for i in shown)
    objects = tuple(
        {column.title: _plain_value(value) for column, value in zip(columns, row, strict=True)}
        for row in values
    )
    return Table(
        first_table.key, first_table.title, columns, tuple(map(tuple, values)), objects=objects
    )


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


def pooled_value(values: Sequence[Value], before: Sequence[Value], *, drawn: bool = True) -> Value:
    """A cell's values in all runs as one, in their unit; ``before`` are those of the column before, whose interval a
    range is."""
    if all(isinstance(value, str) for value in values):
        counts = Counter(map(str, values))
        return (
            next(iter(counts))
            if len(counts) == 1
            else ", ".join(f"{text} ({n})" for text, n in counts.items())
        )
    if any(isinstance(value, Range) for value in values):
        return _pooled_range(values, [_number(value) for value in before], drawn=drawn)
    numbers = [_number(value) for value in values]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers) or not all(map(math.isfinite, known)):
        return None
    if all(isinstance(value, int) for value in values) and len(set(known)) == 1:
        return int(known[0])
    return Measure(fmean(known), stdev(known))


def _pooled_range(
    ranges: Sequence[Value], middles: Sequence[float | None], *, drawn: bool
) -> Range | None:
    ends = [(value.low, value.high) for value in ranges if isinstance(value, Range)]
    if len(ends) < len(ranges):
        return None
    values = [
        (low + high) / 2 if middle is None else middle
        for middle, (low, high) in zip(middles or [None] * len(ends), ends, strict=True)
    ]
    middle = fmean(values)
    drawing = _student(len(values)) * stdev(values) / math.sqrt(len(values)) if drawn else 0.0
    below = fmean((value - low) ** 2 for value, (low, _) in zip(values, ends, strict=True))
    above = fmean((high - value) ** 2 for value, (_, high) in zip(values, ends, strict=True))
    return Range(middle - math.sqrt(below + drawing**2), middle + math.sqrt(above + drawing**2))


def _student(count: int) -> float:
    from scipy.stats import t

    return float(t.ppf(0.975, count - 1))


def _number(value: Value) -> float | None:
    if isinstance(value, Measure):
        return value.mean
    return float(value) if isinstance(value, int | float) else None


def _plain_value(value: Value) -> Any:
    if isinstance(value, Measure):
        return {"mean": value.mean, "sd": value.spread}
    return [value.low, value.high] if isinstance(value, Range) else value
