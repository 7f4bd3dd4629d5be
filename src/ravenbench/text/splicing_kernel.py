"""Compiled loops behind ``Splicer.splice``, which puts content words of one text in the place of another's, and one
that chooses texts to take words from.

In: ``fitted``: lengths (letters) of places, numbers and lengths of the words to give, where each text's begin and end,
the longest length told apart; ``spliced``: pieces, those in their places and bytes as ``text.splicing.Pieces`` keeps
them; ``least_missing``: counts of words by length of k texts (k, sizes), counts wanted (sizes,), the most rows. Out:
``fitted`` the number of a word for each place, int32, −1 where no word is given; ``spliced`` the bytes of the new
texts, uint8 (it fills their ends ``stops``); ``least_missing`` rows from 0, int64, best first, of texts that together
lack few of the lengths wanted (it overwrites the counts wanted).
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.types import Int32s, Ints


@njit(cache=True)
def fitted(
    slots: Int32s, slot_bounds: Ints, words: Int32s, sizes: Int32s, word_bounds: Ints, longest: int
) -> Int32s:
    """For each place, of ``slots`` characters, a word of the donor that fits it (see ``Splicer.splice``)."""
    chosen = np.empty(len(slots), np.int32)
    order = np.empty(len(words), np.int64)
    for pair in range(len(slot_bounds) - 1):
        first_word = word_bounds[pair]
        end_word = word_bounds[pair + 1]
        begin = np.zeros(longest + 2, np.int64)
        for i in range(first_word, end_word):
            begin[min(sizes[i], longest) + 1] += 1
        begin = first_word + begin.cumsum()
        at = begin[:-1].copy()
        for i in range(first_word, end_word):
            size = min(sizes[i], longest)
            order[at[size]] = i
            at[size] += 1
        at = begin[:-1].copy()
        words_left = end_word - first_word
        for slot in range(slot_bounds[pair], slot_bounds[pair + 1]):
            size = min(slots[slot], longest)
            chosen[slot] = -1
            if at[size] < begin[size + 1]:
                chosen[slot] = words[order[at[size]]]
                at[size] += 1
                words_left -= 1
        for slot in range(slot_bounds[pair], slot_bounds[pair + 1]):
            if chosen[slot] >= 0:
                continue
            if words_left == 0:
                at = begin[:-1].copy()
                words_left = end_word - first_word
            size = min(slots[slot], longest)
            sign = 1 if (slot - slot_bounds[pair]) % 2 else -1
            for step in range(2 * longest + 2):
                off = (step + 1) // 2
                near = size + sign * off if step % 2 else size - sign * off
                if 0 <= near <= longest and at[near] < begin[near + 1]:
                    chosen[slot] = words[order[at[near]]]
                    at[near] += 1
                    words_left -= 1
                    break
    return chosen


@njit(cache=True)
def spliced(
    pieces: Int32s,
    new: Int32s,
    bounds: Ints,
    data: NDArray[np.uint8],
    ends: Ints,
    stem_begins: Ints,
    stem_ends: Ints,
    stops: Ints,
) -> NDArray[np.uint8]:
    """The texts one after the other; fills ``stops``. A piece is written as the part before its stem, the replacing
    stem (from ``new``), and the part after its stem."""
    total = 0
    for row in range(len(bounds) - 1):
        for at in range(bounds[row], bounds[row + 1]):
            piece = np.uint32(pieces[at])
            new_piece = np.uint32(new[at])
            total += ends[piece + 1] - ends[piece]
            total += stem_ends[new_piece] - stem_begins[new_piece]
            total -= stem_ends[piece] - stem_begins[piece]
        stops[row + 1] = total
    text = np.empty(total, np.uint8)
    filled = 0
    for at in range(len(pieces)):
        piece = np.uint32(pieces[at])
        new_piece = np.uint32(new[at])
        for start, stop in (
            (ends[piece], stem_begins[piece]),
            (stem_begins[new_piece], stem_ends[new_piece]),
            (stem_ends[piece], ends[piece + 1]),
        ):
            for position in range(start, stop):
                text[filled] = data[position]
                filled += 1
    return text


@njit(cache=True)
def least_missing(lengths: Int32s, words_left: Ints, longest: int) -> Ints:
    """The rows of ``lengths`` (k, sizes), at most ``longest`` of them, that leave fewest of ``words_left`` (sizes,),
    which is overwritten: each takes off what it has, and the best of the others is next while it takes off anything.
    """
    rows = np.empty(min(longest, len(lengths)), np.int64)
    for number in range(len(rows)):
        best = -1
        fewest_missing = 0
        words_before = words_left.sum()
        for row in range(len(lengths)):
            missing = 0
            for size in range(len(words_left)):
                missing += max(words_left[size] - lengths[row, size], 0)
            if (best < 0 or missing < fewest_missing) and not (rows[:number] == row).any():
                best = row
                fewest_missing = missing
        if number and fewest_missing >= words_before:
            return rows[:number]
        rows[number] = best
        for size in range(len(words_left)):
            words_left[size] = max(words_left[size] - lengths[best, size], 0)
        if fewest_missing == 0:
            return rows[: number + 1]
    return rows
