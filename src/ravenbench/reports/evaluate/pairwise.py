"""Systems in pairs: which differences are more than chance, and which systems cannot be told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ravenbench.formats.answers import Truth
from ravenbench.metrics.base import Metric
from ravenbench.reports.evaluate.records import PairTest
from ravenbench.statistics.ranks import tie_groups
from ravenbench.statistics.significance import holm
from ravenbench.types import Bools, Floats, Ints

LEAST_STARS = 1_000
"""Trials for each pair from which on a corrected p below .001, which is three stars, can be."""

if TYPE_CHECKING:
    from ravenbench.statistics.bootstrap import Replicates
    from ravenbench.statistics.randomization import Answered


def author_codes(truth: Truth) -> Ints | None:
    """Author codes ≥ 0; a problem without authors is given its own, and a same-author problem one author."""
    if truth.authors is None:
        return None
    authors, start = truth.authors.astype(np.int64), int(truth.authors.max()) + 1
    fresh = start + np.arange(authors.size).reshape(authors.shape)
    authors = np.where(authors < 0, fresh, authors)
    authors[truth.same, 1] = authors[truth.same, 0]
    return authors


def test_pairs(
    same: Bools,
    answered: Mapping[str, Answered],
    tests: Mapping[str, Metric],
    resampled: Replicates,
    trials: int | None,
    level: float,
    seed: int,
    workers: int,
) -> tuple[PairTest, ...]:
    """Every pair of systems in every tested metric: difference, interval, p raw and corrected by Holm.

    Without ``trials`` there are as many as a corrected p below .001 needs, in metrics of counts.
    """
    from ravenbench.statistics.randomization import TRIALS, randomization_test

    names = list(answered)
    jobs = [(metric, i, j) for metric in tests for i, j in combinations(range(len(names)), 2)]

    most = 0 if trials is not None else most_trials(len(names))

    def test(job: tuple[str, int, int]) -> float | None:
        metric, i, j = job
        a, b = names[i], names[j]
        return randomization_test(
            same, answered[a], answered[b], tests[metric], trials=TRIALS if trials is None else trials, most=most,
            seed=seed, pair=f"{a}\x1f{b}",
        )  # fmt: skip

    with ThreadPoolExecutor(max(1, workers)) as pool:
        raw = list(pool.map(test, jobs))
        intervals = list(pool.map(lambda job: resampled.difference(job[0], job[1], job[2], level), jobs))
    corrected: dict[int, float] = {}
    for metric in tests:
        defined = [k for k, job in enumerate(jobs) if job[0] == metric and raw[k] is not None]
        corrected |= dict(zip(defined, holm([raw[k] for k in defined]).tolist(), strict=True))  # type: ignore[arg-type]
    found = []
    for k, (metric, i, j) in enumerate(jobs):
        gap = float(resampled.observed[metric][i] - resampled.observed[metric][j])
        known = None if np.isnan(gap) else gap
        found.append(PairTest(names[i], names[j], metric, known, intervals[k], raw[k], corrected.get(k)))
    return tuple(found)


def most_trials(systems: int) -> int:
    """Trials with which the smallest p that Holm corrects for all pairs of systems is below .001."""
    return LEAST_STARS * (systems * (systems - 1) // 2)


def groups_of(
    names: Sequence[str], pairs: Sequence[PairTest], metric: str, observed: Floats, alpha: float
) -> dict[str, int]:
    """The rank of each system: 1 for the best and those that no test tells from it."""
    apart = np.zeros((len(names), len(names)), dtype=np.bool_)
    for pair in pairs:
        if pair.metric == metric and pair.p_holm is not None and pair.p_holm <= alpha:
            i, j = names.index(pair.a), names.index(pair.b)
            apart[i, j] = apart[j, i] = True
    return dict(zip(names, tie_groups(observed[: len(names)], apart).tolist(), strict=True))
