"""Pairs in four equal strata: same or different author × same or different topic (ours)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.problems.base import PairRule, Pairs
from ravenbench.problems.drawing import first_of_each, no_same_author_pair, one_author, partners, same_author_pairs
from ravenbench.types import Ints

FEWEST = 10
"""Pairs a stratum must have, or a handful of pairs would set the size of all four."""


@dataclass(eq=False, repr=False)
class Controlled(PairRule):
    """Draws as many same-topic as cross-topic pairs in each class, so that sharing a topic says nothing of the author.

    All four strata have the size of the smallest. Where a corpus cannot fill one with ten pairs (few authors write
    on two topics, say), it and its counterpart of the other class are left out and counted as dropped.

    Parameters
    ----------
    per_author : int
        Most same-author pairs of an author in each stratum.
    """

    name = "controlled"

    per_author: int = 6

    def draw(
        self, documents: Ints, author: Ints, topic: Ints, rng: np.random.Generator, limit: int | None = None
    ) -> Pairs:
        strata = [self._same_author(author, topic, one, rng) for one in (True, False)]
        if not any(len(pairs) for pairs in strata):
            raise no_same_author_pair(author)
        if len(np.unique(author)) == 1:
            raise one_author(author)
        want = max(len(pairs) for pairs in strata)
        others = [_different_author(author, topic, one, want, rng) for one in (True, False)]
        counts = [min(len(s), len(d)) for s, d in zip(strata, others, strict=True)]
        filled = [i for i in (0, 1) if counts[i] >= FEWEST] or [i for i in (0, 1) if counts[i]]
        if not filled:
            raise CorpusError(
                "no topic relation has pairs of both classes",
                found=f"same author: {len(strata[0])} same-topic and {len(strata[1])} cross-topic pairs; "
                f"different authors: {len(others[0])} and {len(others[1])}",
                expected="two authors in a topic, or authors who write on two topics",
                fix="give more --topics or --docs-per-topic",
            )
        size = min(counts[i] for i in filled)
        if limit is not None:
            filled = filled[: max(1, limit // 2)]
            size = max(1, min(size, limit // (2 * len(filled))))
        chosen = [pairs[i][rng.permutation(len(pairs[i]))[:size]] for i in filled for pairs in (strata, others)]
        pairs = np.concatenate(chosen)
        same = np.tile(np.repeat([True, False], size), len(filled))
        order = rng.permutation(len(pairs))
        flip = rng.random(len(pairs)) < 0.5
        pairs[flip] = pairs[flip, ::-1]
        pairs = documents[pairs[order]]
        names = ("same-topic stratum not fillable", "cross-topic stratum not fillable")
        dropped = {names[i]: len(strata[i]) for i in (0, 1) if i not in filled and len(strata[i])}
        return Pairs(pairs[:, 0], pairs[:, 1], same[order], dropped)

    def _same_author(self, author: Ints, topic: Ints, one_topic: bool, rng: np.random.Generator) -> Ints:
        """Candidate same-author pairs (p, 2) in one topic or in two, at most ``per_author`` an author."""
        if one_topic:
            _, cell = np.unique(np.stack([author, topic]), axis=1, return_inverse=True)
            pairs = same_author_pairs(cell.ravel(), self.per_author, rng)
        else:
            # Documents of (author, topic) against the author's documents in other topics.
            mate = partners(author, topic, np.arange(len(author)), rng)
            found = np.flatnonzero(mate >= 0)
            pairs = np.stack([found, mate[found]], axis=1)
            pairs = pairs[first_of_each(pairs[:, 0], pairs[:, 1], len(author))]
        return _capped(pairs, author, self.per_author, rng)


def _different_author(author: Ints, topic: Ints, one_topic: bool, want: int, rng: np.random.Generator) -> Ints:
    """Up to ``want`` distinct different-author pairs (p, 2) in one topic or in two; documents take turns."""
    size = len(author)
    rounds = -(-want // size) + 3
    lead = np.concatenate([rng.permutation(size) for _ in range(rounds)])
    if one_topic:
        mate = partners(topic, author, lead, rng)
    else:
        mate = rng.integers(size, size=len(lead))
        mate[(author[mate] == author[lead]) | (topic[mate] == topic[lead])] = -1
    pairs = np.stack([lead[mate >= 0], mate[mate >= 0]], axis=1)
    return pairs[first_of_each(pairs[:, 0], pairs[:, 1], size)[:want]]


def _capped(pairs: Ints, author: Ints, cap: int, rng: np.random.Generator) -> Ints:
    """At most ``cap`` random pairs of each author."""
    pairs = pairs[rng.permutation(len(pairs))]
    writer = author[pairs[:, 0]]
    order = np.argsort(writer, kind="stable")
    ordered = writer[order]
    rank = np.arange(len(order)) - np.searchsorted(ordered, ordered, side="left")
    return pairs[order[rank < cap]]
