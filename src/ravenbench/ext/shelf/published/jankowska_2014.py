"""Verifies as Jankowska, Kešelj & Milios 2014 (``Jankowska2014``): an ensemble of proximity-based classifiers.

In: ``Problems`` (n) and, for ``fit``, their truth (n,) bool, True = same author. For ``best_threshold`` distances (n,),
lower = same author, NaN = none, and truth.
Out: answers (n,) from 0 to 1, higher = same author, 0.5 = unanswered; ``best_threshold``: the distance up to which
"same author" gives the most right decisions, 1 if all are NaN. CorpusError if one class is absent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.ext.shelf.calibrators import Linear
from ravenbench.ext.shelf.published.cng_2013 import mean_ratios
from ravenbench.metrics.pan import auc, scores
from ravenbench.types import Bools, Floats, Ints, Problems
from ravenbench.verifiers.calibrators import apply_band, best_radius
from ravenbench.verifiers.contract.base import Verifier
from ravenbench.verifiers.contract.folds import both_classes, calibration_folds, out_of_fold


@dataclass(eq=False, repr=False)
class Jankowska2014(Verifier):
    """Mean of the answers of several one-class classifiers (``cng-2013``) over different n-grams.

    The abstract mentions classifiers over character or word n-grams. Recalled, not verified: character n = 3…10,
    word n = 1…3, a grid of L, and a θ tuned on training problems separately for one and for several known documents
    (by accuracy, our choice). How members were chosen is lost; ours is forward selection by training AUC · c@1, equal
    weights, and a band of non-answers chosen on out-of-fold answers.

    Expensive, half an hour of a core for a default run on newsgroups (``docs/scale.md``): all texts are cut to the
    shortest of their problem, so the profiles of all 55 classifiers are counted for every problem.

    Parameters
    ----------
    chars, words : tuple of int
        n of the character and word n-grams.
    sizes : tuple of int
        L, the n-grams of a profile.
    most : int
        Maximum number of members.
    width : float
        Distance from θ to a certain answer.

    Attributes
    ----------
    theta_ : (2, classifiers) float64
        For one known document, and for several.
    members_ : (m,) int64
        Chosen classifiers, characters before words, L varying fastest.
    radius_ : float

    References
    ----------
    Jankowska, Kešelj & Milios 2014 (PAN at CLEF).
    """

    name = "jankowska-2014"
    reads = "both"
    version = 2
    symmetric = False
    provenance = "reconstructed"

    chars: tuple[int, ...] = (3, 4, 5, 6, 7, 8, 9, 10)
    words: tuple[int, ...] = (1, 2, 3)
    sizes: tuple[int, ...] = (200, 500, 1000, 2000, 3000)
    most: int = 10
    width: float = 0.15

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Tune thresholds, members and band. CorpusError if one class is absent."""
        same = both_classes(same, self.name)
        ratios = self._ratios(problems)
        several = problems.sizes > 1

        def answered(rest: Bools, out: Bools) -> Floats:
            return self._mean(
                ratios[out], several[out], *self._tune(ratios[rest], several[rest], same[rest])
            )

        folds = calibration_folds(problems, same, 5)
        held_out = out_of_fold(answered, folds, same)
        self.theta_, self.members_ = self._tune(ratios, several, same)
        self.radius_ = best_radius(held_out, same, folds.widest)
        return self

    def verify(self, problems: Problems) -> Floats:
        answers = self._mean(self._ratios(problems), problems.sizes > 1, self.theta_, self.members_)
        return apply_band(answers, self.radius_)

    def _ratios(self, problems: Problems) -> Floats:
        parts = [(units, n) for units, n in (("char", self.chars), ("word", self.words)) if n]
        return np.concatenate(
            [mean_ratios(problems, units, n, self.sizes) for units, n in parts], axis=1
        )

    def _tune(self, ratios: Floats, several: Bools, same: Bools) -> tuple[Floats, Ints]:
        theta = np.empty((2, ratios.shape[1]))
        for kind in (0, 1):
            of_kind = several == bool(kind)
            rows = of_kind if 0 < same[of_kind].sum() < of_kind.sum() else np.ones_like(of_kind)
            theta[kind] = [best_threshold(column[rows], same[rows]) for column in ratios.T]
        answers = self._answers(ratios, several, theta)
        chosen: list[int] = []
        best = -1.0
        while len(chosen) < min(self.most, answers.shape[1]):
            rest = [m for m in range(answers.shape[1]) if m not in chosen]
            finals = [_final(same, _mean_told(answers[:, [*chosen, m]])) for m in rest]
            place = int(np.argmax(finals))
            if finals[place] <= best:
                break
            best = finals[place]
            chosen.append(rest[place])
        return theta, np.sort(np.array(chosen, dtype=np.int64))

    def _answers(self, ratios: Floats, several: Bools, theta: Floats) -> Floats:
        middle = theta[several.astype(np.int64)]
        # Linear maps scores about one threshold: shift every classifier's to 0.
        flat = Linear(theta=0.0, width=self.width).transform((middle - ratios).ravel())
        return np.where(np.isnan(ratios), np.nan, flat.reshape(ratios.shape))

    def _mean(self, ratios: Floats, several: Bools, theta: Floats, members: Ints) -> Floats:
        return _mean_told(self._answers(ratios, several, theta)[:, members])


def best_threshold(distance: Floats, same: Bools) -> float:
    """Return the distance with the most correct decisions if ``distance ≤ threshold`` means same author.

    It is halfway between two training distances; of equally good distances, the smallest. NaN are left out; 1 if all are NaN.
    """
    finite = ~np.isnan(distance)
    order = np.argsort(distance[finite], kind="stable")
    values = distance[finite][order]
    truth = same[finite][order]
    if not len(values):
        return 1.0
    right = np.concatenate([[0], np.cumsum(truth)]) + np.concatenate(
        [np.cumsum(~truth[::-1])[::-1], [0]]
    )
    edges = np.concatenate(
        [[values[0] - 0.01], (values[1:] + values[:-1]) / 2, [values[-1] + 0.01]]
    )
    possible = np.concatenate([[True], values[1:] > values[:-1], [True]])
    return float(edges[int(np.argmax(np.where(possible, right, -1)))])


def _mean_told(answers: Floats) -> Floats:
    finite = ~np.isnan(answers)
    count = finite.sum(axis=1)
    total = np.where(finite, answers, 0.0).sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), 0.5)


def _final(same: Bools, answers: Floats) -> float:
    area = auc(same, answers)
    measures = scores(same, answers)
    return float((area or 0.0) * (measures["c@1"] or 0.0))
