"""Turns raw scores into answers: ``Logistic``, ``ScaledLogistic``, ``ThresholdBand`` (two thresholds), ``LogOdds``.

In: raw scores (n,), NaN = none, and for ``fit`` truth (n,) bool, True = same author. The logistic calibrators also take
(n, f) in any range and learn the direction; ``ThresholdBand`` takes scores from 0 to 1 (others are clipped) and
``LogOdds`` log-likelihood ratios, both higher = same author.
Out: answers (n,) from 0 to 1, higher = same author, exactly 0.5 = unanswered. SpecError for several features instead of
one score; CorpusError if one class is absent or, without ``fallback``, too small for thresholds (never from
``LogOdds``). Helpers: from answers and truth, ``best_radius`` returns a half-width (0 to ``most``); from scores and
truth, ``best_band`` two thresholds (.01 to .98) and their score (0 to 1), ``scale_of`` centre and deviation;
``rescale``, ``apply_band`` and ``spread`` return numbers (n,) from 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from ravenbench.errors import CorpusError, SpecError
from ravenbench.metrics.calibration import newton
from ravenbench.text.tfidf import centre_of
from ravenbench.types import Base, Bools, Floats, Positive
from ravenbench.verifiers.contract.base import Calibrator
from ravenbench.verifiers.contract.folds import both_classes


def one_column(scores: Floats, name: str) -> Floats:
    """Return raw scores as (n,). SpecError if the scorer gives several features for each problem."""
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim == 2 and scores.shape[1] == 1:
        return scores[:, 0]
    if scores.ndim != 1:
        raise SpecError(
            f"{name} calibrates a single score",
            found=f"{scores.shape[1]} features for each problem",
            fix="use logistic",
        )
    return scores


def learnable(scores: Floats, same: Bools, name: str) -> tuple[Floats, Bools]:
    """Return scores and truth of the problems that a calibrator can learn from (their scores are numbers).

    NaN means that a scorer cannot tell (an empty text): the calibrator does not learn from these problems and
    leaves them unanswered. CorpusError if one class is absent.
    """
    usable = scored(scores)
    return scores[usable], both_classes(np.asarray(same, dtype=bool)[usable], name)


def scored(scores: Floats) -> Bools:
    """Return a mask (n,) bool of problems whose scores are all numbers."""
    is_scored = ~np.isnan(scores)
    return np.asarray(is_scored if scores.ndim == 1 else is_scored.all(axis=1), dtype=bool)


@dataclass(eq=False, repr=False)
class Logistic(Calibrator):
    """Probability of the same author by L2-regularised logistic regression; ``|p − 0.5| ≤ radius`` is a non-answer.

    Parameters
    ----------
    radius : float
        0 ≤ radius < 0.5; .05 in PAN20/21, .01 since. With 0, every problem is answered unless its log-odds are
        exactly 0.
    C : float
        Inverse strength of regularisation, on unscaled scores.
    prior : float, optional
        Expected share of same-author problems; log-odds are shifted from the training share to it.

    Attributes
    ----------
    coef_ : (f,) float64
    intercept_ : float
        Includes the prior's shift.
    """

    name = "logistic"

    radius: Annotated[float, Meta(ge=0, lt=0.5)] = 0.01
    C: Positive = 1.0
    prior: Annotated[float, Meta(gt=0, lt=1)] | None = None

    def fit(self, scores: Floats, same: Bools) -> Self:
        """Learn from scores (n,) or (n, f). CorpusError if one class is absent."""
        scores, same = learnable(table_of(scores), same, self.name)
        solution = newton(scores, same, np.full(len(same), self.C), 1.0, np.zeros(scores.shape[1]))
        self.coef_: Floats = solution[:-1]
        self.intercept_ = float(solution[-1])
        if self.prior is not None:
            share = float(same.mean())
            self.intercept_ += float(
                np.log(self.prior / (1 - self.prior)) - np.log(share / (1 - share))
            )
        return self

    def transform(self, scores: Floats) -> Floats:
        from scipy.special import expit

        scores = table_of(scores)
        # Not a matrix product: its rounding may depend on how many rows there are.
        odds = (scores * self.coef_).sum(axis=1) + self.intercept_
        probabilities: Floats = expit(odds)
        probabilities[(probabilities == 0.5) & (odds > 0)] = np.nextafter(0.5, 1)
        probabilities[(probabilities == 0.5) & (odds < 0)] = np.nextafter(0.5, 0)
        if self.radius:
            probabilities[np.abs(probabilities - 0.5) <= self.radius] = 0.5
        probabilities[~scored(scores)] = 0.5
        return probabilities


def table_of(scores: Floats) -> Floats:
    """Return scores as (n, f)."""
    scores = np.asarray(scores, dtype=np.float64)
    return scores[:, None] if scores.ndim == 1 else scores


@dataclass(eq=False, repr=False)
class ScaledLogistic(Logistic):
    """Like ``logistic``, but scores are first scaled to mean 0 and deviation 1.

    Regularisation acts on unscaled scores, so ``logistic`` always answers .5 if scores are between .00
    and .16; this calibrator does not depend on their scale. It is the default for a scorer that names no calibrator.

    Attributes
    ----------
    centre_, deviation_ : (f,) float64
        Centre and deviation of the training scores.
    """

    name = "scaled-logistic"

    def fit(self, scores: Floats, same: Bools) -> Self:
        # NaN is a scorer's way of saying that it cannot tell: such problems are not learned from.
        table, same = learnable(table_of(scores), same, self.name)
        self.centre_, self.deviation_ = centre_of(table)
        return super().fit((table - self.centre_) / self.deviation_, same)

    def transform(self, scores: Floats) -> Floats:
        return super().transform((table_of(scores) - self.centre_) / self.deviation_)


@dataclass(eq=False, repr=False)
class LogOdds(Calibrator):
    """Reads a score as the logarithm of a likelihood ratio: the answer is 1 / (1 + base^−score), at even prior odds.

    For scores that are on this scale without training data, such as those of ``lambdag(correction='hapax')``. A score
    of 0, or a missing score, is unanswered.

    Parameters
    ----------
    base : float
        Base of the logarithm.
    """

    name = "log-odds"

    base: Base = 2.0

    def fit(self, scores: Floats, same: Bools) -> Self:
        """Return itself: there is nothing to learn. SpecError if the scorer gives several features for each problem."""
        one_column(scores, self.name)
        return self

    def transform(self, scores: Floats) -> Floats:
        scores = one_column(scores, self.name)
        # Beyond 500 the answer is 0 or 1 in any case.
        bounded = np.clip(np.where(np.isnan(scores), 0.0, scores) * np.log(self.base), -500, 500)
        answers: Floats = 1 / (1 + np.exp(-bounded))
        return np.where(
            (answers == 0.5) & (bounded != 0), np.nextafter(0.5, np.sign(bounded)), answers
        )


def best_radius(answers: Floats, same: Bools, most: float = 0.1) -> float:
    """Return the half-width r ≤ ``most`` that maximises c@1 when |answer − 0.5| ≤ r is left unanswered.

    Use out-of-fold answers: on the answers that a method was fitted to, no band looks useful. Of equal half-widths, the
    smallest is taken; 0 leaves out only answers that are already 0.5.
    """
    distance = np.abs(answers - 0.5)
    radii = np.unique(np.concatenate([[0.0], distance[distance <= most]]))
    right = ((answers > 0.5) == same) & (answers != 0.5)
    values = []
    for radius in radii:
        answered = distance > radius
        correct = int((right & answered).sum())
        values.append(correct * (2 * len(same) - int(answered.sum())))
    return float(radii[int(np.argmax(values))])


def apply_band(answers: Floats, radius: float) -> Floats:
    """Return answers (n,) from 0 to 1, those with |answer − 0.5| ≤ radius set to 0.5."""
    return np.where(np.abs(answers - 0.5) <= radius, 0.5, answers)


THRESHOLDS = np.arange(1, 99) / 100
_LOW, _HIGH = np.triu_indices(len(THRESHOLDS), 1)
DECIMALS = 12
"""Overall scores are equal if they agree to this many decimals; then the first is the best."""


def rescale(scores: Floats, p1: float, p2: float) -> Floats:
    """Return answers by two thresholds: scores clipped to [0, 1], s ≤ p1 to [0, .49], s ≥ p2 to [.51, 1], others to 0.5."""
    clipped = np.clip(scores, 0.0, 1.0)
    answers = np.full(clipped.shape, 0.5)
    answers[clipped <= p1] = 0.49 * clipped[clipped <= p1] / p1
    answers[clipped >= p2] = np.minimum(1.0, 0.51 + 0.49 * (clipped[clipped >= p2] - p2) / (1 - p2))
    return answers


def best_band(scores: Floats, same: Bools, metrics: int = 4) -> tuple[float, float, float]:
    """Return the first best p1 < p2 (.01 to .98) and its overall score (0 to 1); scores (n,) are clipped to [0, 1], and both
    classes must be present."""
    value = np.round(overall_of_bands(scores, same, metrics)[_LOW, _HIGH], DECIMALS)
    best = int(np.argmax(value))
    return float(THRESHOLDS[_LOW[best]]), float(THRESHOLDS[_HIGH[best]]), float(value[best])


def overall_of_bands(scores: Floats, same: Bools, metrics: int = 4) -> Floats:
    """Return the overall score (0 to 1) of every band, (98, 98) by index of p1 and p2; only p1 < p2 is valid.

    Two thresholds keep the order of scores outside the band and tie those inside, so only pairs within it change the
    AUC: it loses ``(U − ½·P·N) / (all pairs)``, where U counts concordant pairs inside (ties ½) and P, N its
    positives and negatives. Everything else is a count of scores below or above a threshold. Scores are put into 197
    cells (the 98 thresholds and the open intervals between them), and cumulative sums give every combination.
    """
    clipped = np.clip(scores, 0.0, 1.0)
    n = len(clipped)
    positives = int(same.sum())
    negatives = n - positives
    cell = np.searchsorted(THRESHOLDS, clipped, "left") + np.searchsorted(
        THRESHOLDS, clipped, "right"
    )
    others = np.sort(clipped[~same])
    wins = np.searchsorted(others, clipped[same], "left") + np.searchsorted(
        others, clipped[same], "right"
    )

    def below(cells: NDArray[Any], weights: Floats | None = None) -> Floats:
        """Sums over all cells before each, (198,)."""
        return np.concatenate(
            [[0.0], np.cumsum(np.bincount(cells, weights, 2 * len(THRESHOLDS) + 1))]
        )

    p = below(cell[same])
    q = below(cell[~same])
    u = below(cell[same], wins / 2)
    # Threshold k is cell 2k + 1: at most p1 lies before its end, at least p2 from its start on.
    i = (2 * np.arange(len(THRESHOLDS)) + 2)[:, None]
    j = 2 * np.arange(len(THRESHOLDS)) + 1
    fn = p[i]
    tn = q[i]
    tp = positives - p[j]
    fp = negatives - q[j]
    mid_p = p[j] - p[i]
    mid_q = q[j] - q[i]
    inside = u[j] - u[i] - q[i] * mid_p
    auc = (u[-1] - inside + mid_p * mid_q / 2) / (positives * negatives)
    unanswered = mid_p + mid_q
    correct = tp + tn
    c_at_1 = (correct + unanswered * correct / n) / n
    f05u = _ratio(1.25 * tp, 1.25 * tp + 0.25 * (fn + unanswered) + fp)
    f1 = _ratio(2 * tp, 2 * tp + fp + fn)
    total = auc + c_at_1 + f05u + f1
    if metrics == 4:
        return np.asarray(total / 4)
    s1 = below(cell, clipped)
    s2 = below(cell, clipped * clipped)
    s1_p = below(cell[same], clipped[same])
    a = 0.49 / THRESHOLDS[:, None]
    b = 0.49 / (1 - THRESHOLDS)
    c = 0.51 - b * THRESHOLDS
    lower = a * a * s2[i] - 2 * a * s1_p[i] + fn
    upper = b * b * (s2[-1] - s2[j]) + 2 * b * c * (s1[-1] - s1[j]) + c * c * (tp + fp)
    upper += tp - 2 * b * (s1_p[-1] - s1_p[j]) - 2 * c * tp
    return np.asarray((total + 1 - (lower + upper + unanswered / 4) / n) / 5)


def _ratio(top: Floats, bottom: Floats) -> Floats:
    return np.divide(top, bottom, out=np.zeros(np.broadcast(top, bottom).shape), where=bottom != 0)


@dataclass(eq=False, repr=False)
class ThresholdBand(Calibrator):
    """Answers by the two thresholds p1 < p2 in {.01, …, .98} with the best overall score on calibration problems.

    All 4,753 combinations are tried; of equal combinations, the first (smallest p1, then p2) is kept. Values are not
    rounded, unlike PAN's, whose three decimals produce ties.

    Parameters
    ----------
    metrics : 4 or 5
        Number of averaged metrics: AUC, c@1, F0.5u, F1 (PAN20, HITS), or these and Brier (PAN22 and later).
    enough : int
        Minimum number of problems of each class; with fewer, the grid only fits noise.
    fallback : bool
        With fewer, calibrate by ``logistic`` and say so in ``fallback_``; if False, raise an error.

    Attributes
    ----------
    p1_, p2_ : float
    overall_ : float
        Their overall score on the calibration problems.
    fallback_ : str or None
        Why the grid was not used.
    """

    name = "threshold-band"

    metrics: Literal[4, 5] = 4
    enough: int = 50
    fallback: bool = True

    def fit(self, scores: Floats, same: Bools) -> Self:
        """Learn from scores (n,).

        SpecError if there are several features for each problem. CorpusError if one class is absent, or has too few problems
        and ``fallback`` is off.
        """
        scores, same = learnable(one_column(scores, self.name), same, self.name)
        positives = int(same.sum())
        negatives = int((~same).sum())
        self.fallback_: str | None = None
        if min(positives, negatives) < self.enough:
            counts = f"{positives} same-author and {negatives} different-author problems"
            if not self.fallback:
                raise CorpusError(
                    "too few calibration problems for the threshold grid",
                    found=counts,
                    expected=f"at least {self.enough} of each",
                    fix="use logistic, or set enough lower",
                )
            self.fallback_ = f"{counts} for calibration, fewer than {self.enough} of each, so logistic is used instead"
            self.logistic_ = Logistic().fit(scores, same)
            return self
        self.p1_, self.p2_, self.overall_ = best_band(scores, same, self.metrics)
        return self

    def transform(self, scores: Floats) -> Floats:
        scores = one_column(scores, self.name)
        if self.fallback_ is not None:
            return self.logistic_.transform(scores)
        answers = rescale(scores, self.p1_, self.p2_)
        answers[~scored(scores)] = 0.5
        return answers


def scale_of(scores: Floats, same: Bools | None = None) -> tuple[float, float]:
    """Return centre and deviation of scores; with truth, as if both classes were equally frequent.

    Cosines of trained embeddings or of masked texts may all be between .95 and 1; neither the grid of thresholds
    nor a logistic curve can distinguish them.
    """
    weight = np.ones(len(scores))
    if same is not None and same.any() and not same.all():
        weight = np.where(same, 1 / same.sum(), 1 / (~same).sum())
    centre = float(np.average(scores, weights=weight))
    return centre, max(float(np.sqrt(np.average((scores - centre) ** 2, weights=weight))), 1e-6)


def spread(scores: Floats, scale: tuple[float, float]) -> Floats:
    """Return scores (n,) mapped into (0, 1) in their order, by a logistic curve about the centre."""
    centre, deviation = scale
    return np.asarray(1 / (1 + np.exp(-(scores - centre) / deviation)), dtype=np.float64)
