"""Counts the units of texts (n-grams, words), each text once in a process, known by its content hash (contract 8).

In: rows (numbers from 0) of a ``TextTable``, a kind of unit (``CountedUnits``), counts of documents as weights (n,);
work, a function of a ``CountStore``, for ``with_counts``, which hands it this process's store.
Out: ``CountStore.blocks`` yields ``Rows``: ids and counts (int32) of the units of each text; ``totals`` gives sums over
texts, ``frequencies`` these and numbers of texts with a unit (int64, by id); ``largest`` the most frequent units and
their ids, ``most`` ids; ``save_counts`` and ``count_ahead`` write files, ``open_counts`` gives ``KeptCounts`` or None.
``count_ahead`` raises ValueError for more units than a process keeps. The rest are loops that fill arrays.

A run reads the same documents in hundreds of folds, so their counts stay in memory, under a cap and packed: a unit
and its count take four bytes, so the counts of a text take about as many bytes as the text.

Counts of a large table can be in files, which all processes map instead of counting again: in the folder ``counts``
next to the saved table, two files for each kind of unit, entries as ``CountStore`` keeps them and, written last, what
is needed to read these. Processes share the pages of a mapped file, and the system takes them back when memory is
short. Whoever has them made removes them.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench import files
from ravenbench.texts import TextTable, let_go
from ravenbench.types import Int32s, Ints

Packed = NDArray[np.uint32]
Many = dict[int, tuple[int, int]]
"""Id and count of the entries that are stored separately, by position."""
MANY = 255
"""An entry with at least this count, or an id of more than 24 bits, is stored separately."""


def pack(ids: Int32s, counts: Int32s, packed: Packed, first_entry: int, overflow: Many) -> None:
    """Fill ``packed``, the entries from place ``first_entry`` on."""
    np.left_shift(ids, 8, out=packed.view(np.int32))
    packed |= np.minimum(counts, MANY).view(np.uint32)
    if counts.max(initial=0) >= MANY or ids.max(initial=0) >= 1 << 24:
        for at in np.flatnonzero((counts >= MANY) | (ids >= 1 << 24)):
            packed[at] |= MANY
            overflow[first_entry + int(at)] = int(ids[at]), int(counts[at])


def unpack(
    packed: Packed, overflow: Many, starts: Ints, stops: Ints, ids: Int32s, counts: Int32s
) -> None:
    """Fill ``ids`` and ``counts`` (int32) with the entries from each start to its stop, one text after the other."""
    if spread(packed, starts, stops, ids, counts):
        ends = np.cumsum(stops - starts)
        for at in np.flatnonzero(counts == MANY):
            row = np.searchsorted(ends, at, side="right")
            ids[at], counts[at] = overflow[int(stops[row] + at - ends[row])]


# Kernels count places in unsigned numbers: a signed one may be negative, which Python counts from the end, and asking
# whether it is takes up to nine tenths of the time.


@njit(cache=True)
def spread(packed: Packed, starts: Ints, stops: Ints, ids: Int32s, counts: Int32s) -> bool:
    """Do the part of ``unpack`` that fits; return whether any entry is stored separately."""
    filled = np.uint64(0)
    largest_count = np.uint32(0)
    for row in range(len(starts)):
        start = np.uint64(starts[row])
        size = np.uint64(stops[row]) - start
        for j in range(size):
            entry = packed[start + j]
            ids[filled + j] = entry >> np.uint32(8)
            count = entry & np.uint32(255)
            counts[filled + j] = count
            largest_count = max(largest_count, count)
        filled += size
    return bool(largest_count == MANY)


Part = tuple[Packed, Ints, Many]
"""Counts of some texts: entries, the end of each text's entries, and entries stored separately."""


@dataclass(frozen=True, eq=False)
class KeptCounts:
    """Row r of the table has ``packed[starts[r]:stops[r]]``, −1 where it was not counted; ``ids`` turns ids of who
    counted into the reader's own, None if they are the same."""

    packed: Packed
    starts: Ints
    stops: Ints
    many: Many
    ids: Int32s | None


def folder_of(table: TextTable) -> Path | None:
    """Return the folder of the counts of a table, if the table is in a local folder."""
    return (
        None
        if table.path is None or files.is_remote(table.path)
        else Path(table.path).with_name("counts")
    )


def save_counts(
    table: TextTable,
    units: object,
    rows: Ints,
    count_parts: Iterable[Part],
    names: Callable[[], list[str]],
) -> None:
    """Write counts of these rows of a saved table part by part; ``names`` gives those of all ids, at the end."""
    folder = folder_of(table)
    if folder is None:
        return
    files.make_folder(folder)
    entries, index = _files(folder, units)
    ends = [np.zeros(1, np.int64)]
    overflow_rows = list[tuple[int, int, int]]()
    with files.replacing(entries, sync=False) as file:
        for packed, stops, overflow in count_parts:
            file.write(packed.tobytes())
            filled = int(ends[-1][-1])
            overflow_rows += [(filled + at, *entry) for at, entry in overflow.items()]
            ends.append(stops + filled)
    content = io.BytesIO()
    np.savez(
        content,
        table=np.frombuffer(table.digest().encode(), np.uint8),
        rows=rows,
        ends=np.concatenate(ends),
        many=np.array(overflow_rows, dtype=np.int64).reshape(-1, 3),
        names=np.frombuffer(json.dumps(names()).encode(), np.uint8),
    )
    files.write_bytes(index, content.getvalue(), sync=False)


def open_counts(
    table: TextTable, units: object, ids: Callable[[list[str]], Ints]
) -> KeptCounts | None:
    """Map the counts of these units of a table, ``ids`` turning names into ids; None where there are none, those
    of another table, or damaged ones."""
    folder = folder_of(table)
    if folder is None or not folder.is_dir():
        return None
    entries, index = _files(folder, units)
    if not index.is_file():
        return None
    try:
        with np.load(index, allow_pickle=False) as content:
            rows, ends, overflow_rows, names = (
                content[name] for name in ("rows", "ends", "many", "names")
            )
            table_digest = content["table"].tobytes().decode()
        packed: Packed = np.memmap(entries, np.uint32, "r") if ends[-1] else np.empty(0, np.uint32)
        starts, stops = np.full((2, len(table)), -1, np.int64)
        starts[rows] = ends[:-1]
        stops[rows] = ends[1:]
        overflow = {at: (unit, count) for at, unit, count in overflow_rows.tolist()}
        named = json.loads(names.tobytes())
    except Exception:  # a process that was killed left them, or another removes them at this moment
        return None
    # The kernel that reads them looks at no bounds.
    if table_digest != table.digest() or len(packed) != ends[-1] or (np.diff(ends) < 0).any():
        return None
    own_ids = ids(named).astype(np.int32)
    is_same = np.array_equal(own_ids, np.arange(len(own_ids)))
    return KeptCounts(packed, starts, stops, overflow, None if is_same else own_ids)


def _files(folder: Path, units: object) -> tuple[Path, Path]:
    stem = hashlib.sha256(repr(units).encode()).hexdigest()[:16]
    return folder / f"{stem}.packed", folder / f"{stem}.index"


T = TypeVar("T")

CAP = 3 << 27
"""Most entries (4 bytes each) that a store keeps before it starts again."""
MOST_UNITS = 1 << 23
"""Most units in a lexicon before the store starts again."""
_BLOCK = 1 << 22
"""Bytes of text in a block of documents."""
_BATCH = 1 << 16
_AHEAD = 256
"""Number of texts counted between two writes."""
_STEP = 1 << 24
"""Most entries for which memory is reserved in advance: unused entries take memory too."""


@runtime_checkable
class CountedUnits(Protocol):
    """A kind of unit to count; it is hashable and can start a lexicon: the units met so far and their ids, of which
    ``fold`` maps ids to those they are counted as (None: each for itself)."""

    def lexicon(self) -> Any: ...


@dataclass(frozen=True, eq=False)
class Rows:
    """The counts of some documents: document i has ``ids[starts[i]:stops[i]]``, each once, as often as ``counts`` say.
    ``first`` is the place of the block's first document among all of them."""

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

    def __init__(self, lexicon: Any, cap: int = CAP, units: CountedUnits | None = None) -> None:
        self.lexicon = lexicon
        self._cap = cap
        self._units = units
        self._names = list[str]()
        self._ids = np.empty(0, np.int64)
        self._ordered: dict[int, tuple[tuple[str, ...], Ints]] = {}
        self.summed: Summed = (lambda: None), np.empty(0, np.int64), np.zeros((2, 0), np.int64)
        self._forget()

    def _forget(self) -> None:
        self._slot: dict[bytes, int] = {}
        self._table: Callable[[], TextTable | None] = lambda: None
        self._slots = np.empty(0, np.int64)
        self._kept: KeptCounts | None = None
        self._packed = np.empty(0, np.uint32)
        self._many = Many()
        self._ends = np.zeros(1, np.int64)
        self._texts = 0
        self._room = np.empty((2, 0), np.int32)
        self._spread: tuple[Ints, Rows] | None = None

    def blocks(self, table: TextTable, documents: Ints) -> Iterator[Rows]:
        """Yield counts of these rows of ``table``, one block of documents at a time; do not change a block, and use it
        only until the next."""
        # A fit and what follows it read the same documents, whose counts are then still here.
        if (
            self._spread is not None
            and self._table() is table
            and np.array_equal(documents, self._spread[0])
        ):
            yield self._spread[1]
            return
        bytes_before = np.concatenate(
            [[0], np.cumsum(table.offsets[documents + 1] - table.offsets[documents])]
        )
        first_document = 0
        while first_document < len(documents):
            if self._ends[self._texts] > self._cap:
                self._forget()
            last_document = max(
                first_document + 1,
                int(
                    np.searchsorted(
                        bytes_before, bytes_before[first_document] + _BLOCK, side="right"
                    )
                )
                - 1,
            )
            packed, overflow, begins, ends, own_ids = self._found(
                table, documents[first_document:last_document]
            )
            stops = np.cumsum(ends - begins)
            starts = np.concatenate([[0], stops[:-1]])
            # Memory is used again, for asking the system for as much anew takes longer than filling it.
            if self._room.shape[1] < stops[-1]:
                self._room = np.empty((2, stops[-1]), np.int32)
            ids, counts = self._room[:, : stops[-1]]
            self._spread = None
            unpack(packed, overflow, begins, ends, ids, counts)
            let_go(packed.base)
            if own_ids is not None:
                ids[:] = own_ids[ids]
            rows = Rows(first_document, ids, counts, starts, stops)
            if last_document - first_document == len(documents):
                self._spread = documents.copy(), rows
            yield rows
            first_document = last_document

    def ids(self, names: list[str]) -> Ints:
        """Return the lexicon's ids of these units; the ids of the last list are kept as long as the list does not
        change."""
        if names is not self._names:
            self._names, self._ids = names, self.lexicon.ids(names)
        return self._ids

    def named(self, ids: Ints) -> list[str]:
        """Return the units with these ids, each given once, in code-point order; the store then knows ``ids`` of this
        list."""
        # Folds differ little in their units: the last list of about as many has most of these, in order already.
        size = len(ids).bit_length()
        names, known_ids = self._ordered.get(size, ((), ids[:0]))
        is_wanted = np.zeros(len(self.lexicon), np.bool_)
        is_wanted[ids] = True
        stays = is_wanted[known_ids]
        is_wanted[known_ids] = False
        new_ids = np.flatnonzero(is_wanted)
        units = [*itertools.compress(names, stays.tolist()), *self.lexicon.names(new_ids)]
        order = sorted(range(len(units)), key=units.__getitem__)
        self._names = [units[i] for i in order]
        self._ids = np.concatenate([known_ids[stays], new_ids])[order]
        # The caller has the list itself and may change it.
        self._ordered[size] = tuple(self._names), self._ids
        return self._names

    def part_of(self, table: TextTable, rows: Ints) -> Part:
        """Return counts of these ascending rows as they are stored here, then forget them."""
        self._meet(table)
        self._places(table, rows)
        part = self._packed[: self._ends[self._texts]], self._ends[1 : self._texts + 1], self._many
        self._forget()
        return part

    def _found(
        self, table: TextTable, rows: Ints
    ) -> tuple[Packed, Many, Ints, Ints, Int32s | None]:
        """Where the counts of these rows are: in what, from where, to where; and the ids here of those found there."""
        if self._table() is not table:
            self._meet(table)
        if (mapped := self._kept) is not None and mapped.starts[rows].min(initial=0) >= 0:
            return mapped.packed, mapped.many, mapped.starts[rows], mapped.stops[rows], mapped.ids
        slots = self._places(table, rows)
        return self._packed, self._many, self._ends[slots], self._ends[slots + 1], None

    def _meet(self, table: TextTable) -> None:
        self._table = weakref.ref(table)
        self._slots = np.full(len(table), -1, np.int64)
        self._spread = None
        self._kept = open_counts(table, self._units, self.lexicon.ids)

    def _places(self, table: TextTable, rows: Ints) -> Ints:
        """Where the counts of these rows of a table are, (len(rows),); those not there are made."""
        unseen = rows[self._slots[rows] < 0]
        if len(unseen):
            unseen = np.unique(unseen)
            keys = [table.hash(row) for row in unseen]
            row_by_hash = {
                key: int(row)
                for key, row in zip(keys, unseen, strict=True)
                if key not in self._slot
            }
            try:
                self._add(table, row_by_hash)
            except BaseException:
                # Texts that were promised a slot have no counts in it: later ones would read each other's.
                self._forget()
                raise
            self._slots[unseen] = [self._slot[key] for key in keys]
        return self._slots[rows]

    def _add(self, table: TextTable, row_by_hash: dict[bytes, int]) -> None:
        batch: list[str] = []
        size = 0
        for key, row in row_by_hash.items():
            self._slot[key] = len(self._slot)
            batch.append(table[row])
            size += len(batch[-1])
            if size > _BATCH:
                self._count(batch)
                batch = []
                size = 0
        if batch:
            self._count(batch)

    def _count(self, batch: list[str]) -> None:
        bounds, ids, counts = self.lexicon.count(batch)
        filled = int(self._ends[self._texts])
        need = filled + len(ids)
        if need > len(self._packed):
            # In place: a copy would hold all counts twice. No view of them outlives a block.
            self._packed.resize(
                max(need, len(self._packed) + min(len(self._packed) // 2, _STEP)), refcheck=False
            )
        pack(ids, counts, self._packed[filled:need], filled, self._many)
        first_text = self._texts + 1
        self._texts = self._texts + len(batch)
        if self._texts >= len(self._ends):
            self._ends.resize(max(self._texts + 1, len(self._ends) * 3 // 2), refcheck=False)
        self._ends[first_text : self._texts + 1] = bounds[1:] + filled


_stores: dict[CountedUnits, CountStore] = {}
_lock = threading.RLock()


def with_counts(units: CountedUnits, work: Callable[[CountStore], T]) -> T:
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


def count_ahead(table: TextTable, rows: Ints, units: CountedUnits) -> None:
    """Count these rows (ascending) of a saved table into a file, from which all processes then read them."""
    store = CountStore(units.lexicon())

    def parts() -> Iterator[Part]:
        for first_row in range(0, len(rows), _AHEAD):
            yield store.part_of(table, rows[first_row : first_row + _AHEAD])
            if len(store.lexicon) > MOST_UNITS:
                raise ValueError("more units than a process keeps")

    save_counts(
        table, units, rows, parts(), lambda: store.lexicon.names(np.arange(len(store.lexicon)))
    )


def totals(
    store: CountStore, table: TextTable, documents: Ints, weights: Ints | None = None
) -> Ints:
    """Return the corpus count of every id of the lexicon (not folded); documents count ``weights`` times each."""
    return frequencies(store, table, documents, weights)[0]


def frequencies(
    store: CountStore, table: TextTable, documents: Ints, weights: Ints | None = None
) -> tuple[Ints, Ints]:
    """Return the corpus count of every id of the lexicon (not folded), and the number of documents with it; documents
    count ``weights`` times each."""
    if weights is not None or np.any(documents[1:] <= documents[:-1]):
        weights = np.ones(len(documents), np.int64) if weights is None else weights
        sums = _widened(
            _added(store, table, documents, weights, np.zeros((2, 0), np.int64)), len(store.lexicon)
        )
        return sums[0, : len(store.lexicon)], sums[1, : len(store.lexicon)]
    # Folds share most of their documents: those in which one differs from the last are counted in or out.
    summed_table, summed_rows, sums = store.summed
    change = np.zeros(len(table), np.int8)
    change[documents] = 1
    if summed_table() is table:
        change[summed_rows] -= 1
    added = np.flatnonzero(change == 1)
    removed = np.flatnonzero(change == -1)
    if summed_table() is not table or len(added) + len(removed) >= len(documents):
        added = documents
        removed = documents[:0]
        sums = sums[:, :0]
    # Nothing is known of sums to which only some documents were added.
    store.summed = (lambda: None), summed_rows, sums[:, :0]
    if len(added) + len(removed):
        signs = np.repeat(np.array([1, -1]), [len(added), len(removed)])
        sums = _added(store, table, np.concatenate([added, removed]), signs, sums)
    store.summed = weakref.ref(table), documents.copy(), sums
    total, document_counts = _widened(sums, len(store.lexicon))[:, : len(store.lexicon)].copy()
    return total, document_counts


def _added(store: CountStore, table: TextTable, documents: Ints, weights: Ints, sums: Ints) -> Ints:
    """Sums with these documents, in the place of those given where there is room."""
    for rows in store.blocks(table, documents):
        sums = _widened(sums, len(store.lexicon))
        add_counts(
            rows.ids, rows.counts, rows.starts, rows.stops, weights[rows.first :], sums[0], sums[1]
        )
    return sums


def _widened(sums: Ints, size: int) -> Ints:
    """Sums with room for so many ids at least, those beyond them 0."""
    if sums.shape[1] >= size:
        return sums
    return np.concatenate([sums, np.zeros((2, size + size // 8 - sums.shape[1]), np.int64)], axis=1)


def largest(store: CountStore, total: Ints, size: int) -> tuple[list[str], Ints]:
    """The ``size`` units with the largest totals (by id, (≤ len(lexicon),)), descending, ties by code point; their ids.

    Units with a total of zero are never among them.
    """
    names = store.named(most(store, total, size))
    ids = store.ids(names)
    ranked = np.argsort(-total[ids], kind="stable")
    return [names[i] for i in ranked.tolist()], ids[ranked]


def most(store: CountStore, total: Ints, size: int) -> Ints:
    """Return the ids of the units that ``largest`` gives, in no order."""
    chosen = np.flatnonzero(total)
    if len(chosen) <= size:
        return chosen
    if size < 1:
        return chosen[:0]
    smallest = np.partition(total[chosen], len(chosen) - size)[len(chosen) - size]
    equal = chosen[total[chosen] == smallest]
    chosen = chosen[total[chosen] > smallest]
    names = store.lexicon.names(equal)
    return np.concatenate(
        [chosen, equal[sorted(range(len(names)), key=names.__getitem__)[: size - len(chosen)]]]
    )


@njit(cache=True)
def add_counts(
    ids: Int32s,
    counts: Int32s,
    starts: Ints,
    stops: Ints,
    weights: Ints,
    total: Ints,
    document_counts: Ints,
) -> None:
    """Add the weighted counts of every document to ``total``, and its weight to ``document_counts``."""
    for document in range(len(starts)):
        weight = weights[document]
        for j in range(np.uint64(starts[document]), np.uint64(stops[document])):
            unit = np.uint32(ids[j])
            total[unit] += weight * counts[j]
            document_counts[unit] += weight
