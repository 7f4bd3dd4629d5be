"""``raven problems``: PAN-style problems from any corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ravenbench.bench.options import ENCODING
from ravenbench.errors import InputError


def command(
    corpus: Annotated[str, typer.Argument(help="A corpus by name, or a file with text, author and topic.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="A new folder.")],
    known: Annotated[str, typer.Option(help="Known documents a problem: a number, or LEAST-MOST.")] = "1-5",
    match: Annotated[str, typer.Option(help="Columns in which all documents of a problem agree; 'none'.")] = "topic",
    cross: Annotated[
        str | None,
        typer.Option(
            help="A column in which the questioned document differs from the known ones: COLUMN, or "
            "COLUMN=A:B for known ones of A and a questioned one of B. It is not matched."
        ),
    ] = None,
    min_words: Annotated[int, typer.Option(min=0, help="Leave out shorter documents.")] = 0,
    words: Annotated[
        int | None,
        typer.Option(min=1, help="Cut every document to its first so many words; shorter ones are left out."),
    ] = None,
    problems: Annotated[int | None, typer.Option(min=2, help="How many (even); default: all there can be.")] = None,
    reuse: Annotated[
        bool, typer.Option(help="A document in one positive and one negative problem, as in PAN-2014.")
    ] = True,
    format: Annotated[
        Literal["folders", "pairs"], typer.Option(help="PAN13–15 folders, or PAN20–23 jsonl (one known document).")
    ] = "folders",
    genre: Annotated[str, typer.Option(help="What contents.json calls the genre.")] = "unknown",
    encoding: Annotated[str | None, typer.Option(help=ENCODING)] = None,
    seed: Annotated[int, typer.Option(help="Decides every draw.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Build balanced verification problems as the PAN-2014 organisers did.

    Negative problems take their questioned document from another author of the same kind, so that neither the matched
    columns nor the number of known documents tells the truth.

        raven problems essays.csv -o essays/ --known 1-5 --min-words 500 --match term,age_band
        raven problems texts.csv -o mails/ --match none --cross genre=essay:email
        raven problems newsgroups -o across/ --cross topic --known 1
    """
    found = build(corpus, out, known, match, min_words, words, problems, reuse, format, genre, seed, cross, encoding)
    from ravenbench.cli.show import print_json, say

    if json:
        print_json(found)
        return
    for line in table_one_lines([(found["corpus"], found["table"])]):
        say(line)
    for reason, count in found["dropped"].items():
        if count:
            typer.echo(f"{count:,} documents {reason}")
    typer.echo(f"written to {out}")


def build(
    corpus: str,
    out: Path,
    known: str,
    match: str,
    min_words: int,
    words: int | None,
    problems: int | None,
    reuse: bool,
    format: str,
    genre: str,
    seed: int,
    cross: str | None = None,
    encoding: str | None = None,
) -> dict[str, Any]:
    """Build and write problems; what was made, as JSON values.

    Raises
    ------
    InputError
        If an option, the corpus or the place to write cannot be used.
    """
    from ravenbench.corpora.load import load_corpus
    from ravenbench.formats.output import check_folder
    from ravenbench.formats.problems import write_pan_pairs, write_pan_problems
    from ravenbench.problems.building import Cross, build_problems, table_one
    from ravenbench.problems.rewritten import FirstWords

    least, most = _range(known)
    if format == "pairs" and most > 1:
        raise InputError(
            "pairs have one known document", found=f"--known {known}", fix="--known 1, or --format folders"
        )
    crossing = None if cross is None else Cross.parse(cross)
    check_folder(out, inputs=[corpus])
    data = load_corpus(corpus, encoding=encoding)
    columns = [] if match.strip() == "none" else [part.strip() for part in match.split(",") if part.strip()]
    columns = [name for name in columns if crossing is None or name != crossing.column]
    built = build_problems(
        data,
        known=(least, most),
        match=columns,
        min_words=max(min_words, words or 0),
        problems=problems,
        reuse=reuse,
        seed=seed,
        cross=crossing,
    )
    made = built.problems if words is None else built.problems.map_texts(FirstWords(words))
    languages = () if data.language is None else data.language.names
    if format == "pairs":
        write_pan_pairs(out, made, built.same)
    else:
        write_pan_problems(out, made, built.same, ", ".join(languages) or "unknown", genre)
    return {
        "folder": str(out), "corpus": data.name, "digest": data.digest(), "match": columns, "cross": cross,
        "known": [least, most], "min_words": min_words, "reuse": reuse, "seed": seed, "dropped": dict(built.dropped),
        "table": table_one(made),
    }  # fmt: skip


def table_one_lines(rows: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """The overview's Table 1: a line for each set of problems."""
    width = max(len(name) for name, _ in rows)
    head = f"{'':<{width}}  problems  documents  known a problem  words a document"
    lines = []
    for name, row in rows:
        counts = f"{row['problems']:>8,}  {row['documents']:>9,}  {row['known']:>15.1f}  {row['words']:>16,.1f}"
        lines.append(f"{name:<{width}}  {counts}")
    return [head, *lines]


def _range(text: str) -> tuple[int, int]:
    parts = text.replace("–", "-").split("-")
    if not 1 <= len(parts) <= 2 or not all(part.strip().isdecimal() for part in parts):
        raise InputError("--known is no range", found=text, expected="a number such as 1, or a range such as 1-5")
    return int(parts[0]), int(parts[-1])
