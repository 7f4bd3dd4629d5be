"""``raven sample``: which topics samplers choose, and how alike they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from ravenbench.engine.options import PATH, AtLeastOne, AtLeastTwo, LevelSpec, about
from ravenbench.engine.pool import Progress
from ravenbench.engine.task import Ending, Work


class SampleSpec(LevelSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which topics are chosen, and how."""

    corpus: Annotated[str, about("A corpus by name, or a file with text, author and topic.", takes=PATH)] = "synthetic"
    topic: Annotated[str | None, about("Level of topic: a column, or e.g. extract(clusters=20).")] = None
    topics: Annotated[AtLeastTwo | None, about("How many topics to choose.", bounds=(2, None))] = None
    min_docs: Annotated[AtLeastOne | None, about("Leave out topics with fewer documents.", bounds=(1, None))] = None
    encoder: Annotated[str, about("What topics are compared by: lsa, nmf, lda, sbert.")] = "lsa"
    samplers: Annotated[str, about("Comma-separated.")] = "hits, random, anti"
    seed: Annotated[int, about("For samplers that draw.")] = 0


class ChosenTopics(Work):
    """Show the topics each sampler chooses, with their similarities."""

    name = "sample"
    function = "chosen_topics"
    Spec = SampleSpec
    arguments = ("corpus",)
    result = "dict[str, Any]"
    reports_progress = False

    @classmethod
    def work(cls, spec: SampleSpec) -> dict[str, Any]:
        return chosen_topics(spec)

    @classmethod
    def ending(cls, values: Mapping[str, Any], progress: Progress) -> Ending:
        chosen = cls.call(values)
        return Ending(chosen, [], after=lambda: _print(chosen))


def chosen_topics(spec: SampleSpec) -> dict[str, Any]:
    """Topics chosen by each sampler: names in order of choice, mean and maximum cosine over their pairs. Raises
    InputError if the corpus cannot be read or has too few topics.
    """
    import numpy as np

    from ravenbench import registry
    from ravenbench.corpora.load import load_corpus
    from ravenbench.problems.needs import suggest
    from ravenbench.randomness import stream
    from ravenbench.topics.levels import at_level, keep_topics, topic_similarity

    chosen_samplers = registry.parse_list("sampler", spec.samplers)
    compared_by = registry.parse("encoder", spec.encoder)
    data = load_corpus(spec.corpus, **spec.reading())
    defaults = data.notes.get("defaults", {})
    level = spec.topic or defaults.get("topic", "topic")
    data, _ = at_level(data, level, defaults.get("levels", {}))
    sizes = suggest(data, topics=spec.topics, min_docs=spec.min_docs, defaults=defaults)
    data = keep_topics(data, sizes.min_docs)
    similarity = topic_similarity(data, compared_by)
    names, counts = data.topic.names, data.topic.counts()
    rows = []
    for sampler in chosen_samplers:
        selection = sampler.select(similarity, sizes.topics, stream(spec.seed, "sampler", str(sampler)))
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
        "seed": spec.seed,
        "samplers": rows,
    }  # fmt: skip


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
