"""``raven attribute``: who wrote a text whose topic was never seen."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ravenbench.bench.attribute.spec import AttributeSpec
from ravenbench.bench.options import help_of
from ravenbench.cli.cell_timeout import CellTimeout
from ravenbench.cli.options import option


def command(
    corpus: Annotated[str, typer.Argument(help=help_of(AttributeSpec, "corpus"))],
    topic: Annotated[str | None, option(AttributeSpec, "topic")] = None,
    protocol: Annotated[str | None, option(AttributeSpec, "protocol")] = None,
    methods: Annotated[str | None, option(AttributeSpec, "methods")] = None,
    folds: Annotated[int | None, option(AttributeSpec, "folds", metavar="K")] = None,
    min_docs: Annotated[int | None, option(AttributeSpec, "min_docs")] = None,
    min_topics: Annotated[int | None, option(AttributeSpec, "min_topics")] = None,
    min_per_topic: Annotated[int | None, option(AttributeSpec, "min_per_topic")] = None,
    min_topic_docs: Annotated[int | None, option(AttributeSpec, "min_topic_docs")] = None,
    docs_per_topic: Annotated[int | None, option(AttributeSpec, "docs_per_topic")] = None,
    merge_authors: Annotated[bool, option(AttributeSpec, "merge_authors", "--merge-authors")] = False,
    sampler: Annotated[str | None, option(AttributeSpec, "sampler")] = None,
    topics: Annotated[int | None, option(AttributeSpec, "topics", metavar="M")] = None,
    encoder: Annotated[str | None, option(AttributeSpec, "encoder")] = None,
    difference: Annotated[float | None, option(AttributeSpec, "difference")] = None,
    reject: Annotated[
        float,
        typer.Option(help="PAN problems: the lead in probability below which a text is <UNK>; PAN19's is 0.1."),
    ] = 0.0,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="PAN problems: leave out those that cannot be read, and say so.")
    ] = False,
    encoding: Annotated[str | None, option(AttributeSpec, "encoding")] = None,
    seed: Annotated[int | None, option(AttributeSpec, "seed")] = None,
    out: Annotated[
        str | None,
        typer.Option(help="The folder or URL; default raven-runs/attribute-…. PAN problems: where answers go."),
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; default: all cores.")] = None,
    cell_timeout: CellTimeout = None,
    engine: Annotated[str, typer.Option(help="local (processes) or dask (an existing cluster).")] = "local",
    scheduler: Annotated[str | None, typer.Option(help="Address of the Dask scheduler.")] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Only say what would be done.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Attribute documents on topics that training never saw, and compare methods with the statistics this needs.

    Interrupted at any point, the same command goes on where it stopped.

        raven attribute newsgroups --topic group

        raven attribute mine.parquet --protocol both --methods maxent,svm,'distorted(svm)'

        raven attribute mine.csv --topic none --protocol k-fold

        raven attribute pan18.zip --methods svm,maxent --out answers
    """
    given = {name: value for name, value in locals().items() if name in AttributeSpec.__struct_fields__}
    from ravenbench.bench.attribute.collections import is_collection

    if is_collection(corpus):
        _collection(corpus, methods, reject, out, lenient, encoding, plan, json)
    else:
        _corpus(given, out, (engine, workers, scheduler), plan, json)


def _corpus(
    given: dict[str, Any], out: str | None, how: tuple[str, int | None, str | None], plan: bool, json: bool
) -> None:
    """Attribute a corpus and print its report."""
    from ravenbench.bench.attribute.api import carry, outlook, task
    from ravenbench.cli.show import progress_bar, say, show_outlook, show_report
    from ravenbench.engine import pool

    engine = pool.engine(*how)
    asked = task(given, out)
    with progress_bar() as progress:
        if plan:
            found = outlook(asked, progress)
        else:
            result = carry(asked, engine, progress)
    if plan:
        show_outlook(found, json)
        return
    show_report(result.store, json)
    if result.errors:
        say(f"{len(result.errors)} cells have no result, the first: {result.errors[0]}", fg="red", err=True)
        raise typer.Exit(1)


def _collection(
    path: str,
    methods: str | None,
    reject: float,
    out: str | None,
    lenient: bool,
    encoding: str | None,
    plan: bool,
    json: bool,
) -> None:
    """Answer PAN problems and print their scores."""
    from ravenbench.bench.attribute.collections import answer_collection, collection_outlook
    from ravenbench.cli.show import print_json, print_parts, progress_bar, show_outlook
    from ravenbench.reports.attribute.report import collection_json, collection_table
    from ravenbench.reports.view import for_terminal

    if plan:
        show_outlook(collection_outlook(path, methods=methods, out=out, lenient=lenient, encoding=encoding), json)
        return
    with progress_bar() as progress:
        found = answer_collection(
            path, methods=methods, reject=reject, out=out, lenient=lenient, encoding=encoding, progress=progress
        )
    if json:
        print_json(collection_json(found))
    else:
        print_parts([for_terminal(collection_table(found)), *found.notes])
