"""What a run's sweep shows: similarity and ranking stability over m, samplers and encoders (HITS, 2024, §7).

The paper has one corpus a design and gives plain means. Here a figure is taken in each pool and averaged over pools,
with an interval over pools that allows for their overlap, and designs are compared within pools. With one pool there is
no interval (contract 7).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ravenbench.bench.run.record import PointRecord, RunPlan
from ravenbench.reports.cells import Failure
from ravenbench.reports.run.fold_rows import SHOWN, FoldRow, fold_rows
from ravenbench.statistics.pools import pool_mean
from ravenbench.statistics.ranks import ranking_stability
from ravenbench.types import Floats

if TYPE_CHECKING:
    from ravenbench.store.records import FoldRecord
    from ravenbench.store.store import Store

AVERAGE = "average"
"""Mean of the stability in the shown metrics, as in the paper's Tables 8–10."""


@dataclass(frozen=True)
class Estimate:
    """A mean over pools with its 95 % interval (None with one pool); ``pools`` the value of each, None if undefined."""

    mean: float | None
    interval: tuple[float, float] | None
    pools: tuple[float | None, ...]


@dataclass(frozen=True)
class Point:
    """One design of a sweep: a setup with m topics, chosen by an encoder.

    ``mean_similarity`` and ``max_similarity`` are cosines over train × test topics, mean over folds, in the sweep's
    first encoder, whichever chose. ``stability`` is Spearman's ρ between the rankings of verifiers on two folds of a
    pool, by metric and on average. ``merged`` is how many topics joined a chosen one and ``test_pairs`` the pairs of a
    test set, both means; ``shared`` is the share of chosen topics that the same setup chooses by the first encoder.
    """

    setup: str
    m: int
    encoder: str
    mean_similarity: Estimate
    max_similarity: Estimate
    stability: Mapping[str, Estimate]
    merged: float
    test_pairs: float
    shared: float


@dataclass(frozen=True)
class Sweep:
    """All points of a sweep; the main design is the first m and the first encoder. ``pools`` are their topics."""

    m: tuple[int, ...]
    encoders: tuple[str, ...]
    samplers: Mapping[str, str]
    pools: tuple[tuple[int, ...], ...]
    points: tuple[Point, ...]
    failures: tuple[Failure, ...]

    def point(self, setup: str, m: int, encoder: str) -> Point:
        """The point of these names."""
        return next(p for p in self.points if (p.setup, p.m, p.encoder) == (setup, m, encoder))

    def contrast(self, a: Point, b: Point) -> Estimate:
        """Average stability of a less that of b, pool by pool."""
        pairs = zip(a.stability[AVERAGE].pools, b.stability[AVERAGE].pools, strict=True)
        return estimate([None if x is None or y is None else x - y for x, y in pairs], self.pools, 2.0)


def sweeping(store: Store, names: Sequence[str], known: Sequence[FoldRow]) -> Sweep | None:
    """The sweep of a run, None where it has none; ``known`` are the rows of its main setups."""
    plan = store.plan_as(RunPlan)
    section = plan.sweep
    if section is None:
        return None
    rows = {row.name: row for row in known}
    wanted = {f: s.setup for s in section.setups for f in s.folds if f not in rows}
    found, failures = fold_rows(store, names, wanted.items())
    rows |= {row.name: row for row in found}
    pools = tuple(tuple(pool.topics) for pool in plan.pools)
    places = dict.fromkeys((s.setup, s.m, s.encoder) for s in section.setups)
    by_place = {p: [s for s in section.setups if (s.setup, s.m, s.encoder) == p] for p in places}
    return Sweep(
        m=tuple(section.m),
        encoders=tuple(section.encoders),
        samplers=section.samplers,
        pools=pools,
        points=tuple(
            Point(
                setup=setup,
                m=m,
                encoder=section.encoders[encoder],
                mean_similarity=estimate([s.mean_similarity for s in entries], pools),
                max_similarity=estimate([s.max_similarity for s in entries], pools),
                stability=_stability([[rows[f] for f in s.folds] for s in entries], names, pools),
                merged=float(np.mean([len(s.merged) for s in entries])),
                test_pairs=float(np.mean([_tested(rows[f].info) for s in entries for f in s.folds])),
                shared=float(np.mean([_shared(*pair) for pair in zip(entries, by_place[setup, m, 0], strict=True)])),
            )
            for (setup, m, encoder), entries in by_place.items()
        ),
        failures=failures,
    )


def estimate(values: Sequence[float | None], pools: Sequence[Sequence[int]], most: float = 1.0) -> Estimate:
    """Mean over the pools that have a value, with its interval, cut to what can be: from −most to most."""
    kept = [(value, pool) for value, pool in zip(values, pools, strict=True) if value is not None]
    if not kept:
        return Estimate(None, None, tuple(values))
    found = pool_mean([value for value, _ in kept], [pool for _, pool in kept])
    interval = found.interval and (max(found.interval[0], -most), min(found.interval[1], most))
    return Estimate(found.mean, interval, tuple(values))


def _stability(
    folds: Sequence[Sequence[FoldRow]], names: Sequence[str], pools: Sequence[Sequence[int]]
) -> dict[str, Estimate]:
    """By metric, of folds by pool; nothing is ranked where there is one verifier."""
    each: dict[str, list[float | None]] = {metric: [_rho(rows, names, metric) for rows in folds] for metric in SHOWN}
    average: list[float | None] = []
    for pool in range(len(folds)):
        known = [rho for metric in SHOWN if (rho := each[metric][pool]) is not None]
        average.append(float(np.mean(known)) if known else None)
    return {metric: estimate(values, pools) for metric, values in {**each, AVERAGE: average}.items()}


def _rho(rows: Sequence[FoldRow], names: Sequence[str], metric: str) -> float | None:
    kept = [[r.scores.get(name, {}).get(metric) for name in names] for r in rows]
    complete = [values for values in kept if None not in values]
    if len(names) < 2 or len(complete) < 2:
        return None
    matrix: Floats = np.array(complete, dtype=np.float64)
    return ranking_stability(matrix).rho


def _tested(info: FoldRecord) -> int:
    return 0 if info.counts is None else info.counts.test.total


def _shared(entry: PointRecord, first: PointRecord) -> float:
    return len(set(entry.topics) & set(first.topics)) / len(entry.topics)
