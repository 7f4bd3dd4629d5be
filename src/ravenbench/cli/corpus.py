"""``raven corpus``: list, describe, import and fetch corpora."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from ravenbench.bench.options import ENCODING
from ravenbench.cli.corpus_show import access, print_part, show_entry, show_questions, show_summary, simple_table
from ravenbench.cli.show import print_json, say

app = typer.Typer(no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]})

Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
TextColumn = Annotated[str | None, typer.Option("--text", help="Column with the texts.")]
AuthorColumn = Annotated[str | None, typer.Option("--author", help="Column with the authors.")]
TopicColumn = Annotated[str | None, typer.Option("--topic", help="Column with the topics; 'none' for no topics.")]
IdColumn = Annotated[str | None, typer.Option("--id", help="Column with the ids.")]
Encoding = Annotated[str | None, typer.Option("--encoding", help=ENCODING)]
FoldCase = Annotated[bool, typer.Option("--fold-case", help="Join topics that differ in case only.")]


@app.command("list")
def list_(json: Json = False) -> None:
    """List known corpora: built in, fetched by name, or lent on request."""
    from ravenbench import registry
    from ravenbench.cli.list import summary
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
            title = summary(target).rstrip(".")
            rows.append({"name": name, "kind": "corpus", "access": "installed", "languages": [], "title": title})
    if json:
        print_json({"corpora": rows})
        return
    table = simple_table("name", "kind", "access", "what it is")
    for row in rows:
        table.add_row(row["name"], row["kind"], row["access"], row["title"])
    print_part(table)
    typer.echo("\nraven corpus info NAME tells licence, citation and how to get it.\nFiles work too: raven run FILE")


@app.command()
def info(
    corpus: Annotated[
        str,
        typer.Argument(
            metavar="CORPUS", help="A name, a table, a folder of texts by author, PAN pairs or an imported folder."
        ),
    ],
    level: Annotated[str, typer.Option("--level", help="Level of topic to count.")] = "topic",
    text: TextColumn = None,
    author: AuthorColumn = None,
    topic: TopicColumn = None,
    id: IdColumn = None,
    fold_case: FoldCase = False,
    encoding: Encoding = None,
    json: Json = False,
) -> None:
    """Describe a corpus: documents, authors, topics, lengths and the pairs it can give.

    Of verification problems (PAN13–15, a folder or zip), print the PAN-2014 overview's Table 1.
    """
    if _show_problems(corpus, encoding, json):
        return
    from ravenbench.corpora.catalogue import catalogue
    from ravenbench.corpora.load import load_corpus
    from ravenbench.corpora.summary import questions, summarise
    from ravenbench.topics.levels import at_level

    entry = catalogue().get(corpus.partition("(")[0].strip())
    import msgspec

    about = msgspec.to_builtins(entry) if entry is not None else None
    summary = None
    if entry is None or entry.source is not None or corpus != entry.name:
        loaded = load_corpus(corpus, encoding=encoding, **_options(text, author, topic, id, fold_case))
        levels = loaded.notes.get("defaults", {}).get("levels", {})
        summary = summarise(at_level(loaded, level, levels)[0])
    if json:
        asked = None if summary is None else [asdict(question) for question in questions(summary)]
        print_json({"catalogue": about, "corpus": summary, "questions": asked})
        return
    if summary is not None:
        show_summary(summary)
        show_questions(questions(summary))
    if entry is not None:
        show_entry(entry)


@app.command("import")
def import_(
    source: Annotated[
        str,
        typer.Argument(metavar="SOURCE", help="A table (Parquet, JSONL, CSV), a folder of texts by author, PAN pairs."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write; it must not exist.")],
    text: TextColumn = None,
    author: AuthorColumn = None,
    topic: TopicColumn = None,
    id: IdColumn = None,
    fold_case: FoldCase = False,
    encoding: Encoding = None,
    name: Annotated[str | None, typer.Option("--name", help="Name of the corpus.")] = None,
    json: Json = False,
) -> None:
    """Read a corpus once, check it, and keep it as a folder that opens at once.

    Killed, the same command goes on where it was.
    """
    from ravenbench.corpora.load import import_corpus
    from ravenbench.corpora.summary import summarise

    options = _options(text, author, topic, id, fold_case) | ({} if name is None else {"name": name})
    summary = summarise(import_corpus(source, out, encoding=encoding, **options))
    if json:
        print_json({"folder": str(out), "corpus": summary})
        return
    show_summary(summary)
    typer.echo(f"\nwritten to {out}")


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
    from ravenbench.corpora.synthetic_files import generate as write

    source = registry.parse("corpus", corpus)
    with progress_bar() as progress:
        count = workers if workers is not None else os.cpu_count() or 1
        place = write(source, out, count, lambda done, total: progress("generating", done, total))
    size = sum(part.stat().st_size for part in place.iterdir())
    if json:
        print_json({"folder": str(place), "corpus": str(source), "bytes": size})
        return
    typer.echo(f"{source}: {size / 1e6:,.1f} MB in {place}")


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
        typer.echo(f"{name}: {place}")


def _options(
    text: str | None, author: str | None, topic: str | None, id: str | None, fold_case: bool
) -> dict[str, Any]:
    given: dict[str, Any] = {"text": text, "author": author, "topic": topic, "id": id}
    options = {key: value for key, value in given.items() if value is not None}
    if topic == "none":
        options["topic"] = None
    return options | ({"fold_case": True} if fold_case else {})


def _show_problems(what: str, encoding: str | None, json: bool) -> bool:
    """Describe sets of PAN13–15 problems; False where the path holds none."""
    from ravenbench.formats.archive import Archive
    from ravenbench.formats.problems import problem_roots

    if not Path(what).exists():
        return False
    with Archive(what) as archive:
        zips = [name for name in archive.names if name.lower().endswith(".zip") and not archive.single]
        if not problem_roots(archive) and not zips:
            return False
    from ravenbench.cli.problems import table_one_lines
    from ravenbench.formats.problems import read_problem_sets
    from ravenbench.problems.building import table_one

    rows = [
        (f"{found.name}/{found.split}" if found.split else found.name, table_one(found.problems))
        for found in read_problem_sets(what, encoding=encoding)
    ]
    if json:
        print_json({"problems": [{"name": name, **row} for name, row in rows]})
    else:
        say("\n".join(table_one_lines(rows)))
    return True
