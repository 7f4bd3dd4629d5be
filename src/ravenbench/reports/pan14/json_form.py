"""An overview as plain values: the ``pan14`` schema of ``report.json`` and ``--json``."""

from __future__ import annotations

from typing import Any

from ravenbench.reports.content import content_json
from ravenbench.reports.pan14.analysis import CorpusScores, Overview, Row, Rows


def to_json(overview: Overview) -> dict[str, Any]:
    """One object of plain values; undefined values are None."""
    pooled = None if overview.pooled is None else overview.pooled.to_json()
    return {
        "run": overview.path,
        "corpora": {c.name: _rows(c.rows) for c in overview.corpora},
        "micro": _rows(overview.micro),
        "macro": _rows(overview.macro),
        "content": content_json(overview.content),
        "content_by_corpus": {c.name: content_json(c.content) for c in overview.corpora},
        "without_shared_documents": {c.name: _apart(c) for c in overview.corpora},
        "pairs": [] if pooled is None else pooled["pairs"],
        "hull": [] if pooled is None else pooled["hull"],
        "faults": {c.name: dict(c.info.faults) for c in overview.corpora},
        "left_out_of_training": {c.name: dict(c.info.left_out) for c in overview.corpora},
        "failed": [{"cell": f.cell, "error": f.error.splitlines()[0]} for f in overview.failures],
    }


def _apart(corpus: CorpusScores) -> dict[str, Any]:
    shared = corpus.info.shared
    return {"documents": shared.documents, "problems": len(shared.problems), "systems": _rows(corpus.apart)}


def _rows(rows: Rows) -> dict[str, Any]:
    return {name: _row(row) for name, row in rows.items()}


def _row(row: Row) -> dict[str, Any]:
    return {
        **row.scores,
        "unanswered": row.unanswered,
        "seconds": row.seconds,
        "interval": {m: None if (r := row.interval[m]) is None else list(r) for m in row.interval},
    }
