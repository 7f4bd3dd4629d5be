"""Measures cross-entropies of texts under each other's order-5 character model, the PPM-like compressor of PAN.

In: a ``TextTable``, rows a and b of it (n,), ``order`` (longest context, 0 to 5), ``escape`` (None or "C"), ``budget``
(bytes of memory), ``both`` (bool); for ``points_of`` UTF-8 bytes; for ``close_together`` pairs of rows.
Out: ``cross_entropies`` gives float64 (n, 2): b under a's model, a under b's, in bits per character, from 0, lower = more
alike; NaN where either text is empty (the second may be NaN everywhere unless ``both``). ValueError for another order
or escape. ``points_of`` gives code points, ``close_together`` an order (n,) of pairs, ``Shelf`` keeps models.

The model counts, for every position, the character after each of its contexts of 0 … 5 characters (the first
five positions have shorter ones). The probability of a character is its share in the longest suffix of its
context after which it was ever seen, 1/256 if it was never seen at all; a context's total counts the
characters that follow it, so the text's last characters are no context. Without escape probabilities these
do not sum to one. ``escape="C"`` is PPM-C proper (Moffat 1990), without exclusion.

References
----------
W. J. Teahan and D. J. Harper, *Using compression-based language models for text categorization*, 2003; the PAN
2020–23 verification baselines. ``tests/references/ppm.py`` says the same plainly.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ravenbench.text import ppm_kernels as kernels
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Ints


class Shelf:
    """Models of the documents ``rows`` that are in use, in slots that are reused."""

    def __init__(self, texts: TextTable, rows: Ints, escape: bool, budget: int) -> None:
        self.texts = texts
        self.rows = rows
        self.escape = escape
        n = int((texts.offsets[rows + 1] - texts.offsets[rows]).max())
        slot = n * (8 + 4 + 8 + 4 + 64 + (64 + 4 + 4) * escape)
        slots = min(len(rows), max(2, budget // slot))
        self.high = np.empty((slots, n), np.uint64)
        self.low = np.empty((slots, n + 1), np.uint64)
        self.start = np.empty((slots, n + 1), np.int32)
        self.times = np.empty((slots, n), np.int32)
        self.cost = np.empty((slots, n, kernels.WIDTH), np.int64)
        model_slots = slots if escape else 1
        self.escaped = np.empty((slots, n, kernels.WIDTH), np.int64) if escape else None
        self.last = np.empty((model_slots, n), np.int32)
        self.rank = np.empty((model_slots, n), np.int32)
        self.words = np.empty(n + 3, np.uint64)
        self.keys = np.empty(n, np.uint64)
        self.common = np.empty(n, np.int8)
        self.code = np.empty(sys.maxunicode + 1, np.int64)
        self.count, self.total = np.empty((2, n, kernels.WIDTH), np.int32)
        self.at = np.empty(2 * n, np.int32)
        self.level = np.empty(2 * n, np.int8)
        self.log = np.rint(np.log2(np.maximum(np.arange(2 * n + 2), 1)) * kernels.UNIT).astype(
            np.int64
        )
        self.sizes = np.zeros((slots, 3), np.int64)

    def compare(self, low: Ints, high: Ints, order: int) -> Floats:
        """Return cross-entropies of pairs in this order, (n, 2): of ``high`` under ``low``, and of low under high."""
        bits = np.empty((len(low), 2))
        pair_rows = np.searchsorted(self.rows, np.stack([low, high], axis=1)).ravel()
        met = np.argsort(pair_rows, kind="stable")
        previous_use = np.full(len(pair_rows), -1)
        previous_use[met[1:]] = np.where(pair_rows[met[1:]] == pair_rows[met[:-1]], met[:-1], -1)
        slot = np.full(len(self.rows), -1)
        loaded = np.full(len(self.sizes), -1)
        first_pair = 0
        while first_pair < len(low):
            # As many pairs at a time as have no more documents than there are slots.
            documents = np.cumsum(previous_use[2 * first_pair :] < 2 * first_pair)
            last_pair = first_pair + int(np.searchsorted(documents, len(loaded), side="right")) // 2
            needed_rows = np.unique(pair_rows[2 * first_pair : 2 * last_pair])
            missing = needed_rows[slot[needed_rows] < 0]
            idle = np.flatnonzero(~np.isin(loaded, needed_rows))
            for row, free_slot in zip(missing.tolist(), idle.tolist(), strict=False):
                if loaded[free_slot] >= 0:
                    slot[loaded[free_slot]] = -1
                self.model(int(self.rows[row]), free_slot)
                slot[row] = free_slot
                loaded[free_slot] = row
            kernels.compare(
                slot[pair_rows[2 * first_pair : 2 * last_pair]].reshape(-1, 2),
                self.sizes,
                self.high,
                self.start,
                self.low,
                self.times,
                self.last,
                self.rank,
                self.cost,
                self.escaped,
                self.at,
                self.level,
                order,
                bits[first_pair:last_pair],
            )
            first_pair = last_pair
        return bits

    def model(self, row: int, slot: int) -> None:
        """Model a document, which is not empty, in a slot."""
        self.index(row, slot)
        entries = self.sizes[slot, 2]
        k = slot if self.escape else 0
        count = self.count[:entries]
        total = self.total[:entries]
        last = self.last[k, :entries]
        rank = self.rank[k, : self.sizes[slot, 0]]
        if self.escaped is not None:
            kernels.escapes(
                total, self.common[:entries], last, rank, self.log, self.escaped[slot, :entries]
            )
        kernels.costs(count, total, last, rank, self.log, self.cost[slot, :entries])

    def index(self, row: int, slot: int) -> NDArray[Any]:
        """Sort and count a document's 6-grams in a slot; ``sizes`` takes its characters, trigrams and entries. Returns
        its code points."""
        points = points_of(self.texts.raw(row))
        n = len(points)
        k = slot if self.escape else 0
        words = self.words[: n + 3]
        keys = self.keys[:n]
        rank = self.rank[k, :n]
        mask = kernels.POSITION
        if kernels.pack(points, self.code, words, keys):
            keys.sort()
        else:
            keys[:] = np.lexsort((words[:n], words[3:]))
            mask = ~np.uint64(0)
        trigrams, entries = kernels.entries(
            keys,
            mask,
            words,
            self.high[slot],
            self.start[slot],
            self.low[slot],
            self.times[slot],
            self.last[k],
            self.common,
            rank,
        )
        common = self.common[:entries]
        count = self.count[:entries]
        total = self.total[:entries]
        kernels.occurrences(self.times[slot, :entries], common, count)
        np.copyto(total, count)
        kernels.drop_end(total, common, rank[-1])
        self.sizes[slot] = n, trigrams, entries
        return points


def points_of(raw: bytes) -> NDArray[Any]:
    """Return the code points of a text: uint8 if they fit, otherwise uint32."""
    if raw.isascii():
        return np.frombuffer(raw, dtype=np.uint8)
    text = raw.decode()
    try:
        return np.frombuffer(text.encode("latin-1"), dtype=np.uint8)
    except UnicodeEncodeError:
        return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)


ORDERS = range(6)
BUDGET = 32 * 2**20
"""Bytes of models in memory at a time."""
PARTNERS = 5
"""Fewest other texts for which an automaton of a text is worth building: on texts of 700 and of 3,000 characters, with
fewer texts it takes longer than comparing pair by pair, with 20 half as long."""
LONGEST = 2**16
"""Bytes of the longest text for which an automaton is tried."""
NODES = 2**16
"""Most distinct grams of a text whose automaton has cells of two bytes."""
TABLE = 2**24
"""Bytes of the largest table: that of a text with thousands of different characters is larger."""
AT_ONCE = 16
"""Number of texts whose characters are collected at a time."""


def cross_entropies(
    texts: TextTable,
    a: Ints,
    b: Ints,
    order: int = 5,
    escape: Literal["C"] | None = None,
    budget: int = BUDGET,
    both: bool = True,
) -> Floats:
    """Return cross-entropies of text pairs in both directions, (n, 2), in bits per character, lower = more alike: ``b``
    under the model of ``a``, then ``a`` under that of ``b``; both NaN where a text is empty. Where ``both`` are not
    wanted, the second may be NaN everywhere: where some texts are much longer than others it costs most of the time.

    Texts that meet several others are modelled once, as an automaton that reads the others. The other pairs are taken
    in an order that brings the pairs of a document together, each unordered pair once; a document is modelled again
    only when its model was dropped for lack of memory. Every value depends on its two texts only.

    ``a`` and ``b`` (n,) are rows of ``texts``; ``order`` is the longest context, 0 … 5; ``escape`` "C" is PPM-C;
    ``budget`` is bytes of models to keep (two are kept in any case).
    """
    if order not in ORDERS or escape not in (None, "C"):
        raise ValueError(
            f"order must be 0 … 5 and escape None or 'C', not {order!r} and {escape!r}"
        )
    a = np.asarray(a, dtype=np.int64)
    b = np.asarray(b, dtype=np.int64)
    cross_entropy = np.full((len(a), 2), np.nan)
    if not len(a):
        return cross_entropy
    low = np.minimum(a, b)
    high = np.maximum(a, b)
    pairs, pair_of_input = np.unique(low * len(texts) + high, return_inverse=True)
    ends = np.stack(np.divmod(pairs, len(texts)), axis=1)
    turned = a > b
    wanted = np.full((len(pairs), 2), both)
    wanted[pair_of_input, turned.astype(int)] = True
    bits = np.full((len(pairs), 2), np.nan)
    filled = np.flatnonzero((np.diff(texts.offsets)[ends] > 0).all(axis=1))
    if escape is None:
        bits[filled] = _compare_pairs(texts, ends[filled], wanted[filled], order)
        filled = filled[(np.isnan(bits[filled]) & wanted[filled]).any(axis=1)]
    if len(filled):
        turn = filled[close_together(*ends[filled].T)]
        shelf = Shelf(texts, np.unique(ends[turn]), escape is not None, budget)
        bits[turn] = shelf.compare(ends[turn, 0], ends[turn, 1], order)
    cross_entropy[:] = bits[pair_of_input]
    cross_entropy[turned] = cross_entropy[turned, ::-1]
    return cross_entropy


def _compare_pairs(texts: TextTable, pairs: Ints, is_wanted: Bools, order: int) -> Floats:
    """Cross-entropies (n, 2) that are ``is_wanted``, of pairs of which automata of several uses give all; else NaN."""
    bits = np.full(2 * len(pairs), np.nan)
    rows, ends = np.unique(pairs, return_inverse=True)
    ends = ends.reshape(-1, 2)
    length = np.diff(texts.offsets)[rows]
    apt = (np.bincount(ends[is_wanted], minlength=len(rows)) >= PARTNERS) & (length <= LONGEST)
    readable = np.all(apt[ends] | ~is_wanted, axis=1, keepdims=True)
    cells = np.flatnonzero(is_wanted & readable)
    if len(cells):
        model = ends.ravel()[cells]
        read_rows = ends[:, ::-1].ravel()[cells]
        # Texts of like length are read at a time.
        turn = np.lexsort((length[read_rows], model))
        automaton = _Automaton(texts, rows[np.unique(model)], order)
        for part in np.split(turn, np.flatnonzero(np.diff(model[turn])) + 1):
            bits[cells[part]] = automaton.read(int(rows[model[part[0]]]), rows[read_rows[part]])
    return bits.reshape(-1, 2)


def close_together(low: Ints, high: Ints) -> Ints:
    """Return an order (n,) of pairs in which a document's pairs are close together (reverse Cuthill–McKee of the pair
    graph)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    rows, ends = np.unique(np.concatenate([low, high]), return_inverse=True)
    first = ends[: len(low)]
    second = ends[len(low) :]
    links = (np.concatenate([first, second]), np.concatenate([second, first]))
    graph = coo_array(
        (np.ones(2 * len(low), dtype=np.int8), links), shape=(len(rows), len(rows))
    ).tocsr()
    position = np.empty(len(rows), dtype=np.int64)
    position[reverse_cuthill_mckee(graph, symmetric_mode=True)] = np.arange(len(rows))
    return np.lexsort(
        (
            np.maximum(position[first], position[second]),
            np.minimum(position[first], position[second]),
        )
    )


class _Automaton:
    """The automaton of one of the texts ``rows`` after the other, in arrays that are written over and over."""

    def __init__(self, texts: TextTable, rows: Ints, order: int) -> None:
        self.levels = order + 1
        self.shelf = Shelf(texts, rows, escape=False, budget=0)
        n = len(self.shelf.keys)
        fits = texts.offsets[-1] <= BUDGET
        self.points = lru_cache(len(texts) if fits else 0)(lambda row: points_of(texts.raw(row)))
        self.nodes = np.zeros((n, kernels.WIDTH), np.int32)
        self.entry, self.goal, self.after = np.empty((3, n * kernels.LEVELS + 1), np.int32)
        self.bits = np.empty(n * kernels.LEVELS + 1, np.int64)
        self.first, self.at = np.empty((2, kernels.LEVELS + 2), np.int64)
        self.table = np.empty(0, np.uint64)
        self.lanes = *np.empty((2, kernels.LANES), np.uint64), np.empty(kernels.LANES, np.int64)
        self.code = np.zeros(sys.maxunicode + 1, np.int32)

    def read(self, row: int, others: Ints) -> Floats:
        """Cross-entropies of other texts under the model of one, (n,); all NaN if its table would be too large."""
        shelf = self.shelf
        bits = np.full(len(others), np.nan)
        points = shelf.index(row, 0)
        e = shelf.sizes[0, 2]
        entries = shelf.last[0, :e], shelf.common[:e]
        symbols = kernels.number(points, self.code, *entries, self.levels, self.first)
        words = symbols // 4 + 1
        size = int(self.first[self.levels]) * words
        if self.first[self.levels + 1] <= NODES and size <= TABLE // 8:
            if size > len(self.table):
                self.table = np.empty(size, np.uint64)
            cells = self.table.view(np.uint16)
            kernels.build(
                points,
                self.code,
                4 * words,
                *entries,
                shelf.rank[0],
                shelf.count,
                shelf.total,
                shelf.log,
                self.levels,
                self.first,
                self.at,
                self.nodes,
                self.entry,
                self.goal,
                self.bits,
                self.after,
                self.table,
                cells,
            )
            for begin in range(0, len(others), AT_ONCE):
                batch = slice(begin, begin + AT_ONCE)
                texts = [self.points(text_row) for text_row in others[batch].tolist()]
                stop = np.cumsum([len(text) for text in texts])
                kernels.read(
                    np.concatenate(texts),
                    stop,
                    self.code,
                    cells,
                    self.bits,
                    self.after,
                    *self.lanes,
                    bits[batch],
                )
        self.code[points] = 0
        return bits
