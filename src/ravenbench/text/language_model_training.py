"""Estimating the modified Kneser–Ney model, one order after the other, with sorted arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ravenbench.types import Floats, Ints

ORDER = 4
UNKNOWN, START, END = 0, 1, 2
Keys = NDArray[np.uint64]
Table = tuple[Keys, Floats, Floats]
"""Packed n-grams ascending, log10 probability, log10 back-off weight."""

_BITS = np.uint64(16)


def estimate(ids: NDArray[np.uint64], size: int) -> list[Table]:
    """Tables of orders 1 to 4 from the joined tokens of all sentences, each with its start and end mark.

    Parameters
    ----------
    ids : (n,) uint64
        Token ids below 2¹⁶.
    size : int
        Number of ids; the start mark, which is never predicted, among them.
    """
    sentence = np.cumsum(ids == START)
    keys: list[Keys] = []
    counts: list[Ints] = []
    packed = ids.copy()
    for n in range(1, ORDER + 1):
        if n > 1:
            packed = (packed[:-1] << _BITS) | ids[n - 1 :]
        whole = sentence[: len(packed)] == sentence[n - 1 :]
        found, count = np.unique(packed[whole], return_counts=True)
        keys.append(found)
        counts.append(count.astype(np.int64))
    for n in range(1, ORDER):
        # Below the highest order an n-gram counts once for each word seen before it, save at a sentence's start.
        shift = np.uint64(16 * n)
        tails, continued = np.unique(keys[n] & ((np.uint64(1) << shift) - np.uint64(1)), return_counts=True)
        opening = (keys[n - 1] >> (shift - _BITS)) == START
        adjusted = np.zeros(len(keys[n - 1]), dtype=np.int64)
        adjusted[np.searchsorted(keys[n - 1], tails)] = continued
        counts[n - 1] = np.where(opening, counts[n - 1], adjusted)
    return _tables(keys, counts, size)


def discounts(counts: Ints) -> Floats:
    """Chen and Goodman's D1, D2, D3+ with a leading 0, shape (4,); falls back to 0.5, 1, 1.5 on tiny data."""
    n1, n2, n3, n4 = (int((counts == k).sum()) for k in range(1, 5))
    plain = np.array([0.0, 0.5, 1.0, 1.5])
    if min(n1, n2, n3, n4) == 0:
        return plain
    y = n1 / (n1 + 2 * n2)
    found = np.array([0.0, 1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3])
    return found if np.all(found >= 0) and np.all(found <= [0, 1, 2, 3]) else plain


def _tables(keys: list[Keys], counts: list[Ints], size: int) -> list[Table]:
    tables: list[Table] = []
    # Every id stands in the unigram table; the start mark is a context, never an outcome.
    unigrams = np.zeros(size, dtype=np.int64)
    unigrams[keys[0].astype(np.int64)] = counts[0]
    unigrams[START] = 0
    d = discounts(unigrams)
    total = max(int(unigrams.sum()), 1)
    freed = float(d[np.minimum(unigrams, 3)].sum()) / total
    lower = (unigrams - d[np.minimum(unigrams, 3)]) / total + freed / (size - 1)
    lower[START] = 0.0
    all_keys = [np.arange(size, dtype=np.uint64), *keys[1:]]
    probability = [lower]
    weight: list[Floats] = []
    for n in range(1, ORDER):
        context = keys[n] >> _BITS
        first = np.concatenate([[0], np.flatnonzero(np.diff(context)) + 1]).astype(np.int64)
        owner = np.cumsum(np.concatenate([[0], np.diff(context) != 0])).astype(np.int64)
        d = discounts(counts[n])
        taken = d[np.minimum(counts[n], 3)]
        sums = np.add.reduceat(counts[n], first).astype(np.float64)
        gamma = np.add.reduceat(taken, first) / sums
        tail = np.searchsorted(all_keys[n - 1], keys[n] & ((np.uint64(1) << np.uint64(16 * n)) - np.uint64(1)))
        probability.append((counts[n] - taken) / sums[owner] + gamma[owner] * probability[n - 1][tail])
        backoff = np.ones(len(all_keys[n - 1]))
        backoff[np.searchsorted(all_keys[n - 1], context[first])] = gamma
        weight.append(backoff)
    weight.append(np.ones(len(keys[-1])))
    for key, p, b in zip(all_keys, probability, weight, strict=True):
        with np.errstate(divide="ignore"):
            tables.append((key, np.where(p > 0, np.log10(p), -99.0), np.log10(b)))
    return tables
