"""What an attack did: to verifiers (bootstrap intervals of impact, over problems, over verifiers and over both) and to
an attribution method (scores before and after, with intervals over authors and a test).

For attribution, authors are drawn with all their questioned texts, the same draws before and after the attack. A text
by nobody among the candidates is an author of its own. An author drawn twice counts twice in macro F1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ravenbench.metrics.safety import impact
from ravenbench.randomness import stream
from ravenbench.statistics.estimates import Interval, percentiles
from ravenbench.statistics.novel_topics import sign_flip
from ravenbench.types import Bools, Floats, Ints

IMPACT_REPLICATES = 4000


@dataclass(frozen=True, eq=False)
class ImpactIntervals:
    """95 % intervals: of the average impact by what is drawn, and of each verifier's impact over problems (V)."""

    average: Interval | None
    problems: Interval | None
    verifiers: Interval | None
    each: tuple[Interval, ...]


def impact_intervals(before: Bools, after: Bools, *, clusters: Ints | None = None) -> ImpactIntervals:
    """Intervals of impact by resampling attacked problems and verifiers.

    ``before`` (V, P) says whether each verifier was right on each attacked problem (thresholds stay as they are),
    ``after`` (S, V, P) the same after the attack, for each of its seeds, over which impacts are averaged. ``clusters``
    (P,) are the authors of problems, from 0 without gaps: authors are then drawn instead, with all their problems.
    ``average`` draws problems and verifiers; all verifiers see the same problems. None where V or P is 0.
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
        average=percentiles((impacts * drawn).sum(axis=1), min(units, count) if count > 1 else units),
        problems=percentiles(impacts.mean(axis=1), units),
        verifiers=percentiles((observed * drawn).sum(axis=1), count) if count > 1 else None,
        each=tuple(percentiles(impacts[:, v], units) for v in range(count)),
    )


def _mean_impact(weights: Floats, before: Bools, after: Bools) -> Floats:
    """The impact on each verifier under each weighting of the problems, (B, V)."""
    recall = weights @ before.T
    return np.asarray(np.mean([impact(recall, weights @ one.T) for one in after], axis=0))


REPLICATES = 2000


@dataclass(frozen=True)
class Change:
    """A score before and after an attack (a mean over its seeds), and the 95 % interval of after minus before."""

    before: float
    after: float
    interval: Interval

    @property
    def delta(self) -> float:
        """After minus before."""
        return self.after - self.before


@dataclass(frozen=True)
class AttributionChange:
    """``accuracy`` and ``macro_f1`` over all texts, ``rank`` of the true author over attacked ones (1 best; None where
    the method gives no order); ``p`` of a sign-flip test over authors that as many attacked texts are recognised."""

    accuracy: Change
    macro_f1: Change
    rank: Change | None
    p: float


@dataclass(frozen=True, eq=False)
class Texts:
    """Questioned texts: ``truth`` (n,) numbers their authors over all problems (−1: nobody), ``problem`` (n,) numbers
    the problem of each, ``attacked`` (n,) says which were rewritten."""

    truth: Ints
    problem: Ints
    attacked: Bools

    @property
    def clusters(self) -> Ints:
        """Numbers of authors from 0 without gaps; each text by nobody has its own."""
        nobody = self.truth < 0
        whose = np.where(nobody, self.truth.max(initial=-1) + 1 + np.cumsum(nobody), self.truth)
        return np.unique(whose, return_inverse=True)[1].astype(np.int64)


def attribution_change(
    texts: Texts, before: tuple[Ints, Floats], after: list[tuple[Ints, Floats]]
) -> AttributionChange:
    """Compare a method's answers before and after an attack, one of ``after`` for each of its seeds.

    Answers are numbers (n,) of the authors named (−1: nobody), and the rank (n,) of the true author (NaN where there is
    none).
    """
    clusters = texts.clusters
    units = int(clusters.max()) + 1
    drawn = stream(0, "attribution-change", units).multinomial(units, np.full(units, 1 / units), size=REPLICATES)
    weights = np.vstack([np.ones((1, units)), drawn])[:, clusters]

    def change(score: Callable[[Ints, Floats], Floats]) -> Change:
        first = score(*before)
        second = np.mean([score(*one) for one in after], axis=0)
        return Change(float(first[0]), float(second[0]), percentiles((second - first)[1:], units))

    def accuracy(predicted: Ints, rank: Floats) -> Floats:
        return np.asarray(weights @ (predicted == texts.truth) / weights.sum(axis=1))

    def mean_rank(predicted: Ints, rank: Floats) -> Floats:
        weights_of_texts = weights[:, texts.attacked]
        with np.errstate(invalid="ignore"):
            return np.asarray(weights_of_texts @ rank[texts.attacked] / weights_of_texts.sum(axis=1))

    ranked = not any(np.isnan(rank[texts.attacked]).any() for _, rank in (before, *after))
    right = [np.asarray(predicted == texts.truth, dtype=np.float64) for predicted, _ in (before, *after)]
    moved = np.where(texts.attacked, np.mean(right[1:], axis=0) - right[0], 0.0)
    return AttributionChange(
        change(accuracy), change(lambda predicted, rank: macro_f1(weights, texts, predicted)),
        change(mean_rank) if ranked else None, sign_flip(np.bincount(clusters, moved), pair="attribution"),
    )  # fmt: skip


def macro_f1(weights: Floats, texts: Texts, predicted: Ints) -> Floats:
    """PAN's macro F1 under each weighting of the texts (B, n), a mean over problems; with weights of 1 it is that of
    ``formats.pan_attribution``."""
    by_problem = []
    for problem in np.unique(texts.problem):
        here = texts.problem == problem
        total, counted = np.zeros(len(weights)), np.zeros(len(weights))
        for author in np.unique(texts.truth[here & (texts.truth >= 0)]):
            true, said = here & (texts.truth == author), here & (predicted == author)
            size = weights[:, true].sum(axis=1)
            both = size + weights[:, said].sum(axis=1)
            hit = weights[:, true & said].sum(axis=1)
            share = size / true.sum()
            total += share * np.divide(2 * hit, both, out=np.zeros_like(both), where=both > 0)
            counted += share
        by_problem.append(np.divide(total, counted, out=np.full_like(total, np.nan), where=counted > 0))
    rows = np.array(by_problem)
    there = ~np.isnan(rows)
    sums = np.where(there, rows, 0).sum(axis=0)
    return np.asarray(np.divide(sums, there.sum(axis=0), out=np.full_like(sums, np.nan), where=there.any(axis=0)))
