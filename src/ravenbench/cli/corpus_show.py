"""How ``raven corpus`` shows what a corpus holds and what can be asked of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from ravenbench.cli.show import console, readable
from ravenbench.corpora.load import MAIL

if TYPE_CHECKING:
    from rich.table import Table

    from ravenbench.corpora.catalogue import Entry
    from ravenbench.corpora.summary import Question

_SHOWN = 20


def access(entry: Entry) -> str:
    if entry.restricted:
        return "on request"
    if entry.fetch:
        return "fetch"
    return "built in" if entry.source is not None else "your copy"


def simple_table(*columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        number = column in ("documents", "authors", "words")
        table.add_column(column, justify="right" if number else "left", overflow="fold")
    return table


def print_part(what: Any) -> None:
    out = console()
    out.print(what, width=min(out.width, 80))


def show_summary(summary: dict[str, Any]) -> None:
    s: dict[str, Any] = readable(summary)

    def spread(v: dict[str, Any]) -> str:
        return "none" if v["median"] is None else f"{v['min']:,.0f} – {v['max']:,.0f}, median {v['median']:,.0f}"

    from rich.table import Table

    facts = Table.grid(padding=(0, 2))
    authors, topics, pairs = s["authors"], s["topics"], s["pairs"]
    without = f"; {topics['without']:,} documents have none" if topics["without"] else ""
    several = f"{authors['several']:,} with several documents, {authors['across']:,} in several topics"
    rows = [
        ("corpus", s["name"]),
        ("documents", f"{s['documents']:,}"),
        ("words", f"{s['words']['total']:,}; in a document {spread(s['words'])}"),
        ("authors", f"{authors['total']:,}; {several}"),
        ("documents an author", spread(authors["documents"])),
        ("topics", f"{topics['total']:,}{without}"),
        ("documents a topic", spread(topics["documents"])),
        ("same-author pairs", f"{pairs['same_author']:,}, {pairs['same_author_same_topic']:,} within one topic"),
    ]
    if s["languages"]:
        rows.append(("languages", ", ".join(f"{k} ({v:,})" for k, v in s["languages"].items())))
    if s["levels"]:
        rows.append(("further columns", ", ".join(f"{k} ({v:,})" for k, v in s["levels"].items())))
    if s["notes"].get("columns"):
        rows.append(("columns taken", ", ".join(f"{role}: {name}" for role, name in s["notes"]["columns"].items())))
    for reason, count in s["notes"].get("dropped", {}).items():
        if count:
            rows.append(("dropped", f"{count:,} texts {reason}"))
    for reason, count in s["notes"].get("left alone", {}).items():
        rows.append(("left alone", f"{count:,}: {reason}"))
    for what, whole in s["notes"].get("whole collection", {}).items():
        if whole["found"] != whole["expected"]:
            rows.append(("mind", f"{whole['found']:,} {what}; the whole collection has {whole['expected']:,}"))
    if mails := s["notes"].get(MAIL):
        rows.append(("mind", f"{mails:,} texts {MAIL}"))
    for name, value in rows:
        facts.add_row(name, value)
    print_part(facts)
    table = simple_table("topic", "documents", "", "authors", "words")
    most = max((row["documents"] for row in s["by_topic"]), default=1)
    for row in s["by_topic"][:_SHOWN]:
        bar = "█" * max(1, round(12 * row["documents"] / most))
        table.add_row(row["topic"], f"{row['documents']:,}", bar, f"{row['authors']:,}", f"{row['words']:,.0f}")
    print_part(table)
    left = s["by_topic"][_SHOWN:]
    if left:
        smaller = left[0]["documents"] < s["by_topic"][_SHOWN - 1]["documents"]
        typer.echo(f"and {len(left):,} {'smaller' if smaller else 'more'} topics (all with --json)")


def show_questions(found: list[Question]) -> None:
    from rich.table import Table

    typer.echo("\nWhat can be asked of it")
    table = Table.grid(padding=(0, 1))
    for question in found:
        table.add_row("✓" if question.possible else "✗", question.question)
        table.add_row("", question.told)
    print_part(table)


def show_entry(entry: Entry) -> None:
    from rich.table import Table

    facts = Table.grid(padding=(0, 2))
    rows = {
        "name": entry.name,
        "what it is": entry.title,
        "languages": ", ".join(entry.languages),
        "access": access(entry),
        "how": entry.instructions,
        "page": entry.url,
        "licence": entry.licence,
        "cite": entry.citation,
        "mind": " ".join(entry.notes),
    }
    for key, value in rows.items():
        if value:
            facts.add_row(key, value)
    print_part(facts)
