"""Models of several texts at a time, which are compared pair by pair: for ``ravenbench.text.ppm``."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ravenbench.text import ppm_kernels as kernels
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints


class Shelf:
    """Models of the documents ``rows`` that are in use, in slots that are written over and over."""

    def __init__(self, texts: TextTable, rows: Ints, escape: bool, budget: int) -> None:
        self.texts, self.rows, self.escape = texts, rows, escape
        n = int((texts.offsets[rows + 1] - texts.offsets[rows]).max())
        slot = n * (8 + 4 + 8 + 4 + 64 + (64 + 4 + 4) * escape)
        slots = min(len(rows), max(2, budget // slot))
        self.high, self.low = np.empty((slots, n), np.uint64), np.empty((slots, n + 1), np.uint64)
        self.start, self.times = np.empty((slots, n + 1), np.int32), np.empty((slots, n), np.int32)
        self.cost = np.empty((slots, n, kernels.WIDTH), np.int64)
        kept = slots if escape else 1
        self.escaped = np.empty((slots, n, kernels.WIDTH), np.int64) if escape else None
        self.last, self.rank = np.empty((kept, n), np.int32), np.empty((kept, n), np.int32)
        self.words, self.keys = np.empty(n + 3, np.uint64), np.empty(n, np.uint64)
        self.common, self.code = np.empty(n, np.int8), np.empty(sys.maxunicode + 1, np.int64)
        self.count, self.total = np.empty((2, n, kernels.WIDTH), np.int32)
        self.at, self.level = np.empty(2 * n, np.int32), np.empty(2 * n, np.int8)
        self.log = np.rint(np.log2(np.maximum(np.arange(2 * n + 2), 1)) * kernels.UNIT).astype(np.int64)
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
        """Model a document, which is not empty, in a slot."""
        self.index(row, s)
        e, k = self.sizes[s, 2], s if self.escape else 0
        count, total, last, rank = self.count[:e], self.total[:e], self.last[k, :e], self.rank[k, : self.sizes[s, 0]]
        if self.escaped is not None:
            kernels.escapes(total, self.common[:e], last, rank, self.log, self.escaped[s, :e])
        kernels.costs(count, total, last, rank, self.log, self.cost[s, :e])

    def index(self, row: int, s: int) -> NDArray[Any]:
        """Sort and count a document's 6-grams in a slot; ``sizes`` takes its characters, trigrams and entries.

        Returns
        -------
        (n,) uint8 or uint32
            Its code points.
        """
        points = points_of(self.texts.raw(row))
        n = len(points)
        k = s if self.escape else 0
        words, keys, rank = self.words[: n + 3], self.keys[:n], self.rank[k, :n]
        mask = kernels.POSITION
        if kernels.pack(points, self.code, words, keys):
            keys.sort()
        else:
            keys[:], mask = np.lexsort((words[:n], words[3:])), ~np.uint64(0)
        t, e = kernels.entries(
            keys, mask, words, self.high[s], self.start[s], self.low[s], self.times[s], self.last[k], self.common, rank
        )
        common, count, total = self.common[:e], self.count[:e], self.total[:e]
        kernels.occurrences(self.times[s, :e], common, count)
        np.copyto(total, count)
        kernels.drop_end(total, common, rank[-1])
        self.sizes[s] = n, t, e
        return points


def points_of(raw: bytes) -> NDArray[Any]:
    """Code points of a text: uint8 where they fit, else uint32."""
    if raw.isascii():
        return np.frombuffer(raw, dtype=np.uint8)
    text = raw.decode()
    try:
        return np.frombuffer(text.encode("latin-1"), dtype=np.uint8)
    except UnicodeEncodeError:
        return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
