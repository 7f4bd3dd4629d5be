"""The page, the tables and the terminal's lines of an obfuscation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ravenbench.reports.obfuscate.analysis import Obfuscation, to_json
from ravenbench.reports.page import render
from ravenbench.reports.report import write_parts
from ravenbench.reports.view import Column, Table, to_html

if TYPE_CHECKING:
    from rich.console import RenderableType


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
