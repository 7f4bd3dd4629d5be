"""Counts the character n-grams of texts, exactly and over all of Unicode.

In: ``CharNgrams(n, lowercase).lexicon()`` and a sequence of texts; ids or n-grams for ``names`` and ``ids``; for
``Interner`` 64-bit keys; for the compiled functions arrays of code points or keys, and arrays to fill.
Out: ``NgramLexicon.count`` gives bounds by text (n + 1,), ids of n-grams and counts (int32), text by text; ``names``
the n-grams of ids; ``ids`` ids of n-grams; ``Interner`` ids of keys from 0; ``points_of`` code points (uint32) and
bounds. Two white-space characters or more count as one blank.

Characters are numbered as they are met. Four numbers of 16 bits fit a 64-bit key; texts of more than 65,535 distinct
characters take 21 bits each, of which three fit. A longer n-gram is the id of its first n − 1 characters with the
next one appended, level by level, so nothing is ever hashed with loss. One open hash, ``Interner``, numbers the keys in
order of first occurrence; all counting kernels use it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.text.tokens import collapse, lowered
from ravenbench.types import Bools, Int32s, Ints

_DE_BRUIJN = 0x03F79D71B4CB0A89
_PLACE = np.zeros(64, np.int64)
_PLACE[[((1 << bit) * _DE_BRUIJN & (1 << 64) - 1) >> 58 for bit in range(64)]] = np.arange(64)
_SEQUENCE = np.uint64(_DE_BRUIJN)
_58 = np.uint64(58)


@njit(cache=True, inline="always")
def place_of_bit(word: Any) -> Any:
    """Return the position of a word's only bit: its product with a De Bruijn sequence begins with six bits that show
    it."""
    return _PLACE[(word * _SEQUENCE) >> _58]


Keys = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_1 = np.uint64(1)
_AHEAD = 16


class Interner:
    """The keys met so far and their ids, in order of first occurrence."""

    def __init__(self) -> None:
        self.table = np.zeros((1 << 14, 2), np.uint64)
        self.keys = np.zeros(1 << 13, np.uint64)
        self.size = 0

    def reserve(self, further: int) -> None:
        """Make room for a number of new keys at a load of at most one half."""
        need = self.size + further
        if 2 * need > len(self.table):
            # Made by numpy, not inside a kernel: numpy asks for huge pages, which halves the time of a count.
            slots = 1 << (2 * need - 1).bit_length()
            self.keys = np.concatenate(
                [self.keys[: self.size], np.zeros(slots // 2 - self.size, np.uint64)]
            )
            self.table = np.zeros((slots, 2), np.uint64)
            intern(self.keys[: self.size], self.table, self.keys, 0, np.empty(self.size, np.int32))

    def ids(self, packed: Keys) -> Int32s:
        """Return the id of every key; new keys are added."""
        self.reserve(len(packed))
        ids = np.empty(len(packed), np.int32)
        self.size = intern(packed, self.table, self.keys, self.size, ids)
        return ids

    def count(self, packed: Keys, bounds: Ints) -> tuple[Ints, Int32s, Int32s]:
        """Return bounds by text, ids and counts of keys; new keys are added."""
        self.reserve(len(packed))
        ids, counts = np.empty((2, len(packed) + 1), np.int32)
        ends = np.zeros(len(bounds), np.int64)
        home = np.empty(_AHEAD, np.uint64)
        self.size, _ = tally(
            packed, bounds, self.table, self.keys, self.size, home, ids, counts, ends
        )
        return ends, ids[: ends[-1]].copy(), counts[: ends[-1]].copy()


@njit(cache=True)
def tally(
    packed: Keys,
    bounds: Ints,
    table: Keys,
    keys: Keys,
    size: int,
    home: Keys,
    ids: Int32s,
    counts: Int32s,
    ends: Ints,
) -> tuple[int, Any]:
    """Count keys text by text, with room for all of them in ``table``; returns the number of known keys.

    Filled are ids, counts and, from ``ends[1]`` on, where each text's end; ``home`` is work space. ``table`` (slots, 2)
    is an open hash: key, and id with the running count of the present text in its lower half. ``keys`` maps ids back.
    Most time is lost to cache misses. Therefore id and count are next to their key, sixteen slots are read before they
    are used, and unpredictable branches are replaced by arithmetic.
    """
    filled = np.uint64(0)
    touched = np.uint64(0)
    for document in range(len(bounds) - 1):
        start = filled
        for i in range(bounds[document], bounds[document + 1], _AHEAD):
            here = np.uint64(i)
            window = np.uint64(min(_AHEAD, bounds[document + 1] - i))
            for j in range(window):
                home[j] = home_of(packed[here + j], table)
                touched |= table[home[j], 0]
            for j in range(window):
                slot, size = place_of(packed[here + j], home[j], table, keys, size)
                value = table[slot, 1]
                ids[filled] = slot
                filled += np.uint64(value & _LOW == 0)
                table[slot, 1] = value + _1
        settle(ids, counts, start, filled, table)
        ends[document + 1] = filled
    # ``touched`` means nothing, but unless it is returned the compiler drops the reads ahead.
    return size, touched


@njit(cache=True, inline="always")
def settle(ids: Int32s, counts: Int32s, start: int, stop: int, table: Keys) -> None:
    """Replace the slots that one text used by ids and counts, and set their running counts to 0."""
    for j in range(np.uint64(start), np.uint64(stop)):
        slot = np.uint32(ids[j])
        value = table[slot, 1]
        ids[j] = np.int32(value >> _32)
        counts[j] = np.int32(value & _LOW)
        table[slot, 1] = value & ~_LOW


@njit(cache=True)
def intern(packed: Keys, table: Keys, keys: Keys, size: int, ids: Int32s) -> int:
    """Fill ``ids`` with the id of every key in place order; new keys get the next ids. Returns how many are known."""
    for i in range(len(packed)):
        slot = home_of(packed[i], table)
        slot, size = place_of(packed[i], slot, table, keys, size)
        ids[i] = np.int32(table[slot, 1] >> _32)
    return size


@njit(cache=True, inline="always")
def home_of(key: Any, table: Keys) -> Any:
    """Return the first slot for a key, from the upper bits of its hash, which depend on all of the key's bits."""
    return (((key * _GOLDEN) >> _32) * np.uint64(len(table))) >> _32


@njit(cache=True, inline="always")
def place_of(key: Any, slot: Any, table: Keys, keys: Keys, size: int) -> tuple[Any, int]:
    """Return the slot of a key, searched from its home slot (a new key is added), and the number of keys."""
    while table[slot, 0] != key:
        if table[slot, 0] == 0:
            table[slot, 0] = key
            table[slot, 1] = np.uint64(size) << _32
            keys[np.uint64(size)] = key
            return slot, size + 1
        slot = (slot + _1) & np.uint64(len(table) - 1)
    return slot, size


Points = NDArray[np.uint32]

_UNICODE = 0x110000
_SPACES = np.zeros(_UNICODE, np.bool_)
_SPACES[:0x3001] = [chr(point).isspace() for point in range(0x3001)]
_NO_SPACES = np.zeros(_UNICODE, np.bool_)
_NARROW = 16
_WIDE = 21
"""Bits of a character's number; a lexicon is narrow until it has too many characters."""


@dataclass(frozen=True)
class CharNgrams:
    """A kind of unit: character n-grams of (lowercased) texts with white-space runs collapsed."""

    n: int = 4
    lowercase: bool = True

    def lexicon(self) -> NgramLexicon:
        """Return an empty lexicon of these units."""
        return NgramLexicon(self)

    def reference(self, text: str) -> Counter[str]:
        """Return the counts of a text, made by plain slicing."""
        text = collapse(lowered(text) if self.lowercase else text)
        return Counter(text[i : i + self.n] for i in range(len(text) - self.n + 1))


class NgramLexicon:
    """The n-grams met so far and their ids; every n-gram is a unit of its own (``fold`` is None)."""

    fold: Ints | None = None

    def __init__(self, units: CharNgrams) -> None:
        self.units = units
        self._number = np.zeros(128, np.uint32)
        self._points = np.zeros(129, np.uint32)
        self._met = 0
        self._start(_NARROW)

    def _start(self, bits: int) -> None:
        self._bits = bits
        self._direct = min(self.units.n, 64 // bits)
        self._levels = [Interner() for _ in range(self.units.n - self._direct + 1)]

    def __len__(self) -> int:
        return self._levels[-1].size

    def count(self, texts: Sequence[str]) -> tuple[Ints, Int32s, Int32s]:
        """Counts of each text: text i has n-grams ``ids[bounds[i]:bounds[i + 1]]``, each once, as often as ``counts``
        say."""
        if self.units.lowercase:
            texts = [lowered(text) for text in texts]
        packed, limits = self._keys(texts, _SPACES)
        return self._levels[-1].count(packed, limits)

    def ids(self, names: Sequence[str]) -> Ints:
        """Return ids of n-grams as ``names`` gives them; new n-grams are added."""
        packed, _ = self._keys(names, _NO_SPACES)
        return self._levels[-1].ids(packed).astype(np.int64)

    def names(self, ids: Ints) -> list[str]:
        """Return the n-grams with these ids."""
        n = self.units.n
        shift = np.uint64(self._bits)
        numbers = np.empty((len(ids), n), np.uint64)
        position = n
        id_array = np.asarray(ids, dtype=np.int64)
        for level in range(len(self._levels) - 1, -1, -1):
            key = self._levels[level].keys[id_array]
            for _ in range(1 if level else self._direct):
                position -= 1
                numbers[:, position] = key & ((_1 << shift) - _1)
                key = key >> shift
            id_array = key.astype(np.int64)
        joined = self._points[numbers].astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        return [joined[i : i + n] for i in range(0, len(joined), n)]

    def _keys(self, texts: Sequence[str], spaces: Bools) -> tuple[Keys, Ints]:
        points, bounds = points_of(texts)
        highest = int(points.max(initial=0))
        if highest >= len(self._number):
            self._number = np.concatenate([self._number, np.zeros(highest, np.uint32)])
            self._points = np.concatenate([self._points, np.zeros(highest, np.uint32)])
        codes = np.empty(len(points), np.uint32)
        packed = np.empty(len(points) + 1, np.uint64)
        ends, limits = np.zeros((2, len(bounds)), np.int64)
        self._met = windows(
            points,
            bounds,
            spaces,
            self._number,
            self._points,
            self._met,
            self._direct,
            self._bits,
            codes,
            ends,
            packed,
            limits,
        )
        packed = packed[: limits[-1]]
        if self._bits == _NARROW and self._met >= 1 << _NARROW:
            all_names = self.names(np.arange(len(self)))
            self._start(_WIDE)
            # Ids are given in order of first occurrence, so all n-grams keep theirs.
            self.ids(all_names)
            return self._keys(texts, spaces)
        for level, interner in enumerate(self._levels[:-1]):
            packed, limits = extend(
                interner.ids(packed), limits, codes, ends, self._direct + level, self._bits
            )
        return packed, limits


def points_of(texts: Sequence[str]) -> tuple[Points, Ints]:
    """Return the code points of texts, one after another, and their bounds by text."""
    bounds = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(list(map(len, texts)), out=bounds[1:])
    return np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<u4"), bounds


@njit(cache=True)
def windows(
    points: Points,
    bounds: Ints,
    spaces: Bools,
    number: Points,
    known_points: Points,
    met: int,
    n: int,
    bits: int,
    codes: Points,
    ends: Ints,
    packed: Keys,
    limits: Ints,
) -> int:
    """Numbers of characters, runs of ``spaces`` made one blank, and keys of all windows of ``n`` of them; how many
    characters are met by now (``met`` before).

    ``number`` has by code point the number of a character, from 1 on (a key of 0 marks an empty slot), 0 for one not
    met, and ``known_points`` the reverse; new ones are numbered. ``bits`` are those of a key for one character. Filled
    are ``codes`` (len(points),), numbers, with their bounds by text ``ends``, and ``packed``, keys, with theirs,
    ``limits``; bounds begin with 0.
    """
    shift = np.uint64(bits)
    away = np.uint64(64 - bits * n)
    filled = keys = np.uint64(0)
    for document in range(len(bounds) - 1):
        i = np.uint64(bounds[document])
        stop = np.uint64(bounds[document + 1])
        key = np.uint64(0)
        full = filled + np.uint64(n - 1)
        while i < stop:
            point = points[i]
            i += _1
            if spaces[point] and i < stop and spaces[points[i]]:
                point = np.uint32(32)
                while i < stop and spaces[points[i]]:
                    i += _1
            code = number[point]
            if code == 0:
                met += 1
                number[point] = code = np.uint32(met)
                known_points[met] = point
            codes[filled] = code
            # What left the window is shifted out at the top.
            key = (((key << shift) | np.uint64(code)) << away) >> away
            packed[keys] = key
            keys += np.uint64(filled >= full)
            filled += _1
        ends[document + 1] = filled
        limits[document + 1] = keys
    return met


@njit(cache=True)
def extend(
    ids: Int32s, limits: Ints, codes: Points, bounds: Ints, n: int, bits: int
) -> tuple[Keys, Ints]:
    """Return keys of (n + 1)-grams: the id of the n-gram at each position with the number of the next character."""
    packed = np.empty(len(ids), np.uint64)
    ends = np.zeros(len(limits), np.int64)
    filled = 0
    for document in range(len(limits) - 1):
        for j in range(limits[document + 1] - limits[document] - 1):
            following = np.uint64(codes[bounds[document] + n + j])
            packed[filled] = (np.uint64(ids[limits[document] + j]) << np.uint64(bits)) | following
            filled += 1
        ends[document + 1] = filled
    return packed[:filled], ends
