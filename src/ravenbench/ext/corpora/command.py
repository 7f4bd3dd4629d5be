"""``raven corpus``: what corpora hold."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ravenbench.cli.show import console, print_json, readable, say
from ravenbench.cli.tasks import Json, reads
from ravenbench.corpora.remarks import ACCOUNT
from ravenbench.errors import MissingPart

if TYPE_CHECKING:
    from rich.table import Table

    from ravenbench.corpora.catalogue import CatalogueEntry
    from ravenbench.ext.corpora.summary import Question


_SHOWN = 20


def access(entry: CatalogueEntry) -> str:
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
    out.print(what, width=min(out.width, 120))


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
        *(("mind", sentence) for sentence in s["notes"].get(ACCOUNT, ())),
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
        say(f"and {len(left):,} {'smaller' if smaller else 'more'} topics (all with --json)")


def show_questions(questions: list[Question]) -> None:
    from rich.table import Table

    say("\nQuestions it can answer")
    table = Table.grid(padding=(0, 1))
    for question in questions:
        table.add_row("✓" if question.possible else "✗", question.question)
        table.add_row("", question.answer)
    print_part(table)


def show_entry(entry: CatalogueEntry) -> None:
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


app = typer.Typer(no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]})

IdColumn = Annotated[str | None, typer.Option("--id", help="Column with the ids.")]
FoldCase = Annotated[bool, typer.Option("--fold-case", help="Join topics that differ in case only.")]


@app.command("list")
def list_(json: Json = False) -> None:
    """List known corpora: built in, downloadable, or available on request."""
    from ravenbench import registry
    from ravenbench.corpora.catalogue import catalogue

    entries = catalogue()
    rows: list[dict[str, Any]] = [
        {"name": e.name, "kind": e.kind, "access": access(e), "languages": list(e.languages), "title": e.title}
        for e in entries.values()
    ]
    for name, target in sorted(registry.targets("corpus").items()):
        if name not in entries:
            title = registry.summary(target).rstrip(".")
            rows.append({"name": name, "kind": "corpus", "access": "installed", "languages": [], "title": title})
    if json:
        print_json({"corpora": rows})
        return
    table = simple_table("name", "kind", "access", "what it is")
    for row in rows:
        table.add_row(row["name"], row["kind"], row["access"], row["title"])
    print_part(table)
    say("\nraven corpus info NAME tells licence, citation and how to get it.\nFiles work too: raven run FILE")


@app.command()
@reads
def info(
    corpus: Annotated[
        str,
        typer.Argument(
            metavar="CORPUS", help="A name, a table, a folder of texts by author, PAN pairs or an imported folder."
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
        about = msgspec.to_builtins(entry) | {"citation": entry.citation, "bibtex": bibtex(entry.papers)}
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
        answered = None if summary is None else [asdict(question) for question in questions(summary)]
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
        typer.Argument(metavar="SOURCE", help="A table (Parquet, JSONL, CSV), a folder of texts by author, PAN pairs."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write, new or an earlier one.")],
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
def generate(
    corpus: Annotated[
        str, typer.Argument(metavar="CORPUS", help="synthetic with its dials, e.g. 'synthetic(documents=50000)'.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write; it must not exist.")],
    workers: Annotated[int | None, typer.Option(help="Processes; default: all cores.")] = None,
    json: Json = False,
) -> None:
    """Write a synthetic corpus as Parquet parts, of any size; the same command goes on where it was interrupted.

    The same dials give the same bytes, whatever the number of workers. docs/synthetic.md says what the dials do.

        raven corpus generate "synthetic(documents=50000, authors=5000, topics=100, words=2900)" --out big
    """
    import os

    from ravenbench import registry
    from ravenbench.cli.show import progress_bar
    from ravenbench.ext.corpora.synthetic import generate_corpus

    source = registry.parse("corpus", corpus)
    with progress_bar() as progress:
        count = workers if workers is not None else os.cpu_count() or 1
        place = generate_corpus(source, out, count, lambda done, total: progress("generating", done, total))
    size = sum(part.stat().st_size for part in place.iterdir())
    if json:
        print_json({"folder": str(place), "corpus": str(source), "bytes": size})
        return
    say(f"{source}: {size / 1e6:,.1f} MB in {place}")


@app.command()
def fetch(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name from raven corpus list.")], json: Json = False
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
    rows = [(f"{one.name}/{one.split}" if one.split else one.name, table_one(one.problems)) for one in sets]
    if json:
        notes = [{"notes": one.notes} for one in sets]
        print_json({"problems": [{"name": name, **row, **more} for (name, row), more in zip(rows, notes, strict=True)]})
    else:
        say("\n".join(table_one_lines(rows)))
        for note in (note for one in sets for note in one.notes):
            say(readable(f"mind: {note}."))
    return True


def table_one_lines(rows: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """The overview's Table 1: a line for each set of problems."""
    width = max(len(name) for name, _ in rows)
    head = f"{'':<{width}}  problems  documents  known a problem  words a document"
    lines = []
    for name, row in rows:
        counts = f"{row['problems']:>8,}  {row['documents']:>9,}  {row['known']:>15.1f}  {row['words']:>16,.1f}"
        lines.append(f"{name:<{width}}  {counts}")
    return [head, *lines]
