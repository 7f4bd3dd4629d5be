"""The impostors' contest: whether a text is closer to another than to impostors, on random subsets of the features.

The contests take similarities on ``T`` subsets: ``pair`` (T,) of the two texts in question, and of a text with ``c``
candidate impostors, (c, T). ``draws`` (T, n) are the candidates that take part on each subset. ``nearest_drawn``
compares the texts itself, and no more of them than take part.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.text.minmax import Measure, Vectors
from ravenbench.types import Floats, Ints

Contest = Literal["wins", "product", "graded", "rank"]
Packed = NDArray[np.uint8]


def draw_impostors(candidates: int, draw: int, subsets: int, rng: np.random.Generator) -> Ints:
    """``draw`` of the candidates (all, if there are fewer) for each subset, without replacement, in any order:
    (subsets, n)."""
    lots = rng.random((subsets, candidates))
    return np.argpartition(lots, min(draw, candidates) - 1, axis=1)[:, :draw].astype(np.int64)


def drawn(similarities: Floats, draws: Ints) -> Floats:
    """Similarities of the impostors that take part, (T, n)."""
    return np.asarray(similarities[draws, np.arange(len(draws))[:, None]])


def wins(pair: Floats, one: Floats, other: Floats, draws: Ints) -> float:
    """Koppel & Winter 2014: share of subsets on which the pair is more similar than every impostor, averaged over
    the two roles.

    ``one`` holds the similarities of the first text with impostors of the second, ``other`` those of the second
    text with impostors of the first. Ties count against.
    """
    return float(sum((pair > drawn(s, draws).max(axis=1)).mean() for s in (one, other)) / 2)


def product(pair: Floats, own: Floats, other_own: Floats, draws: Ints) -> float:
    """Seidman 2013: share of subsets with sim(X, Y)² > sim(X, I) · sim(Y, J), I and J the most similar impostors
    to either side (``own`` of X with its impostors, ``other_own`` of Y with its own)."""
    return float((pair**2 > drawn(own, draws).max(axis=1) * drawn(other_own, draws).max(axis=1)).mean())


def graded(pair: Floats, own: Floats, other_own: Floats, draws: Ints) -> float:
    """Khonji & Iraqi 2014: mean of sim(X, Y)² / (sim(X, I) · sim(Y, J)); subsets where that is 0/0 or undefined
    are left out, NaN if all are. Not bounded by 1."""
    below = drawn(own, draws).max(axis=1) * drawn(other_own, draws).max(axis=1)
    usable = below > 0
    return float((pair[usable] ** 2 / below[usable]).mean()) if usable.any() else float("nan")


def rank(pair: Floats, impostors: Floats, draws: Ints) -> float:
    """Potha & Stamatatos 2017: mean of 1 / rank of the known text among its impostors by similarity to the
    questioned text (``impostors``). Ties count against."""
    return float((1 / (1 + (drawn(impostors, draws) >= pair[:, None]).sum(axis=1))).mean())


def nearest_drawn(
    one: Floats,
    one_norm: Floats,
    vectors: Vectors,
    vector_norms: Floats,
    draws: Ints,
    subsets: Packed,
    measure: Measure = "minmax",
) -> Floats:
    """Similarity of one document to the nearest of those that take part on each subset, (T,): the largest of ``drawn``.

    Parameters
    ----------
    one, one_norm, vector_norms
        As ``minmax.similarities`` takes them.
    draws : (T, n)
        Rows of ``vectors``.
    subsets : (features, ⌈T / 8⌉) uint8
        Bit t of a row: whether the feature is in subset t.
    """
    order = np.argsort(draws.ravel(), kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(draws.ravel(), minlength=len(vectors)))])
    turns = order // draws.shape[1]
    return np.asarray(
        _nearest(
            one, one_norm, vectors.bounds, vectors.ids, vectors.values, vector_norms, starts, turns, subsets,
            measure == "cosine",
        )
    )  # fmt: skip


@njit(cache=True)
def _nearest(
    one: Floats, one_norm: Floats, bounds: Ints, ids: Ints, values: Floats, norms: Floats, starts: Ints, turns: Ints,
    subsets: Packed, cosine: bool,
) -> Floats:  # fmt: skip
    best = np.zeros(len(one_norm))
    where, amount = np.empty(len(one) + 4, np.int64), np.empty(len(one) + 4)
    for d in range(len(starts) - 1):
        if starts[d] == starts[d + 1]:
            continue
        count = 0
        for j in range(bounds[d], bounds[d + 1]):
            # Written always and kept only if shared: a jump would be mispredicted half of the time.
            other = one[ids[j]]
            where[count] = ids[j]
            amount[count] = other * values[j] if cosine else min(other, values[j])
            count += other > 0
        for i in range(count, count + 3):
            where[i], amount[i] = 0, 0.0
        for turn in range(starts[d], starts[d + 1]):
            t = turns[turn]
            byte, bit = t >> 3, t & 7
            # Four sums side by side: one alone waits for each addition.
            a = b = c = e = 0.0
            for i in range(0, count, 4):
                a += amount[i] * ((subsets[where[i], byte] >> bit) & 1)
                b += amount[i + 1] * ((subsets[where[i + 1], byte] >> bit) & 1)
                c += amount[i + 2] * ((subsets[where[i + 2], byte] >> bit) & 1)
                e += amount[i + 3] * ((subsets[where[i + 3], byte] >> bit) & 1)
            shared = (a + b) + (c + e)
            whole = np.sqrt(one_norm[t] * norms[d, t]) if cosine else one_norm[t] + norms[d, t] - shared
            if whole > 0:
                best[t] = max(best[t], shared / whole)
    return best
