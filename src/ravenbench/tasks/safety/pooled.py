"""Several data sets under attack, pooled: averages by obfuscator over all of them, and the ranking these give.

Each data set weighs the same. The interval of a pooled impact puts together those of the data sets over their problems,
which share none: distances of the bounds from the estimates are added in squares (Zou & Donner 2008, Construction of
confidence limits about effect measures: a general approach. Statistics in Medicine 27).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ravenbench.papers import cited_by
from ravenbench.reports.page import render
from ravenbench.reports.report import write_parts
from ravenbench.reports.view import Col, Table, col, table
from ravenbench.statistics.estimates import Interval
from ravenbench.tasks.safety.analysis import FEW, ObfuscatorRow, SafetyAnalysis, mean
from ravenbench.tasks.safety.report import DELTAS

FIELDS = ("delta_acc", "delta_rec", "delta_auc", "delta_c1", "delta_final")


@dataclass(frozen=True)
class PooledRow:
    """An obfuscator over all data sets: ``impact`` by data set, their mean with its interval, PAN's other averages."""

    obfuscator: str
    impact: float
    interval: Interval | None
    by_set: Mapping[str, float]
    averages: Mapping[str, float | None]


@dataclass(frozen=True)
class Pooled:
    """Obfuscators by pooled impact; ``partial`` names those that do not count on every data set, with the reason.

    ``attacked`` has the attacked problems of each data set: where one has fewer than 20 there is no ranking, and
    obfuscators stand as they were asked for.
    """

    rows: tuple[PooledRow, ...]
    partial: Mapping[str, str]
    attacked: Mapping[str, int]

    @property
    def ranked(self) -> bool:
        """Whether there are problems enough to rank."""
        return min(self.attacked.values()) >= FEW


def pool(analyses: Mapping[str, SafetyAnalysis]) -> Pooled:
    """Put safety runs together, by the name of their data set; every obfuscator and verifier runs on all of them."""
    rows, partial = [], {}
    for name in dict.fromkeys(o.name for analysis in analyses.values() for o in analysis.obfuscators):
        rows_of_name = {
            key: next((o for o in analysis.obfuscators if o.name == name), None) for key, analysis in analyses.items()
        }
        complete = {key: o for key, o in rows_of_name.items() if o is not None and o.average_impact is not None}
        if lacking := [key for key in rows_of_name if key not in complete]:
            first = rows_of_name[lacking[0]]
            why = (first and first.error) or "no verifier counts there"
            partial[name] = f"nothing on {', '.join(lacking)}: {why}"
            continue
        by_set = {key: o.average_impact for key, o in complete.items() if o.average_impact is not None}
        rows.append(
            PooledRow(name, sum(by_set.values()) / len(by_set), _interval(complete), by_set, _averages(complete))
        )
    unordered = Pooled(tuple(rows), partial, {key: one.attacked for key, one in analyses.items()})
    ordered = sorted(rows, key=lambda row: -row.impact) if unordered.ranked else rows
    return Pooled(tuple(ordered), partial, unordered.attacked)


def _interval(complete: Mapping[str, ObfuscatorRow]) -> Interval | None:
    parts = [(o.average_impact, o.over_problems) for o in complete.values()]
    known = [(value, interval) for value, interval in parts if value is not None and interval is not None]
    if len(known) < len(parts):
        return None
    middle = sum(value for value, _ in known) / len(known)
    below = math.sqrt(sum((value - low) ** 2 for value, (low, _) in known)) / len(known)
    above = math.sqrt(sum((high - value) ** 2 for value, (_, high) in known)) / len(known)
    return middle - below, middle + above


def _averages(complete: Mapping[str, ObfuscatorRow]) -> dict[str, float | None]:
    return {
        field: mean([mean([row.mean(field) for row in o.counted]) if o.counted else None for o in complete.values()])
        for field in FIELDS
    }


def pooled_tables(pooled: Pooled) -> list[Table]:
    """The ranking with PAN's averages, and the impact on each data set."""

    def average(field: str) -> Col[PooledRow]:
        return col(DELTAS[field][0], lambda r: r.averages[field], signed=True)

    def impact(name: str) -> Col[PooledRow]:
        return col(name, lambda r: r.by_set[name], signed=True)

    used = [field for field in FIELDS if any(row.averages[field] is not None for row in pooled.rows)]
    name_column: Col[PooledRow] = col("obfuscator", lambda r: r.obfuscator, text=True)
    note = "Every data set weighs the same. Intervals are over problems; other verifiers may differ."
    if not pooled.ranked:
        note = f"Not ranked: a data set has fewer than {FEW} attacked problems. {note}"
    return [
        table(
            "pooled", f"{len(pooled.attacked)} data sets: averages by obfuscator", pooled.rows, name_column,
            col("impact", lambda r: r.impact, signed=True),
            col("95 %", lambda r: r.interval),
            *map(average, used),
            note=note,
        ),
        table("data-sets", "Average impact on each data set", pooled.rows, name_column, *map(impact, pooled.attacked)),
        table(
            "left-out", "Left out", pooled.partial.items(),
            col("obfuscator", lambda r: r[0], text=True),
            col("why", lambda r: r[1], text=True),
        ),
    ]  # fmt: skip


def pooled_json(pooled: Pooled) -> dict[str, Any]:
    """The same as plain values."""
    return {
        "attacked": dict(pooled.attacked),
        "ranked": pooled.ranked,
        "left_out": dict(pooled.partial),
        "obfuscators": [
            {
                "obfuscator": row.obfuscator,
                "average_impact": row.impact,
                "interval": None if row.interval is None else list(row.interval),
                "by_data_set": dict(row.by_set),
                **row.averages,
            }
            for row in pooled.rows
        ],
    }


def write_pooled(pooled: Pooled, pages: Mapping[str, str], folder: Path) -> None:
    """Fill a report's folder; ``pages`` are the reports of the data sets, by their names."""
    tables = pooled_tables(pooled)
    papers = cited_by("safety", {"obfuscators": [row.obfuscator for row in pooled.rows]}, [])
    page = render(
        "ravenbench.tasks.safety:pooled.html.j2", pooled=pooled, few=FEW, pages=pages, tables=tables, papers=papers
    )
    write_parts(folder, kind="safety", page=page, json=pooled_json(pooled), tables=tables, papers=papers)
