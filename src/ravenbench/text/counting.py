"""The counts of each text, made once in a process and kept by content hash (contract 8).

A run reads the same documents in hundreds of folds, so their counts stay in memory, under a cap and packed: a
unit and its count take four bytes, so the counts of a text take about as many bytes as the text.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from ravenbench.text.kept_counts import KeptCounts, Part, open_counts, save_counts
from ravenbench.text.packed_counts import Many, Packed, pack, unpack
from ravenbench.texts import TextTable, let_go
from ravenbench.types import Int32s, Ints

T = TypeVar("T")

CAP = 3 << 27
"""Most entries (4 bytes each) a store keeps before it starts afresh."""
MOST_UNITS = 1 << 23
"""Most units a lexicon may know before it does."""
_BLOCK = 1 << 22
"""Bytes of text in a block of documents."""
_BATCH = 1 << 16
_AHEAD = 256
"""Texts counted between two writes."""
_STEP = 1 << 24
"""Most entries that room is made for ahead: what is not used yet takes memory too."""


class Lexicon(Protocol):
    """The units met so far and their ids; ``fold`` maps ids to the ids they are counted as (None: each for itself)."""

    @property
    def fold(self) -> Ints | None: ...

    def __len__(self) -> int: ...

    def count(self, texts: Sequence[str]) -> tuple[Ints, Int32s, Int32s]: ...

    def ids(self, names: Sequence[str]) -> Ints: ...

    def names(self, ids: Ints) -> list[str]: ...


@runtime_checkable
class Units(Protocol):
    """A kind of unit to count; it is hashable and can start a lexicon."""

    def lexicon(self) -> Any: ...


@dataclass(frozen=True, eq=False)
class Rows:
    """The counts of some documents: document i has ``ids[starts[i]:stops[i]]``, each once, as often as ``counts`` say.

    ``first`` is the place of the block's first document among those asked for.
    """

    first: int
    ids: Int32s
    counts: Int32s
    starts: Ints
    stops: Ints

    def __len__(self) -> int:
        return len(self.starts)


Summed = tuple[Callable[[], TextTable | None], Ints, Ints]
"""A table, rows of it, and what ``frequencies`` found for them, (2, ids)."""


class CountStore:
    """A lexicon and the counts of texts in its ids."""

    def __init__(self, lexicon: Any, cap: int = CAP, units: Units | None = None) -> None:
        self.lexicon, self._cap, self._units = lexicon, cap, units
        self._names, self._ids = list[str](), np.empty(0, np.int64)
        self._ordered: dict[int, tuple[tuple[str, ...], Ints]] = {}
        self.summed: Summed = (lambda: None), np.empty(0, np.int64), np.zeros((2, 0), np.int64)
        self._forget()

    def _forget(self) -> None:
        self._slot: dict[bytes, int] = {}
        self._table: Callable[[], TextTable | None] = lambda: None
        self._slots = np.empty(0, np.int64)
        self._kept: KeptCounts | None = None
        self._packed, self._many = np.empty(0, np.uint32), Many()
        self._ends, self._texts = np.zeros(1, np.int64), 0
        self._room = np.empty((2, 0), np.int32)
        self._spread: tuple[Ints, Rows] | None = None

    def blocks(self, table: TextTable, documents: Ints) -> Iterator[Rows]:
        """Counts of these rows of ``table``, a block of documents at a time, to be read only and until the next."""
        # A fit and what follows it ask for the same documents, whose counts then still lie there.
        if self._spread is not None and self._table() is table and np.array_equal(documents, self._spread[0]):
            yield self._spread[1]
            return
        before = np.concatenate([[0], np.cumsum(table.offsets[documents + 1] - table.offsets[documents])])
        first = 0
        while first < len(documents):
            if self._ends[self._texts] > self._cap:
                self._forget()
            last = max(first + 1, int(np.searchsorted(before, before[first] + _BLOCK, side="right")) - 1)
            packed, many, begins, ends, own = self._found(table, documents[first:last])
            stops = np.cumsum(ends - begins)
            starts = np.concatenate([[0], stops[:-1]])
            # Memory is used again, for asking the system for as much anew takes longer than filling it.
            if self._room.shape[1] < stops[-1]:
                self._room = np.empty((2, stops[-1]), np.int32)
            ids, counts = self._room[:, : stops[-1]]
            self._spread = None
            unpack(packed, many, begins, ends, ids, counts)
            let_go(packed.base)
            if own is not None:
                ids[:] = own[ids]
            rows = Rows(first, ids, counts, starts, stops)
            if last - first == len(documents):
                self._spread = documents.copy(), rows
            yield rows
            first = last

    def ids(self, names: list[str]) -> Ints:
        """The lexicon's ids of these units; those of the list last asked for are kept, as long as it stays as it is."""
        if names is not self._names:
            self._names, self._ids = names, self.lexicon.ids(names)
        return self._ids

    def named(self, ids: Ints) -> list[str]:
        """The units with these ids, each given once, in code-point order; ``ids`` of this list is then known."""
        # Folds differ little in their units: the last list of about as many has most of these, in order already.
        size = len(ids).bit_length()
        names, known = self._ordered.get(size, ((), ids[:0]))
        asked = np.zeros(len(self.lexicon), np.bool_)
        asked[ids] = True
        stays = asked[known]
        asked[known] = False
        new = np.flatnonzero(asked)
        found = [*itertools.compress(names, stays.tolist()), *self.lexicon.names(new)]
        order = sorted(range(len(found)), key=found.__getitem__)
        self._names, self._ids = [found[i] for i in order], np.concatenate([known[stays], new])[order]
        # Who asked has the list itself and may change it.
        self._ordered[size] = tuple(self._names), self._ids
        return self._names

    def taken(self, table: TextTable, rows: Ints) -> Part:
        """Counts of these rows, which ascend, as they are kept here; they are then forgotten."""
        self._meet(table)
        self._places(table, rows)
        found = self._packed[: self._ends[self._texts]], self._ends[1 : self._texts + 1], self._many
        self._forget()
        return found

    def _found(self, table: TextTable, rows: Ints) -> tuple[Packed, Many, Ints, Ints, Int32s | None]:
        """Where the counts of these rows are: in what, from where, to where; and the ids here of those found there."""
        if self._table() is not table:
            self._meet(table)
        if (kept := self._kept) is not None and kept.starts[rows].min(initial=0) >= 0:
            return kept.packed, kept.many, kept.starts[rows], kept.stops[rows], kept.ids
        slots = self._places(table, rows)
        return self._packed, self._many, self._ends[slots], self._ends[slots + 1], None

    def _meet(self, table: TextTable) -> None:
        self._table, self._slots, self._spread = weakref.ref(table), np.full(len(table), -1, np.int64), None
        self._kept = open_counts(table, self._units, self.lexicon.ids)

    def _places(self, table: TextTable, rows: Ints) -> Ints:
        """Where the counts of these rows of a table are, (len(rows),); those not there are made."""
        unseen = rows[self._slots[rows] < 0]
        if len(unseen):
            unseen = np.unique(unseen)
            keys = [table.hash(row) for row in unseen]
            new = {key: int(row) for key, row in zip(keys, unseen, strict=True) if key not in self._slot}
            try:
                self._add(table, new)
            except BaseException:
                # Texts that were promised a slot have no counts in it: later ones would read each other's.
                self._forget()
                raise
            self._slots[unseen] = [self._slot[key] for key in keys]
        return self._slots[rows]

    def _add(self, table: TextTable, new: dict[bytes, int]) -> None:
        batch: list[str] = []
        size = 0
        for key, row in new.items():
            self._slot[key] = len(self._slot)
            batch.append(table[row])
            size += len(batch[-1])
            if size > _BATCH:
                self._count(batch)
                batch, size = [], 0
        if batch:
            self._count(batch)

    def _count(self, batch: list[str]) -> None:
        bounds, ids, counts = self.lexicon.count(batch)
        filled = int(self._ends[self._texts])
        need = filled + len(ids)
        if need > len(self._packed):
            # In place: a copy would hold all counts twice. No view of them outlives a block.
            self._packed.resize(max(need, len(self._packed) + min(len(self._packed) // 2, _STEP)), refcheck=False)
        pack(ids, counts, self._packed[filled:need], filled, self._many)
        first, self._texts = self._texts + 1, self._texts + len(batch)
        if self._texts >= len(self._ends):
            self._ends.resize(max(self._texts + 1, len(self._ends) * 3 // 2), refcheck=False)
        self._ends[first : self._texts + 1] = bounds[1:] + filled


_stores: dict[Units, CountStore] = {}
_lock = threading.RLock()


def with_counts(units: Units, work: Callable[[CountStore], T]) -> T:
    """Call ``work`` with this process's store of these units, one thread at a time."""
    with _lock:
        store = _stores.get(units)
        if store is None or len(store.lexicon) > MOST_UNITS:
            store = _stores[units] = CountStore(units.lexicon(), units=units)
        return work(store)


def forget_counts() -> None:
    """Drop every store of this process (its memory, and the head start of a second measurement)."""
    with _lock:
        _stores.clear()


def count_ahead(table: TextTable, rows: Ints, units: Units) -> None:
    """Count these rows (ascending) of a saved table into a file, from which all processes then read them."""
    store = CountStore(units.lexicon())

    def parts() -> Iterator[Part]:
        for first in range(0, len(rows), _AHEAD):
            yield store.taken(table, rows[first : first + _AHEAD])
            if len(store.lexicon) > MOST_UNITS:
                raise ValueError("more units than a process keeps")

    save_counts(table, units, rows, parts(), lambda: store.lexicon.names(np.arange(len(store.lexicon))))
