"""``raven sample``: shows which topics samplers choose, and how similar they are.

In: ``chosen_topics``: a ``SampleSpec`` (which names the corpus).
Out: a dict of JSON values: ``samplers``: the topics of each in order of choice, their numbers of documents, and the
mean and greatest cosine (−1 to 1) over their pairs, None for one topic. InputError (CorpusError, SpecError) if the
corpus cannot be read, has too few topics, or a name does not parse.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from ravenbench.engine.options import PATH, AtLeastOne, AtLeastTwo, LevelSpec, about
from ravenbench.engine.pool import Progress
from ravenbench.engine.task import Ending, Work


class SampleSpec(LevelSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which topics to choose, and how."""

    corpus: Annotated[
        str, about("A corpus by name, or a file with text, author and topic.", takes=PATH)
    ] = "synthetic"
    topic: Annotated[
        str | None, about("Level of topic: a column, or for example extract(clusters=20).")
    ] = None
    topics: Annotated[AtLeastTwo | None, about("How many topics to choose.", bounds=(2, None))] = (
        None
    )
    min_docs: Annotated[
        AtLeastOne | None, about("Leave out topics with fewer documents.", bounds=(1, None))
    ] = None
    encoder: Annotated[str, about("Encoder that compares topics: lsa, nmf, lda, sbert.")] = "lsa"
    samplers: Annotated[str, about("Samplers, separated by commas.")] = "hits, random, anti"
    seed: Annotated[int, about("Seed of samplers that draw.")] = 0


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
        return Ending(chosen, _shown(chosen))


def chosen_topics(spec: SampleSpec) -> dict[str, Any]:
    """Return the topics chosen by each sampler: names in order of choice, mean and maximum cosine over their pairs.
    InputError if the corpus cannot be read or has too few topics.
    """
    import numpy as np

    from ravenbench import registry
    from ravenbench.problems.needs import suggest
    from ravenbench.randomness import stream
    from ravenbench.reading.load import load_corpus
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
    names = data.topic.names
    counts = data.topic.counts()
    rows = []
    for sampler in chosen_samplers:
        selection = sampler.select(
            similarity, sizes.topics, stream(spec.seed, "sampler", str(sampler))
        )
        chosen = selection.chosen
        pairs = similarity[np.ix_(chosen, chosen)][np.triu_indices(len(chosen), 1)]
        joined = np.flatnonzero(
            (selection.merged >= 0) & (selection.merged != np.arange(len(names)))
        )
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
    }


def _shown(result: Mapping[str, Any]) -> list[Any]:
    """What a terminal shows: how alike the topics of each sampler are, and which they are."""
    from ravenbench.reports.view import col, for_terminal, table

    summary = table(
        "samplers",
        f"{result['corpus']}, {result['level']}: {result['available']} topics, compared by"
        f" {result['encoder']}",
        result["samplers"],
        col("sampler", lambda row: row["sampler"], text=True),
        col("topics", lambda row: len(row["topics"])),
        col("mean similarity", lambda row: row["mean_similarity"]),
        col("max similarity", lambda row: row["max_similarity"]),
    )
    chosen = [
        table(
            "topics",
            row["sampler"],
            enumerate(zip(row["topics"], row["documents"], strict=True), start=1),
            col("place", "0"),
            col("topic", "1.0", text=True),
            col("documents", "1.1"),
        )
        for row in result["samplers"]
    ]
    return [for_terminal(each) for each in (summary, *chosen)]
