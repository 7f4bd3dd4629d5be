"""Defines what decides the answers of ``raven attribute``.

In: options by name, the keys of a spec file or arguments in Python (None = not given).
Out: one checked ``AttributeSpec``; ``folds``, ``min_docs``, ``min_topics``, ``docs_per_topic`` and ``topics`` are
counts; ``protocols`` gives names. SpecError where a value does not fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from ravenbench.engine.options import AtLeastOne, AtLeastTwo, LevelSpec, about, spec_of
from ravenbench.errors import SpecError, did_you_mean

METHODS = "maxent, svm, nb, cosine-delta, function-words, topic-words"
PROTOCOLS = {
    "novel-topic": ("novel-topic",),
    "k-fold": ("k-fold",),
    "both": ("novel-topic", "k-fold"),
}
"""What runs under each choice of protocol, the main one first."""


class AttributeSpec(LevelSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decides the answers of attribution: corpus, protocol, methods, and what an author and a topic need
    (counts)."""

    corpus: Annotated[
        str,
        about(
            "A corpus by name, a table, or attribution problems of PAN18/19.",
            takes="str | Path | Corpus",
        ),
    ] = ""
    topic: Annotated[
        str | None,
        about(
            "Topics: a column, a level of the corpus, extract(clusters=20), or none (k-fold only)."
        ),
    ] = None
    protocol: Annotated[
        Literal["novel-topic", "k-fold", "both"],
        about("novel-topic (leave one topic out, the default), k-fold, or both."),
    ] = "novel-topic"
    methods: Annotated[
        str,
        about(
            f"E.g. 'maxent, svm(n=4), distorted(svm), mine:Method'. Default: {METHODS}.",
            takes="str | Sequence[Any]",
        ),
    ] = METHODS
    folds: Annotated[
        AtLeastTwo,
        about(
            "Number of folds in k-fold; novel-topic has one fold for each topic. Default: 10.",
            metavar="K",
        ),
    ] = 10
    min_docs: Annotated[AtLeastOne, about("Fewest documents of an author. Default: 10.")] = 10
    min_topics: Annotated[
        AtLeastOne,
        about("Fewest topics of an author; 1 includes authors with one topic. Default: 2."),
    ] = 2
    docs_per_topic: Annotated[
        AtLeastOne | None, about("Most documents to keep of each topic; default: all.")
    ] = None
    equal_counts: Annotated[
        bool,
        about(
            "Novel-topic: train on equally many texts of an author, regardless of the topic that is"
            " held out."
        ),
    ] = False
    sampler: Annotated[
        str | None,
        about(
            "How to choose topics so that near-duplicates cannot leak: hits, random,"
            " grouping, hybrid(…)."
        ),
    ] = None
    topics: Annotated[
        AtLeastTwo | None, about("How many topics the sampler chooses.", metavar="M")
    ] = None
    encoder: Annotated[str, about("How the sampler compares topics. Default: lsa.")] = "lsa"
    seed: Annotated[int, about("Seed of every random draw. Default: 0.")] = 0

    @property
    def protocols(self) -> tuple[str, ...]:
        """The protocols to run, the main one first."""
        return PROTOCOLS[self.protocol]


def build(given: Mapping[str, Any]) -> AttributeSpec:
    """Return a spec of the given values (None = not given). Raises SpecError if a value does not fit."""
    values = {key: value for key, value in given.items() if value is not None}
    if not values.get("corpus"):
        raise SpecError(
            "no corpus is given",
            expected="a corpus with known authors, or --unknown TEXT --candidates FOLDER",
        )
    protocol = values.get("protocol", "novel-topic")
    if protocol not in PROTOCOLS:
        raise SpecError(
            f"unknown protocol {protocol!r}", fix=did_you_mean(str(protocol), PROTOCOLS)
        )
    if values.get("topic") == "none":
        if values.get("protocol") != "k-fold":
            raise SpecError(
                f"the protocol {protocol} needs topics",
                found="--topic none",
                fix="add --protocol k-fold",
            )
        if values.get("sampler") is not None or values.get("topics") is not None:
            raise SpecError(
                "a sampler needs topics to choose from",
                found="--topic none",
                fix="leave out --sampler and --topics",
            )
        # Every document is on the one topic there is.
        values |= {"min_topics": 1}
    if values.get("topics") is not None:
        values.setdefault("sampler", "hits")
    return spec_of(AttributeSpec, values)
