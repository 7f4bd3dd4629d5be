"""Draws verification pairs by a pair rule: ``reference`` (the rule of the released HITS code, Sawatphol et al. 2024), or
``matched``.

In: ``Reference().draw`` or ``Matched().draw``: rows of documents (d,) with author and topic codes (d,), a random
generator, the maximum number of pairs (None = no limit).
Out: ``Pairs``: known and questioned rows (n,), ``same`` (n,) bool, True = same author, and counts of dropped pairs by
reason. CorpusError if there is no same-author or no different-author pair. ``matched`` (ours) takes both classes from
the same topics and documents. Helpers: ``same_author_pairs`` and ``tournament`` return pairs of positions (p, 2),
``pair_keys`` a number for each pair, ``first_of_each`` indices of pairs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from ravenbench.components import Component
from ravenbench.errors import CorpusError, counted
from ravenbench.types import Bools, Ints


@dataclass(frozen=True, eq=False)
class Pairs:
    """Document pairs: ``known`` and ``questioned`` (n,) document rows, ``same`` (n,) bool, True = same author.

    ``dropped`` counts what the rule could not use, by reason.
    """

    known: Ints
    questioned: Ints
    same: Bools
    dropped: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.same)


class PairRule(Component):
    """Base of pair rules, which draw verification pairs from documents with authors and topics.

    Every rule guarantees: no document is paired with itself, two documents labelled *same* have the same
    author and those labelled *different* have different authors, no unordered pair is repeated unless the rule says so,
    and the draw depends only on its arguments.

    Examples
    --------
    >>> from ravenbench.problems.pair_rules import Matched
    >>> author, topic = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 0, 0, 0, 0])
    >>> pairs = Matched().draw(np.arange(6), author, topic, np.random.default_rng(0))
    >>> len(pairs), int(pairs.same.sum())
    (6, 3)
    """

    @abstractmethod
    def draw(
        self,
        documents: Ints,
        author: Ints,
        topic: Ints,
        rng: np.random.Generator,
        limit: int | None = None,
    ) -> Pairs:
        """Draw pairs among the given documents: ``documents`` (d,), rows of the corpus, with codes ``author`` and
        ``topic``.

        ``limit`` is the maximum number of pairs; the classes keep the rule's balance. CorpusError, with the counts, if the
        rule cannot give any pairs.
        """


def same_author_pairs(author: Ints, cap: int, rng: np.random.Generator) -> Ints:
    """Return at most ``cap`` distinct pairs of each author's documents, (p, 2) positions.

    Each author's documents are put in random order and paired round by round as in a tournament, so that no document is
    used twice before every other document was used once (except the last document of an odd number).
    """
    order = np.lexsort((rng.random(len(author)), author))
    writer = author[order]
    starts = (
        np.flatnonzero(np.r_[True, writer[1:] != writer[:-1]])
        if len(order)
        else np.zeros(0, dtype=np.int64)
    )
    sizes = np.diff(np.r_[starts, len(order)])
    blocks = [np.zeros((0, 2), dtype=np.int64)]
    for size in np.unique(sizes):
        if size > 1:
            table = tournament(int(size), cap)
            blocks.append(order[(starts[sizes == size][:, None, None] + table).reshape(-1, 2)])
    return np.concatenate(blocks).astype(np.int64)


@cache
def tournament(size: int, cap: int) -> Ints:
    """Return the first ``cap`` pairs of a round-robin among ``size`` players, (min(cap, size·(size − 1)/2), 2)."""
    even = size + size % 2
    pairs: list[tuple[int, int]] = []
    ring = list(range(even))
    while len(pairs) < min(cap, size * (size - 1) // 2):
        games = zip(ring[: even // 2], reversed(ring[even // 2 :]), strict=True)
        pairs += [
            (left_player, right_player)
            for left_player, right_player in games
            if left_player < size and right_player < size
        ]
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return np.array(pairs[:cap], dtype=np.int64).reshape(-1, 2)


def pair_keys(first_rows: Ints, second_rows: Ints, size: int) -> Ints:
    """Return a number (n,) for each unordered pair of positions below ``size``, equal for equal pairs."""
    return np.minimum(first_rows, second_rows) * np.int64(size) + np.maximum(
        first_rows, second_rows
    )


def first_of_each(first_rows: Ints, second_rows: Ints, size: int) -> Ints:
    """Return the indices of the first occurrence of each unordered pair, ascending."""
    return np.sort(np.unique(pair_keys(first_rows, second_rows, size), return_index=True)[1])


def no_same_author_pair(author: Ints) -> CorpusError:
    """Return the error for documents of which no two have the same author."""
    return CorpusError(
        "no two of these documents have the same author, so there is no same-author pair",
        found=f"{counted(len(author), 'document')} by {counted(len(np.unique(author)), 'author')}",
        expected="authors with two documents or more on the topics of one fold",
        fix=(
            "give more --topics or --docs-per-topic, fewer --folds, or a corpus whose authors write"
            " several texts"
        ),
    )


def one_author(author: Ints) -> CorpusError:
    """Return the error for documents that all have the same author."""
    return CorpusError(
        "all of these documents have the same author, so there is no different-author pair",
        found=counted(len(author), "document"),
        expected="documents by two authors or more",
        fix="give more --topics, or a corpus of several authors",
    )


@dataclass(eq=False, repr=False)
class Reference(PairRule):
    """Draws for each text one same-author pair, if its author has another text, and one different-author pair.

    The different author is drawn uniformly, then one of this author's texts. Topics are ignored, so same-author pairs
    often share a topic and different-author pairs rarely do: a shortcut inside every fold. Authors of one text
    give only different-author pairs, so 20–25 % of the pairs in the paper's data are same-author pairs.

    Parameters
    ----------
    faithful : bool
        Keep the errors of the released code: a same-author pair drawn from both ends is repeated, and under
        a ``limit`` the *different* pairs contain another text of the same author. The default repairs these and
        counts the repeated pairs as dropped.
    """

    name = "reference"

    faithful: bool = False

    def draw(
        self,
        documents: Ints,
        author: Ints,
        topic: Ints,
        rng: np.random.Generator,
        limit: int | None = None,
    ) -> Pairs:
        order = np.argsort(author, kind="stable")
        _, writer, sizes = np.unique(author[order], return_inverse=True, return_counts=True)
        if len(sizes) == len(author):
            raise no_same_author_pair(author)
        if len(sizes) == 1:
            raise one_author(author)
        starts = np.cumsum(sizes) - sizes
        positions = np.arange(len(order))
        other_texts = sizes[writer] - 1
        partner = starts[writer] + np.floor(rng.random(len(order)) * other_texts).astype(np.int64)
        partner += partner >= positions
        several = other_texts > 0
        different = rng.integers(len(sizes) - 1, size=len(order))
        different += different >= writer
        theirs = starts[different] + np.floor(rng.random(len(order)) * sizes[different]).astype(
            np.int64
        )
        known = np.concatenate([positions[several], positions])
        questioned = np.concatenate([partner[several], theirs])
        same = np.arange(len(known)) < several.sum()
        if limit is not None and self.faithful:
            twin = several[known] & ~same
            questioned[twin] = partner[known[twin]]
        keep = (
            np.arange(len(known)) if self.faithful else first_of_each(known, questioned, len(order))
        )
        dropped = {"drawn from both ends": len(known) - len(keep)} if len(keep) < len(known) else {}
        keep = rng.permutation(keep)
        if limit is not None:
            keep = _balanced(keep, same, limit)
        rows = documents[order]
        return Pairs(rows[known[keep]], rows[questioned[keep]], same[keep], dropped)


def _balanced(order: Ints, same: Bools, limit: int) -> Ints:
    """At most ``limit`` of these pairs, in their order, with the classes in their proportion (one each at least)."""
    if limit >= len(order):
        return order
    yes = order[same[order]]
    no = order[~same[order]]
    positives = min(len(yes), max(1, round(limit * len(yes) / len(order))))
    chosen = np.concatenate([yes[:positives], no[: max(1, limit - positives)]])
    return order[np.isin(order, chosen)]


TRIES = 40
"""Number of swaps tried for a pair of one author's documents before another document is used."""


@dataclass(eq=False, repr=False)
class Matched(PairRule):
    """Draws for each same-author pair a different-author pair with the same unordered pair of topics.

    The different-author pairs contain the same documents in a new arrangement: within a topic, the documents of the
    same-author pairs are shuffled over their places. A document therefore occurs as often in one class as in
    the other, and neither its topic, nor its length, nor its author shows which class a pair belongs to. If
    shuffling would join documents of one author or repeat a pair, places are swapped; if no swap helps, a
    document of the topic by another author replaces one; if there is none, the same-author pair has no partner
    and is dropped and counted.

    Parameters
    ----------
    per_author : int
        Maximum number of same-author pairs of an author; the author's documents take turns.
    """

    name = "matched"

    per_author: int = 6

    def draw(
        self,
        documents: Ints,
        author: Ints,
        topic: Ints,
        rng: np.random.Generator,
        limit: int | None = None,
    ) -> Pairs:
        pairs = same_author_pairs(author, self.per_author, rng)
        if not len(pairs):
            raise no_same_author_pair(author)
        pairs = pairs[rng.permutation(len(pairs))[: None if limit is None else max(1, limit // 2)]]
        dealt = _shuffled_within_topics(pairs.T.ravel(), topic, rng)
        different_pairs, complete = _Deal(dealt, author, topic, rng).mend()
        if not complete.any():
            raise CorpusError(
                "no same-author pair has a different-author pair with the same topics",
                found=f"{len(pairs)} same-author pairs, each in a topic with one author",
                expected="topics in which two authors write",
                fix="give more --docs-per-topic or coarser topics, or --pairs reference",
            )
        pairs = pairs[complete]
        different_pairs = different_pairs[complete]
        all_pairs = np.concatenate([pairs, different_pairs])
        same = np.arange(len(all_pairs)) < len(pairs)
        flip = rng.random(len(all_pairs)) < 0.5
        all_pairs[flip] = all_pairs[flip, ::-1]
        order = rng.permutation(len(all_pairs))
        all_pairs = documents[all_pairs[order]]
        dropped = (
            {"without a partner of the same topics": int((~complete).sum())}
            if not complete.all()
            else {}
        )
        return Pairs(all_pairs[:, 0], all_pairs[:, 1], same[order], dropped)


def _shuffled_within_topics(slots: Ints, topic: Ints, rng: np.random.Generator) -> Ints:
    """The documents in ``slots`` permuted within each topic."""
    slot_order = np.argsort(topic[slots], kind="stable")
    shuffled = np.lexsort((rng.random(len(slots)), topic[slots]))
    dealt = np.empty_like(slots)
    dealt[slot_order] = slots[shuffled]
    return dealt


class _Deal:
    """Different-author pairs in the making: pair i holds the documents in slots i and n + i.

    Only pairs that break a promise are touched, a small part of them, so plain Python is quick enough.
    """

    def __init__(self, slots: Ints, author: Ints, topic: Ints, rng: np.random.Generator) -> None:
        self.n = len(slots) // 2
        self.author = author
        self.topic = topic
        self.rng = rng
        self.doc: list[int] = slots.tolist()
        self.writer: list[int] = author.tolist()
        self.subject: list[int] = topic[slots].tolist()
        self.places: dict[int, list[int]] = {}
        for slot, slot_topic in enumerate(self.subject):
            self.places.setdefault(slot_topic, []).append(slot)
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
        doc = self.doc
        writer = self.writer
        for slot in (i, i + self.n):
            slots = self.places[self.subject[slot]]
            mate = doc[self._opposite(slot)]
            for slot_index in self.rng.integers(len(slots), size=TRIES).tolist():
                partner_slot = slots[slot_index]
                pair = partner_slot % self.n
                if pair == i:
                    continue
                partner_text = doc[self._opposite(partner_slot)]
                if (
                    writer[doc[partner_slot]] == writer[mate]
                    or writer[doc[slot]] == writer[partner_text]
                ):
                    continue
                new = {self._key(doc[partner_slot], mate), self._key(doc[slot], partner_text)}
                freed = set() if self.broken[pair] else {self._key(doc[partner_slot], partner_text)}
                if len(new) == 2 and self.used.isdisjoint(new - freed):
                    doc[slot], doc[partner_slot] = doc[partner_slot], doc[slot]
                    self.used -= freed
                    self.used |= new
                    self.broken[i] = self.broken[pair] = False
                    return True
        return False

    def _bring_in(self, i: int) -> None:
        """Put another document of the topic in one of broken pair i's slots."""
        for slot in (i, i + self.n):
            mate = self.doc[self._opposite(slot)]
            candidates = (self.topic == self.subject[slot]) & (self.author != self.author[mate])
            for candidate in self.rng.permutation(np.flatnonzero(candidates)).tolist():
                if (
                    self.writer[candidate] != self.writer[mate]
                    and self._key(candidate, mate) not in self.used
                ):
                    self.doc[slot] = candidate
                    self.used.add(self._key(candidate, mate))
                    self.broken[i] = False
                    return

    def _opposite(self, slot: int) -> int:
        return slot + self.n if slot < self.n else slot - self.n

    def _key(self, a: int, b: int) -> int:
        return min(a, b) * len(self.writer) + max(a, b)
