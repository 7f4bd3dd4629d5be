"""``raven corpus``: describes, imports and fetches corpora.

In: a name or path of a corpus. Out: lines on a terminal or JSON: counts of documents, authors, topics, words and
pairs; an imported corpus is a folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ravenbench.cli.show import print_json, print_parts, readable, say
from ravenbench.cli.tasks import Json, reads
from ravenbench.errors import MissingPart
from ravenbench.reading.account import ACCOUNT

if TYPE_CHECKING:
    from rich.table import Table

    from ravenbench.reading.catalogue import CatalogueEntry


_SHOWN = 20


def access(entry: CatalogueEntry) -> str:
    if entry.restricted:
        return "on request"
    if entry.fetch:
        return "fetch"
    return "built in" if entry.source is not None else "your copy"


def facts(title: str, values: Mapping[str, str | None]) -> Table:
    """Return a table with one fact in each row."""
    from ravenbench.reports.view import col, for_terminal, table

    rows = [row for row in values.items() if row[1]]
    columns = [col(name, itemgetter(i), text=True) for i, name in enumerate(("fact", "value"))]
    return for_terminal(table("facts", title, rows, *columns))


def shown(summary: dict[str, Any]) -> list[Any]:
    """Return what the terminal shows of a corpus: counts, notes, topics, and the questions that it can answer."""
    from rich.text import Text

    from ravenbench.ext.corpora.summary import questions
    from ravenbench.reports.view import col, for_terminal, table

    s: dict[str, Any] = readable(summary)
    authors = s["authors"]
    topics = s["topics"]
    pairs = s["pairs"]
    notes = s["notes"]
    values = {
        "documents": f"{s['documents']:,}",
        "words": f"{s['words']['total']:,}; per document {_spread(s['words'])}",
        "authors": f"{authors['total']:,}; documents per author {_spread(authors['documents'])}",
        "topics": f"{topics['total']:,}; documents per topic {_spread(topics['documents'])}",
        "without a topic": f"{topics['without']:,}",
        "same-author pairs": f"{pairs['same_author']:,}",
        "within one topic": f"{pairs['same_author_same_topic']:,}",
        "languages": _listed(s["languages"]),
        "further columns": _listed(s["levels"]),
    }
    for name in ("columns", "dropped", "left alone"):
        values[name] = _listed(notes.get(name, {}))
    minds = [f"note: {sentence}." for sentence in notes.get(ACCOUNT, ())]
    for what, n in notes.get("whole collection", {}).items():
        if n["found"] != n["expected"]:
            minds.append(
                f"note: {n['found']:,} {what}; the whole collection has {n['expected']:,}."
            )
    left = len(s["by_topic"]) - _SHOWN
    by_topic = table(
        "topics",
        "Topics",
        s["by_topic"][:_SHOWN],
        col("topic", itemgetter("topic"), text=True),
        *(col(name, itemgetter(name), digits=0) for name in ("documents", "authors", "words")),
        note=f"and {left:,} more topics (all with --json)" if left > 0 else "",
    )
    answered = [
        Text(f"{'✓' if question.possible else '✗'} {question.question}\n  {question.answer}")
        for question in questions(summary)
    ]
    heading = Text("\nQuestions it can answer", "bold")
    grouped = [for_terminal(by_topic)] if by_topic.rows else []
    return [facts(s["name"], values), *minds, *grouped, heading, *answered]


def _spread(values: dict[str, Any]) -> str:
    if values["median"] is None:
        return "none"
    return "{min:,.0f} – {max:,.0f}, median {median:,.0f}".format(**values)


def _listed(values: dict[str, str | int]) -> str:
    counts = {name: f"{n:,}" if isinstance(n, int) else n for name, n in values.items() if n}
    return ", ".join(f"{name}: {count}" for name, count in counts.items())


def catalogued(entry: CatalogueEntry) -> Table:
    """Return what the catalogue says about a corpus."""
    return facts(
        entry.name,
        {
            "what it is": entry.title,
            "languages": ", ".join(entry.languages),
            "access": access(entry),
            "how": entry.instructions,
            "page": entry.url,
            "licence": entry.licence,
            "cite": entry.citation,
            "note": " ".join(entry.notes),
        },
    )


app = typer.Typer(no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]})

IdColumn = Annotated[str | None, typer.Option("--id", help="Column with the ids.")]
FoldCase = Annotated[
    bool, typer.Option("--fold-case", help="Join topics that differ only in case.")
]


@app.command("list")
def list_(json: Json = False) -> None:
    """List known corpora: built in, downloadable, or available on request."""
    from ravenbench import registry
    from ravenbench.reading.catalogue import catalogue

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
    from ravenbench.reports.view import col, for_terminal, table

    columns = [
        col(name, itemgetter(name), text=True) for name in ("name", "kind", "access", "title")
    ]
    note = "raven corpus info NAME shows licence, citation and how to get it, also for files."
    print_parts([for_terminal(table("corpora", "Corpora", rows, *columns, note=note))])


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
    id: IdColumn = None,
    fold_case: FoldCase = False,
    json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Describe a corpus: documents, authors, topics, lengths and possible pairs.

    For verification problems (PAN13–15, a folder or zip), print Table 1 of the PAN-2014 overview.
    """
    if _show_problems(corpus, reading["encoding"], json):
        return
    from ravenbench.ext.corpora.summary import questions, summarise
    from ravenbench.papers import bibtex
    from ravenbench.reading.catalogue import catalogue, fetched
    from ravenbench.reading.load import load_corpus

    entry = catalogue().get(corpus.partition("(")[0].strip())
    import msgspec

    about = None
    if entry is not None:
        about = msgspec.to_builtins(entry) | {
            "citation": entry.citation,
            "bibtex": bibtex(entry.papers),
        }
    summary = None
    if entry is None or entry.source is not None or fetched(corpus) != entry.name:
        try:
            loaded = load_corpus(corpus, **reading, **_options(id, fold_case))
        except MissingPart:
            if entry is None or corpus != entry.name:
                raise
        else:
            summary = summarise(loaded)
    if json:
        answered = (
            None if summary is None else [asdict(question) for question in questions(summary)]
        )
        print_json({"catalogue": about, "corpus": summary, "questions": answered})
        return
    parts = [] if summary is None else shown(summary)
    print_parts(parts if entry is None else [*parts, catalogued(entry)])


@app.command()
@reads
def check(
    source: Annotated[
        str,
        typer.Argument(
            metavar="PATH",
            help="A corpus, problems, truth, answers, or one text: file, folder, zip or name.",
        ),
    ],
    page: Annotated[
        Path | None, typer.Option("--page", help="Write an HTML page with all notes.")
    ] = None,
    json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """List everything that reading finds: what is refused, left out, joined or doubted, and what to do.

    Other commands print the most important notes, and the number of further notes.

    A doubt (a possible fault) says where to look; only you can judge whether it is one.
    Exit code 2: Raven cannot read the input.
    """
    from ravenbench.ext.corpora.check import checked

    listing = checked(source, reading)
    written = None if page is None else listing.write(page)
    if json:
        print_json({**listing.json(), "page": None if written is None else str(written)})
    else:
        print_parts(listing.shown(), written)


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
        Path, typer.Option("--out", "-o", help="Folder to write, new or written earlier.")
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
    from ravenbench.ext.corpora.summary import summarise
    from ravenbench.reading.load import import_corpus

    options = reading | _options(id, fold_case) | ({} if name is None else {"name": name})
    summary = summarise(import_corpus(source, out, **options))
    if json:
        print_json({"folder": str(out), "corpus": summary})
        return
    print_parts([*shown(summary), f"written to {out}"])


@app.command()
def fetch(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name from raven corpus list.")],
    json: Json = False,
) -> None:
    """Download a corpus that may be downloaded; for others, say how to get them."""
    from ravenbench.reading import catalogue

    place = catalogue.fetch(name)
    if json:
        print_json({"name": name, "place": place})
    else:
        say(f"{name}: {place}")


def _options(id: str | None, fold_case: bool) -> dict[str, Any]:
    return ({} if id is None else {"id": id}) | ({"fold_case": True} if fold_case else {})


def _show_problems(what: str, encoding: str | None, json: bool) -> bool:
    """Describe sets of PAN13–15 problems; False if the path contains none."""
    from ravenbench.ext.corpora.summary import table_one
    from ravenbench.reading.problems import problems_at, read_problem_sets

    if not problems_at(what, pairs=False):
        return False

    sets = read_problem_sets(what, encoding=encoding)
    rows = [
        {
            "name": f"{one.name}/{one.split}" if one.split else one.name,
            **table_one(one.problems),
            "notes": one.notes,
        }
        for one in sets
    ]
    if json:
        print_json({"problems": rows})
    else:
        notes = [readable(f"note: {note}.") for one in sets for note in one.notes]
        print_parts([overview(rows), *notes])
    return True


def overview(rows: list[dict[str, Any]]) -> Table:
    """Return Table 1 of the PAN-2014 overview, with a row for each set of problems."""
    from ravenbench.reports.view import col, for_terminal, table

    return for_terminal(
        table(
            "problems",
            "Problems",
            rows,
            col("name", itemgetter("name"), text=True),
            col("problems", itemgetter("problems")),
            col("documents", itemgetter("documents")),
            col("known per problem", itemgetter("known"), digits=1),
            col("words per document", itemgetter("words"), digits=1),
        )
    )
