"""Verifies by unmasking (Koppel, Schler & Bonchek-Dokow 2007) and its form for short texts (Bevendorff et al. 2019).

In: ``Unmasking`` takes ``Problems`` (n) and, for ``fit``, their truth (n,) bool, True = same author. For ``curve``
words of both sides, a ``Form`` and a random generator; for ``points`` and ``meta_features`` curves.
Out: answers (n,) from 0 to 1, higher = same author, 0.5 = unanswered; ``curves`` (n, rounds) and ``curve`` (rounds,):
accuracies from 0 to 1 in separating both sides, NaN for texts that are too short; ``points``: the same from 0
(chance) to 1; ``meta_features``: (n, 5 · rounds − 6), accuracies and their drops. SpecError for a parameter,
CorpusError if texts are too short or one class is absent. ``cut`` and ``standardised`` make chunks (chunks, features),
``folds_of`` folds from 0; ``solve`` and ``unmask`` are compiled.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numba import njit

from ravenbench.errors import SpecError, did_you_mean
from ravenbench.ext.shelf.published.one_class import sides
from ravenbench.randomness import stream
from ravenbench.text.tokens import frequent, lowered, words
from ravenbench.types import Bools, Count, Floats, Ints, Problems
from ravenbench.verifiers.contract.base import Verifier
from ravenbench.verifiers.contract.folds import both_classes, calibration_folds, out_of_fold

_PASSES = 300
_ENOUGH = 1e-3


@njit(cache=True)
def solve(
    gram: Floats, side: Floats, train: Bools, strength: float, alpha: Floats, margin: Floats
) -> None:
    """Write dual variables (n,) of the training rows and the decision values w·x + b of all rows.

    ``gram`` is X Xᵀ + 1, symmetric; ``side`` ±1. Stops when no projected gradient of a pass exceeds .001.
    """
    n = len(side)
    alpha[:] = 0.0
    margin[:] = 0.0
    for _ in range(_PASSES):
        worst = 0.0
        for i in range(n):
            if not train[i]:
                continue
            slope = side[i] * margin[i] - 1.0
            if (alpha[i] <= 0.0 and slope > 0.0) or (alpha[i] >= strength and slope < 0.0):
                continue
            worst = max(worst, abs(slope))
            moved = min(max(alpha[i] - slope / gram[i, i], 0.0), strength)
            step = (moved - alpha[i]) * side[i]
            alpha[i] = moved
            if step != 0.0:
                for j in range(n):
                    margin[j] += step * gram[i, j]
        if worst < _ENOUGH:
            break


@njit(cache=True)
def unmask(
    chunks: Floats, side: Floats, fold: Ints, strength: float, rounds: int, drop: int
) -> Floats:
    """Return the accuracy in cross-validation, (rounds,), before every removal of ``drop`` features for either side.

    Linear SVMs in the dual: there are few chunks and many words, so all work is on inner products. The problem is
    scikit-learn's ``LinearSVC(loss="hinge")`` with its regularised intercept: minimise ½‖w‖² + ½b² +
    C Σ max(0, 1 − y (w·x + b)), solved by coordinate descent over the dual variables (Hsieh et al. 2008).

    ``chunks`` (n, features) is overwritten: removed features become 0. ``side`` (n,): author of a chunk, ±1. ``fold``
    (n,): fold of a chunk, from 0.
    """
    n, width = chunks.shape
    curve = np.full(rounds, 0.5)
    remaining = np.ones(width, np.bool_)
    gram = np.dot(chunks, chunks.T) + 1.0
    folds = fold.max() + 1
    alpha = np.empty(n)
    margin = np.empty(n)
    for r in range(rounds):
        if not remaining.any():
            break
        total = np.zeros(n)
        right = 0
        for f in range(folds):
            solve(gram, side, fold != f, strength, alpha, margin)
            total += alpha
            for i in range(n):
                right += int(fold[i] == f and margin[i] * side[i] > 0.0)
        curve[r] = right / n
        weights = np.dot(total * side, chunks)
        order = np.argsort(np.where(remaining, weights, np.inf), kind="mergesort")
        remain = remaining.sum()
        for place in range(remain):
            if place < drop or place >= remain - drop:
                remaining[order[place]] = False
        removed = np.ascontiguousarray(chunks[:, order[:remain]])
        for place in range(drop, remain - drop):
            removed[:, place] = 0.0
        gram -= np.dot(removed, removed.T)
        chunks[:, ~remaining] = 0.0
    return curve


def folds_of(first: int, second: int, folds: int) -> Ints:
    """Return folds of ``first`` chunks of one text and ``second`` of the other, assigned in turn on either side."""
    return np.concatenate([np.arange(first), np.arange(second)]).astype(np.int64) % folds


FOLDS = 10
STRENGTH = 1.0
"""C of the SVM that separates chunks."""


@dataclass(frozen=True)
class Form:
    """Settings of a publication.

    ``cut``: ``consecutive`` chunks of at least ``words`` words, or ``chunks`` chunks of ``words`` words ``drawn``
    at random with replacement. ``drop`` features are removed for either side in each of ``rounds`` rounds.
    """

    cut: Literal["consecutive", "drawn"]
    words: int
    chunks: int
    features: int
    drop: int
    rounds: int
    runs: int


FORMS = {
    "2007": Form("consecutive", words=500, chunks=0, features=250, drop=3, rounds=10, runs=1),
    "2019": Form("drawn", words=600, chunks=30, features=250, drop=5, rounds=25, runs=2),
}


def curve(known: list[str], questioned: list[str], form: Form, rng: np.random.Generator) -> Floats:
    """Return accuracies in cross-validation, averaged over runs, (rounds,).

    NaN if a side has no word, or fewer than two consecutive chunks.
    """
    if not known or not questioned:
        return np.full(form.rounds, np.nan)
    counts = Counter(known), Counter(questioned)
    average: Counter[str] = Counter()
    for count, read in zip(counts, (known, questioned), strict=True):
        for word in sorted(count):
            average[word] += count[word] / len(read)  # type: ignore[assignment]
    column = {word: i for i, word in enumerate(frequent(average, form.features))}
    texts = [
        np.array([column.get(word, len(column)) for word in words], dtype=np.int64)
        for words in (known, questioned)
    ]
    total = np.zeros(form.rounds)
    for _ in range(form.runs):
        sides = [cut(text, len(column), form, rng) for text in texts]
        if min(len(rows) for rows in sides) < 2:
            return np.full(form.rounds, np.nan)
        side = np.repeat([1.0, -1.0], [len(rows) for rows in sides])
        fold = folds_of(len(sides[0]), len(sides[1]), FOLDS)
        total += unmask(
            standardised(np.concatenate(sides)), side, fold, STRENGTH, form.rounds, form.drop
        )
    return total / form.runs


def cut(text: Ints, width: int, form: Form, rng: np.random.Generator) -> Floats:
    """Return relative frequencies of words 0 … width − 1 in the chunks of a text, (chunks, width).

    Consecutive chunks divide the complete text evenly and are disjoint.
    """
    if form.cut == "drawn":
        parts = list(text[rng.integers(len(text), size=(form.chunks, form.words))])
    else:
        count = max(len(text) // form.words, 1)
        parts = np.array_split(text, count)
    return np.array([np.bincount(part, minlength=width + 1)[:width] / len(part) for part in parts])


def standardised(chunks: Floats) -> Floats:
    """Return columns with mean 0 and deviation 1 over the chunks of both texts; constant columns are 0."""
    deviation = chunks.std(axis=0)
    return np.ascontiguousarray(
        (chunks - chunks.mean(axis=0)) / np.where(deviation > 1e-12, deviation, np.inf)
    )


def points(curve: Floats) -> Floats:
    """Return accuracies as points of a curve from 0 (chance) to 1: max(0, 2 (accuracy − ½))."""
    return np.maximum(0.0, 2 * (curve - 0.5))


def meta_features(curves: Floats) -> Floats:
    """Return the features of Koppel et al.: accuracies, drops over one and two rounds, and the same drops sorted.

    ``curves`` (n, rounds) → (n, 5 · rounds − 6); sorted drops are descending.
    """
    one = curves[:, :-1] - curves[:, 1:]
    two = curves[:, :-2] - curves[:, 2:]
    return np.concatenate(
        [curves, one, two, -np.sort(-one, axis=1), -np.sort(-two, axis=1)], axis=1
    )


GRID = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
_FOLDS = 5


@dataclass(eq=False, repr=False)
class Unmasking(Verifier):
    """A linear SVM over curves of how well known and questioned text can be separated as words are removed.

    Texts by one author differ in few words: after these are removed, accuracy in 10-fold cross-validation decreases
    fast. Known documents are concatenated.

    ``2007``, recalled and partly checked against code: disjoint consecutive chunks of at least 500 words, the 250 words
    of highest average frequency over both texts, three strongest removed for either side in each of 10 rounds; the SVM
    over curves uses accuracies and drops. It needs texts of book length. ``2019``, from the code: 30 chunks of 600
    words drawn with replacement from a text of any length, five removed for either side until none is left, points
    max(0, 2 (accuracy − ½)), averaged over runs. Chunks share words across folds, so these curves are optimistic by
    design, in training and in the test. Our choice if sources say nothing: lowercase words, frequencies standardised
    over the chunks of a problem, C = 1 for the SVMs of a curve, two runs, accuracies averaged before points are computed.

    The answer is the logistic of the margin, our choice; |margin| < ``threshold`` is left unanswered, .1 in the
    published configuration of 2019; a smaller C makes smaller margins. Weights of classes and the loss, which the
    published grid also varies, are fixed: equal, and squared hinge.

    A text of fewer words than a chunk is not too short for the 2019 form, but its chunks are nearly copies of it: any
    two such texts are separated to the end, curves stay at 1 in both classes, and most margins are below the
    threshold (79 of 96 problems of PAN-2014's Dutch essays of some 400 words, with C = 1).

    Bugs of reimplementations are not repeated: accuracy is that of cross-validation, not of training, chunks
    are disjoint in the 2007 form, and a classifier decides, not the smallest sum.

    Expensive, three quarters of an hour of a core for a default run on newsgroups (``docs/scale.md``): each curve
    needs the cross-validation of a support vector machine in every round, and problems do not share curves.

    Parameters
    ----------
    form : {"2019", "2007"}
        The publication.
    words, chunks, features, drop, rounds, runs : int, optional
        Words of a chunk, chunks of a text (2019), features at the start, features removed for either side in a round,
        rounds, and repetitions (2019).
    C : float, optional
        C of the SVM over curves; by default the value of .001, .01 … 100 with the best accuracy in cross-validation on
        training curves, the smallest if equal (the code also searches a grid).
    threshold : float
        Margin below which a problem is left unanswered.
    seed : int
        Chunks are drawn by problem id, so that rewritten twins share draws.

    Attributes
    ----------
    C_ : float
    coef_ : (features of a curve,) float64
    intercept_ : float

    References
    ----------
    Koppel, Schler & Bonchek-Dokow 2007 (JMLR 8); Bevendorff et al. 2019 (NAACL) and its code.
    """

    name = "unmasking"
    reads = "words"
    version = 3
    symmetric = False
    provenance = "sourced"

    form: Literal["2019", "2007"] = "2019"
    words: Count | None = None
    chunks: Count | None = None
    features: int | None = None
    drop: int | None = None
    rounds: Count | None = None
    runs: Count | None = None
    C: float | None = None
    threshold: float = 0.1
    seed: int = 0

    def settings(self) -> Form:
        """Return the form with the given parameters. SpecError if a parameter is out of range."""
        if self.form not in FORMS:
            raise SpecError(
                f"unmasking has no form {self.form!r}",
                expected=", ".join(FORMS),
                fix=did_you_mean(self.form, FORMS),
            )
        names = ("words", "chunks", "features", "drop", "rounds", "runs")
        options = {name: value for name in names if (value := getattr(self, name)) is not None}
        chosen = replace(FORMS[self.form], **options)
        counts = (chosen.words, chosen.features, chosen.drop, chosen.runs, *options.values())
        if (
            min(counts) < 1
            or chosen.rounds < 3
            or not (self.C is None or self.C > 0)
            or not self.threshold >= 0
        ):
            raise SpecError(
                "a parameter of unmasking is out of range",
                found=str(self),
                expected="positive numbers, at least 3 rounds, threshold ≥ 0",
            )
        return chosen

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Learn from the curves of training problems.

        SpecError if a parameter is out of range. CorpusError if texts are too short for two chunks, or one class is
        absent.
        """
        features = self._features(problems)
        finite = ~np.isnan(features).any(axis=1)
        fix = "use unmasking(form='2019') for short texts" if self.form == "2007" else None
        long_enough = "problems with texts of two chunks or more"
        known = features[finite]
        truth = both_classes(
            np.asarray(same, dtype=bool)[finite], self.name, of=long_enough, fix=fix
        )
        self.C_ = (
            self._strength(known, problems.select(finite), truth) if self.C is None else self.C
        )
        model = _svm(self.C_).fit(known, truth)
        self.coef_: Floats = model.coef_[0]
        self.intercept_ = float(model.intercept_[0])
        return self

    def verify(self, problems: Problems) -> Floats:
        from scipy.special import expit

        # Not a matrix product: its rounding may depend on how many rows there are.
        margin = (self._features(problems) * self.coef_).sum(axis=1) + self.intercept_
        decided = np.abs(margin) >= self.threshold
        return np.asarray(np.where(decided, expit(margin), 0.5), dtype=np.float64)

    def _strength(self, features: Floats, problems: Problems, same: Bools) -> float:
        """The C with the best accuracy in cross-validation."""

        def right(rest: Bools, out: Bools) -> Floats:
            models = [_svm(C).fit(features[rest], same[rest]) for C in GRID]
            return np.stack([model.predict(features[out]) == same[out] for model in models], axis=1)

        folds = calibration_folds(problems, same, _FOLDS)
        margins = out_of_fold(right, folds, same, otherwise=0.0, columns=len(GRID))
        return GRID[int(np.argmax(margins.sum(axis=0)))]

    def _features(self, problems: Problems) -> Floats:
        curves = self.curves(problems)
        return meta_features(curves) if self.form == "2007" else points(curves)

    def curves(self, problems: Problems) -> Floats:
        """Return accuracies in cross-validation by round, (n, rounds); NaN if texts are too short."""
        chosen = self.settings()
        result = np.empty((len(problems), chosen.rounds))
        for i, (known, questioned) in enumerate(sides(problems, lambda text: words(lowered(text)))):
            rng = stream(self.seed, "unmasking", str(problems.ids[i]))
            result[i] = curve([word for text in known for word in text], questioned, chosen, rng)
        return result


def _svm(C: float) -> Any:
    from sklearn.svm import LinearSVC

    # The primal solver has no random order and ends in the same place every time.
    return LinearSVC(C=C, dual=False, tol=1e-8, max_iter=10_000)
