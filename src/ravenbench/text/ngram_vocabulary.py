"""N-grams of several lengths at once: choosing a vocabulary from texts, and counting it in beginnings of texts.

Both cost memory for what may enter the vocabulary only, not for every n-gram met (``ravenbench.text.ngrams`` keeps
all). White space is taken as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numba import njit

from ravenbench.text.bits import place_of_bit
from ravenbench.text.interning import Interner, Keys, home_of, place_of
from ravenbench.text.ngrams import Points, points_of
from ravenbench.types import Bools, Floats, Int32s, Ints

_SHIFT = np.uint64(21)
_32 = np.uint64(32)
_1 = np.uint64(1)


def frequent_ngrams(
    texts: Sequence[str], lengths: Sequence[int], size: int, least: int = 1
) -> Iterator[tuple[int, list[str], Ints]]:
    """For each of ``lengths``, ascending: n, the n-grams in most texts, ties by code point, and in how many.

    At most ``size`` of a length, and only those that some text has ``least`` times. An n-gram that has not is no
    beginning of a longer one that has, so few are left to count where ``least`` is more than 1.
    """
    codes, bounds = _codes(texts)
    joined = "".join(texts)
    ids = np.zeros(len(codes), np.int32)
    for n in range(1, max(lengths, default=0) + 1):
        packed = extend(ids, codes, bounds, n)
        interner = Interner()
        interner.reserve(int(np.count_nonzero(packed)))
        count, spread, most, first = survey(packed, bounds, interner.table, interner.keys, ids)
        spread, most, first = spread[:count], most[:count], first[:count]
        if n in lengths:
            kept = np.flatnonzero(most >= least)
            if len(kept) > size:
                kept = kept[spread[kept] >= np.partition(spread[kept], -size)[-size]]
            number = {joined[at : at + n]: d for at, d in zip(first[kept].tolist(), spread[kept].tolist(), strict=True)}
            chosen = sorted(number, key=lambda name: (-number[name], name))[:size]
            yield n, chosen, np.array([number[name] for name in chosen], dtype=np.int64)
        prune(ids, most < least)


class NgramTree:
    """The prefixes of some n-grams. A place in a text is told by its deepest node: the longest prefix from there on.

    Parameters
    ----------
    names : list of str
        Distinct n-grams of any lengths.

    Attributes
    ----------
    parent, depth : (nodes,) int32
        A node's parent (−1: none) and the characters of its prefix. Parents come first.
    gram : (nodes,) int32
        Which n-gram a node is, −1 if it is a prefix only.
    """

    def __init__(self, names: Sequence[str]) -> None:
        codes, bounds = _codes(names)
        nodes = Interner()
        nodes.reserve(len(codes))
        size, last = plant(codes, bounds, nodes.table, nodes.keys)
        self._table = nodes.table
        self.parent = (nodes.keys[:size] >> _SHIFT).astype(np.int32) - 1
        self.depth = depths(self.parent)
        self.gram = np.full(size, -1, np.int32)
        self.gram[last] = np.arange(len(names))

    def places(self, texts: Sequence[str]) -> tuple[Int32s, Ints]:
        """The deepest node at every place of the joined texts (−1: none), and the texts' bounds."""
        codes, bounds = _codes(texts)
        return deepest(codes, bounds, self._table), bounds


def _codes(texts: Sequence[str]) -> tuple[Points, Ints]:
    """Code points plus one, so that no key is 0, and their bounds by text."""
    points, bounds = points_of(texts)
    return points + np.uint32(1), bounds


@njit(cache=True)
def extend(ids: Int32s, codes: Points, bounds: Ints, n: int) -> Keys:
    """Keys of the n-grams at every place from the ids of the (n − 1)-grams; 0 where there is none, or that has −1."""
    packed = np.zeros(len(codes), np.uint64)
    for d in range(len(bounds) - 1):
        for i in range(bounds[d], bounds[d + 1] - n + 1):
            if ids[i] >= 0:
                packed[i] = (np.uint64(ids[i]) << _SHIFT) | np.uint64(codes[i + n - 1])
    return packed


@njit(cache=True)
def survey(packed: Keys, bounds: Ints, table: Keys, keys: Keys, ids: Int32s) -> tuple[int, Ints, Ints, Ints]:
    """How many keys there are; in how many texts each is, how often in the text that has it most, where it is first.

    ``ids`` takes the id of the key at every place, −1 where it is 0. There is room for all keys in ``table``.
    """
    spread, most = np.zeros(len(keys), np.int64), np.zeros(len(keys), np.int64)
    first, here, text = np.zeros(len(keys), np.int64), np.zeros(len(keys), np.int64), np.full(len(keys), -1, np.int64)
    size = 0
    for d in range(len(bounds) - 1):
        for i in range(bounds[d], bounds[d + 1]):
            if packed[i] == 0:
                ids[i] = -1
                continue
            home = home_of(packed[i], table)
            slot, grown = place_of(packed[i], home, table, keys, size)
            key = np.int64(table[slot, 1] >> _32)
            if grown > size:
                first[key] = i
                size = grown
            if text[key] != d:
                text[key] = d
                spread[key] += 1
                here[key] = 0
            here[key] += 1
            most[key] = max(most[key], here[key])
            ids[i] = np.int32(key)
    return size, spread, most, first


@njit(cache=True)
def prune(ids: Int32s, rare: Bools) -> None:
    """Put −1 wherever an id is rare."""
    for i in range(len(ids)):
        if ids[i] >= 0 and rare[ids[i]]:
            ids[i] = -1


@njit(cache=True)
def plant(codes: Points, bounds: Ints, table: Keys, keys: Keys) -> tuple[int, Ints]:
    """Enter names into a tree of prefixes: the number of its nodes, and the node where each name ends.

    A node's key is its parent's id plus one (0: the root) with its character.
    """
    ends = np.empty(len(bounds) - 1, np.int64)
    size = 0
    for d in range(len(bounds) - 1):
        node = np.uint64(0)
        for i in range(bounds[d], bounds[d + 1]):
            key = (node << _SHIFT) | np.uint64(codes[i])
            home = home_of(key, table)
            slot, size = place_of(key, home, table, keys, size)
            node = (table[slot, 1] >> _32) + np.uint64(1)
        ends[d] = np.int64(node) - 1
    return size, ends


@njit(cache=True)
def depths(parent: Int32s) -> Int32s:
    """Depth of every node, 1 at the top."""
    depth = np.ones(len(parent), np.int32)
    for node in range(len(parent)):
        if parent[node] >= 0:
            depth[node] = depth[parent[node]] + 1
    return depth


@njit(cache=True)
def deepest(codes: Points, bounds: Ints, table: Keys) -> Int32s:
    """Walk down the tree from every place of every text."""
    last = np.uint64(len(table) - 1)
    found = np.full(len(codes), -1, np.int32)
    for d in range(len(bounds) - 1):
        for i in range(bounds[d], bounds[d + 1]):
            node = np.uint64(0)
            for j in range(i, bounds[d + 1]):
                key = (node << _SHIFT) | np.uint64(codes[j])
                slot = home_of(key, table)
                while table[slot, 0] != key and table[slot, 0] != 0:
                    slot = (slot + np.uint64(1)) & last
                if table[slot, 0] == 0:
                    break
                node = (table[slot, 1] >> _32) + np.uint64(1)
            found[i] = np.int32(np.int64(node) - 1)
    return found


@njit(cache=True)
def shares(
    places: Int32s, starts: Ints, sizes: Ints, parent: Int32s, depth: Int32s, gram: Int32s, family: Ints, length: Ints
) -> tuple[Ints, Int32s, Floats]:
    """Relative frequency, within its family and length, of every n-gram in the beginnings of texts.

    Parameters
    ----------
    places : deepest nodes of all texts, of every family
    starts, sizes : (families, texts)
        The places of a text, as many as count.
    parent, depth, gram : (nodes,)
    family, length : (n-grams,)

    Returns
    -------
    bounds (texts + 1,), and of all entries n-gram, ascending within a text, and value.
    """
    here, nodes, met = np.zeros(len(length), np.int32), np.zeros(len(parent), np.int32), np.empty(len(parent), np.int32)
    of_depth = np.bincount(depth, minlength=2)
    first, count = np.cumsum(of_depth) - of_depth, np.zeros(len(of_depth), np.int64)
    # A bit for every n-gram met; bits are read off from the lowest, so that ids ascend without sorting.
    touched = np.zeros((len(length) >> 6) + 1, np.uint64)
    room = 1 << 16
    ids, values = np.empty(room, np.int32), np.empty(room)
    bounds = np.zeros(starts.shape[1] + 1, np.int64)
    filled = 0
    for d in range(starts.shape[1]):
        for f in range(len(starts)):
            start, stop = starts[f, d], starts[f, d] + sizes[f, d]
            count[:] = 0
            for i in range(start, stop):
                node = places[i]
                while node >= 0 and i + depth[node] > stop:
                    node = parent[node]
                if node >= 0:
                    if nodes[node] == 0:
                        met[first[depth[node]] + count[depth[node]]] = node
                        count[depth[node]] += 1
                    nodes[node] += 1
            # From the deepest up, so that a node's count is whole before its parent gets it.
            for level in range(len(count) - 1, 0, -1):
                for m in range(first[level], first[level] + count[level]):
                    node = met[m]
                    times = nodes[node]
                    nodes[node] = 0
                    g = gram[node]
                    if g >= 0:
                        here[g] += times
                        touched[g >> 6] |= _1 << np.uint64(g & 63)
                    above = parent[node]
                    if above >= 0:
                        if nodes[above] == 0:
                            met[first[level - 1] + count[level - 1]] = above
                            count[level - 1] += 1
                        nodes[above] += times
        for block in range(len(touched)):
            word = touched[block]
            touched[block] = 0
            if filled + 64 > room:
                room *= 2
                more_ids, more_values = np.empty(room, np.int32), np.empty(room)
                more_ids[:filled], more_values[:filled] = ids[:filled], values[:filled]
                ids, values = more_ids, more_values
            while word:
                lowest = word & (~word + _1)
                word ^= lowest
                g = (block << 6) + place_of_bit(lowest)
                ids[filled] = g
                values[filled] = here[g] / (sizes[family[g], d] - length[g] + 1)
                filled += 1
                here[g] = 0
        bounds[d + 1] = filled
    return bounds, ids[:filled].copy(), values[:filled].copy()
