"""Taking equally many documents of each topic, chosen so that authors keep several posts."""

from __future__ import annotations

import numpy as np

from ravenbench.types import Ints

ENOUGH = 4
"""Documents of an author that go first: four give the six same-author pairs that ``matched`` takes at most."""


def equalise(author: Ints, topic: Ints, documents: int | None, rng: np.random.Generator) -> Ints:
    """Positions of min(documents, available) documents of each topic, ascending.

    A plain draw would leave most authors one document. So up to four documents of every author who has two or
    more among these topics go first, author by author in one random order for all topics: an author who gets
    into one topic gets into the others. Places left are drawn from all other documents, so that authors with
    many posts do not fill a topic.

    Parameters
    ----------
    author, topic : (d,) int64
    documents : int, optional
        None takes all.
    rng : numpy.random.Generator

    Returns
    -------
    (e,) int64
    """
    if documents is None or not len(topic):
        return np.arange(len(topic), dtype=np.int64)
    _, writer, posts = np.unique(author, return_inverse=True, return_counts=True)
    shuffle = rng.permutation(len(author))
    turn = rng.permutation(len(posts))[writer]
    number = _rank(writer, shuffle)
    later = (posts[writer] < 2) | (number >= ENOUGH)
    order = np.lexsort((shuffle, np.where(later, 0, turn), later))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return np.flatnonzero(_rank(topic, place) < documents).astype(np.int64)


def _rank(group: Ints, key: Ints) -> Ints:
    """Rank of each row within its group by key, from 0."""
    order = np.lexsort((key, group))
    ordered = group[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    sizes = np.diff(np.r_[starts, len(group)])
    rank = np.empty(len(group), dtype=np.int64)
    rank[order] = np.arange(len(group)) - np.repeat(starts, sizes)
    return rank
