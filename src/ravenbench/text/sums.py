"""Counts of units summed over documents, and the units of which there are most."""

from __future__ import annotations

import weakref

import numpy as np
from numba import njit

from ravenbench.text.counting import CountStore
from ravenbench.text.interning import Int32s
from ravenbench.texts import TextTable
from ravenbench.types import Ints


def totals(store: CountStore, table: TextTable, documents: Ints, weights: Ints | None = None) -> Ints:
    """Corpus count of every id of the lexicon (not folded), documents counted ``weights`` times each."""
    return frequencies(store, table, documents, weights)[0]


def frequencies(store: CountStore, table: TextTable, documents: Ints, weights: Ints | None = None) -> tuple[Ints, Ints]:
    """Corpus count of every id of the lexicon (not folded), and the number of documents that hold it; documents count
    ``weights`` times each."""
    if weights is not None or np.any(documents[1:] <= documents[:-1]):
        weights = np.ones(len(documents), np.int64) if weights is None else weights
        return _summed(store, table, documents, weights, np.zeros((2, 0), np.int64))
    # Folds share most of their documents: those in which one differs from the last are counted in or out.
    of, before, sums = store.summed
    new, gone = np.setdiff1d(documents, before), np.setdiff1d(before, documents)
    if of() is not table or len(new) + len(gone) >= len(documents):
        new, gone, sums = documents, documents[:0], sums[:, :0]
    signs = np.repeat(np.array([1, -1]), [len(new), len(gone)])
    total, held = _summed(store, table, np.concatenate([new, gone]), signs, sums)
    store.summed = weakref.ref(table), documents, np.stack([total, held])
    return total, held


def _summed(store: CountStore, table: TextTable, documents: Ints, weights: Ints, sums: Ints) -> tuple[Ints, Ints]:
    total = _widened(sums, len(store.lexicon))
    for rows in store.blocks(table, documents):
        if total.shape[1] < len(store.lexicon):
            total = _widened(total, len(store.lexicon))
        add_counts(rows.ids, rows.counts, rows.starts, rows.stops, weights[rows.first :], total[0], total[1])
    return total[0], total[1]


def _widened(sums: Ints, size: int) -> Ints:
    """A copy with further ids, of which nothing was counted."""
    return np.concatenate([sums, np.zeros((2, size - sums.shape[1]), np.int64)], axis=1)


def largest(store: CountStore, total: Ints, size: int) -> list[str]:
    """The ``size`` units with the largest totals (by id, (≤ len(lexicon),)), descending, ties by code point.

    Units with a total of zero are never among them.
    """
    names = store.named(most(store, total, size))
    ranked = np.argsort(-total[store.ids(names)], kind="stable")
    return [names[i] for i in ranked.tolist()]


def most(store: CountStore, total: Ints, size: int) -> Ints:
    """The ids of the units that ``largest`` gives, in no order."""
    found = np.flatnonzero(total)
    if len(found) <= size:
        return found
    if size < 1:
        return found[:0]
    least = np.partition(total[found], len(found) - size)[len(found) - size]
    equal, found = found[total[found] == least], found[total[found] > least]
    return np.concatenate([found, store.lexicon.ids(sorted(store.lexicon.names(equal))[: size - len(found)])])


@njit(cache=True)
def add_counts(ids: Int32s, counts: Int32s, starts: Ints, stops: Ints, weights: Ints, total: Ints, held: Ints) -> None:
    """Add the weighted counts of every document to ``total``, and its weight to ``held``."""
    for d in range(len(starts)):
        weight = weights[d]
        for j in range(np.uint64(starts[d]), np.uint64(stops[d])):
            unit = np.uint32(ids[j])
            total[unit] += weight * counts[j]
            held[unit] += weight
