"""General Impostors as the packages ``bitig`` and ``idiolect`` run it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from ravenbench.errors import SpecError
from ravenbench.ext.shelf.minmax import (
    Masks,
    Measure,
    Packed,
    Vectors,
    draw_impostors,
    nearest_drawn,
    norms,
    subset_masks,
)
from ravenbench.ext.shelf.published.impostor_spaces import ImpostorSpace, Weights
from ravenbench.ext.shelf.published.impostors import Background
from ravenbench.randomness import stream
from ravenbench.text.tokens import normalised
from ravenbench.types import Bools, Count, Floats, Ints, Problems
from ravenbench.verifiers.contract.base import Scorer

Together = Literal["centroid", "nearest"]


@dataclass(eq=False, repr=False)
class GeneralImpostors(Scorer):
    """Share of random subsets of features and impostors on which the known author is nearer to the questioned text
    than every impostor is.

    The plain form that packages run: impostors are drawn anew each time from all other authors' training texts, and
    nothing is cut or chosen by likeness. ``impostors`` has the published variants.

    Defaults are those of ``bitig`` on the n-grams of ``idiolect``. ``general-impostors(known='nearest', draw='half')``
    is the form of Kestemont et al. 2016 as ``idiolect`` runs it (KGI). Given the same features and draws, scores equal
    those of ``bitig``.

    Parameters
    ----------
    known : {"centroid", "nearest"}
        Several known documents are averaged into one, or the nearest counts.
    draw : {"root", "half"} or int
        Impostors in an iteration: the square root of their number rounded up, half of them, or a number.
    iterations : int
    share : float
        Of the features, in an iteration.
    measure : {"minmax", "cosine"}
    units : str
        Families of n-grams, as in ``impostors``.
    size : int
        Features kept of each.
    weights : {"tfidf", "tf"}
    background : int
        Impostor documents kept at fit.
    seed : int
        Features are drawn once, impostors by problem id.

    Attributes
    ----------
    background_ : Background
    space_ : ImpostorSpace
    subsets_ : (features, ⌈iterations / 8⌉) uint8
        Bit t of a row: whether the feature takes part in iteration t.

    Notes
    -----
    A problem has no score (NaN, and so stays unanswered) where a text has no feature, or where training holds fewer
    than two documents of other authors.

    References
    ----------
    Koppel and Winter 2014; Seidman 2013; Kestemont et al. 2016, Authenticating the writings of Julius Caesar.
    """

    name = "general-impostors"
    reads = "units"
    symmetric = False

    known: Together = "centroid"
    draw: int | str = "root"
    iterations: Count = 100
    share: float = 0.5
    measure: Measure = "minmax"
    units: str = "char4"
    size: int = 20_000
    weights: Weights = "tfidf"
    background: int = 500
    seed: int = 0

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Collect impostors, features and their subsets.

        SpecError if a parameter is out of range. CorpusError if fewer than two authors can be told apart.
        """
        draw_valid = self.draw in ("root", "half") or (isinstance(self.draw, int) and self.draw > 0)
        others_valid = self.known in ("centroid", "nearest") and self.measure in ("minmax", "cosine")
        if (
            not draw_valid
            or not others_valid
            or min(self.iterations, self.size, self.background) < 1
            or not 0 < self.share <= 1
        ):
            raise SpecError(
                "a parameter of general-impostors is out of range",
                found=str(self),
                expected="known centroid or nearest, draw root, half or a number, 0 < share ≤ 1, and a measure",
            )
        self.background_ = Background(self.background, self.seed).fit(problems, same)
        self.space_ = ImpostorSpace(self.units, self.size, self.weights).fit(self.background_.texts_)
        rng = stream(self.seed, "general-impostors-features")
        masks = subset_masks(len(self.space_.weight_), self.iterations, self.share, rng)
        self.subsets_ = np.packbits(masks > 0, axis=1, bitorder="little")
        return self

    def score(self, problems: Problems) -> Floats:
        """Share of iterations won, (n,), from 0 to 1."""
        used = problems.documents
        texts = [normalised(text) for text in problems.texts.rows(used)]
        place = np.full(len(problems.texts), -1, dtype=np.int64)
        place[used] = np.arange(len(used))
        masks = np.unpackbits(self.subsets_, axis=1, count=self.iterations, bitorder="little").astype(np.float32)
        own, others = self._vectors(texts), self._vectors(self.background_.texts_)
        others_norms = norms(others, masks, self.measure)
        filled = np.diff(own.bounds) > 0
        scores = np.full(len(problems), np.nan)
        for i in range(len(problems)):
            known, questioned = place[problems.known(i)], int(place[problems.questioned_index[i]])
            allowed = self.background_.allowed([texts[row] for row in (*known, questioned)])
            if len(allowed) < 2 or not filled[questioned] or not filled[known].any():
                continue
            rng = stream(self.seed, "general-impostors", str(problems.ids[i]))
            draws = draw_impostors(len(allowed), self._drawn(len(allowed)), self.iterations, rng)
            of = own.dense(questioned), own.take(known), others, others_norms, allowed[draws]
            scores[i] = wins(*of, masks, self.subsets_, self)
        return scores

    def _vectors(self, texts: list[str]) -> Vectors:
        readings = self.space_.read(texts, self.space_.forest())
        return self.space_.vectors(readings, np.arange(len(texts)), max(map(len, texts), default=0))

    def _drawn(self, impostors: int) -> int:
        if isinstance(self.draw, str):
            return math.ceil(math.sqrt(impostors)) if self.draw == "root" else max(1, impostors // 2)
        return min(self.draw, impostors)


def wins(
    questioned: Floats,
    known: Vectors,
    impostors: Vectors,
    impostor_norms: Floats,
    draws: Ints,
    masks: Masks,
    subsets: Packed,
    method: GeneralImpostors,
) -> float:
    """Share of iterations in which the known side is nearer than every drawn impostor; ties count against it.

    Parameters
    ----------
    questioned : (features,) float64
    known : Vectors
        Known documents.
    impostors, impostor_norms : Vectors, (impostors, iterations)
    draws : (iterations, drawn) int64
        Impostors that take part.
    masks, subsets : (features, iterations) float32, (features, ⌈iterations / 8⌉) uint8
        The features that take part, and the same as bits.
    method : GeneralImpostors
        Says how known documents are put together, and the measure.
    """
    measure = method.measure
    if method.known == "centroid":
        known = Vectors.of(np.mean([known.dense(row) for row in range(len(known))], axis=0)[None])
    size = norms(Vectors.of(questioned[None]), masks, measure)[0]
    every = np.tile(np.arange(len(known)), (len(draws), 1))
    nearest = nearest_drawn(questioned, size, known, norms(known, masks, measure), every, subsets, measure)
    return float((nearest > nearest_drawn(questioned, size, impostors, impostor_norms, draws, subsets, measure)).mean())
