"""The report of ``raven obfuscate``: which texts changed, by what, and how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ravenbench.bench.obfuscate.record import ObfuscatePlan
from ravenbench.bench.obfuscate.rewritings import kept_at, read_rewriting
from ravenbench.obfuscation.measures.soundness import efficiency
from ravenbench.reports.page import render
from ravenbench.reports.report import Gap, write_parts
from ravenbench.reports.view import Column, Table, public_head, to_html
from ravenbench.store.records import Head
from ravenbench.store.store import Store

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class TextRow:
    """One text: its words, whether and how much it changed, and why it was not rewritten (None where it was).

    ``changes_per_1000`` counts changed stretches for every 1,000 words of the original.
    """

    id: str
    words: int
    changed: bool
    changes_per_1000: float | None
    operations: Mapping[str, int]
    notes: tuple[str, ...]
    seconds: float
    error: str | None


@dataclass(frozen=True)
class Obfuscation:
    """A whole obfuscation: its plan, and every text in the plan's order."""

    plan: ObfuscatePlan
    run: Head
    texts: tuple[TextRow, ...]

    @property
    def changed(self) -> int:
        """How many texts differ from their original."""
        return sum(row.changed for row in self.texts)

    @property
    def operations(self) -> dict[str, int]:
        """Operations over all texts, by name."""
        total: Counter[str] = Counter()
        for row in self.texts:
            total.update(row.operations)
        return dict(sorted(total.items()))

    @property
    def notes(self) -> dict[str, int]:
        """What a reader must know, each note with the number of texts it was made on."""
        return dict(sorted(Counter(note for row in self.texts for note in row.notes).items()))

    @property
    def failed(self) -> dict[str, str]:
        """Texts that could not be rewritten, and why."""
        return {row.id: row.error for row in self.texts if row.error is not None}


def analyse(store: Store) -> Obfuscation:
    """What an obfuscation did; nothing is rewritten here.

    Raises
    ------
    InputError
        If the folder belongs to another task.
    """
    store.expect("obfuscate")
    plan = store.plan_as(ObfuscatePlan)
    kept = kept_at(store.path, plan.rewritings)
    rows = []
    for text in plan.texts:
        found = read_rewriting(kept, text.key)
        done = None if found is None else found.rewriting
        error = None
        if found is None:
            error = "its rewriting is missing or damaged: repeat the command"
        elif done is None:
            error = str(found.error).splitlines()[0]
        rows.append(
            TextRow(
                id=text.id,
                words=text.words,
                changed=done is not None and done.changed,
                changes_per_1000=None if done is None else efficiency(done.parts)["changes_per_1000"],
                operations={} if done is None else done.counts,
                notes=() if done is None else done.notes,
                seconds=0.0 if found is None else found.seconds,
                error=error,
            )
        )
    return Obfuscation(plan, public_head(store.run), tuple(rows))


def to_json(analysis: Obfuscation) -> dict[str, Any]:
    """The object that ``raven obfuscate --json`` prints and ``report/report.json`` holds."""
    return {
        "obfuscator": analysis.plan.obfuscator,
        "version": analysis.plan.version,
        "seed": analysis.run.seed,
        "source": analysis.plan.source,
        "texts": len(analysis.texts),
        "changed": analysis.changed,
        "unchanged": [row.id for row in analysis.texts if not row.changed],
        "operations": analysis.operations,
        "notes": analysis.notes,
        "failed": analysis.failed,
        "each": [
            {
                "id": row.id,
                "words": row.words,
                "changed": row.changed,
                "changes_per_1000": row.changes_per_1000,
                "operations": dict(row.operations),
                "notes": list(row.notes),
                "seconds": row.seconds,
                "error": row.error,
            }
            for row in analysis.texts
        ],
        "run": {key: value for key, value in msgspec.to_builtins(analysis.run).items() if key != "data"},
    }


def write(analysis: Obfuscation, folder: Path) -> None:
    """Fill a report's folder."""
    made = (text_table(analysis), operation_table(analysis), note_table(analysis))
    page = render(
        "obfuscate.html.j2",
        sections=[("texts", "Texts"), ("operations", "Operations"), ("provenance", "Provenance")],
        analysis=analysis,
        run=msgspec.to_builtins(analysis.run),
        tables={table.key: to_html(table) if table.rows else "" for table in made},
    )
    write_parts(folder, kind="obfuscate", page=page, json=to_json(analysis), tables=made)


def terminal(analysis: Obfuscation) -> list[RenderableType]:
    """How many texts changed, by which operations, and what a reader must know."""
    from rich.text import Text

    plan, texts = analysis.plan, len(analysis.texts)
    lines = [f"{plan.obfuscator}: {analysis.changed} of {texts} texts changed"]
    lines += [f"  {count:>7}  {name}" for name, count in analysis.operations.items()]
    lines += [f"  note, {count} text{'s' * (count > 1)}: {note}" for note, count in analysis.notes.items()]
    if analysis.failed:
        first = next(iter(analysis.failed.items()))
        lines.append(f"{len(analysis.failed)} texts were not rewritten, the first: {first[0]} ({first[1]})")
    return [Text(line) for line in lines]


def text_table(analysis: Obfuscation) -> Table:
    """Every text and how much of it changed."""
    rows = tuple(
        (row.id, row.words, row.changes_per_1000, sum(row.operations.values()), row.error or "; ".join(row.notes))
        for row in analysis.texts
    )
    columns = (
        Column("text", text=True), Column("words"), Column("changes", digits=0), Column("operations"),
        Column("note", text=True),
    )  # fmt: skip
    return Table("texts", "Texts", columns, rows, "Changes: changed stretches per 1,000 words of the original.")


def operation_table(analysis: Obfuscation) -> Table:
    """How often each operation was applied."""
    rows = tuple((name, count) for name, count in analysis.operations.items())
    return Table("operations", "Operations over all texts", (Column("operation", text=True), Column("times")), rows)


def note_table(analysis: Obfuscation) -> Table:
    """What a reader must know of the rewritings."""
    rows = tuple((note, count) for note, count in analysis.notes.items())
    return Table("notes", "Notes", (Column("note", text=True), Column("texts")), rows)


def gaps(store: Store) -> list[Gap]:
    """The texts that an obfuscation lacks: it has rewritings in the place of cells."""
    plan = store.plan_as(ObfuscatePlan)
    kept = kept_at(store.path, plan.rewritings)
    found = {text.id: read_rewriting(kept, text.key) for text in plan.texts}
    failed = {name: one.error if one else None for name, one in found.items() if one is None or one.rewriting is None}
    reason = (next(iter(failed.values()), None) or "missing or damaged").splitlines()[0]
    return [Gap(plan.obfuscator, len(plan.texts), tuple(failed), reason)] if failed else []
