"""Counts of units summed over documents, and the units of which there are most."""

from __future__ import annotations

import weakref

import numpy as np
from numba import njit

from ravenbench.text.counting import CountStore
from ravenbench.texts import TextTable
from ravenbench.types import Int32s, Ints


def totals(store: CountStore, table: TextTable, documents: Ints, weights: Ints | None = None) -> Ints:
    """Corpus count of every id of the lexicon (not folded), documents counted ``weights`` times each."""
    return frequencies(store, table, documents, weights)[0]


def frequencies(store: CountStore, table: TextTable, documents: Ints, weights: Ints | None = None) -> tuple[Ints, Ints]:
    """Corpus count of every id of the lexicon (not folded), and the number of documents that hold it; documents count
    ``weights`` times each."""
    if weights is not None or np.any(documents[1:] <= documents[:-1]):
        weights = np.ones(len(documents), np.int64) if weights is None else weights
        sums = _widened(_added(store, table, documents, weights, np.zeros((2, 0), np.int64)), len(store.lexicon))
        return sums[0, : len(store.lexicon)], sums[1, : len(store.lexicon)]
    # Folds share most of their documents: those in which one differs from the last are counted in or out.
    of, before, sums = store.summed
    change = np.zeros(len(table), np.int8)
    change[documents] = 1
    if of() is table:
        change[before] -= 1
    new, gone = np.flatnonzero(change == 1), np.flatnonzero(change == -1)
    if of() is not table or len(new) + len(gone) >= len(documents):
        new, gone, sums = documents, documents[:0], sums[:, :0]
    # Nothing is known of sums to which only some documents were added.
    store.summed = (lambda: None), before, sums[:, :0]
    if len(new) + len(gone):
        signs = np.repeat(np.array([1, -1]), [len(new), len(gone)])
        sums = _added(store, table, np.concatenate([new, gone]), signs, sums)
    store.summed = weakref.ref(table), documents.copy(), sums
    total, held = _widened(sums, len(store.lexicon))[:, : len(store.lexicon)].copy()
    return total, held


def _added(store: CountStore, table: TextTable, documents: Ints, weights: Ints, sums: Ints) -> Ints:
    """Sums with these documents, in the place of those given where there is room."""
    for rows in store.blocks(table, documents):
        sums = _widened(sums, len(store.lexicon))
        add_counts(rows.ids, rows.counts, rows.starts, rows.stops, weights[rows.first :], sums[0], sums[1])
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
    """The ids of the units that ``largest`` gives, in no order."""
    found = np.flatnonzero(total)
    if len(found) <= size:
        return found
    if size < 1:
        return found[:0]
    least = np.partition(total[found], len(found) - size)[len(found) - size]
    equal, found = found[total[found] == least], found[total[found] > least]
    names = store.lexicon.names(equal)
    return np.concatenate([found, equal[sorted(range(len(names)), key=names.__getitem__)[: size - len(found)]]])


@njit(cache=True)
def add_counts(ids: Int32s, counts: Int32s, starts: Ints, stops: Ints, weights: Ints, total: Ints, held: Ints) -> None:
    """Add the weighted counts of every document to ``total``, and its weight to ``held``."""
    for d in range(len(starts)):
        weight = weights[d]
        for j in range(np.uint64(starts[d]), np.uint64(stops[d])):
            unit = np.uint32(ids[j])
            total[unit] += weight * counts[j]
            held[unit] += weight
