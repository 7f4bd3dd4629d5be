"""Ids of 64-bit keys, in order of first occurrence, and counts of keys by text: one open hash for all kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.types import Int32s, Ints

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

    def reserve(self, more: int) -> None:
        """Make room for so many new keys at a load of at most one half."""
        need = self.size + more
        if 2 * need > len(self.table):
            # Made by numpy, not inside a kernel: numpy asks for huge pages, which halves the time of a count.
            slots = 1 << (2 * need - 1).bit_length()
            self.keys = np.concatenate([self.keys[: self.size], np.zeros(slots // 2 - self.size, np.uint64)])
            self.table = np.zeros((slots, 2), np.uint64)
            intern(self.keys[: self.size], self.table, self.keys, 0, np.empty(self.size, np.int32))

    def ids(self, packed: Keys) -> Int32s:
        """The id of every key; new ones are added."""
        self.reserve(len(packed))
        ids = np.empty(len(packed), np.int32)
        self.size = intern(packed, self.table, self.keys, self.size, ids)
        return ids

    def count(self, packed: Keys, bounds: Ints) -> tuple[Ints, Int32s, Int32s]:
        """Bounds by text, ids and counts of keys; new ones are added."""
        self.reserve(len(packed))
        ids, counts = np.empty((2, len(packed) + 1), np.int32)
        ends, home = np.zeros(len(bounds), np.int64), np.empty(_AHEAD, np.uint64)
        self.size, _ = tally(packed, bounds, self.table, self.keys, self.size, home, ids, counts, ends)
        return ends, ids[: ends[-1]].copy(), counts[: ends[-1]].copy()


@njit(cache=True)
def tally(
    packed: Keys, bounds: Ints, table: Keys, keys: Keys, size: int, home: Keys, ids: Int32s, counts: Int32s, ends: Ints
) -> tuple[int, Any]:
    """Count keys text by text, with room for all of them in ``table``; returns the number of known keys.

    Filled are ids, counts and, from ``ends[1]`` on, where each text's end; ``home`` is work space.

    ``table`` (slots, 2) is an open hash: key, and id with the running count of the present text in its lower
    half. ``keys`` maps ids back. The time goes into cache misses: so id and count lie beside their key,
    sixteen slots are touched ahead of their use, and what is a coin toss is computed rather than branched on.
    """
    filled, touched = np.uint64(0), np.uint64(0)
    for d in range(len(bounds) - 1):
        start = filled
        for i in range(bounds[d], bounds[d + 1], _AHEAD):
            here, window = np.uint64(i), np.uint64(min(_AHEAD, bounds[d + 1] - i))
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
        ends[d + 1] = filled
    # ``touched`` means nothing, but unless it is returned the compiler drops the reads ahead.
    return size, touched


@njit(cache=True, inline="always")
def settle(ids: Int32s, counts: Int32s, start: int, stop: int, table: Keys) -> None:
    """Put ids and counts in the place of the slots that one text touched, and set their running counts to 0."""
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
    """The slot a key is looked for first, by the upper bits of its hash, which all of the key's bits decide."""
    return (((key * _GOLDEN) >> _32) * np.uint64(len(table))) >> _32


@njit(cache=True, inline="always")
def place_of(key: Any, slot: Any, table: Keys, keys: Keys, size: int) -> tuple[Any, int]:
    """The slot of a key from its home slot on, where it is added if it is new, and the number of keys."""
    while table[slot, 0] != key:
        if table[slot, 0] == 0:
            table[slot, 0] = key
            table[slot, 1] = np.uint64(size) << _32
            keys[np.uint64(size)] = key
            return slot, size + 1
        slot = (slot + _1) & np.uint64(len(table) - 1)
    return slot, size
