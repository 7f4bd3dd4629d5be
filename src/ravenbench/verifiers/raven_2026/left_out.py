"""Whitened similarities for many problems at once, each without its own authors among the impostors.

What a problem's whitening needs is the inverse of ``A + b B + g I``: ``A`` and ``B`` are the scatters of all impostors
and within their authors, ``b`` and ``g`` two numbers, all of them without the problem's authors. Of ``A`` and ``B`` few
rows go, so that the inverse without them follows from that with them (Woodbury); ``b`` and ``g`` move by hundredths,
so that what depends on them is interpolated between a dozen inverses. ``WhitenedBatch.alone`` says the same of one
problem by definition, and serves those for which this is not exact enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from ravenbench.types import Bools, Floats, Ints

PRIOR = 50
"""Degrees of freedom at which the scatter within authors counts as much as the scatter of all texts."""
_TOLERANCE = 1e-12
"""Relative size of what interpolation leaves out."""
_LEAST_PIVOT = 1e-3
"""Below this, what is left out weighs so much that rounding shows."""
_FAR = 0.3
"""Authors who change the numbers by more than half of this, as a logarithm, are left out one problem at a time."""
_STEPS = np.array([0.0, 1.0, -1.0, 0.5774, -0.5774, 0.8515, -0.8515, 0.2897, -0.2897, 0.9484, -0.9484])
"""Places of interpolation along an axis, the first so many of which will do for a polynomial (Leja)."""


@dataclass(frozen=True, eq=False)
class Scatter:
    """What authors contribute to the covariance: everything a whitening without some of them needs beside products.

    Attributes
    ----------
    rows : (n, p)
        Standardised frequencies of the impostors' chunks, and ``author`` (n,) whose they are, from 0.
    count, square, spread : (authors,)
        Chunks, sum of squares, and sum of squares within.
    """

    rows: Floats
    author: Ints
    count: Ints
    square: Floats
    spread: Floats

    @classmethod
    def of(cls, rows: Floats, author: Ints) -> Scatter:
        """The scatter of these rows; authors may have any numbers."""
        _, code, count = np.unique(author, return_inverse=True, return_counts=True)
        own, _ = within(rows, author)
        square, spread = np.zeros(len(count)), np.zeros(len(count))
        np.add.at(square, code, np.einsum("ij,ij->i", rows, rows))
        np.add.at(spread, code[count[code] > 1], np.einsum("ij,ij->i", own, own))
        return cls(rows, code.astype(np.int64), count, square, spread)

    def numbers(self, gone: Bools, shrinkage: float) -> Floats:
        """log b and log g of whitenings, (m, 2), where ``gone`` (m, authors) are left out; not finite if undefined."""
        left = ~gone
        freedom = left @ (self.count - 1.0)
        square, spread = left @ self.square, left @ self.spread
        with np.errstate(divide="ignore", invalid="ignore"):
            b = freedom / PRIOR * square / spread
            g = np.divide(shrinkage + 1e-6, 1 - shrinkage) * (freedom + PRIOR) / PRIOR * square / self.rows.shape[1]
            return np.asarray(np.log(np.stack([b, g], axis=1)))


def within(rows: Floats, author: Ints) -> tuple[Floats, int]:
    """Deviations of texts from their author's mean, scaled to be unbiased, of authors with several texts; and their
    degrees of freedom."""
    _, code, count = np.unique(author, return_inverse=True, return_counts=True)
    order = np.argsort(code, kind="stable")
    mean = np.zeros((len(count), rows.shape[1]))
    if len(rows):
        mean = np.add.reduceat(rows[order], np.cumsum(count) - count, axis=0)
    mean /= count[:, None]
    several = count[code] > 1
    n = count[code][several]
    freedom = int((count - 1).sum())
    return (rows[several] - mean[code[several]]) * np.sqrt(n / (n - 1))[:, None], freedom


class Frame:
    """The region in which a family's numbers are interpolated: that of leaving out any two authors or fewer.

    It depends on the impostors alone, so that no answer depends on which problems are asked together.

    Attributes
    ----------
    nodes : (nodes, 2)
        The numbers between which everything is interpolated; none where the numbers are undefined.
    """

    def __init__(self, scatter: Scatter, shrinkage: float) -> None:
        one = np.eye(len(scatter.count), dtype=bool)
        whole, single = (scatter.numbers(gone, shrinkage) for gone in (one[:1] & False, one))
        self.nodes = np.empty((0, 2))
        if not np.isfinite(whole).all():
            return
        away = 2 * (single - whole)
        corners = np.concatenate(
            [np.zeros((2, 2)), away[np.isfinite(away).all(axis=1) & (np.abs(away) < _FAR).all(axis=1)]]
        )
        self._axes = np.linalg.svd(corners - corners.mean(axis=0))[2]
        turned = corners @ self._axes.T
        self._middle = whole @ self._axes.T + (turned.max(axis=0) + turned.min(axis=0)) / 2
        # What two authors do together differs a little from the sum.
        self._half = np.maximum(1.05 * np.ptp(turned, axis=0) / 2, 1e-9)
        # A smooth function's terms shrink by a quarter of the half-width or faster: small ones are left out.
        powers = [
            (i, j)
            for i in range(len(_STEPS))
            for j in range(len(_STEPS))
            if (self._half[0] / 4) ** i * (self._half[1] / 4) ** j > _TOLERANCE
        ]
        self._powers = np.array(powers).T
        steps = _STEPS[self._powers].T
        self._of_nodes = self._terms(steps)
        self.nodes = (steps * self._half + self._middle) @ self._axes

    def weights(self, numbers: Floats) -> tuple[Bools, Floats]:
        """Which ``numbers`` (m, 2) lie in the region, and the weights of the nodes, (m, nodes), 0 outside."""
        found = np.zeros((len(numbers), len(self.nodes)))
        inside: Bools = np.asarray(np.isfinite(numbers).all(axis=1)) & (len(self.nodes) > 0)
        if inside.any():
            place = (np.where(inside[:, None], numbers, self.nodes[0]) @ self._axes.T - self._middle) / self._half
            inside &= (np.abs(place) <= 1).all(axis=1)
            found[inside] = np.linalg.solve(self._of_nodes.T, self._terms(place[inside]).T).T
        return inside, found

    def _terms(self, at: Floats) -> Floats:
        return np.asarray(at[:, :1] ** self._powers[0] * at[:, 1:] ** self._powers[1])


class Room:
    """Memory that is used over and over: asking the system for as much anew takes longer than filling it."""

    def __init__(self) -> None:
        self._held = np.empty(0)

    def take(self, *shape: int) -> Floats:
        """An array of this shape with anything in it, valid until the next is taken."""
        size = int(np.prod(shape))
        if size > len(self._held):
            self._held = np.empty(0)
            self._held = np.empty(size)
        return self._held[:size].reshape(shape)


def products(scatter: Scatter, rows: Floats, nodes: Floats, room: Room) -> Floats:
    """Inner products of ``rows`` (r, p) after whitening at every node, (r, nodes, r), in ``room``."""
    from scipy.linalg import cholesky, solve_triangular

    own, _ = within(scatter.rows, scatter.author)
    whole, inner = scatter.rows.T @ scatter.rows, own.T @ own
    found = room.take(len(rows), len(nodes), len(rows))
    for j, (b, g) in enumerate(np.exp(nodes)):
        matrix = whole + b * inner
        matrix[np.diag_indices_from(matrix)] += g
        white = solve_triangular(cholesky(matrix, lower=True), rows.T, lower=True)
        found[:, j] = white.T @ white
    return found


@njit(cache=True)
def leave_out(
    gram: Floats,
    weights: Floats,
    ratio: Floats,
    author: Ints,
    sizes: Ints,
    gone: Ints,
    gone_ends: Ints,
    own: Ints,
    own_ends: Ints,
    place: Ints,
    mean: Floats,
    asked: Floats,
    linked: Floats,
) -> Bools:
    """Similarities of problems, each without some impostors; returns which of them are exact, (m,).

    Parameters
    ----------
    gram : (rows, nodes, rows)
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
    mean, asked : (m, impostors)
        Take the similarities of impostors with the known documents, on average, and with the questioned one.
    linked : (m,)
        Takes the mean similarity of the questioned to the known documents.
    """
    count, nodes = len(author), gram.shape[1]
    exact = np.ones(len(weights), np.bool_)
    diagonal = np.empty((nodes, count))
    for i in range(count):
        for j in range(nodes):
            diagonal[j, i] = gram[i, j, i]
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
            add(length, diagonal[k], w[k])
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
            square = between(gram, w, mine[o], mine[o])
            for i in range(many):
                total = between(gram, w, mine[o], out[i])
                for j in range(i):
                    total -= factor[i, j] * bend[o, j]
                bend[o, i] = total / factor[i, i]
                square += bend[o, i] * bend[o, i]
            size[o] = 1 / np.sqrt(square) if square > 0 else 0.0
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
                    total = between(gram, w, mine[o], mine[q])
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
        add(to, gram[one, k], weights[k])


@njit(cache=True)
def between(gram: Floats, weights: Floats, one: int, other: int) -> float:
    """The product of two rows, interpolated between nodes."""
    total = 0.0
    for k in range(len(weights)):
        total += weights[k] * gram[one, k, other]
    return total
