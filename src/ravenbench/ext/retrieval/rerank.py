"""A verifier as a re-ranker: it puts the first candidates of each query into its own order, the others stay behind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ravenbench.errors import InputError, counted
from ravenbench.ext.retrieval.content import of_rows
from ravenbench.ext.retrieval.pool import Pool, PoolParts, Questions, chosen, owners
from ravenbench.formats.collector import identity_key
from ravenbench.randomness import stream
from ravenbench.types import Bools, Floats, Ints, Problems, name_array

AHEAD = 1_000.0
"""Added to the places of what was ranked anew, so that it stands before all others."""


def training(pool: Pool, seed: int) -> tuple[Problems, Bools]:
    """Pairs to learn from: of each query and a true candidate, and of it and the true candidate of another query."""
    questions, rng = pool.plain, stream(seed, "retrieval-training")
    first = questions.true[questions.true_ptr[:-1]]
    rows = pool.candidates.rows[pool.candidates.ptr[first]]
    author, own = questions.queries.codes("author"), questions.queries.rows[questions.queries.ptr[:-1]]
    other = rng.permutation(len(own))
    clash = (author[other] == author) | (rows[other] == own)
    other[clash] = np.roll(other, 1)[clash]
    fine = np.flatnonzero((author[other] != author) & (rows[other] != own) & (rows != own))
    labels: dict[str, Any] = {column: of_rows(pool, column) for column in ("author", "topic", "language")}
    known, questioned = np.concatenate([rows[fine], rows[other[fine]]]), np.concatenate([own[fine], own[fine]])
    problems = Problems.pairs(pool.texts, known, questioned, **labels)
    return problems, np.arange(len(known)) < len(fine)


def kept_apart(pool: Pool, lessons: Pool, place: str) -> str | None:
    """A warning where an author of the queries has the name of one to learn from. InputError if a text that is searched
    is also learned from (white space aside): its author is then known beforehand."""
    known = {identity_key(text) for text in lessons.texts}
    if both := sum(identity_key(text) in known for text in pool.texts):
        raise InputError(
            "re-rankers would learn from texts that are searched", file=place, expected="other texts, by other authors",
            found=f"{both:,} of {counted(len(pool.texts), 'text')} searched", fix="give another corpus or folder",
        )  # fmt: skip
    every = [one.plain.queries.labels.get("author") for one in (pool, lessons)]
    shared = set.intersection(*(set(labels.names) if labels else set[str]() for labels in every))
    if not shared:
        return None
    return (
        f"Warning: {counted(len(shared), 'name')} of authors ({min(shared)!r}) stand in {place} too; where they are "
        "the same persons, re-rankers know how they write."
    )


def reranked(
    answer: Callable[[Problems], Floats], counts: Mapping[str, NDArray[Any]], questions: Questions, pool: Pool
) -> dict[str, NDArray[Any]]:
    """What a search with ``best`` becomes when a verifier orders these; EER and AUC are not known then.

    A query or candidate of several texts gets the mean of its answers (higher = same author).
    """
    from scipy.stats import rankdata  # half a second, of which a report has no need

    best = counts["best"]
    query, place = np.nonzero(best >= 0)
    candidate = best[query, place]
    scores = np.full(best.shape, -np.inf)
    scores[query, place] = _scores(answer, questions, pool, query, candidate)
    order = rankdata(scores, axis=1) - 0.5
    parts = PoolParts.of(questions, pool.candidates)
    whole = {name: np.array(array) for name, array in counts.items() if name != "best"}
    whole |= {"edges": whole["edges"][:0], "levels": whole["levels"][:, :1]}
    for i in range(len(best)):
        trues = np.arange(questions.true_ptr[i], questions.true_ptr[i + 1])
        others = ~np.isin(best[i], questions.true[trues]) & (best[i] >= 0)
        members = parts.members(np.full(len(best[i]), i), np.maximum(best[i], 0)) & others
        for t in trues.tolist():
            at = np.flatnonzero(best[i] == questions.true[t])
            if len(at):
                value = order[i, at[0]]
                whole["score"][t] = AHEAD + value
                whole["greater"][:, t] = (members & (order[i] > value)).sum(axis=1)
                whole["equal"][:, t] = (members & (order[i] == value)).sum(axis=1)
    return whole


def _scores(
    answer: Callable[[Problems], Floats], questions: Questions, pool: Pool, query: Ints, candidate: Ints
) -> Floats:
    queries, candidates = questions.queries, pool.candidates
    bounds, questioned = chosen(queries.ptr, queries.rows, query)
    pair = owners(bounds)
    ptr, rows = chosen(candidates.ptr, candidates.rows, candidate[pair])
    ids = name_array(f"{queries.ids[query[i]]}\x1f{candidates.ids[candidate[i]]}\x1f{n}" for n, i in enumerate(pair))
    answers = answer(Problems(pool.texts, ids, ptr, rows, questioned))
    return np.bincount(pair, answers, len(query)) / np.diff(bounds)
