"""Replaces the content of queries, as the transplant probe does.

In: a ``Pool``, the maximum number of queries, a seed; for ``of_rows`` a ``Pool`` and the name of a column.
Out: ``with_content``: the pool with versions of its queries, and by reason the numbers of queries left out (a version
has the query's style and the content of texts on a true candidate's topic, *on*, or far from it, *off* and *off2*,
by both replacements); ``of_rows``: labels, one for each text, None if unknown.

Texts that gave content are then not ranked for that query: otherwise a text would be found by its own words. For the
same reason, the queries are also searched with their own content (*own*) and the same candidates barred.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any

import numpy as np

from ravenbench import registry
from ravenbench.errors import CorpusError
from ravenbench.ext.retrieval.pool import OTHER, OWN, Pool, chosen, listed
from ravenbench.problems.transplant import Transplanter
from ravenbench.randomness import Draws, stream
from ravenbench.texts import TextTable
from ravenbench.topics.levels import topic_similarity
from ravenbench.types import Corpus, Labels, Problems, name_array

FEWEST = 20
"""Minimum number of queries with other content for a result."""
COMPARED = 20_000
"""Maximum number of texts for which topics are compared, so that content comes from far topics."""
GIVERS = 50_000
"""Maximum number of candidates' texts that give content, drawn at random."""
KNOWN = 8
"""Maximum number of true candidates' texts that decide their topic."""


def with_content(pool: Pool, most: int, seed: int) -> tuple[Pool, Mapping[str, int]]:
    """Return the pool with versions of at most ``most`` queries, and by reason the numbers of queries left out.

    If fewer than ``FEWEST`` are possible, there are none.
    """
    queries = pool.plain.queries
    picked = np.sort(stream(seed, "retrieval-content").permutation(len(queries))[:most])
    labels: dict[str, Any] = {
        column: of_rows(pool, column) for column in ("author", "topic", "language")
    }
    similarity = None
    topic = labels["topic"]
    if topic is not None and len(pool.texts) <= COMPARED and (topic.counts() > 0).all():
        corpus = Corpus(
            pool.name, pool.texts, tuple(map(str, range(len(pool.texts)))), topic, topic
        )
        try:
            similarity = topic_similarity(corpus, registry.parse("encoder", "lsa"))
        except CorpusError:
            return pool, {
                "the texts share too few words to compare topics; use longer texts": len(picked)
            }
    questions = pool.plain.select(picked)
    ptr = questions.queries.ptr
    rows = questions.queries.rows
    candidates = pool.candidates
    owner = questions.queries.owner
    known = [
        chosen(candidates.ptr, candidates.rows, questions.true[a:b])[1][:KNOWN]
        for a, b in pairwise(questions.true_ptr)
    ]
    known_ptr, known_rows = listed([known[i] for i in owner.tolist()])
    ids = name_array(
        f"{queries.ids[picked[i]]}/{at - ptr[i]}" for at, i in enumerate(owner.tolist())
    )
    used = np.arange(len(pool.texts))
    texts = pool.texts
    if len(texts) > GIVERS:
        used = np.union1d(
            stream(seed, "retrieval-givers").permutation(candidates.rows)[:GIVERS],
            np.r_[rows, known_rows],
        )
        texts, _ = TextTable.of_blocks(texts.blocks(used))
        labels = {column: of and of.take(used) for column, of in labels.items()}
    place = np.searchsorted(used, known_rows), np.searchsorted(used, rows)
    transplanter = Transplanter(texts, **labels, similarity=similarity, draws=Draws(seed))
    problems = Problems(texts, ids, known_ptr, *place)
    made = transplanter.transplant(problems)
    done = np.bincount(owner[made.rows], minlength=len(picked)) == np.diff(ptr)
    left_out = Counter(made.left_out)
    if done.sum() < FEWEST:
        return pool, {**left_out, "too few queries could get other content": int(done.sum())}
    complete = np.flatnonzero(done)
    number = np.full(len(rows), -1, np.int64)
    number[made.rows] = np.arange(len(made.rows))
    _, at = chosen(ptr, np.arange(len(rows)), complete)
    free = transplanter.otherwise(problems, made)
    new = [made.plain, *(getattr(one, name) for one in (made, free) for name in OTHER)]
    table, moved = TextTable.of_blocks(
        chain(
            pool.texts.blocks(range(len(pool.texts))),
            *(one.texts.blocks(one.questioned_index[number[at]]) for one in new),
        )
    )
    versions = dict(zip(OWN, moved[len(pool.texts) :].reshape(len(OWN), -1), strict=True))
    holder = candidates.owner
    barred = []
    for query in complete.tolist():
        own = questions.barred[questions.barred_ptr[query] : questions.barred_ptr[query + 1]]
        givers = used[
            np.concatenate(
                [
                    rows
                    for text in range(ptr[query], ptr[query + 1])
                    for rows in made.donors[number[text]]
                ]
            )
        ]
        barred.append(np.union1d(own, holder[np.isin(candidates.rows, givers)]))
    whole = replace(
        pool, texts=table, transplanted=picked[complete], versions=versions, barred=listed(barred)
    )
    return whole, dict(left_out)


def of_rows(pool: Pool, column: str) -> Labels | None:
    """Return labels of the pool's texts, one for each row, if any are known."""
    labels = pool.candidates.labels.get(column)
    if labels is None:
        return None
    codes = np.full(len(pool.texts), -1, np.int64)
    for items in (pool.candidates, pool.plain.queries):
        codes[items.rows] = items.codes(column)[items.owner]
    return Labels(codes, labels.names)
