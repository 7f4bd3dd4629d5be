"""What a run lacks, said by the report of every task: its figures average over the cells that are there."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from ravenbench.files import write_json, write_text
from ravenbench.reports.shared.public import public, public_json
from ravenbench.reports.shared.tables import printable
from ravenbench.store.store import Store

SHOWN = 12
"""Methods that the sentence names."""


@dataclass(frozen=True)
class Gap:
    """A method with ``planned`` cells; those on ``folds`` are missing, damaged or failed, the first for ``reason``."""

    method: str
    planned: int
    folds: tuple[str, ...]
    reason: str


def gaps(store: Store) -> list[Gap]:
    """A gap for each method that lacks cells, in the plan's order; empty where every cell has its result."""
    if store.kind == "obfuscate":
        return _rewritings(store)
    missing: dict[str, list[str]] = {}
    reasons: dict[str, str] = {}
    planned = _planned(store)
    for name, fold, key in planned:
        cell = store.read_cell(key)
        if cell is None or cell.error is not None:
            missing.setdefault(name, []).append(fold)
            wrong = "missing or damaged" if cell is None or cell.error is None else cell.error.splitlines()[0]
            reasons.setdefault(name, wrong)
    count = Counter(name for name, _, _ in planned)
    return [Gap(name, count[name], tuple(folds), reasons[name]) for name, folds in missing.items()]


def _rewritings(store: Store) -> list[Gap]:
    """The texts that an obfuscation lacks: it has rewritings in the place of cells."""
    from ravenbench.bench.obfuscate.record import ObfuscatePlan
    from ravenbench.bench.obfuscate.rewritings import kept_at, read_rewriting

    plan = store.plan_as(ObfuscatePlan)
    kept = kept_at(store.path, plan.rewritings)
    found = {text.id: read_rewriting(kept, text.key) for text in plan.texts}
    failed = {name: one.error if one else None for name, one in found.items() if one is None or one.rewriting is None}
    reason = (next(iter(failed.values()), None) or "missing or damaged").splitlines()[0]
    return [Gap(plan.obfuscator, len(plan.texts), tuple(failed), reason)] if failed else []


def averaged_over(found: list[Gap]) -> str:
    """One sentence on what the figures of a report with gaps stand on."""
    parts = [f"{g.method} has {g.planned - len(g.folds)} of its {g.planned}" for g in found[:SHOWN]]
    more = f", and {len(found) - SHOWN} more methods lack some" if len(found) > SHOWN else ""
    return f"Cells are missing, and figures stand on the others alone: {', '.join(parts)}{more}; the rest have all."


def add_gaps(folder: Path, found: list[Gap]) -> None:
    """Say it in a report: above its page, and as ``incomplete`` in ``report.json``."""
    kept = json.loads((folder / "report.json").read_text("utf-8"))
    write_json(folder / "report.json", {**kept, "incomplete": public_json(to_json(found))})
    if found:
        page = (folder / "index.html").read_text("utf-8")
        told = Markup('<main id="main">\n<div class="finding warn"><p>{}</p></div>')
        told = told.format(public(printable(averaged_over(found))))
        write_text(folder / "index.html", page.replace('<main id="main">', told, 1))


def to_json(found: list[Gap]) -> list[dict[str, object]]:
    """The same as plain values."""
    return [{"method": g.method, "cells": g.planned - len(g.folds), "planned": g.planned} for g in found]


def _planned(store: Store) -> list[tuple[str, str, str]]:
    """Method, fold and key of every cell that a run should have."""
    if store.kind != "verify":
        return [(place.verifier, place.fold, place.key) for place in store.plan.cells]
    from ravenbench.bench.verify.record import VerifyPlan

    plan = store.plan_as(VerifyPlan)
    name = plan.verifiers[0].name
    return [(name, f"{b.fold}, problems {b.start + 1} to {b.stop}", b.key) for b in plan.blocks]
