"""Character n-grams of many texts as integer ids, exact over all of Unicode.

Three code points of 21 bits fit a 64-bit key. A longer n-gram is the id of its first n − 1 characters with the
next one appended, level by level, so nothing is ever hashed with loss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.text.tokens import collapse
from ravenbench.types import Bools, Ints

Keys = NDArray[np.uint64]
Int32s = NDArray[np.int32]
Points = NDArray[np.uint32]

_UNICODE = 0x110000
_SPACES = np.zeros(_UNICODE, np.bool_)
_SPACES[:0x3001] = [chr(point).isspace() for point in range(0x3001)]
_NO_SPACES = np.zeros(_UNICODE, np.bool_)
_BITS = 21
_DIRECT = 3
_POINT = np.uint64((1 << _BITS) - 1)
_SHIFT = np.uint64(_BITS)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_1 = np.uint64(1)
_AHEAD = 16


@dataclass(frozen=True)
class CharNgrams:
    """A kind of unit: character n-grams of (lowercased) texts with white-space runs collapsed."""

    n: int = 4
    lowercase: bool = True

    def lexicon(self) -> NgramLexicon:
        """An empty lexicon of these units."""
        return NgramLexicon(self)

    def reference(self, text: str) -> Counter[str]:
        """The counts of a text, made by plain slicing."""
        text = collapse(text.lower() if self.lowercase else text)
        return Counter(text[i : i + self.n] for i in range(len(text) - self.n + 1))


class Interner:
    """The keys met so far and their ids, in order of first occurrence."""

    def __init__(self) -> None:
        self.table = np.zeros((1 << 14, 2), np.uint64)
        self.keys = np.zeros(1 << 13, np.uint64)
        self.size = 0

    def reserve(self, more: int) -> None:
        """Make room for so many new keys at a load of at most one half."""
        need = self.size + more
        if 2 * need > len(self.table):
            # Made by numpy, not inside a kernel: numpy asks for huge pages, which halves the time of a count.
            slots = 1 << (2 * need - 1).bit_length()
            self.keys = np.concatenate([self.keys[: self.size], np.zeros(slots // 2 - self.size, np.uint64)])
            self.table = np.zeros((slots, 2), np.uint64)
            refill(self.table, self.keys, self.size)

    def ids(self, packed: Keys) -> Int32s:
        """The id of every key; new ones are added."""
        self.reserve(len(packed))
        ids: Int32s
        self.size, ids = intern(packed, self.table, self.keys, self.size)
        return ids

    def count(self, packed: Keys, bounds: Ints) -> tuple[Ints, Int32s, Int32s]:
        """Bounds by text, ids and counts of keys; new ones are added."""
        self.reserve(len(packed))
        self.size, ids, counts, ends, _ = tally(packed, bounds, self.table, self.keys, self.size)
        return ends, ids, counts


class NgramLexicon:
    """The n-grams met so far and their ids.

    ``fold`` is None: every n-gram is a unit of its own.
    """

    fold: Ints | None = None

    def __init__(self, units: CharNgrams) -> None:
        self.units = units
        self._direct = min(units.n, _DIRECT)
        self._levels = [Interner() for _ in range(units.n - self._direct + 1)]

    def __len__(self) -> int:
        return self._levels[-1].size

    def count(self, texts: Sequence[str]) -> tuple[Ints, Int32s, Int32s]:
        """Counts of each text: text i has n-grams ``ids[bounds[i]:bounds[i + 1]]``, as often as ``counts`` say.

        Every id stands once a text. ``bounds`` has shape (len(texts) + 1,).
        """
        if self.units.lowercase:
            texts = [text.lower() for text in texts]
        return self._levels[-1].count(*self._keys(texts, _SPACES))

    def ids(self, names: Sequence[str]) -> Ints:
        """Ids of n-grams as ``names`` gives them; new ones are added."""
        packed, _ = self._keys(names, _NO_SPACES)
        return self._levels[-1].ids(packed).astype(np.int64)

    def names(self, ids: Ints) -> list[str]:
        """The n-grams with these ids."""
        n = self.units.n
        chars = np.empty((len(ids), n), np.uint64)
        place, known = n, np.asarray(ids, dtype=np.int64)
        for level in range(len(self._levels) - 1, -1, -1):
            key = self._levels[level].keys[known]
            for _ in range(1 if level else self._direct):
                place -= 1
                chars[:, place] = (key & _POINT) - _1
                key = key >> _SHIFT
            known = key.astype(np.int64)
        joined = chars.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        return [joined[i : i + n] for i in range(0, len(joined), n)]

    def _keys(self, texts: Sequence[str], spaces: Bools) -> tuple[Keys, Ints]:
        points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<u4")
        bounds = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(text) for text in texts], out=bounds[1:])
        codes, ends = squeeze(points, bounds, spaces)
        packed, limits = pack(codes, ends, self._direct)
        for level, interner in enumerate(self._levels[:-1]):
            packed, limits = extend(interner.ids(packed), limits, codes, ends, self._direct + level)
        return packed, limits


@njit(cache=True)
def squeeze(points: Points, bounds: Ints, spaces: Bools) -> tuple[Points, Ints]:
    """Code points plus one (a key of 0 marks an empty slot) with runs of ``spaces`` made one blank, and their
    bounds by text."""
    codes = np.empty(len(points), np.uint32)
    ends = np.zeros(len(bounds), np.int64)
    filled = 0
    for d in range(len(bounds) - 1):
        i, stop = bounds[d], bounds[d + 1]
        while i < stop:
            point = points[i]
            i += 1
            if i < stop and spaces[point] & spaces[points[i]]:
                point = np.uint32(32)
                while i < stop and spaces[points[i]]:
                    i += 1
            codes[filled] = point + np.uint32(1)
            filled += 1
        ends[d + 1] = filled
    return codes[:filled], ends


@njit(cache=True)
def pack(codes: Points, bounds: Ints, n: int) -> tuple[Keys, Ints]:
    """Keys of all windows of ``n`` ≤ 3 codes, and their bounds by text."""
    packed = np.empty(len(codes), np.uint64)
    ends = np.zeros(len(bounds), np.int64)
    mask = np.uint64((1 << (_BITS * n)) - 1)
    filled = 0
    for d in range(len(bounds) - 1):
        key = np.uint64(0)
        first = bounds[d] + n - 1
        for i in range(bounds[d], bounds[d + 1]):
            key = ((key << _SHIFT) | np.uint64(codes[i])) & mask
            if i >= first:
                packed[filled] = key
                filled += 1
        ends[d + 1] = filled
    return packed[:filled], ends


@njit(cache=True)
def extend(ids: Int32s, limits: Ints, codes: Points, bounds: Ints, n: int) -> tuple[Keys, Ints]:
    """Keys of (n + 1)-grams: the id of the n-gram at each place with the code that follows it."""
    packed = np.empty(len(ids), np.uint64)
    ends = np.zeros(len(limits), np.int64)
    filled = 0
    for d in range(len(limits) - 1):
        for j in range(limits[d + 1] - limits[d] - 1):
            following = np.uint64(codes[bounds[d] + n + j])
            packed[filled] = (np.uint64(ids[limits[d] + j]) << _SHIFT) | following
            filled += 1
        ends[d + 1] = filled
    return packed[:filled], ends


@njit(cache=True)
def tally(packed: Keys, bounds: Ints, table: Keys, keys: Keys, size: int) -> tuple[int, Int32s, Int32s, Ints, Any]:
    """Count keys text by text, with room for all of them in ``table``; returns the number of known keys,
    ids, counts and their bounds.

    ``table`` (slots, 2) is an open hash: key, and id with the running count of the present text in its lower
    half. ``keys`` maps ids back. The time goes into cache misses: so id and count lie beside their key,
    sixteen slots are touched ahead of their use, and what is a coin toss is computed rather than branched on.
    """
    last = len(table) - 1
    ids = np.empty(len(packed) + 1, np.int32)
    counts = np.empty(len(packed), np.int32)
    ends = np.zeros(len(bounds), np.int64)
    home = np.empty(_AHEAD, np.int64)
    filled, touched = 0, np.uint64(0)
    for d in range(len(bounds) - 1):
        start = filled
        for i in range(bounds[d], bounds[d + 1], _AHEAD):
            window = min(_AHEAD, bounds[d + 1] - i)
            for j in range(window):
                home[j] = np.int64((packed[i + j] * _GOLDEN) >> _32) & last
                touched |= table[home[j], 0]
            for j in range(window):
                slot, size = place_of(packed[i + j], home[j], table, keys, size)
                value = table[slot, 1]
                ids[filled] = slot
                filled += int(value & _LOW == 0)
                table[slot, 1] = value + _1
        for j in range(start, filled):
            slot = ids[j]
            value = table[slot, 1]
            ids[j] = np.int32(value >> _32)
            counts[j] = np.int32(value & _LOW)
            table[slot, 1] = value & ~_LOW
        ends[d + 1] = filled
    # ``touched`` means nothing, but unless it is returned the compiler drops the reads ahead.
    return size, ids[:filled].copy(), counts[:filled].copy(), ends, touched


@njit(cache=True)
def intern(packed: Keys, table: Keys, keys: Keys, size: int) -> tuple[int, Int32s]:
    """The number of known keys and the id of every key in place order; new keys get the next ids."""
    ids = np.empty(len(packed), np.int32)
    last = len(table) - 1
    for i in range(len(packed)):
        slot = np.int64((packed[i] * _GOLDEN) >> _32) & last
        slot, size = place_of(packed[i], slot, table, keys, size)
        ids[i] = np.int32(table[slot, 1] >> _32)
    return size, ids


@njit(cache=True, inline="always")
def place_of(key: Any, slot: int, table: Keys, keys: Keys, size: int) -> tuple[int, int]:
    """The slot of a key from its home slot on, where it is added if it is new, and the number of keys."""
    while table[slot, 0] != key:
        if table[slot, 0] == 0:
            table[slot, 0] = key
            table[slot, 1] = np.uint64(size) << _32
            keys[size] = key
            return slot, size + 1
        slot = (slot + 1) & (len(table) - 1)
    return slot, size


@njit(cache=True)
def refill(table: Keys, keys: Keys, size: int) -> None:
    """Put the first ``size`` keys into an empty table."""
    last = len(table) - 1
    for i in range(size):
        slot = np.int64((keys[i] * _GOLDEN) >> _32) & last
        while table[slot, 0] != 0:
            slot = (slot + 1) & last
        table[slot, 0] = keys[i]
        table[slot, 1] = np.uint64(i) << _32
