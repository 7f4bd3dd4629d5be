"""The model of one text as an automaton that reads many others, eight at a time: for ``ravenbench.text.ppm``.

A *gram* is a string of one to six characters that the text contains; node 0 is the empty one. Each has the cost of its
last character after those before it. Read character by character, another text's longest suffix among the grams is
always one step away: the longest suffix before it, of at most five characters, owns a row of the table, and the
character a column. To build the table costs as much as a few merges of two texts; to read then takes half of one.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ravenbench.text.ppm_kernels import UNIT, WIDTH, Array

LANES = 8
"""Texts read at a time: each waits for memory, and in the meantime the others go on."""


@njit(cache=True)
def number(points: Array, code: Array, last: Array, common: Array, levels: int, first: Array) -> int:
    """Number a text's distinct characters, and its distinct grams by their length.

    Parameters
    ----------
    points : (n,) uint8 or uint32
    code : int32, 0 at every code point; filled
        Number of each code point of the text, from 1 on.
    last, common : (e,)
        Of the text's entries, as from ``ppm_kernels.entries``.
    levels : int
        Longest gram.
    first : (8,) int64, filled
        Grams of L characters are nodes ``first[L]`` … ``first[L + 1] − 1``.

    Returns
    -------
    int
        Distinct characters.
    """
    symbols = 0
    for point in points:
        if code[point] == 0:
            symbols += 1
            code[point] = symbols
    # An entry begins grams of all lengths above what it shares with the one before, at the text's start up to its own.
    for level in range(len(first)):
        first[level] = 0
    for k in range(len(last)):
        first[common[k] + 2] += 1
        if last[k] + 1 < levels:
            first[last[k] + 3] -= 1
    for level in range(1, len(first) - 1):
        first[level + 1] += first[level]
    first[1] = 1
    for level in range(1, len(first) - 1):
        first[level + 1] += first[level]
    return symbols


@njit(cache=True)
def build(
    points: Array, code: Array, width: int, last: Array, common: Array, rank: Array, count: Array, total: Array,
    log: Array, levels: int, first: Array, at: Array, nodes: Array, entry: Array, goal: Array, bits: Array,
    after: Array, table: Array, cells: Array,
) -> None:  # fmt: skip
    """Fill the automaton of a text.

    Parameters
    ----------
    points : (n,) uint8 or uint32
    code : int32
        From ``number``: a character's column, 0 where the text does not contain it.
    width : int
        Columns of the table, more than there are distinct characters, a multiple of four.
    last, common, rank, count, total, log :
        The text's entries, as from ``ppm_kernels.entries``, and what their costs are made of (``costs``).
    first : (8,) int64
        From ``number``; the automaton has ``first[levels]`` rows and ``first[levels + 1]`` nodes.
    at : (8,) int64; nodes : (e, 8) int32, with zeros in column 0; entry, goal : (nodes,) int32
        Work space.
    bits : (nodes,) int64, filled
        Cost of each node's last character.
    after : (nodes,) int32, filled
        Where the row of a node begins that is read next.
    table : (rows · width / 4,) uint64, filled; cells : the same memory as uint16
        Four columns a word: the node of the longest gram that ends with a row's suffix and a column's
        character.
    """
    bits[0], after[0] = 8 * UNIT, 0
    for level in range(len(first)):
        at[level] = first[level]
    for k in range(len(last)):
        for level in range(WIDTH if k else 0):
            nodes[k, level] = nodes[k - 1, level]
        for level in range(common[k] + 1, min(levels, last[k] + 1) + 1):
            n = at[level]
            at[level] = n + 1
            nodes[k, level], entry[n] = n, k
            after[n] = (n if level < levels else nodes[k, level - 1]) * width
    for level in range(len(first)):
        at[level] = first[level]
    for k in range(len(last)):
        i = last[k]
        before = rank[max(i - 1, 0)]
        column = code[points[i]]
        for level in range(common[k] + 1, min(levels, i + 1) + 1):
            n = at[level]
            at[level] = n + 1
            goal[n] = nodes[before, level - 1] * width + column
            bits[n] = log[np.uint32(total[before, level - 1])] - log[np.uint32(count[k, level])]
    words = width // 4
    for word in range(words):
        table[word] = 0
    for level in range(levels):
        # A suffix has what the next shorter one has, except where it knows better.
        for n in range(max(first[level], 1), first[level + 1]):
            above, here = np.uint64(nodes[entry[n], level - 1] * words), np.uint64(n * words)
            for word in range(np.uint64(words)):
                table[here + word] = table[above + word]
        for n in range(first[level + 1], first[level + 2]):
            cells[np.uint32(goal[n])] = n


@njit(cache=True)
def read(
    texts: Array, stop: Array, code: Array, table: Array, bits: Array, after: Array, row: Array, at: Array,
    total: Array, found: Array,
) -> None:  # fmt: skip
    """Add up costs of texts under an automaton.

    Parameters
    ----------
    texts : uint8 or uint32
        Code points of all texts, one after the other.
    stop : (m,) int64
        Where each text ends.
    row, at : (LANES,) uint64; total : (LANES,) int64
        Work space.
    found : (m,) float64, filled
        Bits a character of each text.
    """
    for begin in range(0, len(stop), LANES):
        shortest = stop[-1]
        for lane in range(LANES):
            # Lanes without a text read the last one once more.
            text = min(begin + lane, len(stop) - 1)
            at[lane], row[lane], total[lane] = stop[text - 1] if text else 0, 0, 0
            shortest = min(shortest, stop[text] - np.int64(at[lane]))
        for i in range(np.uint64(shortest)):
            for lane in range(LANES):
                n = table[row[lane] + np.uint64(code[texts[at[lane] + i]])]
                total[lane] += bits[n]
                row[lane] = after[n]
        for lane in range(min(LANES, len(stop) - begin)):
            place, end = row[lane], np.uint64(stop[begin + lane])
            for i in range(at[lane] + np.uint64(shortest), end):
                n = table[place + np.uint64(code[texts[i]])]
                total[lane] += bits[n]
                place = np.uint64(after[n])
            found[begin + lane] = total[lane] / (UNIT * np.int64(end - at[lane]))
