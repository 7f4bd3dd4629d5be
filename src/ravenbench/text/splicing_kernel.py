"""The kernels behind ``Splicer.splice``: which word takes which place, and the new texts."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.types import Int32s, Ints


@njit(cache=True)
def fitted(slots: Int32s, slot_bounds: Ints, words: Int32s, sizes: Int32s, word_bounds: Ints, longest: int) -> Int32s:
    """For each place, of ``slots`` characters, a word of the donor that fits it (see ``Splicer.splice``)."""
    chosen = np.empty(len(slots), np.int32)
    order = np.empty(len(words), np.int64)
    for pair in range(len(slot_bounds) - 1):
        first, last = word_bounds[pair], word_bounds[pair + 1]
        begin = np.zeros(longest + 2, np.int64)
        for i in range(first, last):
            begin[min(sizes[i], longest) + 1] += 1
        begin = first + begin.cumsum()
        at = begin[:-1].copy()
        for i in range(first, last):
            size = min(sizes[i], longest)
            order[at[size]] = i
            at[size] += 1
        at = begin[:-1].copy()
        left = last - first
        for slot in range(slot_bounds[pair], slot_bounds[pair + 1]):
            size = min(slots[slot], longest)
            chosen[slot] = -1
            if at[size] < begin[size + 1]:
                chosen[slot] = words[order[at[size]]]
                at[size] += 1
                left -= 1
        for slot in range(slot_bounds[pair], slot_bounds[pair + 1]):
            if chosen[slot] >= 0:
                continue
            if left == 0:
                at = begin[:-1].copy()
                left = last - first
            size = min(slots[slot], longest)
            sign = 1 if (slot - slot_bounds[pair]) % 2 else -1
            for step in range(2 * longest + 2):
                off = (step + 1) // 2
                near = size + sign * off if step % 2 else size - sign * off
                if 0 <= near <= longest and at[near] < begin[near + 1]:
                    chosen[slot] = words[order[at[near]]]
                    at[near] += 1
                    left -= 1
                    break
    return chosen


@njit(cache=True)
def spliced(
    pieces: Int32s, bounds: Ints, words: Int32s, case: NDArray[np.int8], forms: Int32s,
    data: NDArray[np.uint8], ends: Ints, stem_begins: Ints, stem_ends: Ints, stops: Ints,
) -> NDArray[np.uint8]:  # fmt: skip
    """The texts one after the other; fills ``stops``. A piece is written as what stands before its stem, the stem that
    takes its place (``pieces`` has these at the end), and what stands after it."""
    total = 0
    used = 0
    places = pieces.copy()
    for row in range(len(bounds) - 1):
        for at in range(bounds[row], bounds[row + 1]):
            piece = np.uint32(pieces[at])
            total += ends[piece + 1] - ends[piece]
            if case[piece] >= 0:
                new = np.uint32(forms[words[used], case[piece]])
                total += stem_ends[new] - stem_begins[new] - (stem_ends[piece] - stem_begins[piece])
                pieces[at] = new
                used += 1
        stops[row + 1] = total
    text = np.empty(total, np.uint8)
    filled = 0
    for at in range(len(pieces)):
        piece, new = np.uint32(places[at]), np.uint32(pieces[at])
        for start, stop in (
            (ends[piece], stem_begins[piece]), (stem_begins[new], stem_ends[new]), (stem_ends[piece], ends[piece + 1]),
        ):  # fmt: skip
            for place in range(start, stop):
                text[filled] = data[place]
                filled += 1
    return text


@njit(cache=True)
def least_missing(lengths: Int32s, left: Ints, most: int) -> Ints:
    """The rows of ``lengths`` (k, sizes), at most so many, that leave fewest of ``left`` (sizes,), which is
    overwritten: each takes off what it has, and the best of the others is next while it takes off anything."""
    rows = np.empty(min(most, len(lengths)), np.int64)
    for number in range(len(rows)):
        best, least, before = -1, 0, left.sum()
        for row in range(len(lengths)):
            missing = 0
            for size in range(len(left)):
                missing += max(left[size] - lengths[row, size], 0)
            if (best < 0 or missing < least) and not (rows[:number] == row).any():
                best, least = row, missing
        if number and least >= before:
            return rows[:number]
        rows[number] = best
        for size in range(len(left)):
            left[size] = max(left[size] - lengths[best, size], 0)
        if least == 0:
            return rows[: number + 1]
    return rows
