"""Cosine of frequencies after whitening by how authors vary, learned without the problem's own authors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.text.tfidf import unit
from ravenbench.types import Bools, Floats, Ints
from ravenbench.verifiers.raven_2026.cases import Cases, Layout
from ravenbench.verifiers.raven_2026.families import Chunked, Delta
from ravenbench.verifiers.raven_2026.grams import Counts
from ravenbench.verifiers.raven_2026.left_out import PRIOR, Frame, Room, Scatter, products, within
from ravenbench.verifiers.raven_2026.left_out_kernel import leave_out
from ravenbench.verifiers.raven_2026.views import View


@dataclass(eq=False)
class Whitened:
    """Standardised frequencies, scaled so that what varies within authors' own texts counts little.

    The covariance is that within impostors of one author, mixed with that of all impostors (by ``PRIOR``; known
    sets are few in small collections) and shrunk as Ledoit & Wolf 2004 do. It is fitted anew for each problem whose
    authors are among the impostors, without their texts: otherwise training problems would look better separated
    than test problems ever can.

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

    def fit(self, texts: Sequence[str] | Counts, author: Ints) -> Self:
        """Learn vocabulary, scale and the amount of shrinkage from impostors' chunks and their authors."""
        from sklearn.covariance import ledoit_wolf_shrinkage

        self.delta_ = Delta(self.view, self.n, self.size).fit(texts)
        rows = self.delta_.standard(texts)
        own, freedom = within(rows, author)
        trust = freedom / (freedom + PRIOR)
        self.shrinkage_ = 1.0
        if rows.shape[1] > 1:
            shrinkages = [float(ledoit_wolf_shrinkage(r, assume_centered=True)) if len(r) else 1.0 for r in (rows, own)]
            self.shrinkage_ = (1 - trust) * shrinkages[0] + trust * max(shrinkages)
        return self

    def whiten(self, rows: Floats, impostors: Floats, author: Ints) -> Floats:
        """Rows in coordinates in which the covariance learned from these impostors is the identity."""
        return whitened(rows, self.factor(impostors, author))

    def factor(self, impostors: Floats, author: Ints) -> Floats:
        """The Cholesky factor of the covariance learned from these impostors."""
        from scipy.linalg import cholesky

        covariance = impostors.T @ impostors / len(impostors)
        scale = float(np.trace(covariance)) / max(len(covariance), 1)
        own, freedom = within(impostors, author)
        spread = float(np.einsum("ij,ij->", own, own))
        if spread > 0:
            trust = freedom / (freedom + PRIOR)
            covariance = (1 - trust) * covariance + trust * (own.T @ own) * (scale * len(covariance) / spread)
        shrunk = (1 - self.shrinkage_) * covariance
        # A little more than Ledoit and Wolf ask for, so that a few identical impostors still have an inverse.
        shrunk[np.diag_indices_from(shrunk)] += self.shrinkage_ * scale + 1e-6 * (scale or 1.0)
        return np.asarray(cholesky(shrunk, lower=True))


def whitened(rows: Floats, factor: Floats) -> Floats:
    """Rows (n, p) in coordinates in which the covariance with this Cholesky factor is the identity."""
    from scipy.linalg import solve_triangular

    return np.asarray(solve_triangular(factor, rows.T, lower=True).T)


class WhitenedBatch:
    """Whitened similarities of a batch of documents.

    ``author`` (impostors,) are the impostors' authors. Batches of several families may share their ``room``.
    """

    def __init__(
        self, family: Whitened, documents: Chunked, impostors: Chunked, author: Ints, room: Room | None = None
    ) -> None:
        self.family, self.documents, self.impostors, self.room = family, documents, impostors, room or Room()
        delta = family.delta_
        self.own = delta.standard(documents.counts(delta.view, delta.n))
        self.others: Floats = impostors.once(
            (family, "standard"), lambda: delta.standard(impostors.counts(delta.view, delta.n))
        )
        self.sizes = np.diff(impostors.bounds)
        self.author = np.repeat(author, self.sizes)

    def between(self, cases: Cases, layouts: list[tuple[Ints, Layout]]) -> tuple[Floats, Floats, Floats]:
        """Mean similarity of each problem's questioned to its known documents (m,), and the similarities to impostors
        of its known documents, on average, and of its questioned one, (m, impostors) each.

        Those of impostors that are not allowed mean nothing. ``layouts`` are problems without some of the impostors,
        in batches that cover them all.
        """
        linked, mean, asked = self._with_all(cases)
        scatter = Scatter.of(self.others, self.author) if layouts else None
        for chosen, layout in layouts:
            assert scatter is not None
            done = self._without_some(scatter, cases.take(chosen), layout, chosen, linked, mean, asked)
            for i in chosen[~done]:
                allowed = cases.allowed[i]
                pair, each = self.alone(cases.known[i], int(cases.asked[i]), allowed)
                linked[i] = pair.mean()
                mean[i, allowed], asked[i, allowed] = each[:-1].mean(axis=0), each[-1]
        return linked, mean, asked

    def alone(self, known: Ints, questioned: int, allowed: Bools) -> tuple[Floats, Floats]:
        """Similarities of one problem's questioned to its known documents (k,), and of the known and then the
        questioned to its impostors (k + 1, allowed), by definition.

        ``allowed`` (impostors,) marks those that are not its authors'.
        """
        bounds = self.documents.bounds
        parts = [self.own[bounds[r] : bounds[r + 1]] for r in np.append(known, questioned)]
        ends = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
        own, others = self._embed(np.concatenate(parts), Chunked({}, ends), allowed)
        return own[:-1] @ own[-1], own @ others.T

    def _with_all(self, cases: Cases) -> tuple[Floats, Floats, Floats]:
        """The problems that may have all impostors; the others' values are 0."""
        linked, mean, asked = np.zeros(len(cases)), np.zeros(cases.allowed.shape), np.zeros(cases.allowed.shape)
        chosen = np.flatnonzero(cases.allowed.all(axis=1))
        if not len(chosen):
            return linked, mean, asked
        some = cases.take(chosen)
        used = np.unique(some.links)
        factor, others = self.impostors.once((self.family, "all"), self._all)
        chunks = np.repeat(np.isin(np.arange(len(self.documents)), used), np.diff(self.documents.bounds))
        rows, each = np.zeros_like(self.own), np.zeros((len(self.documents), len(others)))
        rows[chunks] = unit(whitened(self.own[chunks], factor))
        own = self.documents.mean(rows)
        each[used] = own[used] @ others.T
        links = some.links
        linked[chosen] = some.over_known(np.einsum("ij,ij->i", own[links[:, 0]], own[links[:, 1]]))
        mean[chosen], asked[chosen] = some.sides(each)
        return linked, mean, asked

    def _all(self) -> tuple[Floats, Floats]:
        """The Cholesky factor of all impostors, and they themselves after whitening."""
        factor = self.family.factor(self.others, self.author)
        return factor, self.impostors.mean(unit(whitened(self.others, factor)))

    def _without_some(
        self, scatter: Scatter, cases: Cases, layout: Layout, chosen: Ints, linked: Floats, mean: Floats, asked: Floats
    ) -> Bools:
        """Fill in problems that are near enough to each other; returns which (cases,)."""
        gone = np.zeros((len(cases), len(scatter.count)), dtype=bool)
        owner = np.repeat(np.arange(len(cases)), np.diff(layout.gone_ends))
        gone[owner, scatter.author[layout.gone]] = True
        numbers = scatter.numbers(gone, self.family.shrinkage_)
        frame = Frame(scatter, self.family.shrinkage_)
        done, weights = frame.weights(numbers)
        if not done.any():
            return done
        inner = products(scatter, self.own[layout.extra], layout.pairs, frame.nodes, self.room)
        found = np.zeros((2, len(cases), len(self.sizes)))
        pair = np.zeros(len(cases))
        done &= leave_out(
            *inner, weights, np.exp(np.where(done, numbers[:, 0], 0.0)), scatter.author, self.sizes,
            layout.gone, layout.gone_ends, layout.own, layout.own_ends, layout.place, layout.link_ends,
            found[0], found[1], pair,
        )  # fmt: skip
        linked[chosen], mean[chosen], asked[chosen] = pair, found[0], found[1]
        return done

    def _embed(self, own: Floats, documents: Chunked, allowed: Bools) -> tuple[Floats, Floats]:
        taken = np.repeat(allowed, self.sizes)
        cohort = self.others[taken]
        white = self.family.whiten(np.concatenate([own, cohort]), cohort, self.author[taken])
        left = Chunked({}, np.concatenate([[0], np.cumsum(self.sizes[allowed])]))
        return documents.mean(unit(white[: len(own)])), left.mean(unit(white[len(own) :]))
