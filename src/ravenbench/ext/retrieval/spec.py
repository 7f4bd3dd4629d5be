"""Defines what decides a search.

In: options of the command line, the keys of a spec file or arguments in Python (``build``: values by name, None = not
given).
Out: a checked ``RetrieveSpec``; queries, limit, first, content (queries with other content) and k (depths) are counts.
SpecError if a value does not fit.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import msgspec

from ravenbench.engine.options import (
    COMPONENTS,
    PATHS,
    AtLeastOne,
    AtLeastTwo,
    LevelSpec,
    about,
    spec_of,
)
from ravenbench.errors import SpecError

METHODS = "char-ngrams, words, delta"


class RetrieveSpec(LevelSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decides the figures of a search."""

    later: ClassVar[tuple[str, ...]] = (*LevelSpec.later, "rankings")

    source: Annotated[
        str,
        about(
            "A corpus, by name or file; or a folder or zip with queries.jsonl and"
            " candidates.jsonl, as in AuthBench, HIATUS and LUAR; or PAN's attribution"
            " problems.",
            takes="str | Path",
        ),
    ]
    methods: Annotated[
        str,
        about(
            "Retrievers, such as 'char-ngrams, words, delta, ppm, encoder' (raven list retriever),"
            f" or your own as module:Class with embed(texts). Default: {METHODS}.",
            takes=COMPONENTS,
        ),
    ] = METHODS
    rankings: Annotated[
        tuple[str, ...] | None,
        about(
            "A ranking made elsewhere, evaluated as a method: a TREC run, or JSON lines with"
            " query_id and candidate_ids. Several: repeat.",
            takes=PATHS,
            metavar="FILE",
            many=True,
        ),
    ] = None
    k: Annotated[
        tuple[AtLeastOne, ...],
        about("Depths of success and recall. Default: 1, 8.", takes="str | Sequence[int]"),
    ] = (1, 8)
    queries: Annotated[
        AtLeastOne, about("For a corpus: maximum queries, one for each author. Default: 1000.")
    ] = 1000
    limit: Annotated[
        AtLeastOne | None,
        about("For a corpus: maximum candidates; true ones are kept. Default: all."),
    ] = None
    across: Annotated[
        bool, about("For a corpus: a query and its true candidates are on different topics.")
    ] = False
    rerank: Annotated[
        str | None,
        about(
            "Verifiers that order the first candidates of the first method again, for example"
            " raven-2026.",
            takes=COMPONENTS,
        ),
    ] = None
    first: Annotated[
        AtLeastTwo, about("Number of candidates of a query to order again. Default: 50.")
    ] = 50
    train: Annotated[
        str | None,
        about(
            "Training data of re-rankers, as SOURCE. Default for a corpus: a third of the authors,"
            " whose texts are then not searched.",
            takes="str | Path",
        ),
    ] = None
    content: Annotated[
        int,
        msgspec.Meta(ge=0),
        about(
            "Maximum queries that Raven also searches for with other texts' content; 0: none."
            " Default: 300."
        ),
    ] = 300
    seed: Annotated[int, msgspec.Meta(ge=0), about("Seed of every random choice. Default: 0.")] = 0


def build(values: dict[str, Any]) -> RetrieveSpec:
    """Return a spec of the given values (None = not given); depths in order, each once. SpecError if a value does not fit."""
    given = values.get("k")
    if given is None:
        return spec_of(RetrieveSpec, values)
    try:
        depths = sorted(
            int(part) for part in (given.split(",") if isinstance(given, str) else given)
        )
    except (TypeError, ValueError):
        depths = []
    if not depths or len(set(depths)) < len(depths):
        raise SpecError("k must be whole numbers, each once", found=given, expected="1, 8")
    return spec_of(RetrieveSpec, {**values, "k": depths})
