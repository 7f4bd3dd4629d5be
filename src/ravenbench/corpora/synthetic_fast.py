"""The synthetic writer in whole arrays: the bytes of ``synthetic_writer.Writer``, several times as fast."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ravenbench.corpora import synthetic_writer as plain
from ravenbench.corpora.synthetic_language import FUNCTION_WORDS, HABITS
from ravenbench.corpora.synthetic_writer import SLOTS, Writer
from ravenbench.randomness import stream
from ravenbench.types import Floats, Ints

Bytes = NDArray[np.uint8]

REMEMBERED = 8_192
"""Authors, and authors' tastes in a topic, kept at a time: so memory does not grow with the corpus."""
_TAILS = [f"{tail} " for tail in (*plain.JOINTS.tolist(), *plain.MARKS.tolist())]
"""What may follow a word, within a sentence and at its end."""
_JOINTS, _FUNCTIONS, _HABITS = len(plain.JOINTS), len(FUNCTION_WORDS), len(HABITS)
_FIRST_FUNCTION = len(_TAILS)
_FIRST_SPELLING = _FIRST_FUNCTION + _FUNCTIONS
_FIRST_GENERAL = _FIRST_SPELLING + 2 * _HABITS
_FIRST_TOPICAL = _FIRST_GENERAL + plain.GENERAL


class _Manner(NamedTuple):
    """An author's habits as cumulated shares, as ``Generator.choice`` would cumulate them."""

    function: Floats
    habit: Floats
    mark: Floats
    joint: Floats
    sentence: float


class FastWriter(Writer):
    """Writes what ``Writer`` writes: the same draws from the same streams, pieces of text put together as bytes."""

    def __init__(
        self, seed: int, style: float, topic: float, families: float, topics: int, words: int, loud: int = 0
    ) -> None:
        super().__init__(seed, style, topic, families, topics, words, loud)
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
        kind = _places(self._shares, rng.random(n))
        count = np.bincount(kind, minlength=4)
        # The order of the draws is the plain writer's: a draw moved would move every byte after it.
        word = np.empty(n, dtype=np.int64)
        word[kind == 0] = _FIRST_FUNCTION + _places(manner.function, rng.random(count[0]))
        pair = rng.integers(_HABITS, size=count[1])
        word[kind == 1] = _FIRST_SPELLING + 2 * pair + (rng.random(count[1]) < manner.habit[pair])
        taste = self._taste(author, topic)
        word[kind == 2] = _FIRST_TOPICAL + topic * SLOTS + _places(taste, rng.random(count[2]))
        word[kind == 3] = _FIRST_GENERAL + _places(self._common, rng.random(count[3]))
        stops = np.cumsum(3 + rng.poisson(max(manner.sentence - 3, 1), size=n // 3 + 1))
        last = np.zeros(n, dtype=np.bool_)
        last[stops[stops < n] - 1] = True
        last[-1] = True
        joint, mark = _places(manner.joint, rng.random(n)), _places(manner.mark, rng.random(n))
        letters, starts, sizes = self._pieces
        pieces = np.empty(2 * n, dtype=np.int64)
        pieces[::2], pieces[1::2] = word, np.where(last, _JOINTS + mark, joint)
        size = sizes[pieces]
        ends = size.cumsum()
        begins = ends - size
        out: Bytes = letters[(starts[pieces] - begins).repeat(size) + np.arange(ends[-1])]
        out[begins[2::2][last[:-1]]] -= 32
        out[0] -= 32
        return out[:-1]

    def _draw_manner(self, author: int) -> _Manner:
        h = self._draw_habits(author)
        return _Manner(_cumulated(h.function), h.habit, _cumulated(h.mark), _cumulated(h.joint), h.sentence)

    @cached_property
    def _pieces(self) -> tuple[Bytes, Ints, Ints]:
        """Letters of all pieces, where each starts, and its size: tails, function words, spellings, general and topical
        words."""
        topics = [self._topic_words(t).tolist() for t in range(self.topics)]
        spellings = [word for pair in HABITS for word in pair]
        known = [
            *_TAILS,
            *FUNCTION_WORDS.tolist(),
            *spellings,
            *self._general.tolist(),
            *(w for t in topics for w in t),
        ]
        sizes = np.array([len(piece) for piece in known], dtype=np.int64)
        return np.frombuffer("".join(known).encode("ascii"), dtype=np.uint8), sizes.cumsum() - sizes, sizes


def _cumulated(shares: Floats) -> Floats:
    total = shares.cumsum()
    return np.asarray(total / total[-1], dtype=np.float64)


def _places(shares: Floats, draws: Floats) -> Ints:
    """The places of draws among cumulated shares."""
    return shares.searchsorted(draws, "right")
