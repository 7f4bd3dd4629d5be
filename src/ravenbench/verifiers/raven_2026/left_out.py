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

from ravenbench.types import Bools, Floats, Ints

PRIOR = 50
"""Degrees of freedom at which the scatter within authors counts as much as the scatter of all texts."""
_TOLERANCE = 5e-11
"""Relative size of what interpolation leaves out."""
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
        # A smooth function's terms shrink by a quarter of the half-width or faster, along the first axis, where both
        # numbers grow together, by a seventh: small ones are left out.
        powers = [
            (i, j)
            for i in range(len(_STEPS))
            for j in range(len(_STEPS))
            if (self._half[0] / 7) ** i * (self._half[1] / 4) ** j > _TOLERANCE
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


def products(scatter: Scatter, extra: Floats, pairs: Ints, nodes: Floats, room: Room) -> tuple[Floats, Floats, Floats]:
    """Inner products after whitening at every node: of all rows with the scatter's, (nodes, r, n), in ``room``; of
    each row with itself, (nodes, r); and of ``pairs`` (m, 2) of rows, (nodes, m). Rows are the scatter's, then
    ``extra`` (r − n, p)."""
    from scipy.linalg import cholesky, solve_triangular

    own, _ = within(scatter.rows, scatter.author)
    whole, inner = scatter.rows.T @ scatter.rows, own.T @ own
    rows, count = np.concatenate([scatter.rows, extra]), len(scatter.rows)
    found = room.take(len(nodes), len(rows), count)
    square, linked = np.empty((len(nodes), len(rows))), np.empty((len(nodes), len(pairs)))
    row, column = pairs.max(axis=1), pairs.min(axis=1)
    known, new = np.flatnonzero(column < count), np.flatnonzero(column >= count)
    for j, (b, g) in enumerate(np.exp(nodes)):
        matrix = whole + b * inner
        matrix[np.diag_indices_from(matrix)] += g
        factor = cholesky(matrix, lower=True, overwrite_a=True, check_finite=False)
        white = solve_triangular(factor, rows.T, lower=True, check_finite=False).T
        np.matmul(white[:count], white[:count].T, out=found[j, :count])
        np.matmul(white[count:], white[:count].T, out=found[j, count:])
        np.einsum("ij,ij->i", white, white, out=square[j])
        linked[j, known] = found[j, row[known], column[known]]
        linked[j, new] = np.einsum("ij,ij->i", white[row[new]], white[column[new]])
    return found, square, linked
