"""Makes the feature spaces of the impostors methods: several families of n-grams in one sparse vocabulary.

In: ``ImpostorSpace`` has ``units`` (names of families, below), a size (features of each family and length), weights and
a minimum count; ``fit`` takes normalised texts, ``vectors`` the result of ``read(texts, forest())``, rows, and how many
characters to read.
Out: ``vectors`` returns ``Vectors``: sparse rows (texts, features) of frequencies relative to the family and length (0 to
1 before weighting); ``frequent_ngrams`` n-grams with counts of texts; ``NgramTree`` nodes by place, −1 = none;
``token_forms`` and ``form`` tokens as counted; ``parse_units`` (family, n), SpecError if unreadable. Compiled steps:
``extend``, ``survey`` and ``prune`` (n-grams), ``plant``, ``depths`` and ``deepest`` (trees), ``shares`` (frequencies).

``units`` names the families, joined by spaces: ``char4``, ``word1-3``, ``shape1-4``, ``function1-3``.
Characters are lowercased with white space collapsed; ``word`` counts lowercased tokens, marks included; ``shape``
counts the forms of tokens (``C`` capital first, ``c`` other words, ``N`` digits, a mark unchanged); ``function``
keeps the frequent words of the training texts and writes ``*`` for every other token.

Token families are written as texts with one private character for each token, so that the same character n-gram
kernels count all families. These use memory only for what may enter the vocabulary, not for every n-gram
(``ravenbench.text.ngrams`` keeps all).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numba import njit

from ravenbench.errors import SpecError
from ravenbench.text.minmax import Vectors
from ravenbench.text.ngrams import (
    Interner,
    Keys,
    Points,
    home_of,
    place_of,
    place_of_bit,
    points_of,
)
from ravenbench.text.tokens import TOKEN, frequent, frequent_words, lowered
from ravenbench.types import Bools, Floats, Int32s, Ints

_SHIFT = np.uint64(21)
_32 = np.uint64(32)
_1 = np.uint64(1)


def frequent_ngrams(
    texts: Sequence[str], lengths: Sequence[int], size: int, least: int = 1
) -> Iterator[tuple[int, list[str], Ints]]:
    """Yield for each of ``lengths``, ascending: n, the n-grams in most texts (ties by code point), and in how many texts.

    At most ``size`` of a length, and only n-grams that some text has ``least`` times. An n-gram below that cannot begin
    a longer n-gram above it, so few are left to count if ``least`` is more than 1.
    """
    codes, bounds = _codes(texts)
    joined = "".join(texts)
    ids = np.zeros(len(codes), np.int32)
    for n in range(1, max(lengths, default=0) + 1):
        packed = extend(ids, codes, bounds, n)
        interner = Interner()
        interner.reserve(int(np.count_nonzero(packed)))
        count, spread, most, first = survey(packed, bounds, interner.table, interner.keys, ids)
        spread = spread[:count]
        most = most[:count]
        first = first[:count]
        if n in lengths:
            often = np.flatnonzero(most >= least)
            if len(often) > size:
                often = often[spread[often] >= np.partition(spread[often], -size)[-size]]
            number = {
                joined[at : at + n]: d
                for at, d in zip(first[often].tolist(), spread[often].tolist(), strict=True)
            }
            chosen = sorted(number, key=lambda name: (-number[name], name))[:size]
            yield n, chosen, np.array([number[name] for name in chosen], dtype=np.int64)
        prune(ids, most < least)


class NgramTree:
    """The prefixes of distinct n-grams of any lengths. A place in a text is described by its deepest node: the
    longest prefix from there.

    ``parent`` and ``depth`` (nodes,) are a node's parent (−1: none), which comes before it, and the characters of its
    prefix; ``gram`` (nodes,) says which n-gram a node is, −1 if it is a prefix only.
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
        """Return the deepest node at every place of the joined texts (−1: none), and the texts' bounds."""
        codes, bounds = _codes(texts)
        return deepest(codes, bounds, self._table), bounds


def _codes(texts: Sequence[str]) -> tuple[Points, Ints]:
    """Code points plus one, so that no key is 0, and their bounds by text."""
    points, bounds = points_of(texts)
    return points + np.uint32(1), bounds


@njit(cache=True)
def extend(ids: Int32s, codes: Points, bounds: Ints, n: int) -> Keys:
    """Return keys of the n-grams at every place from the ids of the (n − 1)-grams; 0 if there is none, or its id is −1."""
    packed = np.zeros(len(codes), np.uint64)
    for d in range(len(bounds) - 1):
        for i in range(bounds[d], bounds[d + 1] - n + 1):
            if ids[i] >= 0:
                packed[i] = (np.uint64(ids[i]) << _SHIFT) | np.uint64(codes[i + n - 1])
    return packed


@njit(cache=True)
def survey(
    packed: Keys, bounds: Ints, table: Keys, keys: Keys, ids: Int32s
) -> tuple[int, Ints, Ints, Ints]:
    """Return the number of keys; for each, the number of texts, the largest count in a text, and its first place.

    ``ids`` receives the id of the key at every place, −1 if it is 0. ``table`` has space for all keys.
    """
    spread = np.zeros(len(keys), np.int64)
    most = np.zeros(len(keys), np.int64)
    first = np.zeros(len(keys), np.int64)
    here = np.zeros(len(keys), np.int64)
    text = np.full(len(keys), -1, np.int64)
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
    """Write −1 for every rare id."""
    for i in range(len(ids)):
        if ids[i] >= 0 and rare[ids[i]]:
            ids[i] = -1


@njit(cache=True)
def plant(codes: Points, bounds: Ints, table: Keys, keys: Keys) -> tuple[int, Ints]:
    """Enter names into a tree of prefixes; return the number of its nodes, and the node where each name ends. A node's key
    is its parent's id plus one (0: the root) with its character."""
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
    """Return the depth of every node, 1 at the top."""
    depth = np.ones(len(parent), np.int32)
    for node in range(len(parent)):
        if parent[node] >= 0:
            depth[node] = depth[parent[node]] + 1
    return depth


@njit(cache=True)
def deepest(codes: Points, bounds: Ints, table: Keys) -> Int32s:
    """Walk down the tree from every place of every text; return the deepest nodes."""
    last = np.uint64(len(table) - 1)
    nodes = np.full(len(codes), -1, np.int32)
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
            nodes[i] = np.int32(np.int64(node) - 1)
    return nodes


@njit(cache=True)
def shares(
    places: Int32s,
    starts: Ints,
    sizes: Ints,
    parent: Int32s,
    depth: Int32s,
    gram: Int32s,
    family: Ints,
    length: Ints,
) -> tuple[Ints, Int32s, Floats]:
    """Return the relative frequency, within its family and length, of every n-gram in the beginnings of texts: bounds (texts
    + 1,), and for all entries the n-gram, ascending within a text, and its value.

    ``places`` are the deepest nodes of all texts, of every family; ``starts`` and ``sizes`` (families, texts) the
    places of a text that count; ``parent``, ``depth`` and ``gram`` (nodes,); ``family`` and ``length``
    (n-grams,).
    """
    here = np.zeros(len(length), np.int32)
    nodes = np.zeros(len(parent), np.int32)
    met = np.empty(len(parent), np.int32)
    of_depth = np.bincount(depth, minlength=2)
    first = np.cumsum(of_depth) - of_depth
    count = np.zeros(len(of_depth), np.int64)
    # A bit for every n-gram met; bits are read off from the lowest, so that ids ascend without sorting.
    touched = np.zeros((len(length) >> 6) + 1, np.uint64)
    room = 1 << 16
    ids = np.empty(room, np.int32)
    values = np.empty(room)
    bounds = np.zeros(starts.shape[1] + 1, np.int64)
    filled = 0
    for d in range(starts.shape[1]):
        for f in range(len(starts)):
            start = starts[f, d]
            stop = starts[f, d] + sizes[f, d]
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
                more_ids = np.empty(room, np.int32)
                more_values = np.empty(room)
                more_ids[:filled] = ids[:filled]
                more_values[:filled] = values[:filled]
                ids = more_ids
                values = more_values
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


Weights = Literal["tf", "tfidf"]
_UNIT = re.compile(r"(char|word|shape|function)(\d{1,9})(?:-(\d{1,9}))?\Z")
_FUNCTION_WORDS = 150
_FIRST = 0x10000
_UNKNOWN = chr(_FIRST)
_SYMBOLS = 0x10FFFF - _FIRST
"""Code points left for token forms; the rarest beyond them count as unknown."""


@dataclass(frozen=True, eq=False)
class Forest:
    """The n-grams of every family as a tree; nodes and features have consecutive numbers. ``feature`` (nodes,) is −1 if a
    node is only a prefix; ``family`` and ``length`` are those of every feature."""

    trees: dict[str, NgramTree]
    parent: Int32s
    depth: Int32s
    feature: Int32s
    family: Ints
    length: Ints


@dataclass(frozen=True, eq=False)
class Readings:
    """Texts as each family reads them: ``places`` has the deepest node at every character or token, those of text ``i``
    and family ``f`` from ``starts[f, i]``; ``characters`` are a text's characters, and ``ends`` says where each of its tokens
    ends."""

    forest: Forest
    places: Int32s
    starts: Ints
    characters: Ints
    ends: list[Ints]

    def sizes(self, rows: Ints, length: int) -> Ints:
        """Return the numbers of characters or tokens of texts within their first ``length`` characters, (families, rows)."""
        sizes = dict.fromkeys(self.forest.trees, np.minimum(self.characters[rows], length))
        tokens = (
            [np.searchsorted(self.ends[row], length, side="right") for row in rows]
            if self.ends
            else []
        )
        sizes |= dict.fromkeys(sizes.keys() - {"char"}, np.array(tokens, dtype=np.int64))
        return np.array([sizes[family] for family in self.forest.trees])


class ImpostorSpace:
    """Vectors of texts over a vocabulary learned from training texts.

    Learned state: ``symbols_``, tokens with a private character, in order; ``functions_``, words that ``function`` keeps;
    ``vocabulary_``, (family, n, n-grams) of each; ``weight_`` (features,).

    Parameters
    ----------
    units : str
        Families of n-grams.
    size : int
        Number of features of each family and length: those in most training texts, ties by code point.
    weights : {"tf", "tfidf"}
        Relative frequency within family and length, or this times log((1 + texts) / (1 + texts with it)) + 1.
    least : int
        Only features that some training text has this often.
    """

    def __init__(self, units: str, size: int, weights: Weights = "tfidf", least: int = 1) -> None:
        self.units = units
        self.size = size
        self.weights = weights
        self.least = least

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn vocabulary and weights from normalised texts."""
        families = parse_units(self.units)
        self.functions_ = []
        self.symbols_ = []
        if any(family != "char" for family, _ in families):
            self.functions_ = frequent_words(texts, _FUNCTION_WORDS)
            self.symbols_ = token_forms(texts)
        written, _ = self._written(texts)
        chosen: dict[tuple[str, int], tuple[list[str], Ints]] = {}
        for family in dict(families):
            lengths = [n for name, n in families if name == family]
            for n, names, documents in frequent_ngrams(
                written[family], lengths, self.size, self.least
            ):
                chosen[family, n] = names, documents
        self.vocabulary_: list[tuple[str, int, list[str]]] = [
            (*unit, chosen[unit][0]) for unit in families
        ]
        df = np.concatenate([chosen[unit][1] for unit in families])
        self.weight_ = (
            np.log((1 + len(texts)) / (1 + df)) + 1 if self.weights == "tfidf" else np.ones(len(df))
        )
        return self

    def forest(self) -> Forest:
        """Return the trees that ``read`` uses to find n-grams; slow to make, so use one forest for several calls."""
        ends = np.cumsum([len(names) for _, _, names in self.vocabulary_])
        trees: dict[str, NgramTree] = {}
        parent = list[Int32s]()
        depth = list[Int32s]()
        features = list[Int32s]()
        nodes = 0
        family = np.zeros(ends[-1], np.int64)
        length = np.repeat([n for _, n, _ in self.vocabulary_], np.diff(ends, prepend=0))
        for number, name in enumerate(dict.fromkeys(name for name, _, _ in self.vocabulary_)):
            own = [
                (end, grams)
                for end, (of, _, grams) in zip(ends, self.vocabulary_, strict=True)
                if of == name
            ]
            feature = np.concatenate([np.arange(end - len(grams), end) for end, grams in own])
            family[feature] = number
            tree = trees[name] = NgramTree([gram for _, grams in own for gram in grams])
            parent.append(np.where(tree.parent >= 0, tree.parent + nodes, -1).astype(np.int32))
            depth.append(tree.depth)
            # −1 picks the last: a node that is no n-gram.
            features.append(np.append(feature, -1)[tree.gram].astype(np.int32))
            nodes += len(tree.parent)
        of_nodes = np.concatenate(parent), np.concatenate(depth), np.concatenate(features)
        return Forest(trees, *of_nodes, family, length)

    def read(self, texts: Sequence[str], forest: Forest) -> Readings:
        """Return normalised texts as every family reads them."""
        written, ends = self._written(texts)
        places = []
        starts = []
        nodes = filled = 0
        for name, tree in forest.trees.items():
            deepest_nodes, bounds = tree.places(written[name])
            places.append(np.where(deepest_nodes >= 0, deepest_nodes + nodes, -1).astype(np.int32))
            starts.append(bounds[:-1] + filled)
            nodes += len(tree.parent)
            filled += len(deepest_nodes)
        # Lowercasing changes the length of some texts.
        characters = np.array([len(text) for text in written.get("char", texts)], dtype=np.int64)
        return Readings(forest, np.concatenate(places), np.array(starts), characters, ends)

    def vectors(self, readings: Readings, rows: Ints, length: int) -> Vectors:
        """Return the beginnings of these texts as vectors; a text without a known feature has an empty vector."""
        forest = readings.forest
        starts = readings.starts[:, rows]
        sizes = readings.sizes(rows, length)
        of_nodes = (forest.parent, forest.depth, forest.feature)
        of_features = (forest.family, forest.length)
        bounds, ids, values = shares(readings.places, starts, sizes, *of_nodes, *of_features)
        return Vectors(bounds, ids, values * self.weight_[ids], len(self.weight_))

    def _written(self, texts: Sequence[str]) -> tuple[dict[str, list[str]], list[Ints]]:
        """Every family's texts, and where each token ends in the original."""
        families = dict(parse_units(self.units))
        written: dict[str, list[str]] = (
            {"char": [lowered(text) for text in texts]} if "char" in families else {}
        )
        if set(families) <= {"char"}:
            return written, []
        code = {symbol: chr(_FIRST + 1 + i) for i, symbol in enumerate(self.symbols_)}
        functions = set(self.functions_)
        found_tokens = [
            [(match[0], match.end()) for match in TOKEN.finditer(text)] for text in texts
        ]
        kinds = dict.fromkeys(token for text in found_tokens for token, _ in text)
        for family in ("word", "shape", "function"):
            if family in families:
                table: dict[str, str] = {}
                for token in kinds:
                    seen = form(token, "shape" if family == "shape" else "word")
                    table[token] = code.get(
                        "*" if family == "function" and seen not in functions else seen, _UNKNOWN
                    )
                written[family] = [
                    "".join([table[token] for token, _ in text]) for text in found_tokens
                ]
        ends = [np.array([end for _, end in text], dtype=np.int64) for text in found_tokens]
        return {family: written[family] for family in families}, ends


def token_forms(texts: Sequence[str]) -> list[str]:
    """Return all forms of tokens in these texts and ``*``, sorted; the most widespread, if there are too many."""
    tokens = {token for text in texts for token in TOKEN.findall(text)}
    forms = {form(token, kind) for token in tokens for kind in ("word", "shape")} - {"*"}
    if len(forms) >= _SYMBOLS:
        spread: Counter[str] = Counter()
        for text in texts:
            spread.update(
                {form(token, kind) for token in TOKEN.findall(text) for kind in ("word", "shape")}
                - {"*"}
            )
        forms = set(frequent(spread, _SYMBOLS - 1))
    return sorted(forms | {"*"})


def form(token: str, family: str) -> str:
    """Return a token as a family counts it."""
    if family == "word":
        return lowered(token)
    if token.isdecimal():
        return "N"
    if token[0].isalnum() or token[0] == "_":
        return "C" if token[0].isupper() else "c"
    return token


def parse_units(units: str) -> list[tuple[str, int]]:
    """Return (family, n) for everything that ``units`` names; SpecError if it cannot be read."""
    families: list[tuple[str, int]] = []
    for part in units.split():
        match = _UNIT.match(part)
        low, high = (int(match[2]), int(match[3] or match[2])) if match else (0, 0)
        if match is None or not 1 <= low <= high <= 12:
            raise SpecError(
                f"{units!r} does not name features",
                found=part,
                expected=(
                    "char, word, shape or function with n or n-n up to 12, such as 'char4' or"
                    " 'char2-5 word1'"
                ),
            )
        families += [(match[1], n) for n in range(low, high + 1)]
    if not families:
        raise SpecError(
            "units names no features", expected="units such as 'char4' or 'char2-5 word1'"
        )
    return list(dict.fromkeys(families))
