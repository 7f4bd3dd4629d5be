"""Draws problems in which topic speaks for the truth, and as many in which it speaks against it (ours).

In: rows of documents (d,) with codes of their authors and topics (d,), the most problems of a kind, a random generator.
Out: ``evenly`` gives ``Pairs`` of documents, equally many of each of four kinds: by one author and by two, on one topic
and on two; without a single pair where a kind cannot be filled.

Topic *helps* where one author writes on one topic and two authors write on two; it *misleads* where one author writes
on two topics and two authors on one. A scorer of topic alone has an AUC above .5 in the first case and below .5 in the
second. The texts are untouched, so no method can be built to pass this by noticing a replacement. Both classes have the
same known texts as far as topics allow, and questioned texts by authors of several documents.
"""

from __future__ import annotations

import numpy as np

from ravenbench.problems.pair_rules import Pairs, same_author_pairs
from ravenbench.problems.sources import rank_in_group
from ravenbench.types import Bools, Ints

OF_AUTHOR = 6
"""Pairs of documents of one author, at most, that are drawn from."""


def evenly(rows: Ints, author: Ints, topic: Ints, most: int, rng: np.random.Generator) -> Pairs:
    """Pairs of these documents, at most ``most`` of each of the four kinds and equally many of all.

    A different-author pair takes the known text of a same-author pair, and a questioned text by another author of
    several documents, on the same topic (*misleads*) or on another one (*helps*). Every author has one pair of a kind
    before any has a second.
    """
    _, writer, documents = np.unique(author, return_inverse=True, return_counts=True)
    pairs = same_author_pairs(author, OF_AUTHOR, rng)
    one_topic = topic[pairs[:, 0]] == topic[pairs[:, 1]]
    several = np.flatnonzero(documents[writer] > 1)
    drawn = list[Ints]()
    for shares in (True, False):
        of_kind = pairs[one_topic == shares]
        order = np.argsort(rng.permutation(len(of_kind)))
        turn = rank_in_group(author[of_kind[:, 0]], order)
        of_kind = of_kind[np.lexsort((order, turn))][: 2 * most]
        stranger = np.array(
            [
                _stranger(known, several, author, topic, not shares, rng)
                for known in of_kind[:, 0].tolist()
            ],
            dtype=np.int64,
        )
        paired = np.flatnonzero(stranger >= 0)
        drawn.append(np.column_stack([of_kind[paired], stranger[paired]])[:most])
    size = min(map(len, drawn))
    known, same, different = np.concatenate([three[:size] for three in drawn]).reshape(-1, 3).T
    truth: Bools = np.repeat([True, False], len(known))
    return Pairs(rows[np.tile(known, 2)], rows[np.concatenate([same, different])], truth)


def _stranger(
    known: int,
    several: Ints,
    author: Ints,
    topic: Ints,
    shares: bool,
    rng: np.random.Generator,
) -> int:
    """A document by another author, on the topic of the known one or on another; −1 where there is none."""
    others = several[
        (author[several] != author[known]) & ((topic[several] == topic[known]) == shares)
    ]
    return int(rng.choice(others)) if len(others) else -1
