"""Searches exactly, block by block: counts how many candidates a method puts above each true candidate.

In: an ``Ask`` (rows of candidates to scores), q queries (``Questions``), c candidates (``Items``), rows searched; for
``training`` and ``kept_apart`` pools, for ``reranked`` a function from problems to scores, higher = same author.
Out: arrays by name: scores of the t true candidates (t,), on the method's scale, higher = same author, and counts of
others above and equal to each (3, t). ``shards``: rows from 0; ``added``: several shards as one; ``training``: n pairs
and truth (n,); ``kept_apart``: a warning or None, InputError for a text that is also learned from.

The stored result of a method is small and enough for every measure: each true candidate's score, and how many
others are above it and equal to it in every part of the pool. Counts of shards of the candidates can be added. A
verifier as a re-ranker orders the first candidates of each query again; the others stay behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.errors import InputError, counted
from ravenbench.ext.retrieval.content import of_rows
from ravenbench.ext.retrieval.pool import KINDS, Items, Pool, PoolParts, Questions, chosen, owners
from ravenbench.randomness import stream
from ravenbench.reading.collector import identity_key
from ravenbench.types import Arrays, Bools, Floats, Int32s, Ints, Problems, name_array

Scores = NDArray[np.float32]
Ask = Callable[[Ints], Scores]
"""Scores (queries, candidates) of these candidates, higher = same author."""

BLOCK = 2_048
"""Number of candidates scored at a time."""
HELD = 1 << 26
"""Maximum number of scores in memory, so that none is computed twice."""
TOLERANCE = 2e-6
"""Relative difference up to which scores are ties, because products of matrices round differently in other shapes."""
EDGES = 256
"""Number of true candidates' scores at which all scores are counted."""


def search(
    ask: Ask,
    questions: Questions,
    candidates: Items,
    shard: Ints,
    *,
    top: int = 0,
    edges: bool = True,
    tolerance: float = TOLERANCE,
) -> Arrays:
    """Search a shard for every query; return scores of true candidates (t,) and counts of others above and equal to
    each.

    Parameters
    ----------
    ask : callable
        The method's scores for these queries.
    shard : (c,) int64
        The candidates to rank.
    top : int
        Keep this many of the best of each query, ties by place.
    edges : bool
        Count all scores at those of true candidates (``levels``), for EER and AUC.
    tolerance : float
        Relative difference up to which scores are ties.

    Returns
    -------
    dict
        ``score`` (t,) of each true candidate; ``greater`` and ``equal`` (parts, t), others above and equal to it;
        ``size`` (parts, q), others in each part; ``inside`` (parts, t), whether the true candidate is in it. With
        ``edges``, the ``edges`` (e,) and ``levels`` (q, 2e + 1), others below, at and between them. With ``top``,
        its candidates ``best`` (q, top), −1 if there are fewer.
    """
    n = len(questions.queries)
    count = len(questions.true)
    blocks = [shard[at : at + BLOCK] for at in range(0, len(shard), BLOCK)]
    kept_scores = [ask(block) for block in blocks] if n * len(shard) <= HELD else None
    score = _true_scores(ask, questions, shard, kept_scores)
    parts = PoolParts.of(questions, candidates)
    levels = (
        np.unique(np.quantile(score, np.linspace(0, 1, EDGES), method="nearest"))
        if edges and count
        else score[:0]
    )
    counts: dict[str, NDArray[Any]] = {
        "score": score,
        "greater": np.zeros((len(KINDS), count), np.int32),
        "equal": np.zeros((len(KINDS), count), np.int32),
        "size": np.zeros((len(KINDS), n), np.int32),
        "inside": parts.members(questions.owner, questions.true),
        "edges": levels,
        "levels": np.zeros((n, 2 * len(levels) + 1), np.int32),
    }
    best = np.full((n, top), -1, np.int64)
    best_score = np.full((n, top), -np.inf, np.float32)
    place = np.full(len(candidates), -1, np.int64)
    for number, block in enumerate(blocks):
        scores = ask(block) if kept_scores is None else kept_scores[number]
        place[block] = np.arange(len(block))
        _silence(scores, questions.barred_ptr, place[questions.barred])
        if top:
            best, best_score = _merged(best, best_score, block, scores)
        _silence(scores, questions.true_ptr, place[questions.true])
        place[block] = -1
        count_block(
            scores,
            parts.alike,
            parts.kind[:, block],
            parts.topic[block],
            parts.on,
            questions.true_ptr,
            score,
            tolerance,
            levels,
            counts["greater"],
            counts["equal"],
            counts["size"],
            counts["levels"],
        )
    return counts | ({"best": best} if top else {})


def _true_scores(
    ask: Ask, questions: Questions, shard: Ints, kept_scores: list[Scores] | None
) -> Scores:
    """The score of each true candidate, (t,), whether it is in the shard or not."""
    wanted = np.unique(questions.true)
    scored: Iterable[Scores] = kept_scores or ()
    if kept_scores is None or not np.isin(wanted, shard).all():
        shard = wanted
        scored = (ask(wanted[at : at + BLOCK]) for at in range(0, len(wanted), BLOCK))
    place = np.full(int(shard.max(initial=-1)) + 1, -1, np.int64)
    place[shard] = np.arange(len(shard))
    score, (block, column) = (
        np.full(len(questions.true), np.nan, np.float32),
        np.divmod(place[questions.true], BLOCK),
    )
    for number, scores in enumerate(scored):
        here = block == number
        score[here] = scores[questions.owner[here], column[here]]
    return score


def _merged(best: Ints, best_score: Scores, block: Ints, scores: Scores) -> tuple[Ints, Scores]:
    """The best of those so far and of a block; of equals those that come first."""
    every = np.concatenate([best_score, scores], axis=1)
    ids = np.concatenate([best, np.broadcast_to(block, scores.shape)], axis=1)
    order = np.argsort(-every, axis=1, kind="stable")[:, : best.shape[1]]
    return np.take_along_axis(ids, order, 1), np.take_along_axis(every, order, 1)


@njit(cache=True)
def _silence(scores: Scores, ptr: Ints, places: Ints) -> None:
    for i in range(len(ptr) - 1):
        for j in range(ptr[i], ptr[i + 1]):
            if places[j] >= 0:
                scores[i, places[j]] = -np.inf


@njit(cache=True)
def count_block(
    scores: Scores,
    alike: Ints,
    kind: Ints,
    topic: Ints,
    on: Bools,
    ptr: Ints,
    true: Scores,
    tolerance: float,
    edges: Scores,
    greater: Int32s,
    equal: Int32s,
    size: Int32s,
    levels: Int32s,
) -> None:
    """Add the counts of a block of others to ``greater``, ``equal`` (3, t), ``size`` (3, q) and ``levels``; −inf means not a
    candidate of a query."""
    for i in range(scores.shape[0]):
        for c in range(scores.shape[1]):
            value = scores[i, c]
            if value == -np.inf:
                continue
            same = alike[0, i] == kind[0, c] and alike[1, i] == kind[1, c]
            near = on[i, topic[c]]
            size[0, i] += 1
            size[1, i] += same
            size[2, i] += near
            for t in range(ptr[i], ptr[i + 1]):
                room = tolerance * max(np.float32(1.0), abs(true[t]))
                if value > true[t] + room:
                    greater[0, t] += 1
                    greater[1, t] += same
                    greater[2, t] += near
                elif value >= true[t] - room:
                    equal[0, t] += 1
                    equal[1, t] += same
                    equal[2, t] += near
            if len(edges):
                low = np.searchsorted(edges, value)
                levels[i, 2 * low + (low < len(edges) and edges[low] == value)] += 1


def shards(candidates: int, size: int) -> Iterator[Ints]:
    """Yield rows of the candidates (int64) in parts of at most ``size``."""
    for at in range(0, max(candidates, 1), size):
        yield np.arange(at, min(at + size, candidates), dtype=np.int64)


def added(parts: list[dict[str, NDArray[Any]]]) -> Arrays:
    """Return the results of shards of the same candidates as one."""
    whole = dict(parts[0])
    for name in ("greater", "equal", "size", "levels"):
        whole[name] = np.sum([part[name] for part in parts], axis=0)
    return whole


AHEAD = 1_000.0
"""Added to the places of re-ranked candidates, so that they come before all others."""


def training(pool: Pool, seed: int) -> tuple[Problems, Bools]:
    """Return n training pairs and their truth (n,): each query with a true candidate, and with the true candidate of
    another query."""
    questions = pool.plain
    rng = stream(seed, "retrieval-training")
    first = questions.true[questions.true_ptr[:-1]]
    rows = pool.candidates.rows[pool.candidates.ptr[first]]
    author = questions.queries.codes("author")
    own = questions.queries.rows[questions.queries.ptr[:-1]]
    other = rng.permutation(len(own))
    clash = (author[other] == author) | (rows[other] == own)
    other[clash] = np.roll(other, 1)[clash]
    fine = np.flatnonzero((author[other] != author) & (rows[other] != own) & (rows != own))
    labels: dict[str, Any] = {
        column: of_rows(pool, column) for column in ("author", "topic", "language")
    }
    known = np.concatenate([rows[fine], rows[other[fine]]])
    questioned = np.concatenate([own[fine], own[fine]])
    problems = Problems.pairs(pool.texts, known, questioned, **labels)
    return problems, np.arange(len(known)) < len(fine)


def kept_apart(pool: Pool, lessons: Pool, place: str) -> str | None:
    """Return a warning if an author of the queries has the name of a training author. InputError if a searched text
    is also a training text (except white space), because its author is then known beforehand."""
    known = {identity_key(text) for text in lessons.texts}
    if both := sum(identity_key(text) in known for text in pool.texts):
        raise InputError(
            "re-rankers would learn from texts that Raven searches",
            file=place,
            expected="other texts, by other authors",
            found=f"{both:,} of {counted(len(pool.texts), 'text')} searched",
            fix="give another corpus or folder",
        )
    every = [one.plain.queries.labels.get("author") for one in (pool, lessons)]
    shared = set.intersection(*(set(labels.names) if labels else set[str]() for labels in every))
    if not shared:
        return None
    return (
        f"Warning: {place} also contains {counted(len(shared), 'author name')} of the search"
        f" ({min(shared)!r}); if these are the same persons, re-rankers have learned how they"
        " write."
    )


def reranked(
    answer: Callable[[Problems], Floats],
    counts: Arrays,
    questions: Questions,
    pool: Pool,
) -> Arrays:
    """Return the result of a search with ``best`` after a verifier orders these; EER and AUC are then unknown.

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
    answer: Callable[[Problems], Floats],
    questions: Questions,
    pool: Pool,
    query: Ints,
    candidate: Ints,
) -> Floats:
    queries = questions.queries
    candidates = pool.candidates
    bounds, questioned = chosen(queries.ptr, queries.rows, query)
    pair = owners(bounds)
    ptr, rows = chosen(candidates.ptr, candidates.rows, candidate[pair])
    ids = name_array(
        f"{queries.ids[query[i]]}\x1f{candidates.ids[candidate[i]]}\x1f{n}"
        for n, i in enumerate(pair)
    )
    answers = answer(Problems(pool.texts, ids, ptr, rows, questioned))
    return np.bincount(pair, answers, len(query)) / np.diff(bounds)
