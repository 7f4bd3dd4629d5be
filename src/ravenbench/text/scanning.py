"""Finding and counting words and marks in one pass over the characters; ``tokens.TOKEN`` says the same as a pattern."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.text.interning import Keys, home_of, settle
from ravenbench.text.ngrams import Points
from ravenbench.types import Int32s, Ints

_SPACE, _MARK, _DIGIT, _LETTER = range(4)
_GOLDEN, _LOW, _32, _1 = map(np.uint64, (0x9E3779B97F4A7C15, 0xFFFFFFFF, 32, 1))


def _class(point: int) -> int:
    """What a character is to tokens: ``\\s``, ``\\d``, another ``\\w``, or a mark."""
    c = chr(point)
    if c.isspace():
        return _SPACE
    return _DIGIT if c.isdecimal() else _LETTER if c.isalnum() or c == "_" else _MARK


@cache
def _block(number: int) -> NDArray[np.uint8]:
    return np.array([_class(point) for point in range(number << 12, (number + 1) << 12)], dtype=np.uint8)


@lru_cache(maxsize=2)
def _classes(blocks: int, letters: bool) -> NDArray[np.uint8]:
    found = np.concatenate([_block(number) for number in range(blocks)])
    if letters:
        found[(found == _DIGIT) | (np.arange(len(found)) == ord("_"))] = _MARK
    return found


def classes_to(highest: int, letters: bool = False) -> NDArray[np.uint8]:
    """Classes by code point up to one at least; with ``letters``, digits and the underscore are marks."""
    return _classes((highest >> 12) + 1, letters)


@njit(cache=True)
def scan(
    points: Points,
    bounds: Ints,
    classes: NDArray[np.uint8],
    content: bool,
    table: Keys,
    keys: Keys,
    letters: Points,
    begins: Ints,
    size: int,
    ids: Int32s,
    counts: Int32s,
    ends: Ints,
) -> int:
    """Count the tokens of every text; returns how many are known now.

    Parameters
    ----------
    classes : (more than the highest code point,)
    content : bool
        Leave out marks, single characters and numbers.
    table, keys : an open hash as ``interning.tally`` has it, with room; keys are hashes of tokens
    letters, begins : uint32, int64, with room
        The characters of token i are ``letters[begins[i]:begins[i + 1]]``; new ones are added.
    size : int
        How many tokens are known.
    ids, counts : (len(points) + 1,) int32; ends : as long as bounds, 0 at first
        Filled with tokens, counts and their bounds by text.
    """
    filled = np.uint64(0)
    for d in range(len(bounds) - 1):
        start = filled
        i, stop = np.uint64(bounds[d]), np.uint64(bounds[d + 1])
        while i < stop:
            first, kind = i, classes[points[i]]
            i += _1
            if kind == _SPACE or (content and kind == _MARK):
                continue
            key = (np.uint64(points[first]) + _1) * _GOLDEN
            highest = kind
            if kind != _MARK:
                while i < stop and classes[points[i]] > _MARK:
                    highest = max(highest, classes[points[i]])
                    key = (key + np.uint64(points[i]) + _1) * _GOLDEN
                    i += _1
                if content and (i - first < 2 or highest == _DIGIT):
                    continue
            length = i - first
            key |= _1
            slot = home_of(key, table)
            while True:
                if table[slot, 0] == 0:
                    new, begin = np.uint64(size), np.uint64(begins[size])
                    table[slot, 0], table[slot, 1], keys[new] = key, new << _32, key
                    for j in range(length):
                        letters[begin + j] = points[first + j]
                    size += 1
                    begins[size] = begin + length
                    break
                if table[slot, 0] == key:
                    token = table[slot, 1] >> _32
                    begin = np.uint64(begins[token])
                    same = np.uint64(begins[token + _1]) - begin == length
                    for j in range(length if same else np.uint64(0)):
                        same = same and letters[begin + j] == points[first + j]
                    if same:
                        break
                slot = (slot + _1) & np.uint64(len(table) - 1)
            value = table[slot, 1]
            ids[filled] = slot
            filled += np.uint64(value & _LOW == 0)
            table[slot, 1] = value + _1
        settle(ids, counts, start, filled, table)
        ends[d + 1] = filled
    return size
