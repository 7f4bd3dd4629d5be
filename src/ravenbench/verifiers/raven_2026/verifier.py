"""raven-2026: Raven's own verifier, one recipe for every language and genre."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.errors import SpecError
from ravenbench.randomness import stream
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.calibrators.band import apply_band, best_radius
from ravenbench.verifiers.contract.base import Verifier
from ravenbench.verifiers.contract.folds import both_classes, calibration_folds, out_of_fold
from ravenbench.verifiers.raven_2026.extract import Extractor, feature_names
from ravenbench.verifiers.raven_2026.ridge import Ridge

_FOLDS = 10
_MOST_PROBLEMS = 2000


@dataclass(eq=False, repr=False)
class Raven2026(Verifier):
    """A ridge logistic regression over similarities normalised by impostors, with a small band of non-answers.

    Thirty-odd families of features (frequent tokens and marks, masked syntax, marks, shapes, character n-grams,
    compression; see ``extract``) each give one similarity of questioned and known documents. It enters as
    its mean z-score against both sides' similarities to their nearest impostors, which are training documents of
    other authors than the problem's. The regression, and the half-width ≤ .1 of the band, which is chosen on
    answers out of fold (≤ .2 where problems share documents so widely that authors are kept apart instead of groups),
    are all that is learned from the truth.

    Features of a training problem are computed without its own authors among the impostors, as a test problem's
    are. So all training problems serve both purposes, and ``Problems.calibrate`` is not needed. Of more than 2,000
    training problems, 2,000 drawn at random teach the regression.

    Problems with an empty text are left unanswered. Long documents are compared in chunks of the training median.

    It is dear: some thirteen CPU minutes for a default run on newsgroups (``docs/scale.md``), many of them for nine
    whitenings that are learned anew for every training problem, without its own authors.

    Parameters
    ----------
    C : float
        Inverse strength of the ridge.
    impostors : int
        Most training documents that serve as impostors.
    length : bool
        Add |log ratio of lengths| as a feature. It says nothing of style; in some collections it gives authors away.
    seed : int
        Draws impostors where there are more.

    Attributes
    ----------
    extractor_ : Extractor
    ridge_ : Ridge
    features_ : tuple of str
        Names of the features, in the order of ``ridge_.coef_``.
    radius_ : float
        Half-width of the band.

    Notes
    -----
    ``docs/raven-2026.md`` has the protocol under which it was made, and its figures.
    """

    name = "raven-2026"
    version = 2
    provenance = "ours"

    C: float = 0.05
    impostors: int = 400
    length: bool = False
    seed: int = 0

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Learn from training problems.

        Raises
        ------
        SpecError
            If a parameter is out of range.
        CorpusError
            If one class is absent, or all documents are one author's.
        """
        if not self.C > 0 or self.impostors < 2:
            raise SpecError(
                "a parameter of raven-2026 is out of range", found=str(self), expected="C > 0, impostors ≥ 2"
            )
        same = both_classes(same, self.name)
        self.extractor_ = Extractor(self.impostors, self.seed).fit(problems, same)
        if len(problems) > _MOST_PROBLEMS:
            rng = stream(self.seed, "raven-2026-problems", len(problems))
            drawn = np.sort(rng.choice(len(problems), size=_MOST_PROBLEMS, replace=False))
            problems, same = problems.select(drawn), same[drawn]
        return self.learn(problems, same, *self.extractor_.measure(problems))

    def learn(self, problems: Problems, same: Bools, features: Floats, able: Bools) -> Self:
        """Learn regression and band from what ``Extractor.measure`` found (variants may share that).

        Raises
        ------
        CorpusError
            If one class is absent among the problems that can be told.
        """
        problems, same = problems.select(able), both_classes(same[able], self.name)
        features = self._used(features[able])
        names = feature_names()
        self.features_ = tuple(names if self.length else names[:-1])
        self.radius_ = self._band(problems, same, features)
        self.ridge_ = Ridge(self.C).fit(features, same)
        return self

    def verify(self, problems: Problems) -> Floats:
        return self.answer(*self.extractor_.measure(problems))

    def log_odds(self, problems: Problems) -> Floats:
        """Log odds of the same author (n,), without the band of non-answers; 0 where a text is empty."""
        features, able = self.extractor_.measure(problems)
        return np.where(able, self.ridge_.log_odds(self._used(features)), 0.0)

    def answer(self, features: Floats, able: Bools) -> Floats:
        """Answers from what ``Extractor.measure`` found."""
        answers = apply_band(self.ridge_.answers(self._used(features)), self.radius_)
        answers[~able] = 0.5
        return answers

    def _used(self, features: Floats) -> Floats:
        return features if self.length else features[:, :-1]

    def _band(self, problems: Problems, same: Bools, features: Floats) -> float:
        def answered(rest: Bools, out: Bools) -> Floats:
            return Ridge(self.C).fit(features[rest], same[rest]).answers(features[out])

        folds = calibration_folds(problems, same, _FOLDS)
        answers = out_of_fold(answered, folds, same, otherwise=np.nan)
        told = ~np.isnan(answers)
        return best_radius(answers[told], same[told], folds.widest) if told.sum() * 2 > len(told) else 0.0
