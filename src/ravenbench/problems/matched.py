"""Pairs whose topics say nothing: both classes come from the same topic cells, and from the same documents (ours)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.problems.base import PairRule, Pairs
from ravenbench.problems.drawing import no_same_author_pair, pair_keys, same_author_pairs
from ravenbench.types import Bools, Ints

TRIES = 40
"""Swaps tried for a pair of one author's documents before another document is sought."""


@dataclass(eq=False, repr=False)
class Matched(PairRule):
    """Each same-author pair has a different-author partner with the same unordered pair of topics.

    The different-author pairs are the same documents dealt out anew: within a topic the documents of the
    same-author pairs are shuffled over the places they held. So a document occurs as often in one class as in
    the other, and neither its topic, nor its length, nor whose it is says which class a pair belongs to. Where
    shuffling would join documents of one author or repeat a pair, places are swapped; where no swap helps, a
    document of the topic by another author comes in; where there is none, the same-author pair has no partner,
    is dropped and counted.

    Parameters
    ----------
    per_author : int
        Most same-author pairs of an author; their documents take turns.
    """

    name = "matched"

    per_author: int = 6

    def draw(
        self, documents: Ints, author: Ints, topic: Ints, rng: np.random.Generator, limit: int | None = None
    ) -> Pairs:
        pairs = same_author_pairs(author, self.per_author, rng)
        if not len(pairs):
            raise no_same_author_pair(author)
        pairs = pairs[rng.permutation(len(pairs))[: None if limit is None else max(1, limit // 2)]]
        dealt = _deal(pairs.T.ravel(), topic, rng)
        other, found = _Deal(dealt, author, topic, rng).mend()
        if not found.any():
            raise CorpusError(
                "no same-author pair has a different-author pair with the same topics",
                found=f"{len(pairs)} same-author pairs, each in a topic with one author",
                expected="topics in which two authors write",
                fix="give more --docs-per-topic or coarser topics, or --pairs reference",
            )
        pairs, other = pairs[found], other[found]
        both = np.concatenate([pairs, other])
        same = np.arange(len(both)) < len(pairs)
        flip = rng.random(len(both)) < 0.5
        both[flip] = both[flip, ::-1]
        order = rng.permutation(len(both))
        both = documents[both[order]]
        dropped = {"without a partner of the same topics": int((~found).sum())} if not found.all() else {}
        return Pairs(both[:, 0], both[:, 1], same[order], dropped)


def _deal(slots: Ints, topic: Ints, rng: np.random.Generator) -> Ints:
    """The documents in ``slots`` permuted within each topic."""
    place = np.argsort(topic[slots], kind="stable")
    shuffled = np.lexsort((rng.random(len(slots)), topic[slots]))
    dealt = np.empty_like(slots)
    dealt[place] = slots[shuffled]
    return dealt


class _Deal:
    """Different-author pairs in the making: pair i holds the documents in slots i and n + i.

    Only pairs that break a promise are touched, a small part of them, so plain Python is quick enough.
    """

    def __init__(self, slots: Ints, author: Ints, topic: Ints, rng: np.random.Generator) -> None:
        self.n = len(slots) // 2
        self.author, self.topic, self.rng = author, topic, rng
        self.doc: list[int] = slots.tolist()
        self.writer: list[int] = author.tolist()
        self.subject: list[int] = topic[slots].tolist()
        self.places: dict[int, list[int]] = {}
        for slot, t in enumerate(self.subject):
            self.places.setdefault(t, []).append(slot)
        keys = pair_keys(slots[: self.n], slots[self.n :], len(author))
        broken = np.ones(self.n, dtype=bool)
        broken[np.unique(keys, return_index=True)[1]] = False
        broken |= author[slots[: self.n]] == author[slots[self.n :]]
        self.broken: list[bool] = broken.tolist()
        self.used: set[int] = set(keys[~broken].tolist())

    def mend(self) -> tuple[Ints, Bools]:
        """Pairs (n, 2) and which of them keep the promises (n,)."""
        for i in range(self.n):
            if self.broken[i] and not self._swap(i):
                self._bring_in(i)
        pairs = np.array([self.doc[: self.n], self.doc[self.n :]], dtype=np.int64).T
        return pairs, ~np.array(self.broken, dtype=bool)

    def _swap(self, i: int) -> bool:
        """Exchange a document of broken pair i with one of the same topic so that both pairs are good."""
        doc, writer = self.doc, self.writer
        for slot in (i, i + self.n):
            places = self.places[self.subject[slot]]
            mate = doc[self._opposite(slot)]
            for at in self.rng.integers(len(places), size=TRIES).tolist():
                there = places[at]
                p = there % self.n
                if p == i:
                    continue
                rest = doc[self._opposite(there)]
                if writer[doc[there]] == writer[mate] or writer[doc[slot]] == writer[rest]:
                    continue
                new = {self._key(doc[there], mate), self._key(doc[slot], rest)}
                freed = set() if self.broken[p] else {self._key(doc[there], rest)}
                if len(new) == 2 and self.used.isdisjoint(new - freed):
                    doc[slot], doc[there] = doc[there], doc[slot]
                    self.used -= freed
                    self.used |= new
                    self.broken[i] = self.broken[p] = False
                    return True
        return False

    def _bring_in(self, i: int) -> None:
        """Put another document of the topic in one of broken pair i's slots."""
        for slot in (i, i + self.n):
            mate = self.doc[self._opposite(slot)]
            others = (self.topic == self.subject[slot]) & (self.author != self.author[mate])
            for candidate in self.rng.permutation(np.flatnonzero(others)).tolist():
                if self._fits(candidate, mate):
                    self.doc[slot] = candidate
                    self.used.add(self._key(candidate, mate))
                    self.broken[i] = False
                    return

    def _opposite(self, slot: int) -> int:
        return slot + self.n if slot < self.n else slot - self.n

    def _key(self, a: int, b: int) -> int:
        return min(a, b) * len(self.writer) + max(a, b)

    def _fits(self, a: int, b: int) -> bool:
        return self.writer[a] != self.writer[b] and self._key(a, b) not in self.used
