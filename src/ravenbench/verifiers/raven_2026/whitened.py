"""Cosine of frequencies after whitening by how authors vary, learned without the problem's own authors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.types import Bools, Floats, Ints
from ravenbench.verifiers.contract.spread import unit
from ravenbench.verifiers.raven_2026.families import Chunked, Delta
from ravenbench.verifiers.raven_2026.views import View

_PRIOR = 50
"""Degrees of freedom at which the scatter within authors counts as much as the scatter of all texts."""


@dataclass(eq=False)
class Whitened:
    """Standardised frequencies, scaled so that what varies within authors' own texts counts little.

    The covariance is that within impostors of one author, mixed with that of all impostors (by ``_PRIOR``; known
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

    def fit(self, texts: Sequence[str], author: Ints) -> Self:
        """Learn vocabulary, scale and the amount of shrinkage from impostors' chunks and their authors."""
        from sklearn.covariance import ledoit_wolf_shrinkage

        self.delta_ = Delta(self.view, self.n, self.size).fit(texts)
        rows = self.delta_.standard(texts)
        own, freedom = within(rows, author)
        trust = freedom / (freedom + _PRIOR)
        self.shrinkage_ = 1.0
        if rows.shape[1] > 1:
            shrinkages = [float(ledoit_wolf_shrinkage(r, assume_centered=True)) if len(r) else 1.0 for r in (rows, own)]
            self.shrinkage_ = (1 - trust) * shrinkages[0] + trust * max(shrinkages)
        return self

    def whiten(self, rows: Floats, impostors: Floats, author: Ints) -> Floats:
        """Rows in coordinates in which the covariance learned from these impostors is the identity."""
        from scipy.linalg import cholesky, solve_triangular

        covariance = impostors.T @ impostors / len(impostors)
        scale = float(np.trace(covariance)) / max(len(covariance), 1)
        own, freedom = within(impostors, author)
        spread = float(np.einsum("ij,ij->", own, own))
        if spread > 0:
            trust = freedom / (freedom + _PRIOR)
            covariance = (1 - trust) * covariance + trust * (own.T @ own) * (scale * len(covariance) / spread)
        shrunk = (1 - self.shrinkage_) * covariance
        # A little more than Ledoit and Wolf ask for, so that a few identical impostors still have an inverse.
        shrunk[np.diag_indices_from(shrunk)] += self.shrinkage_ * scale + 1e-6 * (scale or 1.0)
        return np.asarray(solve_triangular(cholesky(shrunk, lower=True), rows.T, lower=True).T)


class WhitenedBatch:
    """Whitened similarities of a batch of documents, a problem at a time.

    ``author`` (impostors,) are the impostors' authors.
    """

    def __init__(self, family: Whitened, documents: Chunked, impostors: Chunked, author: Ints) -> None:
        self.family, self.documents, self.impostors = family, documents, impostors
        self.own = family.delta_.standard(documents.views[family.view])
        self.others = family.delta_.standard(impostors.views[family.view])
        self.sizes = np.diff(impostors.bounds)
        self.author = np.repeat(author, self.sizes)
        self.whole: tuple[Floats, Floats] | None = None

    def between(self, known: Ints, questioned: int, allowed: Bools) -> tuple[Floats, Floats]:
        """Similarities of a problem's questioned to its known documents (k,), and of the known and then the
        questioned to its impostors (k + 1, allowed).

        ``allowed`` (impostors,) marks those that are not its authors'.
        """
        rows = np.append(known, questioned)
        if allowed.all():
            if self.whole is None:
                self.whole = self._embed(self.own, self.documents, allowed)
            own, others = self.whole[0][rows], self.whole[1]
        else:
            parts = [self.own[self.documents.bounds[r] : self.documents.bounds[r + 1]] for r in rows]
            bounds = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
            own, others = self._embed(np.concatenate(parts), Chunked({}, bounds), allowed)
        return own[:-1] @ own[-1], own @ others.T

    def _embed(self, own: Floats, documents: Chunked, allowed: Bools) -> tuple[Floats, Floats]:
        taken = np.repeat(allowed, self.sizes)
        cohort = self.others[taken]
        white = self.family.whiten(np.concatenate([own, cohort]), cohort, self.author[taken])
        left = Chunked({}, np.concatenate([[0], np.cumsum(self.sizes[allowed])]))
        return documents.mean(unit(white[: len(own)])), left.mean(unit(white[len(own) :]))


def within(rows: Floats, author: Ints) -> tuple[Floats, int]:
    """Deviations of texts from their author's mean, scaled to be unbiased, of authors with several texts; and their
    degrees of freedom."""
    _, code, count = np.unique(author, return_inverse=True, return_counts=True)
    mean = np.zeros((len(count), rows.shape[1]))
    np.add.at(mean, code, rows)
    mean /= count[:, None]
    several = count[code] > 1
    n = count[code][several]
    freedom = int((count - 1).sum())
    return (rows[several] - mean[code[several]]) * np.sqrt(n / (n - 1))[:, None], freedom
