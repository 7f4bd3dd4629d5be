"""``raven corpus``: says what corpora hold, and imports and fetches them.

In: a name or path of a corpus. Out: lines on a terminal or JSON: counts of documents, authors, topics, words and
pairs; an imported corpus is a folder.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ravenbench.cli.show import console, print_json, readable, say
from ravenbench.cli.tasks import Json, reads
from ravenbench.corpora.remarks import ACCOUNT
from ravenbench.errors import MissingPart

if TYPE_CHECKING:
    from ravenbench.corpora.catalogue import CatalogueEntry
    from ravenbench.ext.corpora.summary import Question


_SHOWN = 20


def access(entry: CatalogueEntry) -> str:
    if entry.restricted:
        return "on request"
    if entry.fetch:
        return "fetch"
    return "built in" if entry.source is not None else "your copy"


def print_rows(rows: Iterable[tuple[str, ...]], *columns: str) -> None:
    """Rows under their columns' names, or without any."""
    from rich import box
    from rich.table import Table

    style = box.SIMPLE_HEAD if columns else None
    table = Table(*columns, box=style, show_header=bool(columns), pad_edge=False)
    for row in rows:
        table.add_row(*row)
    out = console()
    out.print(table, width=min(out.width, 120))


def show_summary(summary: dict[str, Any]) -> None:
    s: dict[str, Any] = readable(summary)
    authors = s["authors"]
    topics = s["topics"]
    pairs = s["pairs"]
    notes = s["notes"]
    whole = notes.get("whole collection", {}).items()
    rows = [
        ("corpus", s["name"]),
        ("documents", f"{s['documents']:,}"),
        *(("mind", sentence) for sentence in notes.get(ACCOUNT, ())),
        *(
            ("mind", f"{n['found']:,} {what}; the whole collection has {n['expected']:,}")
            for what, n in whole
            if n["found"] != n["expected"]
        ),
        ("words", f"{s['words']['total']:,}; in a document {_spread(s['words'])}"),
        ("authors", f"{authors['total']:,}"),
        ("with several documents", f"{authors['several']:,}"),
        ("in several topics", f"{authors['across']:,}"),
        ("documents an author", _spread(authors["documents"])),
        ("topics", f"{topics['total']:,}; documents without: {topics['without']:,}"),
        ("documents a topic", _spread(topics["documents"])),
        ("same-author pairs", f"{pairs['same_author']:,}"),
        ("within one topic", f"{pairs['same_author_same_topic']:,}"),
        ("languages", _listed(s["languages"])),
        ("further columns", _listed(s["levels"])),
        ("columns taken", _listed(notes.get("columns", {}))),
        ("dropped", _listed(notes.get("dropped", {}))),
        ("left alone", _listed(notes.get("left alone", {}))),
    ]
    print_rows(row for row in rows if row[1])
    by_topic = s["by_topic"]
    columns = ("topic", "documents", "authors", "words")
    shown = (tuple(_number(row[column]) for column in columns) for row in by_topic[:_SHOWN])
    print_rows(shown, *columns)
    if len(by_topic) > _SHOWN:
        say(f"and {len(by_topic) - _SHOWN:,} more topics (all with --json)")


def _number(value: str | float | None) -> str:
    if value is None:
        return "none"
    return value if isinstance(value, str) else f"{value:,.0f}"


def _spread(values: dict[str, Any]) -> str:
    least, middle, most = (_number(values[key]) for key in ("min", "median", "max"))
    return f"{least} – {most}, median {middle}"


def _listed(values: dict[str, Any]) -> str:
    return ", ".join(f"{name}: {_number(value)}" for name, value in values.items() if value)


def show_questions(questions: list[Question]) -> None:
    say("\nQuestions it can answer")
    print_rows(("✓" if q.possible else "✗", f"{q.question}\n{q.answer}") for q in questions)


def show_entry(entry: CatalogueEntry) -> None:
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
    print_rows((key, value) for key, value in rows.items() if value)


app = typer.Typer(no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]})

IdColumn = Annotated[str | None, typer.Option("--id", help="Column with the ids.")]
FoldCase = Annotated[
    bool, typer.Option("--fold-case", help="Join topics that differ in case only.")
]


@app.command("list")
def list_(json: Json = False) -> None:
    """List known corpora: built in, downloadable, or available on request."""
    from ravenbench import registry
    from ravenbench.corpora.catalogue import catalogue

    entries = catalogue()
    rows: list[dict[str, Any]] = [
        {
            "name": e.name,
            "kind": e.kind,
            "access": access(e),
            "languages": list(e.languages),
            "title": e.title,
        }
        for e in entries.values()
    ]
    for name, target in sorted(registry.targets("corpus").items()):
        if name not in entries:
            title = registry.summary(target).rstrip(".")
            rows.append(
                {
                    "name": name,
                    "kind": "corpus",
                    "access": "installed",
                    "languages": [],
                    "title": title,
                }
            )
    if json:
        print_json({"corpora": rows})
        return
    columns = ("name", "kind", "access", "title")
    print_rows((tuple(row[column] for column in columns) for row in rows), *columns)
    say(
        "\nraven corpus info NAME tells licence, citation and how to get it.\nFiles work too: raven"
        " run FILE"
    )


@app.command()
@reads
def info(
    corpus: Annotated[
        str,
        typer.Argument(
            metavar="CORPUS",
            help="A name, a table, a folder of texts by author, PAN pairs or an imported folder.",
        ),
    ],
    level: Annotated[str, typer.Option("--level", help="Level of topic to count.")] = "topic",
    id: IdColumn = None,
    fold_case: FoldCase = False,
    json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Describe a corpus: documents, authors, topics, lengths and possible pairs.

    Of verification problems (PAN13–15, a folder or zip), print the PAN-2014 overview's Table 1.
    """
    if _show_problems(corpus, reading["encoding"], json):
        return
    from ravenbench.corpora.catalogue import catalogue
    from ravenbench.corpora.load import load_corpus
    from ravenbench.ext.corpora.summary import questions, summarise
    from ravenbench.papers import bibtex
    from ravenbench.topics.levels import at_level

    entry = catalogue().get(corpus.partition("(")[0].strip())
    import msgspec

    about = None
    if entry is not None:
        about = msgspec.to_builtins(entry) | {
            "citation": entry.citation,
            "bibtex": bibtex(entry.papers),
        }
    summary = None
    if entry is None or entry.source is not None or corpus != entry.name:
        try:
            loaded = load_corpus(corpus, **reading, **_options(id, fold_case))
        except MissingPart:
            if entry is None or corpus != entry.name:
                raise
        else:
            levels = loaded.notes.get("defaults", {}).get("levels", {})
            summary = summarise(at_level(loaded, level, levels)[0])
    if json:
        answered = (
            None if summary is None else [asdict(question) for question in questions(summary)]
        )
        print_json({"catalogue": about, "corpus": summary, "questions": answered})
        return
    if summary is not None:
        show_summary(summary)
        show_questions(questions(summary))
    if entry is not None:
        show_entry(entry)


@app.command("import")
@reads
def import_(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A table (Parquet, JSONL, CSV), a folder of texts by author, PAN pairs.",
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder to write, new or an earlier one.")
    ],
    id: IdColumn = None,
    fold_case: FoldCase = False,
    name: Annotated[str | None, typer.Option("--name", help="Name of the corpus.")] = None,
    json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Check a corpus and store it as a folder that opens quickly.

    If it is interrupted, the same command continues where it stopped.
    """
    from ravenbench.corpora.load import import_corpus
    from ravenbench.ext.corpora.summary import summarise

    options = reading | _options(id, fold_case) | ({} if name is None else {"name": name})
    summary = summarise(import_corpus(source, out, **options))
    if json:
        print_json({"folder": str(out), "corpus": summary})
        return
    show_summary(summary)
    say(f"\nwritten to {out}")


@app.command()
def fetch(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name from raven corpus list.")],
    json: Json = False,
) -> None:
    """Download a corpus that may be downloaded; for others, say how to get them."""
    from ravenbench.corpora import catalogue

    place = catalogue.fetch(name)
    if json:
        print_json({"name": name, "place": place})
    else:
        say(f"{name}: {place}")


def _options(id: str | None, fold_case: bool) -> dict[str, Any]:
    return ({} if id is None else {"id": id}) | ({"fold_case": True} if fold_case else {})


def _show_problems(what: str, encoding: str | None, json: bool) -> bool:
    """Describe sets of PAN13–15 problems; False where the path holds none."""
    from ravenbench.formats.archive import Archive, is_there
    from ravenbench.formats.pan_attribution import is_attribution
    from ravenbench.formats.problems import holds_problems, problem_roots

    if not is_there(Path(what)) or is_attribution(what):
        return False
    with Archive(what) as archive:
        zips = any(name.lower().endswith(".zip") and not archive.single for name in archive.names)
        if not problem_roots(archive) and not (zips and holds_problems(archive)):
            return False
    from ravenbench.ext.corpora.summary import table_one
    from ravenbench.formats.problems import read_problem_sets

    sets = read_problem_sets(what, encoding=encoding)
    rows = [
        (f"{one.name}/{one.split}" if one.split else one.name, table_one(one.problems))
        for one in sets
    ]
    if json:
        notes = [{"notes": one.notes} for one in sets]
        print_json(
            {
                "problems": [
                    {"name": name, **row, **more}
                    for (name, row), more in zip(rows, notes, strict=True)
                ]
            }
        )
    else:
        say("\n".join(table_one_lines(rows)))
        for note in (note for one in sets for note in one.notes):
            say(readable(f"mind: {note}."))
    return True


def table_one_lines(rows: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """The overview's Table 1: a line for each set of problems."""
    line = "{:<{width}}  {:>8}  {:>9}  {:>15}  {:>16}".format
    width = max(len(name) for name, _ in rows)
    head = line("", "problems", "documents", "known a problem", "words a document", width=width)
    keys = ("problems", "documents", "known", "words")
    return [
        head,
        *(line(name, *(round(row[key], 1) for key in keys), width=width) for name, row in rows),
    ]
