"""Compiled loops of ``text.ppm``: index a text by its reversed 6-grams; compare two indices, or build an automaton.

In: arrays of code points (n ≥ 1,), arrays that earlier functions filled, and arrays to fill. Order: ``pack``,
``entries``, ``occurrences``, ``drop_end``, ``escapes`` (for escapes only), ``costs``, ``compare``; or, after
``drop_end``, ``number``, ``build``, ``read``.
Out: the filled arrays (of most functions nothing else); costs are whole numbers in ``UNIT``s of a bit (2³² to a bit);
``compare`` (m, 2) and ``read`` (m,) fill bits per character, float64, lower = more alike; ``pack`` gives bool,
``entries`` two counts, ``number`` one, ``add_up`` and ``add_up_escaped`` a cost. An automaton is a table that reads
another text character by character.

A 6-gram that ends at position i is stored as two words of three characters, read backwards: the high word has
characters i, i−1, i−2 and the low word i−3, i−4, i−5, each as code point + 1 in 21 bits, 0 before the text. Sorted this
way, the longest suffix of a 6-gram that another text contains is the longest prefix it shares with one of its two
neighbours there, so two sorted texts are compared by one merge and nothing is searched. Distinct 6-grams in this order
are a text's *entries*. Arrays to be filled are passed in, since fresh memory costs as much as the work done in it.

The automaton: a *gram* is a string of one to six characters that the text contains; node 0 is the empty one. Each has
the cost of its last character after those before it. Read character by character, another text's longest suffix among
the grams is always one step away: the longest suffix before it, of at most five characters, owns a row of the table,
and the character a column. To build the table costs as much as a few merges of two texts; to read then takes half of
one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]
LEVELS = 6
"""Longest gram: five characters of context and the character predicted."""
WIDTH = 8
"""Columns of a table by gram length; a power of two is faster than the 7 needed."""
POSITION_BITS = 22
UNIT = 1 << 32
"""Costs are multiples of this fraction of a bit, so that their sum is the same in any order."""
SYMBOLS = 127
"""Most distinct characters of a text whose 6-grams and positions fit one 64-bit sort key."""
_ONE = np.uint64(1 << 21)
_TWO = np.uint64(1 << 42)
_ZERO = np.uint64(0)
_BITS = np.uint64(21)
_TOP = np.uint64(42)
_FAR = np.uint64(1 << 63)
_SIGN = np.uint64(63)
_SEVEN = np.uint64(7)
_LAST = np.uint64(35)
_AWAY = np.uint64(POSITION_BITS)
POSITION = np.uint64((1 << POSITION_BITS) - 1)


@njit(cache=True)
def pack(points: Array, code: Array, words: Array, keys: Array) -> bool:
    """Roll the words of a text, and its sort keys: reversed 6-grams above positions, which sort as (high, low,
    position).

    ``points`` (n ≥ 1,) are code points, ``code`` int64 work space as long as there are such; filled are ``words`` (n +
    3,), of which ``words[i + 3]`` is the high word of position i and ``words[i]`` therefore its low word, and ``keys``
    (n,). False if the text does not fit: more than ``SYMBOLS`` distinct characters, or 2 ** ``POSITION_BITS`` in all.
    """
    highest = np.int64(0)
    for point in points:
        highest = max(highest, np.int64(point))
    for point in range(highest + 1):
        code[point] = 0
    words[0] = words[1] = words[2] = _ZERO
    word = _ZERO
    for i in range(len(points)):
        c = np.uint64(points[i])
        code[c] = 1
        word = (word >> _BITS) | ((c + np.uint64(1)) << _TOP)
        words[i + 3] = word
    symbols = 0
    for point in range(highest + 1):
        symbols += code[point]
        code[point] = symbols
    if symbols > SYMBOLS or len(points) > POSITION:
        return False
    word = _ZERO
    for i in range(len(points)):
        word = (word >> _SEVEN) | (np.uint64(code[np.uint64(points[i])]) << _LAST)
        keys[i] = (word << _AWAY) | np.uint64(i)
    return True


@njit(cache=True, inline="always")
def _common(x: Any) -> int:
    """Leading characters two words share, from their exclusive or."""
    return int(x < _TWO) + int(x < _ONE) + int(x == _ZERO)


@njit(cache=True)
def entries(
    keys: Array,
    mask: Any,
    words: Array,
    high: Array,
    start: Array,
    low: Array,
    times: Array,
    last: Array,
    common: Array,
    rank: Array,
) -> tuple[int, int]:
    """Gather distinct trigrams and 6-grams from positions ``keys`` (n,), in the bits of ``mask``, ordered by (high,
    low).

    Filled are distinct words ``high``, of which trigram g owns the entries ``start[g]:start[g + 1]``; of each entry the
    word ``low``, its occurrences ``times``, a position ``last`` at which it ends, and ``common``, the leading
    characters it shares with the one before; ``rank`` (n,), the entry that ends at each position. Returns how many
    trigrams and entries there are.
    """
    t = e = shared = 0
    word: Any = _FAR
    lead: Any = _FAR
    start[0] = 0
    for j in range(len(keys)):
        i = keys[j] & mask
        a = words[i + np.uint64(3)]
        b = words[i]
        above = _common(a ^ lead)
        both = above + (_common(b ^ word) if above == 3 else 0)
        lead = a
        word = b
        # Written at every position, so that nothing branches: the last of a run stays.
        t += above < 3
        e += both < LEVELS
        k = np.uint64(e - 1)
        shared = both if both < LEVELS else shared
        high[np.uint64(t - 1)] = a
        start[np.uint64(t)] = e
        low[k] = b
        last[k] = i
        times[k] = j + 1
        common[k] = shared
        rank[i] = k
    for entry in range(e - 1, 0, -1):
        times[entry] -= times[entry - 1]
    low[e] = _ZERO
    return t, e


@njit(cache=True)
def sum_runs(values: Array, common: Array) -> None:
    """Make ``values[k, L]``, L < 6, the sum of column L over all entries that share their last L characters with k."""
    a = b = c = d = e = f = 0
    # Sums stay in registers and are multiplied away where a run ends: the fastest form by a factor of two.
    for k in range(len(values)):
        row = values[k]
        same = common[k]
        a = row[0] + a
        b = row[1] + b * (same >= 1)
        c = row[2] + c * (same >= 2)
        d = row[3] + d * (same >= 3)
        e = row[4] + e * (same >= 4)
        f = row[5] + f * (same >= 5)
        row[0] = a
        row[1] = b
        row[2] = c
        row[3] = d
        row[4] = e
        row[5] = f
    for k in range(len(values) - 1, 0, -1):
        same = common[k]
        for level in range(WIDTH):
            values[k - 1, level] = values[k, level] if level <= same else values[k - 1, level]


@njit(cache=True)
def occurrences(times: Array, common: Array, count: Array) -> None:
    """Fill ``count[k, L]``, (e, 8) int32: occurrences of the last L characters of entry k; n for L = 0."""
    for k in range(len(times)):
        for level in range(WIDTH):
            count[k, level] = times[k]
    sum_runs(count, common)


@njit(cache=True)
def drop_end(count: Array, common: Array, final: int) -> None:
    """Turn occurrences into occurrences as a context: no character follows the end of the text."""
    # Plain loops here and below: to compile an assignment to a slice takes a second.
    for level in range(1, WIDTH):
        count[final, level] -= 1
    depth = LEVELS
    k = final
    while k > 0 and common[k] > 0:
        depth = min(depth, common[k])
        k -= 1
        for level in range(1, depth + 1):
            count[k, level] -= 1
    depth = LEVELS
    k = final + 1
    while k < len(count) and common[k] > 0:
        depth = min(depth, common[k])
        for level in range(1, depth + 1):
            count[k, level] -= 1
        k += 1


@njit(cache=True)
def costs(count: Array, total: Array, last: Array, rank: Array, log: Array, cost: Array) -> None:
    r"""Costs of each entry's last character after L − 1 characters of context, in ``UNIT``\ s of a bit: column L of
    ``cost`` (e, 8), filled for L = 1 … 6.

    ``total`` is what ``count`` is divided by: occurrences as a context (with escapes, distinct characters added);
    ``log[k]`` is log2(k). Column 0, never seen, is 8 bits. Where the text's start leaves fewer than L − 1 characters,
    the longest context that exists is meant.
    """
    for k in range(len(last)):
        i = last[k]
        above = total[np.uint32(rank[np.uint32(max(i - 1, 0))])]
        below = count[k]
        bits = cost[k]
        for level in range(1, LEVELS + 1):
            bits[level] = log[np.uint32(above[level - 1])] - log[np.uint32(below[level])]
        for level in range(i + 2, LEVELS + 1):
            bits[level] = bits[level - 1]
        bits[0] = 8 * UNIT


@njit(cache=True)
def escapes(
    total: Array, common: Array, last: Array, rank: Array, log: Array, escaped: Array
) -> None:
    """Costs to escape from contexts by method C: column j of ``escaped`` (e, 8) from an entry's last j, j − 1, … 0
    characters as context, all together. ``total`` gets the number of distinct characters that follow added.
    """
    distinct = np.zeros(total.shape, np.int32)
    for k in range(len(last)):
        i = last[k]
        distinct[k, 0] = common[k] < 1
        for level in range(max(common[k] + 1, 2), min(i + 1, LEVELS) + 1):
            distinct[rank[i - 1], level - 1] += 1
    sum_runs(distinct, common)
    total += distinct
    for k in range(len(last)):
        bits = 0
        for level in range(LEVELS):
            if level <= last[k] + 1 and distinct[k, level]:
                bits += log[total[k, level]] - log[distinct[k, level]]
            escaped[k, level] = bits


@njit(cache=True)
def match(
    high_a: Array,
    start_a: Array,
    low_a: Array,
    high_b: Array,
    start_b: Array,
    low_b: Array,
    at: Array,
    level: Array,
) -> None:
    """For each entry of one text the entry ``at`` of the other that shares its longest suffix, and the suffix's length
    ``level``: the entries of a, then those of b. ``at`` is 0 where ``level`` is 0."""
    i = j = 0
    shift = start_a[len(high_a)]
    while i < len(high_a) or j < len(high_b):
        if j == len(high_b) or (i < len(high_a) and high_a[i] < high_b[j]):
            near, depth = _nearest(high_a[i], high_b, j)
            for slot in range(start_a[i], start_a[i + 1]):
                at[slot] = start_b[near] if depth else 0
                level[slot] = depth
            i += 1
        elif i == len(high_a) or high_a[i] > high_b[j]:
            near, depth = _nearest(high_b[j], high_a, i)
            for slot in range(shift + start_b[j], shift + start_b[j + 1]):
                at[slot] = start_a[near] if depth else 0
                level[slot] = depth
            j += 1
        else:
            _merge(
                low_a,
                start_a[i],
                start_a[i + 1],
                low_b,
                start_b[j],
                start_b[j + 1],
                shift,
                at,
                level,
            )
            i += 1
            j += 1


@njit(cache=True, inline="always")
def _nearest(word: Any, others: Array, after: int) -> tuple[int, int]:
    """Find which neighbour of a trigram that ``others`` lacks shares more with it, and how much."""
    best = _FAR
    near = 0
    if after < len(others):
        best = word ^ others[after]
        near = after
    if after > 0 and (word ^ others[after - 1]) < best:
        best = word ^ others[after - 1]
        near = after - 1
    return near, _common(best)


@njit(cache=True, inline="always")
def _merge(
    low_a: Array,
    i: int,
    end_a: int,
    low_b: Array,
    j: int,
    end_b: int,
    shift: int,
    at: Array,
    level: Array,
) -> None:
    """Merge the entries of a trigram that both texts have: each is compared with the next and the previous one of the
    other side; of equal ones a's comes first. Which side is next cannot be predicted: so selections, not branches.
    """
    x = low_a[i]
    y = low_b[j]
    previous_a = previous_b = _FAR
    for _ in range(end_a - i + end_b - j):
        first = x <= y
        after = x ^ y
        before = (x ^ previous_b) if first else (y ^ previous_a)
        closer = before < after
        slot = i if first else shift + j
        at[slot] = (j if first else i) - closer
        level[slot] = 3 + _common(before if closer else after)
        previous_a = x if first else previous_a
        previous_b = previous_b if first else y
        i += first
        j += not first
        x = low_a[i] | (np.uint64(i >= end_a) << _SIGN)
        y = low_b[j] | (np.uint64(j >= end_b) << _SIGN)


@njit(cache=True)
def add_up(at: Array, level: Array, times: Array, cost: Array, order: int) -> int:
    """Cost (int, ``UNIT``s of a bit) of a text under the other's costs, contexts of at most ``order`` characters."""
    bits = 0
    for e in range(len(times)):
        bits += times[e] * cost[np.uint32(at[e]), np.uint8(min(level[e], order + 1))]
    return bits


@njit(cache=True)
def add_up_escaped(
    at: Array,
    level: Array,
    times: Array,
    last: Array,
    rank: Array,
    cost: Array,
    escaped: Array,
    order: int,
) -> int:
    """Cost (int, ``UNIT``s of a bit) of a text with escapes, from the longest known context down to the one that has
    the character."""
    bits = 0
    for e in range(len(times)):
        seen = min(level[e], order + 1)
        each = cost[at[e], seen]
        if last[e] == 0:
            each += escaped[0, 0] if seen == 0 else 0
        else:
            c = rank[last[e] - 1]
            each += escaped[at[c], min(level[c], order)]
            each -= escaped[at[c], seen - 1] if seen else 0
        bits += times[e] * each
    return bits


@njit(cache=True)
def compare(
    pairs: Array,
    sizes: Array,
    high: Array,
    start: Array,
    low: Array,
    times: Array,
    last: Array,
    rank: Array,
    cost: Array,
    escaped: Array | None,
    at: Array,
    level: Array,
    order: int,
    result: Array,
) -> None:
    """Bits a character of each of two texts under the other's model, ``result`` (m, 2): b under a, then a under b.

    ``pairs`` (m, 2) are slots of models; ``sizes`` (slots, 3) has characters, trigrams and entries of each, and the
    other arrays have models by slot; ``escaped`` is None without escapes.
    """
    for p in range(len(pairs)):
        a, b = pairs[p]
        t = sizes[a, 1]
        e = sizes[a, 2]
        u = sizes[b, 1]
        f = sizes[b, 2]
        match(
            high[a, :t],
            start[a, : t + 1],
            low[a, : e + 1],
            high[b, :u],
            start[b, : u + 1],
            low[b, : f + 1],
            at[: e + f],
            level[: e + f],
        )
        if escaped is None:
            forth = add_up(at[e:], level[e:], times[b, :f], cost[a], order)
            back = add_up(at[:e], level[:e], times[a, :e], cost[b], order)
        else:
            forth = add_up_escaped(
                at[e:], level[e:], times[b, :f], last[b], rank[b], cost[a], escaped[a], order
            )
            back = add_up_escaped(
                at[:e], level[:e], times[a, :e], last[a], rank[a], cost[b], escaped[b], order
            )
        result[p, 0] = forth / (UNIT * sizes[b, 0])
        result[p, 1] = back / (UNIT * sizes[a, 0])


LANES = 8
"""Number of texts read at a time: while one waits for memory, the others continue."""


@njit(cache=True)
def number(
    points: Array, code: Array, last: Array, common: Array, levels: int, first: Array
) -> int:
    """Number a text's distinct characters from 1 on in ``code`` (0 at every code point before), and its distinct grams
    by length: those of L characters are nodes ``first[L]`` … ``first[L + 1] − 1``. Returns how many characters there
    are.

    ``last`` and ``common`` are of the text's entries, as from ``entries``; ``levels`` is the longest gram.
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
    points: Array,
    code: Array,
    width: int,
    last: Array,
    common: Array,
    rank: Array,
    count: Array,
    total: Array,
    log: Array,
    levels: int,
    first: Array,
    at: Array,
    nodes: Array,
    entry: Array,
    goal: Array,
    bits: Array,
    after: Array,
    table: Array,
    cells: Array,
) -> None:
    """Fill the automaton of a text, which has ``first[levels]`` rows and ``first[levels + 1]`` nodes.

    ``code`` and ``first`` are from ``number``; ``last``, ``common`` and ``rank`` from ``entries``; costs are made of
    ``count``, ``total`` and ``log``. ``width`` are the columns, more than distinct characters, a multiple of four. Work
    space are ``at`` (8,), ``nodes`` (e, 8) with zeros in column 0, ``entry`` and ``goal``. Filled are ``bits``, the
    cost of each node's last character; ``after``, where the row of a node begins that is read next; and ``table``, of
    which ``cells`` is the same memory as uint16: by row and column the node of the longest gram that ends with both.
    """
    bits[0] = 8 * UNIT
    after[0] = 0
    for level in range(len(first)):
        at[level] = first[level]
    for k in range(len(last)):
        for level in range(WIDTH if k else 0):
            nodes[k, level] = nodes[k - 1, level]
        for level in range(common[k] + 1, min(levels, last[k] + 1) + 1):
            n = at[level]
            at[level] = n + 1
            nodes[k, level] = n
            entry[n] = k
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
            above = np.uint64(nodes[entry[n], level - 1] * words)
            here = np.uint64(n * words)
            for word in range(np.uint64(words)):
                table[here + word] = table[above + word]
        for n in range(first[level + 1], first[level + 2]):
            cells[np.uint32(goal[n])] = n


@njit(cache=True)
def read(
    texts: Array,
    stop: Array,
    code: Array,
    table: Array,
    bits: Array,
    after: Array,
    row: Array,
    at: Array,
    total: Array,
    result: Array,
) -> None:
    """Bits a character of texts under an automaton, ``result`` (m,): text i ends at ``stop[i]`` of ``texts``.

    ``row``, ``at`` and ``total`` (LANES,) are work space.
    """
    for begin in range(0, len(stop), LANES):
        shortest = stop[-1]
        for lane in range(LANES):
            # Lanes without a text read the last one once more.
            text = min(begin + lane, len(stop) - 1)
            at[lane] = stop[text - 1] if text else 0
            row[lane] = 0
            total[lane] = 0
            shortest = min(shortest, stop[text] - np.int64(at[lane]))
        for i in range(np.uint64(shortest)):
            for lane in range(LANES):
                n = table[row[lane] + np.uint64(code[texts[at[lane] + i]])]
                total[lane] += bits[n]
                row[lane] = after[n]
        for lane in range(min(LANES, len(stop) - begin)):
            place = row[lane]
            end = np.uint64(stop[begin + lane])
            for i in range(at[lane] + np.uint64(shortest), end):
                n = table[place + np.uint64(code[texts[i]])]
                total[lane] += bits[n]
                place = np.uint64(after[n])
            result[begin + lane] = total[lane] / (UNIT * np.int64(end - at[lane]))
