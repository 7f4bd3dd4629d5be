"""Scores of PAN18/19 attribution problems, as a table and as plain values."""

from __future__ import annotations

from typing import Any

from ravenbench.bench.attribute.collections import CollectionScores
from ravenbench.reports.view import Column, Table


def collection_table(found: CollectionScores) -> Table:
    """Macro F1 of every method on every problem, and its mean."""
    columns = (Column("method", text=True), *(Column(p.name) for p in found.problems), Column("mean"))
    rows = tuple((name, *own.values(), found.mean(name)) for name, own in found.scores.items())
    note = "; ".join(f"{p.name}: {len(p.candidates)} candidates, {len(p.unknown)} texts" for p in found.problems)
    return Table("pan", "Macro F1 over true authors, without <UNK>", columns, rows, note)


def collection_json(found: CollectionScores) -> dict[str, Any]:
    """One object of plain values."""
    return {
        "problems": [
            {"problem": p.name, "language": p.language, "candidates": len(p.candidates), "texts": len(p.unknown),
             "open": p.open}
            for p in found.problems
        ],
        "reject": found.reject,
        "notes": found.notes,
        "methods": [
            {"method": name, "macro_f1": own, "mean": found.mean(name)} for name, own in found.scores.items()
        ],
    }  # fmt: skip
