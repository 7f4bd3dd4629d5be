"""``raven sample``: the topics each sampler chooses."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ravenbench.bench.options import ENCODING


def command(
    corpus: Annotated[
        str, typer.Argument(help="A corpus by name, or a file with text, author and topic.")
    ] = "synthetic",
    topic: Annotated[str | None, typer.Option(help="Level of topic: a column, or e.g. extract(clusters=20).")] = None,
    topics: Annotated[int | None, typer.Option(min=2, help="How many topics to choose.")] = None,
    min_docs: Annotated[int | None, typer.Option(min=1, help="Leave out topics with fewer documents.")] = None,
    encoder: Annotated[str, typer.Option(help="What topics are compared by: lsa, nmf, lda, sbert.")] = "lsa",
    samplers: Annotated[str, typer.Option(help="Comma-separated.")] = "hits, random, anti",
    encoding: Annotated[str | None, typer.Option(help=ENCODING)] = None,
    seed: Annotated[int, typer.Option(help="For samplers that draw.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Show the topics each sampler chooses, with their similarities."""
    result = sample(corpus, topic, topics, min_docs, encoder, samplers, seed, encoding)
    if json:
        from ravenbench.cli.show import print_json

        print_json(result)
    else:
        _print(result)


def sample(
    corpus: str,
    topic: str | None,
    topics: int | None,
    min_docs: int | None,
    encoder: str,
    samplers: str,
    seed: int,
    encoding: str | None = None,
) -> dict[str, Any]:
    """Topics chosen by each sampler: names in order of choice, mean and maximum cosine over their pairs.

    Raises
    ------
    InputError
        If the corpus cannot be read or has too few topics.
    """
    import numpy as np

    from ravenbench import registry
    from ravenbench.corpora.load import load_corpus
    from ravenbench.problems.needs import suggest
    from ravenbench.randomness import stream
    from ravenbench.topics.levels import at_level, keep_topics, topic_similarity

    chosen_samplers = registry.parse_list("sampler", samplers)
    compared_by = registry.parse("encoder", encoder)
    data = load_corpus(corpus, encoding=encoding)
    defaults = data.notes.get("defaults", {})
    level = topic or defaults.get("topic", "topic")
    data, _ = at_level(data, level, defaults.get("levels", {}))
    sizes = suggest(data, topics=topics, min_docs=min_docs, defaults=defaults)
    data = keep_topics(data, sizes.min_docs)
    similarity = topic_similarity(data, compared_by)
    names, counts = data.topic.names, data.topic.counts()
    rows = []
    for sampler in chosen_samplers:
        selection = sampler.select(similarity, sizes.topics, stream(seed, "sampler", str(sampler)))
        chosen = selection.chosen
        pairs = similarity[np.ix_(chosen, chosen)][np.triu_indices(len(chosen), 1)]
        joined = np.flatnonzero((selection.merged >= 0) & (selection.merged != np.arange(len(names))))
        rows.append(
            {
                "sampler": str(sampler),
                "topics": [names[i] for i in chosen],
                "documents": [int(counts[i]) for i in chosen],
                "merged": {names[i]: names[selection.merged[i]] for i in joined},
                "mean_similarity": float(pairs.mean()) if len(pairs) else None,
                "max_similarity": float(pairs.max()) if len(pairs) else None,
            }
        )
    return {
        "corpus": data.name,
        "level": level,
        "available": len(names),
        "encoder": str(compared_by),
        "seed": seed,
        "samplers": rows,
    }


def _print(result: dict[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    from ravenbench.cli.show import console, readable

    result = readable(result)

    out = console(min(80, console().width))
    head = f"{result['corpus']}, {result['level']}: {result['available']} topics, compared by {result['encoder']}"
    out.print(head)
    summary = Table("sampler", "topics", "mean similarity", "max similarity", box=None, pad_edge=False)
    for column in summary.columns[1:]:
        column.justify = "right"
    for row in result["samplers"]:
        shown = ["n/a" if row[k] is None else f"{row[k]:.3f}" for k in ("mean_similarity", "max_similarity")]
        summary.add_row(Text(row["sampler"]), str(len(row["topics"])), *shown)
    out.print(summary)
    for row in result["samplers"]:
        table = Table(title=None, box=None, pad_edge=False, show_header=True)
        table.add_column("", justify="right")
        table.add_column(Text(row["sampler"]), overflow="ellipsis", no_wrap=True)
        table.add_column("documents", justify="right")
        for place, (name, size) in enumerate(zip(row["topics"], row["documents"], strict=True), start=1):
            table.add_row(str(place), Text(name), str(size))
        out.print()
        out.print(table)
