"""Cutting long texts into chunks whose vectors are averaged, since encoders truncate what they are given."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise, takewhile

import numpy as np

from ravenbench.types import Floats, Ints


def chunked(texts: Sequence[str], words: int) -> tuple[list[str], Ints]:
    """Cut texts into chunks of about equal length, of at most ``words`` white-space-separated words each.

    Returns
    -------
    chunks : list of str
        In order of the texts; every text has at least one, and a text short enough is its own chunk.
    owner : (len(chunks),) int64
        The text each chunk belongs to.
    """
    chunks: list[str] = []
    owner: list[int] = []
    for number, text in enumerate(texts):
        tokens = text.split()
        count = max(1, -(-len(tokens) // words))
        if count == 1:
            chunks.append(text)
        else:
            ends = [len(tokens) * i // count for i in range(count + 1)]
            chunks += [" ".join(tokens[a:b]) for a, b in pairwise(ends)]
        owner += [number] * count
    return chunks, np.asarray(owner, dtype=np.int64)


def averaged(vectors: Floats, owner: Ints) -> Floats:
    """Mean vector of each text, (n, d), from the vectors of its chunks; ``owner`` is ascending without gaps."""
    if not len(owner):
        return np.asarray(vectors, dtype=np.float64)
    sizes = np.bincount(owner)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    total = np.add.reduceat(np.asarray(vectors, dtype=np.float64), starts, axis=0)
    return np.asarray(total / sizes[:, None], dtype=np.float64)


def sampled(texts: Sequence[str], words: int, most: int, rng: np.random.Generator) -> Ints | None:
    """Texts drawn at random until they have ``most`` chunks, ascending; None where all have no more than that."""
    # Long texts are counted without splitting them: words are at least two characters with the space.
    bounds = accumulate(len(text) // (2 * words) + 1 for text in texts)
    if all(bound <= most for bound in bounds):
        return None
    order = rng.permutation(len(texts))
    sizes = (max(1, -(-len(texts[int(row)].split()) // words)) for row in order)
    # Texts behind the last that is drawn are not read.
    drawn = sum(1 for _ in takewhile(lambda total: total <= most, accumulate(sizes)))
    return None if drawn == len(texts) else np.sort(order[: max(1, drawn)])
