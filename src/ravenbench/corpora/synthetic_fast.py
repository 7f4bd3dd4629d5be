"""The synthetic writer in whole arrays: the bytes of ``synthetic_writer.Writer``, several times as fast."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.corpora import synthetic_writer as plain
from ravenbench.corpora.synthetic_language import FUNCTION_WORDS, HABITS
from ravenbench.corpora.synthetic_writer import SLOTS, Writer
from ravenbench.randomness import stream
from ravenbench.types import Floats, Ints

Bytes = NDArray[np.uint8]
Kinds = NDArray[np.int8]

REMEMBERED = 8_192
"""Authors, and authors' tastes in a topic, kept at a time: so memory does not grow with the corpus."""
_GUIDE = 256
_FUNCTIONS, _HABITS = len(FUNCTION_WORDS), len(HABITS)
_FIRST_GENERAL = _FUNCTIONS + 2 * _HABITS
_FIRST_TOPICAL = _FIRST_GENERAL + plain.GENERAL


class _Manner(NamedTuple):
    """An author's habits as cumulated shares, as ``Generator.choice`` would cumulate them."""

    function: Floats
    habit: Floats
    mark: Floats
    joint: Floats
    sentence: float


class FastWriter(Writer):
    """Writes what ``Writer`` writes: the same draws from the same streams, words put together in one kernel."""

    def __init__(self, seed: int, style: float, topic: float, families: float, topics: int, words: int) -> None:
        super().__init__(seed, style, topic, families, topics, words)
        self._manner = lru_cache(REMEMBERED)(self._draw_manner)
        self._taste = lru_cache(REMEMBERED)(lambda author, topic: _cumulated(self._slant(author, topic)))
        self._shares = _cumulated(self._kinds())
        self._common = _cumulated(plain.zipf(plain.GENERAL, 0.6))

    def document(self, number: int, author: int, topic: int) -> str:
        return self.encoded(number, author, topic).tobytes().decode("ascii")

    def encoded(self, number: int, author: int, topic: int) -> Bytes:
        """Encode a text as an array of its bytes, all of them ASCII."""
        rng = stream(self.seed, "synthetic-document", number)
        manner = self._manner(author)
        n = self._length(rng)
        kind, count = kinds(self._shares, rng.random(n))
        # The order of the draws is the plain writer's: a draw moved would move every byte after it.
        function = rng.random(count[0])
        pair = rng.integers(_HABITS, size=count[1])
        second = rng.random(count[1]) < manner.habit[pair]
        topical, general = rng.random(count[2]), rng.random(count[3])
        gaps = rng.poisson(max(manner.sentence - 3, 1), size=n // 3 + 1)
        joint, mark = rng.random(n), rng.random(n)
        letters, ends = self._words
        out = np.empty(n * (self._longest + 4), dtype=np.uint8)
        written = assemble(
            out, kind, letters, ends, _FIRST_TOPICAL + topic * SLOTS, manner.function, function,
            _FUNCTIONS + 2 * pair + second, self._taste(author, topic), topical, self._common, general,
            _FIRST_GENERAL, np.cumsum(3 + gaps), manner.joint, joint, manner.mark, mark, *_TAILS,
        )  # fmt: skip
        return out[:written]

    def _draw_manner(self, author: int) -> _Manner:
        h = self._draw_habits(author)
        return _Manner(_cumulated(h.function), h.habit, _cumulated(h.mark), _cumulated(h.joint), h.sentence)

    @cached_property
    def _words(self) -> tuple[Bytes, Ints]:
        """All words' letters and where each ends: function words, spellings, general words, words by topic."""
        topics = [self._topic_words(t).tolist() for t in range(self.topics)]
        spellings = [word for pair in HABITS for word in pair]
        words = [*FUNCTION_WORDS.tolist(), *spellings, *self._general.tolist(), *(w for t in topics for w in t)]
        ends = np.concatenate([[0], np.cumsum([len(w) for w in words])]).astype(np.int64)
        return np.frombuffer("".join(words).encode("ascii"), dtype=np.uint8), ends

    @cached_property
    def _longest(self) -> int:
        return int(np.diff(self._words[1]).max())


def _cumulated(shares: Floats) -> Floats:
    total = shares.cumsum()
    return np.asarray(total / total[-1], dtype=np.float64)


def _tails() -> tuple[Bytes, Ints, Bytes, Ints]:
    parts: list[Any] = []
    for tails in (plain.JOINTS.tolist(), plain.MARKS.tolist()):
        parts.append(np.frombuffer("".join(tails).encode("ascii"), dtype=np.uint8))
        parts.append(np.concatenate([[0], np.cumsum([len(t) for t in tails])]).astype(np.int64))
    return tuple(parts)


_TAILS = _tails()


@njit(cache=True)
def kinds(shares: Floats, draws: Floats) -> tuple[Kinds, Ints]:
    """The kind of every word, and how many there are of each."""
    kind = np.empty(len(draws), np.int8)
    count = np.zeros(len(shares), np.int64)
    for i in range(len(draws)):
        k = 0
        while shares[k] <= draws[i]:
            k += 1
        kind[i] = k
        count[k] += 1
    return kind, count


@njit(cache=True)
def guide(shares: Floats) -> Ints:
    """For each step of 1/256 the first place a draw in it can have among cumulated shares."""
    first = np.empty(_GUIDE, np.int64)
    at = 0
    for step in range(_GUIDE):
        while shares[at] <= step / _GUIDE:
            at += 1
        first[step] = at
    return first


@njit(cache=True)
def place(shares: Floats, first: Ints, draw: float) -> int:
    """Find the place of a draw among cumulated shares, as ``searchsorted(shares, draw, side="right")``."""
    at = int(first[int(draw * _GUIDE)])
    while shares[at] <= draw:
        at += 1
    return at


@njit(cache=True)
def assemble(
    out: Bytes,
    kind: Kinds,
    letters: Bytes,
    ends: Ints,
    first_topical: int,
    function_shares: Floats,
    function: Floats,
    spelling: Ints,
    topical_shares: Floats,
    topical: Floats,
    general_shares: Floats,
    general: Floats,
    first_general: int,
    stops: Ints,
    joint_shares: Floats,
    joint: Floats,
    mark_shares: Floats,
    mark: Floats,
    joints: Bytes,
    joint_ends: Ints,
    marks: Bytes,
    mark_ends: Ints,
) -> int:
    """Write the text into ``out`` and return its length; ``stops`` are ends of sentences in words."""
    n = len(kind)
    of_function, of_topic, of_general = guide(function_shares), guide(topical_shares), guide(general_shares)
    next_of = np.zeros(4, np.int64)
    filled = 0
    stop = 0
    begins = True
    for i in range(n):
        k = kind[i]
        j = next_of[k]
        next_of[k] += 1
        if k == 0:
            word = place(function_shares, of_function, function[j])
        elif k == 1:
            word = spelling[j]
        elif k == 2:
            word = first_topical + place(topical_shares, of_topic, topical[j])
        else:
            word = first_general + place(general_shares, of_general, general[j])
        start = filled
        for at in range(ends[word], ends[word + 1]):
            out[filled] = letters[at]
            filled += 1
        if begins:
            out[start] -= 32
        while stop < len(stops) and stops[stop] < i + 1:
            stop += 1
        begins = i == n - 1 or (stop < len(stops) and stops[stop] == i + 1)
        t = 0
        if begins:
            while mark_shares[t] <= mark[i]:
                t += 1
            for at in range(mark_ends[t], mark_ends[t + 1]):
                out[filled] = marks[at]
                filled += 1
        else:
            while joint_shares[t] <= joint[i]:
                t += 1
            for at in range(joint_ends[t], joint_ends[t + 1]):
                out[filled] = joints[at]
                filled += 1
        out[filled] = 32
        filled += 1
    return filled - 1
