"""Draws that several pair rules share; all of them in whole arrays."""

from __future__ import annotations

from functools import cache

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.types import Bools, Ints


def same_author_pairs(author: Ints, cap: int, rng: np.random.Generator, where: Bools | None = None) -> Ints:
    """At most ``cap`` distinct pairs of each author's documents, (p, 2) positions.

    Each author's documents are put in random order and paired round by round as in a tournament, so that no
    document is used twice before every other has been used once (but for the odd one out).

    Parameters
    ----------
    author : (d,) int64
    cap : int
    where : (d,) bool, optional
        Documents that may be used.
    """
    rows = np.arange(len(author)) if where is None else np.flatnonzero(where)
    order = rows[np.lexsort((rng.random(len(rows)), author[rows]))]
    writer = author[order]
    starts = np.flatnonzero(np.r_[True, writer[1:] != writer[:-1]]) if len(order) else np.zeros(0, dtype=np.int64)
    sizes = np.diff(np.r_[starts, len(order)])
    parts = [np.zeros((0, 2), dtype=np.int64)]
    for size in np.unique(sizes):
        if size > 1:
            table = tournament(int(size), cap)
            parts.append(order[(starts[sizes == size][:, None, None] + table).reshape(-1, 2)])
    return np.concatenate(parts).astype(np.int64)


@cache
def tournament(size: int, cap: int) -> Ints:
    """The first ``cap`` pairs of a round-robin among ``size`` players, (min(cap, size·(size − 1)/2), 2)."""
    even = size + size % 2
    pairs: list[tuple[int, int]] = []
    ring = list(range(even))
    while len(pairs) < min(cap, size * (size - 1) // 2):
        games = zip(ring[: even // 2], reversed(ring[even // 2 :]), strict=True)
        pairs += [(a, b) for a, b in games if a < size and b < size]
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return np.array(pairs[:cap], dtype=np.int64).reshape(-1, 2)


def pair_keys(a: Ints, b: Ints, size: int) -> Ints:
    """One number for each unordered pair of positions below ``size``."""
    return np.minimum(a, b) * np.int64(size) + np.maximum(a, b)


def first_of_each(a: Ints, b: Ints, size: int) -> Ints:
    """Indices of the first occurrence of each unordered pair, ascending."""
    return np.sort(np.unique(pair_keys(a, b, size), return_index=True)[1])


def partners(group: Ints, author: Ints, wanted: Ints, rng: np.random.Generator) -> Ints:
    """For each document in ``wanted`` a random document of its group by another author, −1 where there is none.

    Drawn uniformly: documents stand sorted by (group, author), so the forbidden ones are one block of the
    group's and a draw steps over it.
    """
    order = np.lexsort((author, group))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    by_group = group[order]
    change = np.r_[True, (by_group[1:] != by_group[:-1]) | (author[order][1:] != author[order][:-1])]
    block_start = np.flatnonzero(change)
    block = np.cumsum(change) - 1
    block_end = np.r_[block_start[1:], len(order)]
    start = np.searchsorted(by_group, by_group, side="left")
    end = np.searchsorted(by_group, by_group, side="right")
    at = place[wanted]
    own = block_end[block[at]] - block_start[block[at]]
    free = end[at] - start[at] - own
    draw = start[at] + np.floor(rng.random(len(wanted)) * free).astype(np.int64)
    draw += np.where(draw >= block_start[block[at]], own, 0)
    found = np.full(len(wanted), -1, dtype=np.int64)
    found[free > 0] = order[draw[free > 0]]
    return found


def no_same_author_pair(author: Ints) -> CorpusError:
    """The error for documents of which no two have one author."""
    return CorpusError(
        "no two of these documents have one author, so no same-author pair can be made",
        found=f"{len(author)} documents of {len(np.unique(author))} authors",
        expected="authors with two documents or more among the topics of one fold",
        fix="give more --topics or --docs-per-topic, fewer --folds, or a corpus whose authors write several texts",
    )


def one_author(author: Ints) -> CorpusError:
    """The error for documents that all have one author."""
    return CorpusError(
        "all of these documents have one author, so no different-author pair can be made",
        found=f"{len(author)} documents",
        expected="documents of two authors or more",
        fix="give more --topics, or a corpus of several authors",
    )
