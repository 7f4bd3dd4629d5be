"""Resamples problems: bootstrap intervals of metrics and their differences, and approximate randomization tests.

In: ``bootstrap``: systems as ``rank(truth, answers, decisions)`` gives them ((n,) bool; 0 to 1, higher = same author;
0, 0.5 or 1), truth, author codes (n, 2) or None, ``Metric`` objects by name; ``randomization_test``: truth, two
``AnsweredProblems``, a metric; both: counts of resamplings, a seed.
Out: ``Replicates``, with intervals (low, high) in the unit of the metric, None if undefined (also in more than 5 %
of resamplings); or the two-sided p of a test, 0 to 1, None if undefined. SpecError for an unknown metric. Helpers:
``weighted_sums`` returns ``Sums``; ``problem_weights``, ``part_weights``, ``author_weights`` return counts (n, BLOCK) of
how often each problem is drawn.

The kernel of all resampling, including randomization, is a sweep: problems are sorted once for each system, and one
sweep then gives the sums of a whole block of weightings. All numbers except the squared error are integers, stored as
float64, so results are exact and do not depend on order.

*Bootstrap.* Raven resamples problems with replacement. If the authors of each problem are known, it resamples authors,
and a problem counts as often as its authors were drawn together (the pigeonhole bootstrap). All systems get the same
draws, so differences between them have intervals too.

A different-author problem then varies with two authors, and the problem's specific effect enters the variance three
times (2 + 1 of the product), although the sandwich formula for dyads has it once. Raven therefore shrinks replicates
towards the observed value until their variance is that of the formula (it measures the surplus by resampling only
different-author problems), but never below the variance of resampling problems.

Intervals are Hesterberg's expanded percentile intervals: at their tails a normal interval would be as wide as Student's
for the number of units drawn.

*Randomization.* Under the null hypothesis that two systems are alike, swapping their answers to any problem changes
nothing. Each trial swaps every problem with probability ½ and recomputes the difference; p is the proportion of trials
with a difference at least as large as the observed one, with the +1 of Monte Carlo tests. If very few trials have such
a difference, a metric of counts gets more trials, as many as a correction for many pairs needs; p then comes from all
trials. (Under the null p ≤ α at most as often as α, because only results of the first trials below α continue.)

Metrics of counts need no swapping: only problems on which the two systems differ in kind (right, wrong, unanswered,
within one class of truth) matter, and the number of swapped problems of each kind is a binomial draw. With at most 20
such problems all outcomes are enumerated, without the +1; for accuracy the exact sign test replaces this at any size.

References
----------
Owen 2007, The pigeonhole bootstrap. Annals of Applied Statistics 1(2).
Snijders & Borgatti 1999, Non-parametric standard errors and tests for network statistics. Connections 22(2).
Aronow, Samii & Assenova 2015, Cluster-robust variance estimation for dyadic data. Political Analysis 23(4).
Hesterberg 2015, What teachers should know about the bootstrap. The American Statistician 69(4).
Noreen 1989, Computer Intensive Methods for Testing Hypotheses.
Yeh 2000, More accurate tests for the statistical significance of result differences.
Stamatatos et al. 2014, PAN overview, Table 9.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.metrics.base import Counted, Metric, Sums, categories, measure, metrics_of
from ravenbench.metrics.pan import METRICS
from ravenbench.randomness import stream
from ravenbench.statistics.estimates import percentiles
from ravenbench.statistics.ranks import sign_test
from ravenbench.types import Bools, Floats, Interval, Ints

BLOCK = 16
"""Weightings swept together: a row of the weights is then one cache line of int32."""

Weights = NDArray[np.int32]


class Ranked(NamedTuple):
    """A system's n problems in ascending order of answer.

    ``order`` (n,) is their row in the weights, ``category`` (n,) their field of :class:`Sums`, ``close`` (n,)
    marks the ends of ties, after which pairs can be counted, ``loss`` (n,) is the squared error, ``value`` (n,) the
    answer.
    """

    order: NDArray[np.int32]
    category: NDArray[np.uint8]
    close: Bools
    loss: Floats
    value: Floats


def rank(same: Bools, value: Floats, decision: Floats) -> Ranked:
    """Return a system's problems in ascending order of answer, (n,), for :func:`weighted_sums` (checked arrays)."""
    order = np.argsort(value, kind="stable")
    category = categories(same, decision)[order]
    sorted_value = value[order]
    positive = category < 3
    ends = np.flatnonzero(np.append(np.diff(sorted_value) > 0, True))
    starts = np.append(0, ends[:-1] + 1)
    share = np.add.reduceat(positive.astype(np.int64), starts) / (ends - starts + 1)
    # A tie group of one class, followed by another of that class, can wait: no pair lies between them.
    waits = np.append((share[:-1] == share[1:]) & np.isin(share[:-1], (0.0, 1.0)), False)
    close = np.zeros(len(value), dtype=np.bool_)
    close[ends[~waits]] = True
    return Ranked(
        order.astype(np.int32), category, close, np.square(value - same)[order], sorted_value
    )


@njit(cache=True, nogil=True)
def _sweep(
    order: NDArray[np.int32],
    category: NDArray[np.uint8],
    close: Bools,
    loss: Floats,
    weights: Weights,
    out: Floats,
) -> None:
    """Add up ``out`` (8, BLOCK), in the order of the fields of Sums, for ``weights`` (rows, BLOCK)."""
    below = np.zeros(BLOCK)
    group = np.zeros((2, BLOCK))
    out[:] = 0.0
    for k in range(len(order)):
        row = weights[order[k]]
        cell = out[category[k]]
        side = group[category[k] // 3]
        for j in range(BLOCK):
            weight = float(row[j])
            cell[j] += weight
            side[j] += weight
            out[7, j] += weight * loss[k]
        if close[k]:
            for j in range(BLOCK):
                out[6, j] += group[0, j] * (2.0 * below[j] + group[1, j])
                below[j] += group[1, j]
                group[0, j] = 0.0
                group[1, j] = 0.0


def weighted_sums(ranked: Ranked, weights: Weights) -> Sums:
    """Return the sums of one system for BLOCK weightings.

    ``weights``, (n, BLOCK), are how often each problem occurs in each weighting.

    Returns
    -------
    Sums
        Arrays of shape (BLOCK,).
    """
    out = np.empty((8, BLOCK))
    _sweep(ranked.order, ranked.category, ranked.close, ranked.loss, weights, out)
    return Sums(*out)


def replicated(metric: Metric, ranked: Ranked, weights: Weights) -> Floats:
    """Return any metric of one system under weightings (n, b), (b,): each problem is repeated by its weight."""
    truth = ranked.category < 3
    rows = weights[ranked.order]
    return np.array(
        [
            measure(metric, np.repeat(truth, repeats), np.repeat(ranked.value, repeats))
            for repeats in rows.T
        ]
    )


VARIANCE_REPLICATES = 800
"""Replicates that measure a variance only (its relative error is then 5 %)."""
FEWER = 2_000
"""Most replicates of a metric that is not a formula over counts: each is worked out for itself."""


@dataclass(frozen=True, eq=False)
class Replicates:
    """The metrics, in their own units, of S systems under B resamplings of the problems.

    ``values[metric]`` is (S, B), NaN if the metric is undefined on a resample; ``observed[metric]`` (S,);
    ``units`` is the number of problems or authors drawn. If authors were drawn, ``problems[metric]`` (S, C)
    contains replicates that resample problems, and ``different[metric]`` (S, C) replicates that resample only
    different-author problems; otherwise both are None.
    """

    values: Mapping[str, Floats]
    observed: Mapping[str, Floats]
    units: int
    problems: Mapping[str, Floats] | None = None
    different: Mapping[str, Floats] | None = None

    def interval(self, metric: str, system: int, level: float = 0.95) -> Interval | None:
        """Return the interval (low, high) of one system's metric, in its unit; None if undefined."""
        return self._interval(metric, level, lambda values: values[system])

    def difference(self, metric: str, a: int, b: int, level: float = 0.95) -> Interval | None:
        """Return the interval (low, high) of system a's metric minus system b's, in its unit; None if undefined."""
        return self._interval(metric, level, lambda values: values[a] - values[b])

    def _interval(
        self, metric: str, level: float, estimate: Callable[[Floats], Floats]
    ) -> Interval | None:
        values = estimate(self.values[metric])
        observed = float(estimate(self.observed[metric]))
        defined = values[~np.isnan(values)]
        if np.isnan(observed) or len(defined) < 0.95 * len(values):
            return None
        if self.problems is not None and self.different is not None:
            variance = float(np.var(defined))
            wanted = variance - 2 * float(np.nanvar(estimate(self.different[metric])))
            wanted = max(wanted, float(np.nanvar(estimate(self.problems[metric]))))
            defined = observed + np.sqrt(min(1.0, wanted / variance) if variance > 0 else 1.0) * (
                defined - observed
            )
        return percentiles(defined, self.units, level)


def bootstrap(
    systems: Sequence[Ranked],
    same: Bools,
    *,
    authors: Ints | None = None,
    replicates: int = 10_000,
    seed: int = 0,
    workers: int = 1,
    metrics: Mapping[str, Metric] = METRICS,
) -> Replicates:
    """Return the ``Replicates`` of every metric of every system, by resampling problems (or authors).

    ``systems`` are answers to the same n problems; with ``authors`` (n, 2), codes ≥ 0 of the two sides of each problem,
    Raven resamples authors. It makes ``replicates`` resamplings, at most ``FEWER`` for a metric that is not a formula
    over counts. Results depend on the seed, not on ``workers``: each block of resamplings has a separate random stream
    (Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 13).
    """
    n = len(same)

    def run(
        count: int, draw: Callable[[int], Weights], threads: int = workers
    ) -> dict[str, Floats]:
        return _run(systems, count, threads, draw, metrics)

    unweighted = run(1, lambda _block: np.ones((n, BLOCK), dtype=np.int32), 1)
    observed = {name: value[:, 0] for name, value in unweighted.items()}
    if authors is None:
        return Replicates(
            run(replicates, lambda block: problem_weights(n, seed, block)), observed, n
        )
    left_authors, right = _sides(authors)
    units = int(max(left_authors.max(), right.max())) + 1
    different = np.flatnonzero(left_authors != right)
    return Replicates(
        run(replicates, lambda block: author_weights(left_authors, right, units, seed, block)),
        observed,
        units,
        run(VARIANCE_REPLICATES, lambda block: problem_weights(n, seed, block)),
        run(VARIANCE_REPLICATES, lambda block: part_weights(different, n, seed, block)),
    )


def _run(
    systems: Sequence[Ranked],
    replicates: int,
    workers: int,
    draw: Callable[[int], Weights],
    metrics: Mapping[str, Metric],
) -> dict[str, Floats]:
    def one(block: int) -> Floats:
        weights = draw(block)
        return np.array([list(weighted_sums(ranked, weights)) for ranked in systems])

    blocks = range(-(-replicates // BLOCK))
    with ThreadPoolExecutor(max(1, workers)) as pool:
        fields = np.concatenate(list(pool.map(one, blocks)), axis=2)[:, :, :replicates]
    sums = Sums(*fields.swapaxes(0, 1))
    batch = min(replicates, FEWER)

    def own(metric: Metric) -> Floats:
        drawn = [draw(block) for block in range(-(-batch // BLOCK))]
        with warnings.catch_warnings():
            # A resampling without one of the classes leaves most metrics undefined.
            warnings.simplefilter("ignore", RuntimeWarning)
            blocks = [
                [replicated(metric, ranked, weights) for ranked in systems] for weights in drawn
            ]
        return np.concatenate(blocks, axis=1)[:, :batch]

    return {
        name: metric.of(sums) if isinstance(metric, Counted) else own(metric)
        for name, metric in metrics.items()
    }


def _sides(authors: Ints) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Authors that carry the resampling of each problem.

    An author who occurs in one problem only has no effect apart from that problem's: the problem then moves with
    its other author only.
    """
    left_codes = authors[:, 0].copy()
    right = authors[:, 1].copy()
    distinct = left_codes != right
    occurs = (
        np.bincount(left_codes)
        if not distinct.any()
        else np.bincount(np.concatenate([left_codes, right[distinct]]))
    )
    alone = distinct & (occurs[left_codes] == 1)
    left_codes[alone] = right[alone]
    alone = distinct & (occurs[right] == 1) & ~alone
    right[alone] = left_codes[alone]
    left_codes, right = np.unique(np.stack([left_codes, right]), return_inverse=True)[1].reshape(
        2, -1
    )
    return left_codes.astype(np.int32), right.astype(np.int32)


def problem_weights(n: int, seed: int, block: int) -> Weights:
    """Return how often each of n problems is drawn in BLOCK resamplings, (n, BLOCK)."""
    weights = np.zeros((n, BLOCK), dtype=np.int32)
    _tally(stream(seed, "bootstrap", block).integers(0, n, (BLOCK, n), dtype=np.int32), weights)
    return weights


def part_weights(part: Ints, n: int, seed: int, block: int) -> Weights:
    """Return how often each problem is drawn if only the problems of one part are resampled, (n, BLOCK)."""
    weights = np.ones((n, BLOCK), dtype=np.int32)
    if len(part):
        weights[part] = problem_weights(len(part), seed, block)
    return weights


def author_weights(
    left_authors: NDArray[np.int32], right: NDArray[np.int32], units: int, seed: int, block: int
) -> Weights:
    """Return the product of the draws of a problem's two authors (of one author: that author's draws), (n, BLOCK)."""
    drawn = problem_weights(units, seed, block)
    weights = np.empty((len(left_authors), BLOCK), dtype=np.int32)
    _product(drawn, left_authors, right, weights)
    return weights


@njit(cache=True, nogil=True)
def _tally(drawn: NDArray[np.int32], weights: Weights) -> None:
    """Count each row of ``drawn`` (BLOCK, n) into a column of ``weights`` (n, BLOCK)."""
    for replicate in range(drawn.shape[0]):
        for i in range(drawn.shape[1]):
            weights[drawn[replicate, i], replicate] += 1


@njit(cache=True, nogil=True)
def _product(
    drawn: Weights, left_authors: NDArray[np.int32], right: NDArray[np.int32], weights: Weights
) -> None:
    for i in range(len(left_authors)):
        left_weight = left_authors[i]
        right_weight = right[i]
        for j in range(BLOCK):
            weights[i, j] = (
                drawn[left_weight, j]
                if left_weight == right_weight
                else drawn[left_weight, j] * drawn[right_weight, j]
            )


TRIALS = 10_000
FEWER_TRIALS = 2_000
"""Most trials of a metric that is not a formula over counts: each is worked out for itself."""
FEW = 20
"""Trials as far apart as the systems are, up to which more trials are drawn."""
EXACT_LIMIT = 20
_PART = 100_000
TOLERANCE = 1e-12
"""Trials this close to the observed difference count as equal to it: the metrics are ratios in floating point."""

_INTEGER: dict[str, Callable[[Sums], Floats]] = {
    "accuracy": lambda sums: sums.correct,
    "c@1": lambda sums: sums.correct * (sums.n + sums.unanswered),
}
COUNTED = ("accuracy", "c@1", "f05u", "f05u_2020", "f1", "precision", "recall")
"""Metrics that depend on counts only."""


class AnsweredProblems(NamedTuple):
    """The checked answers of one system, 0 to 1: ``value`` (n,), and ``decision`` (n,), 0.5 = unanswered."""

    value: Floats
    decision: Floats


def randomization_test(
    same: Bools,
    a: AnsweredProblems,
    b: AnsweredProblems,
    metric: str | Metric,
    *,
    trials: int = TRIALS,
    most: int = 0,
    seed: int = 0,
    pair: str = "",
) -> float | None:
    """Return the two-sided p, 0 to 1, for the hypothesis that systems a and b are alike in a metric; None if the metric
    is undefined for either.

    If the test is not exact, it has ``trials`` Monte Carlo trials; a metric of counts gets ``most`` in all if at
    most ``FEW`` of the first have a difference as large as the observed one. Random draws depend on ``seed``, ``pair``
    and the metric only, so give each pair a different label. SpecError for an unknown metric.
    """
    ((name, chosen),) = metrics_of([metric]).items()
    if name in COUNTED and isinstance(chosen, Counted):
        return _count_test(same, a, b, chosen, trials, most, seed, pair)
    return swap_test(same, a, b, chosen, trials=trials, seed=seed, pair=pair)


def _count_test(
    same: Bools,
    left: AnsweredProblems,
    b: AnsweredProblems,
    metric: Counted,
    trials: int,
    exact_up_to: int,
    seed: int,
    pair: str,
) -> float | None:
    from scipy.special import comb

    of_a = categories(same, left.decision)
    of_b = categories(same, b.decision)
    joint = np.bincount(of_a.astype(np.int64) * 6 + of_b, minlength=36).reshape(6, 6)
    name = str(metric)
    if name == "accuracy":
        right = np.isin(np.arange(6), (0, 4))
        return sign_test(int(joint[right][:, ~right].sum()), int(joint[~right][:, right].sum()))
    formula = _INTEGER.get(name, metric.of)
    kinds = [
        k
        for k in (*combinations(range(3), 2), *combinations(range(3, 6), 2))
        if joint[k] + joint[k[::-1]] > 0
    ]
    sizes = np.array([joint[k] + joint[k[::-1]] for k in kinds], dtype=np.int64)
    of_both = (joint.sum(axis=1).astype(np.float64), joint.sum(axis=0).astype(np.float64))

    def gap(firsts: NDArray[np.int64]) -> Floats:
        """|difference| where ``firsts`` (kinds, t) problems of a kind have a's answer of the first sort."""
        left_counts, right = (
            np.repeat(counts[:, None], firsts.shape[1], axis=1) for counts in of_both
        )
        for (first_kind, second), chosen_firsts in zip(kinds, firsts, strict=True):
            moved = chosen_firsts - joint[first_kind, second]
            left_counts[first_kind] += moved
            left_counts[second] -= moved
            right[first_kind] -= moved
            right[second] += moved
        return np.abs(formula(_counts(left_counts)) - formula(_counts(right)))

    observed = gap(np.array([[joint[k]] for k in kinds], dtype=np.int64).reshape(len(kinds), 1))[0]
    if np.isnan(observed):
        return None
    if not kinds:
        return 1.0
    if sizes.sum() <= EXACT_LIMIT:
        firsts = np.indices(tuple(sizes + 1)).reshape(len(kinds), -1)
        ways = comb(sizes[:, None], firsts).prod(axis=0)
        return float(ways[_as_far(gap(firsts), observed)].sum() / 2.0 ** int(sizes.sum()))
    rng = stream(seed, "randomization", str(metric), pair)

    def far(trials: int) -> int:
        firsts = rng.binomial(sizes[:, None], 0.5, (len(kinds), trials)).astype(np.int64)
        return int(_as_far(gap(firsts), observed).sum())

    count = far(trials)
    if count <= FEW and exact_up_to > trials:
        for start in range(trials, exact_up_to, _PART):
            count += far(min(_PART, exact_up_to - start))
        trials = exact_up_to
    return (count + 1) / (trials + 1)


def _counts(cells: Floats) -> Sums:
    tp, fn, up, fp, tn, un = cells
    nothing = np.zeros_like(tp)
    return Sums(tp, fn, up, fp, tn, un, nothing, nothing)


def _as_far(gap: Floats, observed: Floats) -> Bools:
    """Trials whose difference is at least the observed one; an undefined trial counts, which is conservative."""
    return ~(gap < observed - TOLERANCE * max(1.0, float(observed)))


def swap_test(
    same: Bools,
    a: AnsweredProblems,
    b: AnsweredProblems,
    metric: Metric,
    *,
    trials: int = 10_000,
    seed: int = 0,
    pair: str = "",
) -> float | None:
    """Return the two-sided p, 0 to 1, of the randomization test that swaps answers problem by problem, which AUC, Brier
    and their combinations need.

    The answers of both systems are sorted once, together; a trial assigns each to one of the two.
    """
    trials = trials if isinstance(metric, Counted) else min(trials, FEWER_TRIALS)
    ranked_both = rank(
        np.tile(same, 2),
        np.concatenate([a.value, b.value]),
        np.concatenate([a.decision, b.decision]),
    )
    n = len(same)

    def gap(swapped: NDArray[np.int32]) -> Floats:
        unswapped = 1 - swapped
        sides = (np.concatenate([unswapped, swapped]), np.concatenate([swapped, unswapped]))
        left_values, right = (
            (
                metric.of(weighted_sums(ranked_both, side))
                if isinstance(metric, Counted)
                else replicated(metric, ranked_both, side)
            )
            for side in sides
        )
        return np.abs(left_values - right)

    observed = gap(np.zeros((n, BLOCK), dtype=np.int32))[0]
    if np.isnan(observed):
        return None
    differ = np.flatnonzero((a.value != b.value) | (a.decision != b.decision))
    swapped = np.zeros((n, BLOCK), dtype=np.int32)
    if len(differ) <= EXACT_LIMIT:
        patterns = np.arange(2 ** len(differ), dtype=np.int64)
        bits = ((patterns[:, None] >> np.arange(len(differ))) & 1).astype(np.int32)
        far = 0
        for start in range(0, len(patterns), BLOCK):
            swaps = bits[start : start + BLOCK].T
            swapped[differ, : swaps.shape[1]] = swaps
            far += int(_as_far(gap(swapped), observed)[: swaps.shape[1]].sum())
        return far / len(patterns)
    rng = stream(seed, "randomization", str(metric), pair)
    far = 0
    for start in range(0, trials, BLOCK):
        _unpack_bits(np.frombuffer(rng.bytes(2 * n), dtype=np.uint16), swapped)
        far += int(_as_far(gap(swapped), observed)[: trials - start].sum())
    return (far + 1) / (trials + 1)


@njit(cache=True, nogil=True)
def _unpack_bits(bits: NDArray[np.uint16], swapped: Weights) -> None:
    """Write the 16 bits of each number into a row of ``swapped`` (n, BLOCK)."""
    for i in range(len(bits)):
        for j in range(BLOCK):
            swapped[i, j] = (bits[i] >> j) & 1
