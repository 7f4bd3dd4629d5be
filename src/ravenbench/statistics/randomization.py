"""Approximate randomization: whether two systems could have exchanged their answers.

Under the null hypothesis that two systems are alike, swapping their answers to any problem changes nothing. Each
trial swaps every problem with probability ½ and recomputes the difference; p is the share of trials at least as
far apart as the systems are, with the +1 of Monte Carlo tests. Where hardly any trial is as far apart, a metric of
counts is given more of them, as many as a correction for many pairs needs: p is that of all trials then. (It is at
most α no more often than α under the null: what goes on is a part of what the first trials would put there.)

Metrics of counts need no swapping: only problems on which the two differ in kind (right, wrong, unanswered, within
one class of truth) matter, and how many of each kind are swapped is a binomial draw. With at most 20 such problems
all outcomes are enumerated, without the +1; for accuracy the exact sign test stands in at any size.

References
----------
Noreen 1989, Computer Intensive Methods for Testing Hypotheses.
Yeh 2000, More accurate tests for the statistical significance of result differences.
Stamatatos et al. 2014, PAN overview, Table 9.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from math import comb
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.metrics.base import Counted, Metric, Sums, categories, metrics_of
from ravenbench.randomness import stream
from ravenbench.statistics.bootstrap import BLOCK, Weights, rank, replicated, weighted_sums
from ravenbench.statistics.ranks import sign_test
from ravenbench.types import Bools, Floats

TRIALS = 10_000
FEWER_TRIALS = 2_000
"""Most trials of a metric that is no formula over counts: each is worked out for itself."""
FEW = 20
"""Trials as far apart as the systems are, up to which more trials are drawn."""
EXACT_LIMIT = 20
_PART = 100_000
TOLERANCE = 1e-12
"""Trials this close to the observed difference count as equal to it: the metrics are ratios in floating point."""

_INTEGER: dict[str, Callable[[Sums], Floats]] = {
    "accuracy": lambda s: s.correct,
    "c@1": lambda s: s.correct * (s.n + s.unanswered),
}
COUNTED = ("accuracy", "c@1", "f05u", "f05u_2020", "f1", "precision", "recall")
"""Metrics that depend on counts only."""


class AnsweredProblems(NamedTuple):
    """The checked answers of one system: ``value`` and ``decision`` (n,)."""

    value: Floats
    decision: Floats


def randomization_test(
    same: Bools, a: AnsweredProblems, b: AnsweredProblems, metric: str | Metric, *, trials: int = TRIALS, most: int = 0,
    seed: int = 0, pair: str = "",
) -> float | None:  # fmt: skip
    """Two-sided p that systems a and b are alike in a metric; None where it is undefined for either.

    Where the test is not exact there are ``trials`` Monte Carlo trials, ``most`` in all of a metric of counts where at
    most ``FEW`` of the first are as far apart as the systems. Random draws depend on ``seed``, ``pair`` and the metric
    only: give each pair its own label. SpecError if there is no such metric.
    """
    ((name, chosen),) = metrics_of([metric]).items()
    if name in COUNTED and isinstance(chosen, Counted):
        return _count_test(same, a, b, chosen, trials, most, seed, pair)
    return swap_test(same, a, b, chosen, trials=trials, seed=seed, pair=pair)


def _count_test(
    same: Bools, a: AnsweredProblems, b: AnsweredProblems, metric: Counted, trials: int, most: int, seed: int, pair: str
) -> float | None:
    of_a, of_b = categories(same, a.decision), categories(same, b.decision)
    joint = np.bincount(of_a.astype(np.int64) * 6 + of_b, minlength=36).reshape(6, 6)
    name = str(metric)
    if name == "accuracy":
        right = np.isin(np.arange(6), (0, 4))
        return sign_test(int(joint[right][:, ~right].sum()), int(joint[~right][:, right].sum()))
    formula = _INTEGER.get(name, metric.of)
    kinds = [k for k in (*combinations(range(3), 2), *combinations(range(3, 6), 2)) if joint[k] + joint[k[::-1]] > 0]
    sizes = np.array([joint[k] + joint[k[::-1]] for k in kinds], dtype=np.int64)
    of_both = (joint.sum(axis=1).astype(np.float64), joint.sum(axis=0).astype(np.float64))

    def gap(firsts: NDArray[np.int64]) -> Floats:
        """|difference| where ``firsts`` (kinds, t) problems of a kind have a's answer of the first sort."""
        left, right = (np.repeat(counts[:, None], firsts.shape[1], axis=1) for counts in of_both)
        for (first, second), now in zip(kinds, firsts, strict=True):
            moved = now - joint[first, second]
            left[first] += moved
            left[second] -= moved
            right[first] -= moved
            right[second] += moved
        return np.abs(formula(_counts(left)) - formula(_counts(right)))

    observed = gap(np.array([[joint[k]] for k in kinds], dtype=np.int64).reshape(len(kinds), 1))[0]
    if np.isnan(observed):
        return None
    if not kinds:
        return 1.0
    if sizes.sum() <= EXACT_LIMIT:
        firsts = np.array(list(product(*(range(size + 1) for size in sizes))), dtype=np.int64).reshape(-1, len(kinds)).T
        ways = np.ones(firsts.shape[1])
        for size, row in zip(sizes, firsts, strict=True):
            ways *= np.array([comb(int(size), k) for k in range(size + 1)], dtype=np.float64)[row]
        return float(ways[_as_far(gap(firsts), observed)].sum() / 2.0 ** int(sizes.sum()))
    rng = stream(seed, "randomization", str(metric), pair)

    def far(trials: int) -> int:
        firsts = rng.binomial(sizes[:, None], 0.5, (len(kinds), trials)).astype(np.int64)
        return int(_as_far(gap(firsts), observed).sum())

    count = far(trials)
    if count <= FEW and most > trials:
        for start in range(trials, most, _PART):
            count += far(min(_PART, most - start))
        trials = most
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
    """The randomization test that swaps answers problem by problem, as AUC, Brier and what contains them need.

    The answers of both systems are sorted once, together; a trial says which of them belong to which.
    """
    trials = trials if isinstance(metric, Counted) else min(trials, FEWER_TRIALS)
    both = rank(np.tile(same, 2), np.concatenate([a.value, b.value]), np.concatenate([a.decision, b.decision]))
    n = len(same)

    def gap(swapped: NDArray[np.int32]) -> Floats:
        unswapped = 1 - swapped
        sides = (np.concatenate([unswapped, swapped]), np.concatenate([swapped, unswapped]))
        left, right = (
            metric.of(weighted_sums(both, side)) if isinstance(metric, Counted) else replicated(metric, both, side)
            for side in sides
        )
        return np.abs(left - right)

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
            part = bits[start : start + BLOCK].T
            swapped[differ, : part.shape[1]] = part
            far += int(_as_far(gap(swapped), observed)[: part.shape[1]].sum())
        return far / len(patterns)
    rng = stream(seed, "randomization", str(metric), pair)
    far = 0
    for start in range(0, trials, BLOCK):
        _spread(np.frombuffer(rng.bytes(2 * n), dtype=np.uint16), swapped)
        far += int(_as_far(gap(swapped), observed)[: trials - start].sum())
    return (far + 1) / (trials + 1)


@njit(cache=True, nogil=True)
def _spread(bits: NDArray[np.uint16], swapped: Weights) -> None:
    """Write the 16 bits of each number into a row of ``swapped`` (n, BLOCK)."""
    for i in range(len(bits)):
        for j in range(BLOCK):
            swapped[i, j] = (bits[i] >> j) & 1
