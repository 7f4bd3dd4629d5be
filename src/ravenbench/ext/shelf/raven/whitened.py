"""Computes cosines of n-gram frequencies after whitening by authors' variation, learned without the problem's authors.

In: for ``Whitened.fit`` chunks of impostors' (other authors') texts and the author of each chunk; for ``WhitenedBatch``
that family, documents and impostors (``Chunked``), the impostors' authors; for its ``between`` ``Cases`` (m problems
over a table of documents) and, for problems that may not have all impostors, row numbers with their ``Layout``.
Out: ``between`` returns cosines from −1 to 1, higher = more alike: (m,) of questioned and known documents, (m, impostors)
of known documents and impostors, and of the questioned document (meaningless for impostors not allowed). ``within``,
``whitened``: rows; ``products``: inner products. ``Scatter`` and ``Frame`` prepare; ``leave_out``, ``add``, ``gather``,
``between`` and ``interpolated`` are compiled steps; rows count from 0, −1 = none.

A problem's whitening needs the inverse of ``A + b B + g I``: ``A`` and ``B`` are the scatters of all
impostors and within their authors, ``b`` and ``g`` two numbers, all of them without the problem's authors. Few rows of
``A`` and ``B`` are removed, so the inverse without them follows from the inverse with them (Woodbury); ``b`` and ``g``
change by hundredths, so what depends on them is interpolated between a dozen inverses. ``WhitenedBatch.alone`` computes
the same for one problem by definition, for problems for which this is not exact enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numba import njit

from ravenbench.ext.shelf.raven.families import Chunked, Delta
from ravenbench.text.grams import GramCounts
from ravenbench.text.tfidf import unit
from ravenbench.text.views import View
from ravenbench.types import Bools, Floats, Ints

_MORE_ROWS = 700
"""Most chunks beside the impostors' in a batch: their inner products take room by the square."""


@dataclass(frozen=True, eq=False)
class Cases:
    """Problems over a table of distinct documents.

    Attributes
    ----------
    known : list of (k,) int64
        Documents known to be by one author, one or more for each problem.
    questioned : (m,) int64
        The questioned documents.
    allowed : (m, impostors) bool
        Impostors that are not by a problem's authors, as far as known; at least one for each problem.
    twin : (documents,) int64
        The impostor that a document is; −1 if it is not one.
    """

    known: list[Ints]
    questioned: Ints
    allowed: Bools
    twin: Ints

    def __len__(self) -> int:
        return len(self.questioned)

    @property
    def links(self) -> Ints:
        """Return pairs (questioned, known) of documents, problem by problem, (links, 2)."""
        return np.stack([np.repeat(self.questioned, self.sizes), self._flat], axis=1)

    @property
    def sizes(self) -> Ints:
        """Return the number of known documents of each problem, (m,)."""
        return np.array([len(k) for k in self.known], dtype=np.int64)

    @property
    def _flat(self) -> Ints:
        return np.concatenate([np.zeros(0, np.int64), *self.known])

    def over_known(self, values: Floats) -> Floats:
        """Return means over each problem's known documents of values (links, …)."""
        if len(values) == len(self):
            return values
        starts = np.cumsum(self.sizes) - self.sizes
        total = np.add.reduceat(values, starts, axis=0)
        return np.asarray(total / self.sizes.reshape(-1, *[1] * (values.ndim - 1)))

    def sides(self, each: Floats) -> tuple[Floats, Floats]:
        """Return similarities to impostors, from those of all documents (documents, impostors): of a problem's known
        documents on average and of its questioned document, (m, impostors) each."""
        return self.over_known(each[self._flat]), each[self.questioned]

    def take(self, chosen: Ints) -> Cases:
        """Return ``Cases`` of some of the problems."""
        known = [self.known[i] for i in chosen]
        return Cases(known, self.questioned[chosen], self.allowed[chosen], self.twin)

    def batches(self, chosen: Ints, bounds: Ints) -> Iterator[Ints]:
        """Yield ``chosen`` problems in batches that do not have too many chunks outside the impostors."""
        sizes = np.where(self.twin < 0, np.diff(bounds), 0)
        batch: list[int] = []
        met: set[int] = set()
        rows = 0
        for i in chosen.tolist():
            own = {*self.known[i].tolist(), int(self.questioned[i])}
            rows += int(sizes[list(own - met)].sum())
            if batch and rows > _MORE_ROWS:
                yield np.array(batch)
                batch = []
                met = set()
                rows = int(sizes[list(own)].sum())
            batch.append(i)
            met |= own
        if batch:
            yield np.array(batch)


@dataclass(frozen=True, eq=False)
class Layout:
    """The places of the chunks of some problems: first the impostors' chunks, then those of other documents.

    Attributes
    ----------
    extra : (extra,) int64
        Rows of the documents' chunks that follow the impostors'.
    pairs : (links, 2)
        Rows of every problem's known documents and of its questioned document, each with each.
    own, place, own_ends, link_ends, removed, removed_ends
        As for ``leave_out``.
    """

    extra: Ints
    pairs: Ints
    own: Ints
    place: Ints
    own_ends: Ints
    link_ends: Ints
    removed: Ints
    removed_ends: Ints

    @classmethod
    def of(cls, cases: Cases, documents: Chunked, impostors: Chunked) -> Layout:
        """Return the layout of the chunks of these problems."""
        used = np.unique(np.concatenate([cases.questioned, *cases.known]))
        filled = int(impostors.bounds[-1])
        rows: dict[int, Ints] = {}
        extra = [np.zeros(0, np.int64)]
        for document in used.tolist():
            twin = int(cases.twin[document])
            if twin >= 0:
                rows[document] = np.arange(impostors.bounds[twin], impostors.bounds[twin + 1])
            else:
                extra.append(np.arange(documents.bounds[document], documents.bounds[document + 1]))
                rows[document] = np.arange(filled, filled + len(extra[-1]))
                filled += len(extra[-1])
        own = []
        place = []
        own_ends = [0]
        pairs = [np.zeros((0, 2), np.int64)]
        link_ends = [0]
        for known, questioned in zip(cases.known, cases.questioned, strict=True):
            parts = [rows[document] for document in (*known.tolist(), int(questioned))]
            own.append(np.concatenate(parts))
            place.append(np.repeat(np.arange(len(parts)), [len(part) for part in parts]))
            own_ends.append(own_ends[-1] + len(own[-1]))
            left = np.concatenate(parts[:-1])
            right = parts[-1]
            pairs.append(np.stack([np.repeat(left, len(right)), np.tile(right, len(left))], axis=1))
            link_ends.append(link_ends[-1] + len(pairs[-1]))
        owner, removed = np.nonzero(np.repeat(~cases.allowed, np.diff(impostors.bounds), axis=1))
        removed_ends = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(cases)))])
        return cls(
            np.concatenate(extra),
            np.concatenate(pairs),
            np.concatenate(own),
            np.concatenate(place),
            np.array(own_ends),
            np.array(link_ends),
            removed,
            removed_ends,
        )


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
    removed: Ints,
    removed_ends: Ints,
    own: Ints,
    own_ends: Ints,
    place: Ints,
    link_ends: Ints,
    mean: Floats,
    to_questioned: Floats,
    linked: Floats,
) -> Bools:
    """Compute similarities of problems, each without some impostors; return which of them are exact, (m,).

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
    removed, removed_ends : flat, (m + 1,)
        Chunks to leave out, by author.
    own, own_ends : flat, (m + 1,)
        Rows of a problem's chunks: those of its known documents, then of its questioned document.
    place : flat, as ``own``
        Which document a row belongs to: 0, 1, … for known documents, the last number for the questioned document.
    link_ends : (m + 1,)
        Of a problem's ``links``: its rows of known documents, each with all of its questioned document's.
    mean, to_questioned : (m, impostors)
        Receive the similarities of impostors with the known documents, on average, and with the questioned document.
    linked : (m,)
        Receives the mean similarity of the questioned to the known documents.
    """
    count = len(author)
    nodes = len(gram)
    exact = np.ones(len(weights), np.bool_)
    length = np.empty(count)
    row = np.empty(count)
    for p in range(len(weights)):
        w = weights[p]
        out = removed[removed_ends[p] : removed_ends[p + 1]]
        own_rows = own[own_ends[p] : own_ends[p + 1]]
        whose = place[own_ends[p] : own_ends[p + 1]]
        many = len(out)
        last = whose[-1]
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
        bend = np.zeros((len(own_rows), many))
        size = np.empty(len(own_rows))
        share = np.zeros(last + 1)
        for o in range(len(own_rows)):
            share[whose[o]] += 1
            square = interpolated(squares, w, own_rows[o])
            for i in range(many):
                total = between(gram, w, own_rows[o], out[i])
                for j in range(i):
                    total -= factor[i, j] * bend[o, j]
                bend[o, i] = total / factor[i, i]
                square += bend[o, i] * bend[o, i]
            size[o] = 1 / np.sqrt(square) if square > 0 else 0.0
        link = link_ends[p]
        for o in range(len(own_rows)):
            row[:] = 0.0
            gather(gram, w, own_rows[o], row)
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
                    to_questioned[p, d] += total * scale / sizes[d]
            for q in range(len(own_rows)):
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
    """Return the product of two rows, interpolated between nodes."""
    total: float = interpolated(gram[:, one], weights, other)
    return total


@njit(cache=True)
def interpolated(values: Floats, weights: Floats, one: int) -> float:
    """Return a value interpolated between those at the nodes, (nodes, …)."""
    total = 0.0
    for k in range(len(weights)):
        total += weights[k] * values[k, one]
    return total


PRIOR = 50
"""Degrees of freedom at which the scatter within authors counts as much as the scatter of all texts."""
_TOLERANCE = 5e-11
"""Relative size of what interpolation leaves out."""
_FAR = 0.3
"""Authors who change the numbers by more than half of this, as a logarithm, are left out one problem at a time."""
_STEPS = np.array(
    [0.0, 1.0, -1.0, 0.5774, -0.5774, 0.8515, -0.8515, 0.2897, -0.2897, 0.9484, -0.9484]
)
"""Places of interpolation along an axis (Leja); a polynomial needs only the first of them."""


@dataclass(frozen=True, eq=False)
class Scatter:
    """Contributions of authors to the covariance: everything that a whitening without some of them needs besides products.

    Attributes
    ----------
    rows : (n, p)
        Standardised frequencies of the impostors' chunks, and their ``author`` (n,), from 0.
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
        """Return the scatter of these rows; authors may have any numbers."""
        _, code, count = np.unique(author, return_inverse=True, return_counts=True)
        own, _ = within(rows, author)
        square = np.zeros(len(count))
        spread = np.zeros(len(count))
        np.add.at(square, code, np.einsum("ij,ij->i", rows, rows))
        np.add.at(spread, code[count[code] > 1], np.einsum("ij,ij->i", own, own))
        return cls(rows, code.astype(np.int64), count, square, spread)

    def numbers(self, removed: Bools, shrinkage: float) -> Floats:
        """Return natural log b and log g of whitenings, (m, 2), with ``removed`` (m, authors) left out; not finite if
        undefined."""
        left = ~removed
        freedom = left @ (self.count - 1.0)
        square = left @ self.square
        spread = left @ self.spread
        with np.errstate(divide="ignore", invalid="ignore"):
            b = freedom / PRIOR * square / spread
            g = (
                np.divide(shrinkage + 1e-6, 1 - shrinkage)
                * (freedom + PRIOR)
                / PRIOR
                * square
                / self.rows.shape[1]
            )
            return np.asarray(np.log(np.stack([b, g], axis=1)))


def within(rows: Floats, author: Ints) -> tuple[Floats, int]:
    """Return deviations of texts from their author's mean, scaled to be unbiased, for authors with several texts; and their
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
    """The region in which a family's numbers are interpolated: leaving out any two authors or fewer.

    It depends only on the impostors, so that no answer depends on the other problems of a batch.

    Attributes
    ----------
    nodes : (nodes, 2)
        The numbers between which everything is interpolated; none if the numbers are undefined.
    """

    def __init__(self, scatter: Scatter, shrinkage: float) -> None:
        one = np.eye(len(scatter.count), dtype=bool)
        whole, single = (scatter.numbers(removed, shrinkage) for removed in (one[:1] & False, one))
        self.nodes = np.empty((0, 2))
        if not np.isfinite(whole).all():
            return
        away = 2 * (single - whole)
        corners = np.concatenate(
            [
                np.zeros((2, 2)),
                away[np.isfinite(away).all(axis=1) & (np.abs(away) < _FAR).all(axis=1)],
            ]
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
        """Return which ``numbers`` (m, 2) are in the region, and the weights of the nodes, (m, nodes), 0 outside."""
        weights = np.zeros((len(numbers), len(self.nodes)))
        inside: Bools = np.asarray(np.isfinite(numbers).all(axis=1)) & (len(self.nodes) > 0)
        if inside.any():
            place = (
                np.where(inside[:, None], numbers, self.nodes[0]) @ self._axes.T - self._middle
            ) / self._half
            inside &= (np.abs(place) <= 1).all(axis=1)
            weights[inside] = np.linalg.solve(self._of_nodes.T, self._terms(place[inside]).T).T
        return inside, weights

    def _terms(self, at: Floats) -> Floats:
        return np.asarray(at[:, :1] ** self._powers[0] * at[:, 1:] ** self._powers[1])


class ScratchBuffer:
    """Memory that is reused, because allocating it again takes longer than filling it."""

    def __init__(self) -> None:
        self._held = np.empty(0)

    def take(self, *shape: int) -> Floats:
        """Return an array of this shape with arbitrary content, valid until the next call."""
        size = int(np.prod(shape))
        if size > len(self._held):
            self._held = np.empty(0)
            self._held = np.empty(size)
        return self._held[:size].reshape(shape)


def products(
    scatter: Scatter, extra: Floats, pairs: Ints, nodes: Floats, scratch: ScratchBuffer
) -> tuple[Floats, Floats, Floats]:
    """Return inner products after whitening at every node: of all rows with the scatter's, (nodes, r, n), in ``scratch``; of
    each row with itself, (nodes, r); and of ``pairs`` (m, 2) of rows, (nodes, m). Rows are the scatter's, then
    ``extra`` (r − n, p)."""
    from scipy.linalg import cholesky, solve_triangular

    own, _ = within(scatter.rows, scatter.author)
    whole = scatter.rows.T @ scatter.rows
    inner = own.T @ own
    rows = np.concatenate([scatter.rows, extra])
    count = len(scatter.rows)
    gram = scratch.take(len(nodes), len(rows), count)
    square = np.empty((len(nodes), len(rows)))
    linked = np.empty((len(nodes), len(pairs)))
    row = pairs.max(axis=1)
    column = pairs.min(axis=1)
    known = np.flatnonzero(column < count)
    new = np.flatnonzero(column >= count)
    for j, (b, g) in enumerate(np.exp(nodes)):
        matrix = whole + b * inner
        matrix[np.diag_indices_from(matrix)] += g
        factor = cholesky(matrix, lower=True, overwrite_a=True, check_finite=False)
        white = solve_triangular(factor, rows.T, lower=True, check_finite=False).T
        np.matmul(white[:count], white[:count].T, out=gram[j, :count])
        np.matmul(white[count:], white[:count].T, out=gram[j, count:])
        np.einsum("ij,ij->i", white, white, out=square[j])
        linked[j, known] = gram[j, row[known], column[known]]
        linked[j, new] = np.einsum("ij,ij->i", white[row[new]], white[column[new]])
    return gram, square, linked


@dataclass(eq=False)
class Whitened:
    """Standardised frequencies, scaled so that variation within the texts of an author counts little.

    The covariance is that within impostors of one author, mixed with that of all impostors (by ``PRIOR``; known
    sets are few in small collections) and shrunk as in Ledoit & Wolf 2004. It is fitted separately for each problem whose
    authors are among the impostors, without their texts: otherwise training problems would look better separated
    than test problems can be.

    Attributes
    ----------
    delta_ : Delta
        Vocabulary and scale.
    shrinkage_ : float
        Share of the identity.
    """

    view: View
    n: int
    size: int

    def fit(self, texts: Sequence[str] | GramCounts, author: Ints) -> Self:
        """Learn vocabulary, scale and the amount of shrinkage from impostors' chunks and their authors."""
        from sklearn.covariance import ledoit_wolf_shrinkage

        self.delta_ = Delta(self.view, self.n, self.size).fit(texts)
        rows = self.delta_.standard(texts)
        own, freedom = within(rows, author)
        trust = freedom / (freedom + PRIOR)
        self.shrinkage_ = 1.0
        if rows.shape[1] > 1:
            shrinkages = [
                float(ledoit_wolf_shrinkage(r, assume_centered=True)) if len(r) else 1.0
                for r in (rows, own)
            ]
            self.shrinkage_ = (1 - trust) * shrinkages[0] + trust * max(shrinkages)
        return self

    def whiten(self, rows: Floats, impostors: Floats, author: Ints) -> Floats:
        """Return rows in coordinates in which the covariance learned from these impostors is the identity."""
        return whitened(rows, self.factor(impostors, author))

    def factor(self, impostors: Floats, author: Ints) -> Floats:
        """Return the Cholesky factor of the covariance learned from these impostors."""
        from scipy.linalg import cholesky

        covariance = impostors.T @ impostors / len(impostors)
        scale = float(np.trace(covariance)) / max(len(covariance), 1)
        own, freedom = within(impostors, author)
        spread = float(np.einsum("ij,ij->", own, own))
        if spread > 0:
            trust = freedom / (freedom + PRIOR)
            covariance = (1 - trust) * covariance + trust * (own.T @ own) * (
                scale * len(covariance) / spread
            )
        shrunk = (1 - self.shrinkage_) * covariance
        # A little more than Ledoit and Wolf ask for, so that a few identical impostors still have an inverse.
        shrunk[np.diag_indices_from(shrunk)] += self.shrinkage_ * scale + 1e-6 * (scale or 1.0)
        return np.asarray(cholesky(shrunk, lower=True))


def whitened(rows: Floats, factor: Floats) -> Floats:
    """Return rows (n, p) in coordinates in which the covariance with this Cholesky factor is the identity."""
    from scipy.linalg import solve_triangular

    return np.asarray(solve_triangular(factor, rows.T, lower=True).T)


class WhitenedBatch:
    """Whitened similarities of a batch of documents.

    ``author`` (impostors,) are the impostors' authors. Batches of several families may share their ``room``.
    """

    def __init__(
        self,
        family: Whitened,
        documents: Chunked,
        impostors: Chunked,
        author: Ints,
        room: ScratchBuffer | None = None,
    ) -> None:
        self.family = family
        self.documents = documents
        self.impostors = impostors
        self.room = room or ScratchBuffer()
        delta = family.delta_
        self.own = delta.standard(documents.counts(delta.view, delta.n))
        self.others: Floats = impostors.once(
            (family, "standard"), lambda: delta.standard(impostors.counts(delta.view, delta.n))
        )
        self.sizes = np.diff(impostors.bounds)
        self.author = np.repeat(author, self.sizes)

    def between(
        self, cases: Cases, layouts: list[tuple[Ints, Layout]]
    ) -> tuple[Floats, Floats, Floats]:
        """Return the mean similarity of each problem's questioned to its known documents (m,), and the similarities to
        impostors of its known documents, on average, and of its questioned document, (m, impostors) each.

        Values for impostors that are not allowed are meaningless. ``layouts`` are problems without some of the impostors,
        in batches that cover them all.
        """
        linked, mean, to_questioned = self._with_all(cases)
        scatter = Scatter.of(self.others, self.author) if layouts else None
        for chosen, layout in layouts:
            assert scatter is not None
            solved = self._without_some(
                scatter, cases.take(chosen), layout, chosen, linked, mean, to_questioned
            )
            for i in chosen[~solved]:
                allowed = cases.allowed[i]
                pair, each = self.alone(cases.known[i], int(cases.questioned[i]), allowed)
                linked[i] = pair.mean()
                mean[i, allowed] = each[:-1].mean(axis=0)
                to_questioned[i, allowed] = each[-1]
        return linked, mean, to_questioned

    def alone(self, known: Ints, questioned: int, allowed: Bools) -> tuple[Floats, Floats]:
        """Return similarities of one problem's questioned to its known documents (k,), and of the known and then the
        questioned document to its impostors (k + 1, allowed), by definition.

        ``allowed`` (impostors,) marks impostors that are not by its authors.
        """
        bounds = self.documents.bounds
        parts = [self.own[bounds[r] : bounds[r + 1]] for r in np.append(known, questioned)]
        ends = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
        own, others = self._embed(np.concatenate(parts), Chunked({}, ends), allowed)
        return own[:-1] @ own[-1], own @ others.T

    def _with_all(self, cases: Cases) -> tuple[Floats, Floats, Floats]:
        """The problems that may have all impostors; the others' values are 0."""
        linked = np.zeros(len(cases))
        mean = np.zeros(cases.allowed.shape)
        to_questioned = np.zeros(cases.allowed.shape)
        chosen = np.flatnonzero(cases.allowed.all(axis=1))
        if not len(chosen):
            return linked, mean, to_questioned
        some = cases.take(chosen)
        used = np.unique(some.links)
        factor, others = self.impostors.once((self.family, "all"), self._all)
        chunks = np.repeat(
            np.isin(np.arange(len(self.documents)), used), np.diff(self.documents.bounds)
        )
        rows = np.zeros_like(self.own)
        each = np.zeros((len(self.documents), len(others)))
        rows[chunks] = unit(whitened(self.own[chunks], factor))
        own = self.documents.mean(rows)
        each[used] = own[used] @ others.T
        links = some.links
        linked[chosen] = some.over_known(np.einsum("ij,ij->i", own[links[:, 0]], own[links[:, 1]]))
        mean[chosen], to_questioned[chosen] = some.sides(each)
        return linked, mean, to_questioned

    def _all(self) -> tuple[Floats, Floats]:
        """The Cholesky factor of all impostors, and they themselves after whitening."""
        factor = self.family.factor(self.others, self.author)
        return factor, self.impostors.mean(unit(whitened(self.others, factor)))

    def _without_some(
        self,
        scatter: Scatter,
        cases: Cases,
        layout: Layout,
        chosen: Ints,
        linked: Floats,
        mean: Floats,
        to_questioned: Floats,
    ) -> Bools:
        """Fill in problems that are near enough to each other; returns which (cases,)."""
        removed = np.zeros((len(cases), len(scatter.count)), dtype=bool)
        owner = np.repeat(np.arange(len(cases)), np.diff(layout.removed_ends))
        removed[owner, scatter.author[layout.removed]] = True
        numbers = scatter.numbers(removed, self.family.shrinkage_)
        frame = Frame(scatter, self.family.shrinkage_)
        solved, weights = frame.weights(numbers)
        if not solved.any():
            return solved
        inner = products(scatter, self.own[layout.extra], layout.pairs, frame.nodes, self.room)
        sums = np.zeros((2, len(cases), len(self.sizes)))
        pair = np.zeros(len(cases))
        solved &= leave_out(
            *inner,
            weights,
            np.exp(np.where(solved, numbers[:, 0], 0.0)),
            scatter.author,
            self.sizes,
            layout.removed,
            layout.removed_ends,
            layout.own,
            layout.own_ends,
            layout.place,
            layout.link_ends,
            sums[0],
            sums[1],
            pair,
        )
        linked[chosen] = pair
        mean[chosen] = sums[0]
        to_questioned[chosen] = sums[1]
        return solved

    def _embed(self, own: Floats, documents: Chunked, allowed: Bools) -> tuple[Floats, Floats]:
        selected = np.repeat(allowed, self.sizes)
        cohort = self.others[selected]
        white = self.family.whiten(np.concatenate([own, cohort]), cohort, self.author[selected])
        left = Chunked({}, np.concatenate([[0], np.cumsum(self.sizes[allowed])]))
        return documents.mean(unit(white[: len(own)])), left.mean(unit(white[len(own) :]))
