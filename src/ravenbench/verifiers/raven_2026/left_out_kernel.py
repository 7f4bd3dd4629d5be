"""The loop over problems of ``left_out``: each without its own authors' chunks, by Woodbury's identity."""

from __future__ import annotations

import numpy as np
from numba import njit

from ravenbench.types import Bools, Floats, Ints

_LEAST_PIVOT = 1e-3
"""Below this, what is left out weighs so much that rounding shows."""


@njit(cache=True)
def leave_out(
    gram: Floats,
    squares: Floats,
    links: Floats,
    weights: Floats,
    ratio: Floats,
    author: Ints,
    sizes: Ints,
    gone: Ints,
    gone_ends: Ints,
    own: Ints,
    own_ends: Ints,
    place: Ints,
    link_ends: Ints,
    mean: Floats,
    asked: Floats,
    linked: Floats,
) -> Bools:
    """Similarities of problems, each without some impostors; returns which of them are exact, (m,).

    Parameters
    ----------
    gram, squares, links : (nodes, rows, chunks), (nodes, rows), (nodes, links)
        Of ``products``; the first rows are the impostors' chunks.
    weights : (m, nodes)
    ratio : (m,)
        The number b of each problem.
    author : (chunks,)
        Of impostors' chunks.
    sizes : (impostors,)
        Chunks of each impostor.
    gone, gone_ends : flat, (m + 1,)
        Chunks that are left out, by author.
    own, own_ends : flat, (m + 1,)
        Rows of a problem's chunks: those of its known documents, then of its questioned one.
    place : flat, as ``own``
        Which document a row belongs to: 0, 1, … for the known ones, the last number for the questioned one.
    link_ends : (m + 1,)
        Of a problem's ``links``: its rows of known documents, each with all of its questioned document's.
    mean, asked : (m, impostors)
        Take the similarities of impostors with the known documents, on average, and with the questioned one.
    linked : (m,)
        Takes the mean similarity of the questioned to the known documents.
    """
    count, nodes = len(author), len(gram)
    exact = np.ones(len(weights), np.bool_)
    length, row = np.empty(count), np.empty(count)
    for p in range(len(weights)):
        w = weights[p]
        out = gone[gone_ends[p] : gone_ends[p + 1]]
        mine, whose = own[own_ends[p] : own_ends[p + 1]], place[own_ends[p] : own_ends[p + 1]]
        many, last = len(out), whose[-1]
        # The inverse of what a left-out author's rows weigh, minus their products: its Cholesky factor.
        factor = np.zeros((many, many))
        for i in range(many):
            same = 0
            for j in range(many):
                same += author[out[j]] == author[out[i]]
            weight = 1 + ratio[p] * same / (same - 1) if same > 1 else 1.0
            for j in range(i + 1):
                total = -between(gram, w, out[i], out[j])
                if author[out[i]] == author[out[j]]:
                    total += (1 - 1 / weight) / same
                if i == j:
                    total += 1 / weight
                for k in range(j):
                    total -= factor[i, k] * factor[j, k]
                if i > j:
                    factor[i, j] = total / factor[j, j]
                elif total > _LEAST_PIVOT:
                    factor[i, i] = np.sqrt(total)
                else:
                    exact[p] = False
                    factor[i, i] = 1.0
        if not exact[p]:
            continue
        shift = np.zeros((many, count))
        for i in range(many):
            gather(gram, w, out[i], shift[i])
            for j in range(i):
                add(shift[i], shift[j], -factor[i, j])
            for c in range(count):
                shift[i, c] /= factor[i, i]
        length[:] = 0.0
        for k in range(nodes):
            add(length, squares[k, :count], w[k])
        for i in range(many):
            for c in range(count):
                length[c] += shift[i, c] * shift[i, c]
        for c in range(count):
            # An empty text stays without direction.
            length[c] = 1 / np.sqrt(length[c]) if length[c] > 0 else 0.0
        bend, size = np.zeros((len(mine), many)), np.empty(len(mine))
        share = np.zeros(last + 1)
        for o in range(len(mine)):
            share[whose[o]] += 1
            square = interpolated(squares, w, mine[o])
            for i in range(many):
                total = between(gram, w, mine[o], out[i])
                for j in range(i):
                    total -= factor[i, j] * bend[o, j]
                bend[o, i] = total / factor[i, i]
                square += bend[o, i] * bend[o, i]
            size[o] = 1 / np.sqrt(square) if square > 0 else 0.0
        link = link_ends[p]
        for o in range(len(mine)):
            row[:] = 0.0
            gather(gram, w, mine[o], row)
            for i in range(many):
                add(row, shift[i], bend[o, i])
            known = whose[o] < last
            scale = size[o] / (share[whose[o]] * (last if known else 1))
            c = 0
            for d in range(len(sizes)):
                total = 0.0
                for _ in range(sizes[d]):
                    total += row[c] * length[c]
                    c += 1
                if known:
                    mean[p, d] += total * scale / sizes[d]
                else:
                    asked[p, d] += total * scale / sizes[d]
            for q in range(len(mine)):
                if known and whose[q] == last:
                    total = interpolated(links, w, link)
                    link += 1
                    for i in range(many):
                        total += bend[o, i] * bend[q, i]
                    linked[p] += total * scale * size[q] / share[last]
    return exact


@njit(cache=True)
def add(to: Floats, row: Floats, times: float) -> None:
    """Add ``times`` a row to another."""
    for c in range(len(to)):
        to[c] += times * row[c]


@njit(cache=True)
def gather(gram: Floats, weights: Floats, one: int, to: Floats) -> None:
    """Add a row's products with the first rows, interpolated between nodes, to ``to``."""
    for k in range(len(weights)):
        add(to, gram[k, one], weights[k])


@njit(cache=True)
def between(gram: Floats, weights: Floats, one: int, other: int) -> float:
    """The product of two rows, interpolated between nodes."""
    total: float = interpolated(gram[:, one], weights, other)
    return total


@njit(cache=True)
def interpolated(values: Floats, weights: Floats, one: int) -> float:
    """A value of those at the nodes, (nodes, …), interpolated between them."""
    total = 0.0
    for k in range(len(weights)):
        total += weights[k] * values[k, one]
    return total
