"""Attribution before and after each attack: accuracy, macro F1, and the rank of the true author."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from ravenbench.bench.safety.record import ObfuscatorRecord
from ravenbench.reports.safety.answers import mean
from ravenbench.reports.safety.judged import Attributors
from ravenbench.reports.safety.records import AttributionRow, SafetyAnalysis, listed
from ravenbench.reports.shared.tables import Column, Table, range_of
from ravenbench.statistics.attacks import Change, attribution_change
from ravenbench.statistics.significance import holm


def attribution_rows(methods: Attributors, entries: Sequence[ObfuscatorRecord]) -> tuple[AttributionRow, ...]:
    """A row for every obfuscator and method with answers; p-values are corrected over all of them."""
    rows = []
    for entry in entries:
        for record in methods.store.plan.verifiers:
            before = methods.named(record.name, "original")
            after = [methods.named(record.name, done.fold) for done in entry.sets.values()]
            there = [one for one in after if not isinstance(one, str)]
            if isinstance(before, str) or not after or len(there) < len(after):
                continue
            found = attribution_change(methods.texts, before, there)
            rows.append(AttributionRow(entry.name, record.name, found, found.p))
    corrected = holm([row.p_holm for row in rows])
    return tuple(replace(row, p_holm=float(p)) for row, p in zip(rows, corrected, strict=True))


def attribution_tables(analysis: SafetyAnalysis) -> list[Table]:
    """Averages, scores before and after, and every change with its interval; nothing where verifiers were attacked."""
    if analysis.attribution is None:
        return []
    made = {(o.name, v.verifier): v for o in analysis.obfuscators for v in o.verifiers}
    short, long, averages = [], [], []
    for o in listed(analysis):
        rows = [row for row in analysis.attribution if row.obfuscator == o.name]
        for row in rows:
            verifier, parts = made[row.obfuscator, row.method], _parts(row)
            scores = [value for part in parts for value in ((part.before, part.after) if part else (None, None))]
            changes = [v for part in parts for v in ((part.delta, range_of(part.interval)) if part else (None, None))]
            impact = verifier.mean("impact")
            short.append((o.name, row.method, *scores, impact, row.p_holm))
            long.append((o.name, row.method, impact, range_of(verifier.interval), *changes, row.change.p, row.p_holm))
        if rows:
            every = zip(*([None if part is None else part.delta for part in _parts(row)] for row in rows), strict=True)
            averages.append((o.name, *(mean(list(values)) for values in every), o.average_impact))
    names = (Column("obfuscator", text=True), Column("method", text=True))
    heads = (("acc.", 2), ("F1", 2), ("rank", 1))
    two = [Column(title, digits=digits) for head, digits in heads for title in (head, "then")]
    deltas = [Column(f"Δ{head}", digits=digits + (digits == 2), signed=True) for head, digits in heads]
    signed = [column for delta in deltas for column in (delta, replace(delta, title="95 %", signed=False))]
    p = Column("p Holm", probability=True)
    one, spread = Column("impact", digits=2, signed=True), (Column("impact", signed=True), Column("95 %"))
    said = "acc., F1 (macro) and rank of the true author (1 best), before and then; p: sign flips over authors, Holm."
    drawn = "Intervals draw authors with all their texts, the same before and after; p: sign flips over authors."
    plain = "Plain means over methods and seeds; n/a where a method has no such score."
    columns = (*names, *spread, *signed, Column("p", probability=True), p)
    return [
        Table("averages", "Averages by obfuscator", (names[0], *deltas, spread[0]), tuple(averages), plain),
        Table("attribution", "Attribution under attack", (*names, *two, one, p), tuple(short), said),
        Table("attribution-changes", "Every change, with its interval", columns, tuple(long), drawn),
    ]


def attribution_json(analysis: SafetyAnalysis) -> list[dict[str, Any]] | None:
    """The rows as plain values, None where verifiers were attacked."""
    if analysis.attribution is None:
        return None
    return [
        {
            "obfuscator": row.obfuscator,
            "method": row.method,
            **{
                name: None if part is None else {**asdict(part), "delta": part.delta}
                for name, part in zip(("accuracy", "macro_f1", "rank"), _parts(row), strict=True)
            },
            "p": row.change.p,
            "p_holm": row.p_holm,
        }
        for row in analysis.attribution
    ]


def _parts(row: AttributionRow) -> tuple[Change | None, ...]:
    return row.change.accuracy, row.change.macro_f1, row.change.rank
