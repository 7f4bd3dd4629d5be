"""Measures what an attack did to one method, with 95 % intervals: on verifiers' decisions, on attribution's scores.

In: ``effect``: truth and labels before and after, (n,), and a mask (n,) of attacked problems; ``verification_effect``:
truth (bool) and a verifier's answers, 0 to 1; ``impact_intervals``: which verifiers were right before (V, P) and after
(seeds, V, P); ``attribution_change``: ``Texts`` and pairs (named authors, ranks of the true authors), before and for
each seed after.
Out: an ``Effect``, ``VerificationEffect``, ``ImpactIntervals`` or ``AttributionChange``: impact from −1 to 1 (positive:
the attacker wins), accuracy, recall and macro F1 from 0 to 1, their changes (after − before), ranks (1 = best), counts
of problems. InputError if lengths differ, no problem was attacked, or an answer is out of range. Helpers:
``best_threshold`` (unit of answers, or ±∞), ``average_impact``, ``dismissals`` (numbers of ``REASONS``, or None).

Counting is the same for attribution and for verification: a method maps problems to labels (authors, or "nobody" for
open sets; for verification "same" and "different"), and some of the problems were attacked. For attribution, Raven
resamples authors with all their questioned texts, by the same draws before and after the attack. A text by none of the
candidates counts as by a separate author. An author drawn twice counts twice in macro F1.

References
----------
Potthast, Hagen & Stein 2016, Author Obfuscation: Attacking the State of the Art in Authorship Verification (CLEF
working notes), sections 3 to 5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.errors import InputError
from ravenbench.metrics.base import checked
from ravenbench.metrics.pan import scores
from ravenbench.randomness import stream
from ravenbench.statistics.estimates import percentiles
from ravenbench.statistics.novel_topics import sign_flip
from ravenbench.types import Bools, Floats, Interval, Ints

NOISE = 0.1
WEAK = 0.6
SMALL = 20
SHIFT = 0.1
"""Limits of the four dismissals: impact, prior accuracy, attacked problems, change on untouched problems."""

REASONS = {
    1: "the gain is so small that it may be noise",
    2: "the method was hardly better than guessing before the attack",
    3: "few problems were attacked",
    4: (
        "its answers to unchanged problems changed too, because they depend on other problems of"
        " the batch"
    ),
}
"""Reasons why a method's gain from an obfuscation may be harmless."""


@dataclass(frozen=True)
class Effect:
    """The effect of an attack on one method: accuracy and recall from 0 to 1, their changes from −1 to 1, and counts of
    problems.

    ``accuracy`` is over all problems, ``recall`` over attacked problems, both before the attack; ``delta_*`` are
    after minus before. ``delta_rest`` is the change of accuracy on untouched problems (in verification, of the
    true-negative rate), None without such problems. ``lost`` and ``gained`` count attacked problems whose answer
    became wrong or right, ``rest_lost`` and ``rest_gained`` untouched problems.
    """

    problems: int
    attacked: int
    accuracy: float
    delta_acc: float
    recall: float
    delta_rec: float
    delta_rest: float | None
    lost: int
    gained: int
    rest_lost: int
    rest_gained: int

    @property
    def impact(self) -> float:
        """Return the impact on recall, −1 to 1, as :func:`impact` defines it."""
        return float(impact(self.recall, self.recall + self.delta_rec))


def impact(recall: ArrayLike, attacked: ArrayLike) -> Floats:
    """Return the impact of an attack on recall, elementwise, from −1 to 1; positive if the attacker wins.

    A loss is divided by the largest possible loss, a gain by the largest possible gain; 0 without change.
    """
    before = np.asarray(recall, dtype=np.float64)
    after = np.asarray(attacked, dtype=np.float64)
    change = after - before
    change = np.where(np.abs(change) < 1e-12, 0.0, change)
    room = np.where(change < 0, before, 1 - before)
    return np.divide(-change, room, out=np.zeros_like(change), where=change != 0)


def effect(truth: ArrayLike, before: ArrayLike, after: ArrayLike, attacked: ArrayLike) -> Effect:
    """Return the ``Effect`` of an attack, from a method's labels before and after it.

    InputError if lengths differ or no problem was attacked. ``truth``, ``before`` and ``after`` (n,) are labels of one
    kind: author names or codes, or booleans in verification. "Nobody" is a label like others; it is right if it is the
    truth. ``attacked`` (n,) marks the problems whose text was rewritten.
    """
    gold = np.asarray(truth)
    answers_before = np.asarray(before)
    second = np.asarray(after)
    hit = np.asarray(attacked, dtype=bool)
    if not gold.shape == answers_before.shape == second.shape == hit.shape or gold.ndim != 1:
        raise InputError(
            "truth, labels and attacked problems have different lengths",
            found=(gold.shape, answers_before.shape),
        )
    if not hit.any():
        raise InputError("no problem was attacked", expected="at least one")
    right = answers_before == gold
    still = second == gold
    lost = right & ~still
    gained = ~right & still
    n = len(gold)
    k = int(hit.sum())

    def change(where: Bools) -> int:
        return int(gained[where].sum()) - int(lost[where].sum())

    return Effect(
        problems=n,
        attacked=k,
        accuracy=float(right.mean()),
        delta_acc=(change(hit) + change(~hit)) / n,
        recall=float(right[hit].mean()),
        delta_rec=change(hit) / k,
        delta_rest=change(~hit) / (n - k) if n > k else None,
        lost=int(lost[hit].sum()),
        gained=int(gained[hit].sum()),
        rest_lost=int(lost[~hit].sum()),
        rest_gained=int(gained[~hit].sum()),
    )


def best_threshold(same: ArrayLike, value: ArrayLike) -> float:
    """Return the threshold, in the unit of the answers, with the highest accuracy if answers at or above it mean "same
    author" (an oracle's choice).

    Among equally accurate thresholds, one that splits the problems comes first, then the nearest to 0.5, then the
    larger. A threshold that gives all problems one label is ±∞: Raven cannot evaluate such a method.
    """
    truth, values, _ = checked(same, value)
    # The lowest value itself would label every problem "same": that is −∞.
    candidates: list[float] = [-math.inf, *np.unique(values)[1:].tolist(), math.inf]

    def merit(threshold: float) -> tuple[int, bool, float, float]:
        finite = math.isfinite(threshold)
        correct = int(((values >= threshold) == truth).sum())
        return correct, finite, -abs(threshold - 0.5) if finite else 0.0, threshold

    return max(candidates, key=merit)


@dataclass(frozen=True)
class VerificationEffect:
    """The effect of an obfuscation on one verifier: decisions at ``threshold``, and metrics without a threshold.

    ``excluded`` says why the verifier does not count in averages; None if it does. ``delta_auc``, ``delta_c1`` and
    ``delta_final`` compare the answers to the whole test set; c@1 decides at 0.5, not at ``threshold``. None if
    undefined.
    """

    threshold: float | None
    effect: Effect
    delta_auc: float | None
    delta_c1: float | None
    delta_final: float | None
    excluded: str | None = None


def verification_effect(same: ArrayLike, before: ArrayLike, after: ArrayLike) -> VerificationEffect:
    """Return the ``VerificationEffect``, from a verifier's answers (n,), 0 to 1, before and after the obfuscation of
    same-author problems.

    InputError if an answer is not a number from 0 to 1, or there is no same-author problem.
    """
    truth, ranked_before, _ = checked(same, before)
    _, second, _ = checked(same, after)
    threshold = best_threshold(truth, ranked_before)
    was = scores(truth, ranked_before)
    scores_after = scores(truth, second)

    def change(metric: str) -> float | None:
        value_before = was[metric]
        value_after = scores_after[metric]
        return None if value_before is None or value_after is None else value_after - value_before

    return VerificationEffect(
        threshold=threshold if math.isfinite(threshold) else None,
        effect=effect(truth, ranked_before >= threshold, second >= threshold, truth),
        delta_auc=change("auc"),
        delta_c1=change("c@1"),
        delta_final=change("final"),
        excluded=(
            None
            if math.isfinite(threshold)
            else "no threshold is better than the same answer to all problems"
        ),
    )


def average_impact(effects: Iterable[Effect]) -> float | None:
    """Return the mean of impacts, −1 to 1, including negative impacts; None without impacts."""
    impacts = [effect.impact for effect in effects]
    return float(np.mean(impacts)) if impacts else None


def dismissals(effect: Effect) -> tuple[int, ...] | None:
    """Return the numbers of all ``REASONS`` why a method's gain from an attack may be harmless.

    None if it did not gain; empty if it gained and no reason applies (the paper prints "?").
    """
    gain = effect.impact
    if gain >= 0:
        return None
    applies = {
        1: gain > -NOISE,
        2: effect.accuracy < WEAK,
        3: effect.attacked < SMALL,
        4: gain < -NOISE and effect.delta_rest is not None and effect.delta_rest < -SHIFT,
    }
    return tuple(number for number, holds in applies.items() if holds)


IMPACT_REPLICATES = 4000


@dataclass(frozen=True, eq=False)
class ImpactIntervals:
    """95 % intervals: of the average impact, by the units resampled, and of each verifier's impact over problems (V)."""

    average: Interval | None
    problems: Interval | None
    verifiers: Interval | None
    each: tuple[Interval, ...]


def impact_intervals(
    before: Bools, after: Bools, *, clusters: Ints | None = None
) -> ImpactIntervals:
    """Return the 95 % ``ImpactIntervals`` of impact (−1 to 1), by resampling attacked problems and verifiers.

    ``before`` (V, P) says whether each verifier was right on each attacked problem (thresholds stay the same),
    ``after`` (S, V, P) the same after the attack, for each of its seeds; impacts are averaged over seeds. ``clusters``
    (P,) are the authors of problems, from 0 without gaps: Raven then resamples authors with all their problems.
    ``average`` resamples problems and verifiers; all verifiers get the same problems. None if V or P is 0.
    """
    count, size = before.shape
    if not count or not size:
        return ImpactIntervals(None, None, None, ())
    rng = stream(0, "impact-intervals", count, size)
    units = size if clusters is None else int(clusters.max()) + 1
    weights = rng.multinomial(units, np.full(units, 1 / units), size=IMPACT_REPLICATES) / units
    if clusters is not None:
        weights = weights[:, clusters] / weights[:, clusters].sum(axis=1, keepdims=True)
    drawn = rng.multinomial(count, np.full(count, 1 / count), size=IMPACT_REPLICATES) / count
    impacts = _mean_impact(weights, before, after)
    observed = _mean_impact(np.full((1, size), 1 / size), before, after)

    return ImpactIntervals(
        average=percentiles(
            (impacts * drawn).sum(axis=1), min(units, count) if count > 1 else units
        ),
        problems=percentiles(impacts.mean(axis=1), units),
        verifiers=percentiles((observed * drawn).sum(axis=1), count) if count > 1 else None,
        each=tuple(percentiles(impacts[:, verifier], units) for verifier in range(count)),
    )


def _mean_impact(weights: Floats, before: Bools, after: Bools) -> Floats:
    """The impact on each verifier under each weighting of the problems, (B, V)."""
    recall = weights @ before.T
    return np.asarray(
        np.mean([impact(recall, weights @ recall_after.T) for recall_after in after], axis=0)
    )


REPLICATES = 2000


@dataclass(frozen=True)
class Change:
    """A score before and after an attack (a mean over its seeds), and the 95 % interval of after minus before."""

    before: float
    after: float
    interval: Interval

    @property
    def delta(self) -> float:
        """Return after minus before, in the unit of the score."""
        return self.after - self.before


@dataclass(frozen=True)
class AttributionChange:
    """``accuracy`` and ``macro_f1``, 0 to 1, over all texts; ``rank`` of the true author over attacked texts (1 = best;
    None if the method gives no order); ``p`` of a sign-flip test over authors whose null hypothesis is that the method
    recognises as many attacked texts as before.
    """

    accuracy: Change
    macro_f1: Change
    rank: Change | None
    p: float


@dataclass(frozen=True, eq=False)
class Texts:
    """Questioned texts: ``truth`` (n,) has the numbers of their authors over all problems (−1: nobody), ``problem``
    (n,) the number of the problem of each, ``attacked`` (n,) says which were rewritten."""

    truth: Ints
    problem: Ints
    attacked: Bools

    @property
    def clusters(self) -> Ints:
        """Return numbers of authors from 0 without gaps; each text by nobody has a separate number."""
        nobody = self.truth < 0
        cluster_of = np.where(
            nobody, self.truth.max(initial=-1) + 1 + np.cumsum(nobody), self.truth
        )
        return np.unique(cluster_of, return_inverse=True)[1].astype(np.int64)


def attribution_change(
    texts: Texts, before: tuple[Ints, Floats], after: list[tuple[Ints, Floats]]
) -> AttributionChange:
    """Return the ``AttributionChange`` from a method's answers before and after an attack, one of ``after`` for each of
    its seeds.

    Answers are numbers (n,) of the authors named (−1: nobody), and the rank (n,) of the true author (NaN without one).
    """
    clusters = texts.clusters
    units = int(clusters.max()) + 1
    drawn = stream(0, "attribution-change", units).multinomial(
        units, np.full(units, 1 / units), size=REPLICATES
    )
    weights = np.vstack([np.ones((1, units)), drawn])[:, clusters]

    def change(score: Callable[[Ints, Floats], Floats]) -> Change:
        score_before = score(*before)
        second = np.mean([score(*answers_after) for answers_after in after], axis=0)
        return Change(
            float(score_before[0]),
            float(second[0]),
            percentiles((second - score_before)[1:], units),
        )

    def accuracy(predicted: Ints, rank: Floats) -> Floats:
        return np.asarray(weights @ (predicted == texts.truth) / weights.sum(axis=1))

    def mean_rank(predicted: Ints, rank: Floats) -> Floats:
        weights_of_texts = weights[:, texts.attacked]
        with np.errstate(invalid="ignore"):
            return np.asarray(
                weights_of_texts @ rank[texts.attacked] / weights_of_texts.sum(axis=1)
            )

    ranked = not any(np.isnan(rank[texts.attacked]).any() for _, rank in (before, *after))
    right = [
        np.asarray(predicted == texts.truth, dtype=np.float64) for predicted, _ in (before, *after)
    ]
    moved = np.where(texts.attacked, np.mean(right[1:], axis=0) - right[0], 0.0)
    return AttributionChange(
        change(accuracy),
        change(lambda predicted, rank: macro_f1(weights, texts, predicted)),
        change(mean_rank) if ranked else None,
        sign_flip(np.bincount(clusters, moved), pair="attribution"),
    )


def macro_f1(weights: Floats, texts: Texts, predicted: Ints) -> Floats:
    """Return PAN's macro F1 for each weighting of the texts (B, n), a mean over problems; with weights of 1 it equals
    that of ``reading.pan_attribution``."""
    by_problem = []
    for problem in np.unique(texts.problem):
        rows_of_problem = texts.problem == problem
        total = np.zeros(len(weights))
        counted = np.zeros(len(weights))
        for author in np.unique(texts.truth[rows_of_problem & (texts.truth >= 0)]):
            true = rows_of_problem & (texts.truth == author)
            predicted_here = rows_of_problem & (predicted == author)
            size = weights[:, true].sum(axis=1)
            denominators = size + weights[:, predicted_here].sum(axis=1)
            hit = weights[:, true & predicted_here].sum(axis=1)
            share = size / true.sum()
            total += share * np.divide(
                2 * hit, denominators, out=np.zeros_like(denominators), where=denominators > 0
            )
            counted += share
        by_problem.append(
            np.divide(total, counted, out=np.full_like(total, np.nan), where=counted > 0)
        )
    rows = np.array(by_problem)
    answered = ~np.isnan(rows)
    sums = np.where(answered, rows, 0).sum(axis=0)
    return np.asarray(
        np.divide(
            sums, answered.sum(axis=0), out=np.full_like(sums, np.nan), where=answered.any(axis=0)
        )
    )
