"""Cross-entropies of texts under each other's order-5 character models, the PPM-like compressor of PAN.

The model counts, for every position, the character after each of its contexts of 0 … 5 characters (the first
five positions have shorter ones). The probability of a character is its share in the longest suffix of its
context after which it was ever seen, 1/256 if it was never seen at all; a context's total counts the
characters that follow it, so the text's last characters are no context. Without escape probabilities these
do not sum to one. ``escape="C"`` is PPM-C proper (Moffat 1990), without exclusion.

References
----------
W. J. Teahan and D. J. Harper, *Using compression-based language models for text categorization*, 2003; the PAN
2020–23 verification baselines. ``ppm_reference`` says the same in plain Python.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ravenbench.text import ppm_kernels as kernels
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints

ORDERS = range(6)
BUDGET = 32 * 2**20
"""Bytes of models kept at a time."""


def cross_entropy(model: str, text: str, order: int = 5, escape: Literal["C"] | None = None) -> float:
    """Bits a character of ``text`` under the model of ``model``; NaN if either is empty."""
    texts, rows = TextTable.collect([model, text])
    return float(cross_entropies(texts, rows[:1], rows[1:], order, escape)[0, 0])


def cross_entropies(
    texts: TextTable, a: Ints, b: Ints, order: int = 5, escape: Literal["C"] | None = None, budget: int = BUDGET
) -> Floats:
    """Cross-entropies of text pairs in both directions.

    Pairs are taken in an order that brings the pairs of a document together, each unordered pair once; a
    document is modelled again only when its model was dropped for want of room. Every value depends on
    its two texts alone.

    Parameters
    ----------
    texts : TextTable
    a, b : (n,) int64
        Rows of ``texts``.
    order : int
        Longest context, 0 … 5.
    escape : "C", optional
        PPM-C.
    budget : int
        Bytes of models to keep (two are kept in any case).

    Returns
    -------
    (n, 2) float64
        Bits a character, lower = more alike: ``b`` under the model of ``a``, then ``a`` under that of ``b``.
        Both NaN where a text is empty.
    """
    if order not in ORDERS or escape not in (None, "C"):
        raise ValueError(f"order must be 0 … 5 and escape None or 'C', not {order!r} and {escape!r}")
    a, b = np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64)
    out = np.full((len(a), 2), np.nan)
    if not len(a):
        return out
    low, high = np.minimum(a, b), np.maximum(a, b)
    pairs, where = np.unique(low * len(texts) + high, return_inverse=True)
    low, high = np.divmod(pairs, len(texts))
    found = np.full((len(pairs), 2), np.nan)
    length = np.diff(texts.offsets)
    filled = np.flatnonzero((length[low] > 0) & (length[high] > 0))
    if len(filled):
        turn = filled[_schedule(low[filled], high[filled])]
        shelf = _Shelf(texts, np.union1d(low[turn], high[turn]), escape is not None, budget)
        found[turn] = shelf.compare(low[turn], high[turn], order)
    out[:] = found[where]
    turned = a > b
    out[turned] = out[turned, ::-1]
    return out


def _schedule(low: Ints, high: Ints) -> Ints:
    """Order of pairs in which a document's pairs lie close together (reverse Cuthill–McKee of the pair graph)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    rows, ends = np.unique(np.concatenate([low, high]), return_inverse=True)
    one, two = ends[: len(low)], ends[len(low) :]
    links = (np.concatenate([one, two]), np.concatenate([two, one]))
    graph = coo_array((np.ones(2 * len(low), dtype=np.int8), links), shape=(len(rows), len(rows))).tocsr()
    place = np.empty(len(rows), dtype=np.int64)
    place[reverse_cuthill_mckee(graph, symmetric_mode=True)] = np.arange(len(rows))
    return np.lexsort((np.maximum(place[one], place[two]), np.minimum(place[one], place[two])))


class _Shelf:
    """Models of the documents ``rows`` that are in use, in slots that are written over and over."""

    def __init__(self, texts: TextTable, rows: Ints, escape: bool, budget: int) -> None:
        self.texts, self.rows, self.escape = texts, rows, escape
        n = int((texts.offsets[rows + 1] - texts.offsets[rows]).max())
        slot = n * (8 + 4 + 8 + 4 + 64 + (64 + 4 + 4) * escape)
        slots = min(len(rows), max(2, budget // slot))
        self.high, self.low = np.empty((slots, n), np.uint64), np.empty((slots, n + 1), np.uint64)
        self.start, self.times = np.empty((slots, n + 1), np.int32), np.empty((slots, n), np.int32)
        self.cost = np.empty((slots, n, kernels.WIDTH))
        kept = slots if escape else 1
        self.escaped = np.empty((slots, n, kernels.WIDTH)) if escape else None
        self.last, self.rank = np.empty((kept, n), np.int32), np.empty((kept, n), np.int32)
        self.words, self.keys = np.empty(n + 3, np.uint64), np.empty(n, np.uint64)
        self.common = np.empty(n, np.int8)
        self.count, self.total = np.empty((2, n, kernels.WIDTH), np.int32)
        self.at, self.level = np.empty(2 * n, np.int32), np.empty(2 * n, np.int8)
        self.log = np.zeros(2 * n + 2)
        np.log2(np.arange(1, 2 * n + 2), out=self.log[1:])
        self.sizes = np.zeros((slots, 3), np.int64)

    def compare(self, low: Ints, high: Ints, order: int) -> Floats:
        """Cross-entropies of pairs, taken in this order, (n, 2): of ``high`` under ``low``, and of low under high."""
        found = np.empty((len(low), 2))
        both = np.searchsorted(self.rows, np.stack([low, high], axis=1)).ravel()
        met = np.argsort(both, kind="stable")
        before = np.full(len(both), -1)
        before[met[1:]] = np.where(both[met[1:]] == both[met[:-1]], met[:-1], -1)
        slot, held = np.full(len(self.rows), -1), np.full(len(self.sizes), -1)
        first = 0
        while first < len(low):
            # As many pairs at a time as have no more documents than there are slots.
            documents = np.cumsum(before[2 * first :] < 2 * first)
            last = first + int(np.searchsorted(documents, len(held), side="right")) // 2
            wanted = np.unique(both[2 * first : 2 * last])
            missing, idle = wanted[slot[wanted] < 0], np.flatnonzero(~np.isin(held, wanted))
            for row, place in zip(missing.tolist(), idle.tolist(), strict=False):
                if held[place] >= 0:
                    slot[held[place]] = -1
                self.model(int(self.rows[row]), place)
                slot[row], held[place] = place, row
            kernels.compare(
                slot[both[2 * first : 2 * last]].reshape(-1, 2), self.sizes, self.high, self.start, self.low,
                self.times, self.last, self.rank, self.cost, self.escaped, self.at, self.level, order,
                found[first:last],
            )  # fmt: skip
            first = last
        return found

    def model(self, row: int, s: int) -> None:
        """Model a document, which is not empty, in a slot; ``sizes`` takes its characters, trigrams and entries."""
        points = _points(self.texts.raw(row))
        n = len(points)
        k = s if self.escape else 0
        words, keys, rank = self.words[: n + 3], self.keys[:n], self.rank[k, :n]
        mask = kernels.POSITION
        if kernels.pack(points, words, keys):
            keys.sort()
        else:
            keys[:], mask = np.lexsort((words[:n], words[3:])), ~np.uint64(0)
        t, e = kernels.entries(
            keys, mask, words, self.high[s], self.start[s], self.low[s], self.times[s], self.last[k], self.common, rank
        )
        common, count, total, last = self.common[:e], self.count[:e], self.total[:e], self.last[k, :e]
        kernels.occurrences(self.times[s, :e], common, count)
        np.copyto(total, count)
        kernels.drop_end(total, common, rank[-1])
        if self.escaped is not None:
            kernels.escapes(total, common, last, rank, self.log, self.escaped[s, :e])
        kernels.costs(count, total, last, rank, self.log, self.cost[s, :e])
        self.sizes[s] = n, t, e


def _points(raw: bytes) -> NDArray[Any]:
    """Code points of a text: uint8 where they fit, else uint32."""
    if raw.isascii():
        return np.frombuffer(raw, dtype=np.uint8)
    text = raw.decode()
    try:
        return np.frombuffer(text.encode("latin-1"), dtype=np.uint8)
    except UnicodeEncodeError:
        return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
