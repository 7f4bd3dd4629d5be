"""Runs of one spec with several seeds, pooled: a table's numbers are means over seeds, with their spread.

A seed draws topics, pairs and starting weights anew from the same texts; it brings no author and no topic of its own.
So more seeds make that part of an interval narrower that comes of drawing, and no other: the half of a pooled interval
is the root of the mean square of the runs' halves plus the square of the half of Student's interval of the mean over
seeds. As a run's own interval holds some of the drawing already, the pooled one is rather too wide than too narrow.
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
    "Means over {} seeds; ± is the standard deviation between them. Seeds draw anew from the same texts: the intervals "
    "are as wide as those of one run, and wider by what drawing adds. p-values and stars are those of one seed each "
    "and stand on its own page."
)


def pooled_stores(stores: Sequence[Store]) -> PooledSeeds:
    """Finished runs that differ in nothing but their seeds. InputError if they differ otherwise."""
    first, *others = stores
    for other in others:
        specs = ({k: v for k, v in store.run.spec.items() if v is not None} for store in (first, other))
        mine, its = ({k: str(v) for k, v in spec.items()} for spec in specs)
        differing = [key for key in changed(mine, its) if key != "seed"]
        # The hash of the methods has their seeds in it.
        differing += [f"the data of {key}" for key in changed(first.run.data, other.run.data) if key != "methods"]
        differing += [] if _methods(first) == _methods(other) else ["versions of methods"]
        if first.kind != other.kind or differing:
            raise InputError(
                "these runs differ in more than their seeds, and are not pooled", file=other.path,
                found=", ".join(differing) or f"raven {other.kind}", expected=f"the spec and data of {first.path.name}",
                fix="give runs of one command; run.json in each folder says what it was given",
            )  # fmt: skip
    by_seed = {store.run.seed: store for store in stores}
    if len(by_seed) < len(stores):
        raise InputError("two of these runs have one seed", found=", ".join(str(s.run.seed) for s in stores))
    return PooledSeeds({seed: report_of(store) for seed, store in by_seed.items()})


def runs_of_seeds(place: Path) -> list[Path]:
    """The runs in a folder that ``--seed 0,1,…`` filled; none in any other folder."""
    return [] if (place / "run.json").is_file() else sorted(run.parent for run in place.glob("seed-*/run.json"))


def _methods(store: Store) -> list[Any]:
    return [(v.version, seedless(v.identity)) for v in store.plan.verifiers]


def of_seeds(result: SeededRun) -> PooledSeeds:
    """What is shown of the runs that a function in Python made."""
    return PooledSeeds({seed: report_of(run) for seed, run in result.runs.items()})


class PooledSeeds(FolderView):
    """The tables that all runs have, pooled row by row; ``reports`` are by seed."""

    def __init__(self, reports: Mapping[int, Report[Any]]) -> None:
        self.reports = reports
        self.first = next(iter(reports.values()))
        self.kind = self.first.kind  # type: ignore[misc]

    @cached_property
    def _pooled(self) -> list[Table]:
        by_key = [{t.key: t for t in report.tables() if t.rows} for report in self.reports.values()]
        shared = [key for key in by_key[0] if all(key in tables for tables in by_key)]
        pooled = (pooled_table([tables[key] for tables in by_key]) for key in shared)
        same = [each for each in pooled if each is not None]
        return [*(replace(each, note=NOTE.format(len(self.reports))) for each in same[:1]), *same[1:]]

    def tables(self) -> list[Table]:
        return self._pooled

    def finding(self) -> str:
        said = Counter(report.finding() for report in self.reports.values())
        if len(said) == 1:
            return f"With each of {len(self.reports)} seeds: {next(iter(said))}"
        first = self._pooled[:1]
        verdicts = [i for table in first for i, column in enumerate(table.columns) if column.title == "verdict"]
        if not verdicts:
            return " ".join(f"Seed {seed}: {report.finding()}" for seed, report in self.reports.items())
        pooled = "; ".join(f"{row[0]}: {row[verdicts[0]]}" for row in first[0].rows)
        return f"Over {len(self.reports)} seeds (in brackets, how many of them): {pooled.replace('content: ', '')}."

    def papers(self) -> list[Paper]:
        """What whoever uses the results cites: the same for every seed."""
        return self.first.papers()

    def to_json(self) -> dict[str, Any]:
        """The pooled rows of each table, and the findings of each seed."""
        findings = {str(seed): report.finding() for seed, report in self.reports.items()}
        return {"seeds": list(self.reports), "findings": findings, **{t.key: rows_json(t) for t in self.tables()}}

    def _fill(self, folder: Path) -> None:
        from ravenbench.reports.page import render

        runs = Markup("<ul>{}</ul>").format(
            Markup("").join(
                Markup("<li>seed {}, folder {}: {}</li>").format(seed, report.store.path.name, report.finding())
                for seed, report in self.reports.items()
            )
        )
        sections = [Section("seeds", f"{len(self.reports)} seeds", runs)]
        page = render(
            "task.html.j2", title=self.first.title or f"raven {self.kind}, {len(self.reports)} seeds", task=self.kind,
            finding=self.finding(), sections=sections, tables=self.tables(), papers=self.papers(),
        )  # fmt: skip
        json = self.to_json()
        write_parts(folder, kind=self.kind, page=page, json=json, tables=self.tables(), papers=self.papers())


def pooled_table(tables: Sequence[Table]) -> Table | None:
    """One table of the same in several runs; None where their columns or rows are not the same.

    A row is known by its first texts, as many as it takes, wherever it stands; other texts (verdicts, say) are counted.
    """
    first = tables[0]
    titles = [column.title for column in first.columns]
    if any([column.title for column in each.columns] != titles for each in tables):
        return None
    rows = _matched(tables)
    if rows is None:
        return None
    left_out = {i for i, column in enumerate(first.columns) if column.probability}
    shown = [i for i in range(len(titles)) if i not in left_out]
    values = [[pooled_value([row[i] for row in same], [row[i - 1] for row in same] if i else []) for i in shown]
              for same in rows]  # fmt: skip
    columns = tuple(replace(first.columns[i], tones={}) for i in shown)
    objects = tuple({column.title: _plain(v) for column, v in zip(columns, row, strict=True)} for row in values)
    return Table(first.key, first.title, columns, tuple(map(tuple, values)), objects=objects)


def _matched(tables: Sequence[Table]) -> list[list[tuple[Value, ...]]] | None:
    """Rows of all tables that say something of the same, in the order of the first table."""
    texts = [i for i, column in enumerate(tables[0].columns) if column.text]
    for count in range(1, len(texts) + 1):
        by_name = [{tuple(row[i] for i in texts[:count]): row for row in table.rows} for table in tables]
        alike = all(rows.keys() == by_name[0].keys() for rows in by_name)
        if alike and all(len(rows) == len(table.rows) for rows, table in zip(by_name, tables, strict=True)):
            return [[rows[name] for rows in by_name] for name in by_name[0]]
    return None


def pooled_value(values: Sequence[Value], before: Sequence[Value]) -> Value:
    """A cell's values in all runs as one; ``before`` are those of the column before, whose interval a range is."""
    if all(isinstance(value, str) for value in values):
        counts = Counter(map(str, values))
        return next(iter(counts)) if len(counts) == 1 else ", ".join(f"{text} ({n})" for text, n in counts.items())
    if any(isinstance(value, Range) for value in values):
        return _pooled_range(values, [_number(value) for value in before])
    numbers = [_number(value) for value in values]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers) or not all(map(math.isfinite, known)):
        return None
    if all(isinstance(value, int) for value in values) and len(set(known)) == 1:
        return int(known[0])
    return Measure(fmean(known), stdev(known))


def _pooled_range(ranges: Sequence[Value], middles: Sequence[float | None]) -> Range | None:
    ends = [(each.low, each.high) for each in ranges if isinstance(each, Range)]
    if len(ends) < len(ranges):
        return None
    values = [
        (low + high) / 2 if m is None else m for m, (low, high) in zip(middles or [None] * len(ends), ends, strict=True)
    ]
    middle, drawn = fmean(values), _student(len(values)) * stdev(values) / math.sqrt(len(values))
    below = fmean((value - low) ** 2 for value, (low, _) in zip(values, ends, strict=True))
    above = fmean((high - value) ** 2 for value, (_, high) in zip(values, ends, strict=True))
    return Range(middle - math.sqrt(below + drawn**2), middle + math.sqrt(above + drawn**2))


def _student(count: int) -> float:
    from scipy.stats import t

    return float(t.ppf(0.975, count - 1))


def _number(value: Value) -> float | None:
    if isinstance(value, Measure):
        return value.mean
    return float(value) if isinstance(value, int | float) else None


def _plain(value: Value) -> Any:
    if isinstance(value, Measure):
        return {"mean": value.mean, "sd": value.spread}
    return [value.low, value.high] if isinstance(value, Range) else value
