"""Computes every figure of the report of ``raven run`` from the run's store.

In: the ``Store`` of ``raven run``.
Out: an ``Analysis`` with ``Setup`` (a way of choosing topics), ``Result`` (one verifier in one setup), ``Shortcut``
and ``FoldRow`` records, ``Sweep`` with ``Point``s: metrics from 0 to 1 (chosen ones in their unit), differences of a
metric, similarities are cosines, ranks from 1 = best, p two-sided from 0 to 1, sizes are counts (means over folds), ρ
from −1 to 1; None where undefined. ``title`` gives text.

Follows the paper's Tables 1, 2, 4, 5, 6, 7 and 11 (HITS and RAVEN, 2024), made precise in Raven's notes: ± is
the sample standard deviation over a setup's folds, pools and seeds together; two setups are compared on the
folds complete in both (contract 14).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ravenbench.metrics.base import Metric, metrics_of, title_of
from ravenbench.metrics.pan import TITLES
from ravenbench.reports.answers import Answer
from ravenbench.reports.cells import Failure, failure, mean, without_score
from ravenbench.reports.content import ContentProbe, content_probe
from ravenbench.reports.view import Number
from ravenbench.statistics.estimates import correlation, detectable, pool_mean
from ravenbench.statistics.ranks import ranking_stability, t_test
from ravenbench.store.records import FoldRecord, Head, PairCounts, Sides
from ravenbench.tasks.run.probes import (
    LengthRow,
    Probing,
    Stratum,
    length_rows,
    misleading,
    probing,
    strata,
)
from ravenbench.tasks.run.record import PointRecord, RunPlan
from ravenbench.tasks.run.setups import no_choice
from ravenbench.tasks.run.variants import Variants, spread_of, variants
from ravenbench.types import Floats, Interval, Measures

if TYPE_CHECKING:
    from ravenbench.store.store import Store


SHOWN = ("auc", "c@1", "f05u", "f1", "overall")
"""Metrics of the paper's Table 2."""


@dataclass(frozen=True)
class FoldRow:
    """One fold: its manifest entry and, by verifier that completed it, the metrics by name (None where undefined)."""

    name: str
    setup: str
    info: FoldRecord
    metrics: Mapping[str, Measures]


def fold_rows(
    store: Store,
    names: Sequence[str],
    setups: Iterable[tuple[str, str]],
    chosen: Mapping[str, Metric] = {},
) -> tuple[tuple[FoldRow, ...], tuple[Failure, ...]]:
    """Rows of (fold, its setup) with the standard metrics and those chosen, and the cells that have no answers."""
    from ravenbench.metrics import pan
    from ravenbench.metrics.base import Sums, checked, count, measure

    rows: list[FoldRow] = []
    failures: list[Failure] = []
    sums_of_cells: list[tuple[dict[str, Measures], str, Sums, dict[str, float | None], float]] = []
    added = {name: metric for name, metric in chosen.items() if name not in pan.METRICS}
    for fold, setup in setups:
        info = store.plan.folds[fold]
        truth = store.truth(fold)
        by_verifier: dict[str, Measures] = {}
        for name in names:
            cell = store.cell(name, fold)
            if cell is not None and cell.answers is not None:
                values = {
                    name: measure(metric, truth, cell.answers, cell.scores)
                    for name, metric in added.items()
                }
                known = {name: None if np.isnan(value) else value for name, value in values.items()}
                silent = 0.0 if cell.scores is None else float(without_score(cell.scores).sum())
                sums_of_cells.append(
                    (by_verifier, name, count(*checked(truth, cell.answers)), known, silent)
                )
            else:
                failures.append(failure(store, cell, name, fold))
        rows.append(FoldRow(fold, setup, info, by_verifier))
    for (by_verifier, name, sums, known, silent), row in zip(
        sums_of_cells,
        pan.scores_of([sums_of_cell[2] for sums_of_cell in sums_of_cells]),
        strict=True,
    ):
        by_verifier[name] = (
            row
            | known
            | {
                "unanswered": float(sums.unanswered / sums.n),
                "no_answer": float(sums.unanswered),
                "no_score": silent,
            }
        )
    return tuple(rows), tuple(failures)


AVERAGE = "average"
"""Mean of the stability in the shown metrics, as in the paper's Tables 8–10."""


@dataclass(frozen=True)
class PoolNumber(Number):
    """A mean over pools, in the unit of its values; no interval with one pool; ``pools`` the value of each, None if
    undefined."""

    pools: tuple[float | None, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the mean, its interval and the value of each pool, by name."""
        return {**super().to_json(), "pools": list(self.pools)}


@dataclass(frozen=True)
class Point:
    """One design of a sweep: a setup with m topics, chosen by an encoder.

    ``mean_similarity`` and ``max_similarity`` are cosines over train × test topics, mean over folds, by the first
    encoder of the sweep, also if another encoder chose. ``stability`` is Spearman's ρ between the rankings of verifiers
    on two folds of a pool, by metric and on average. ``merged`` is how many topics joined a chosen one and
    ``test_pairs`` the pairs of a test set, both means; ``shared`` is the share of chosen topics that the same setup
    chooses by the first encoder.
    """

    setup: str
    m: int
    encoder: str
    mean_similarity: PoolNumber
    max_similarity: PoolNumber
    stability: Mapping[str, PoolNumber]
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

    def point(self, setup: str, size: int, encoder: str) -> Point:
        """Return the point with these names."""
        return next(
            point
            for point in self.points
            if (point.setup, point.m, point.encoder) == (setup, size, encoder)
        )

    def contrast(self, a: Point, b: Point) -> PoolNumber:
        """Return the average stability of a minus that of b, pool by pool."""
        pairs = zip(a.stability[AVERAGE].pools, b.stability[AVERAGE].pools, strict=True)
        return estimate(
            [
                None if left_value is None or right_value is None else left_value - right_value
                for left_value, right_value in pairs
            ],
            self.pools,
            2.0,
        )


def sweeping(store: Store, names: Sequence[str], known: Sequence[FoldRow]) -> Sweep | None:
    """Return the sweep of a run, None without one; ``known`` are the rows of its main setups."""
    plan = store.plan_as(RunPlan)
    section = plan.sweep
    if section is None:
        return None
    rows = {row.name: row for row in known}
    setup_of = {
        fold: setup.setup for setup in section.setups for fold in setup.folds if fold not in rows
    }
    further, failures = fold_rows(store, names, setup_of.items())
    rows |= {row.name: row for row in further}
    pools = tuple(tuple(pool.topics) for pool in plan.pools)
    points = dict.fromkeys((setup.setup, setup.m, setup.encoder) for setup in section.setups)
    by_place = {
        point: [setup for setup in section.setups if (setup.setup, setup.m, setup.encoder) == point]
        for point in points
    }
    return Sweep(
        m=tuple(section.m),
        encoders=tuple(section.encoders),
        samplers=section.samplers,
        pools=pools,
        points=tuple(
            Point(
                setup=setup,
                m=size,
                encoder=section.encoders[encoder],
                mean_similarity=estimate([setup.mean_similarity for setup in entries], pools),
                max_similarity=estimate([setup.max_similarity for setup in entries], pools),
                stability=_rank_stability(
                    [[rows[fold] for fold in setup.folds] for setup in entries], names, pools
                ),
                merged=float(np.mean([len(setup.merged) for setup in entries])),
                test_pairs=float(
                    np.mean([_tested(rows[fold].info) for setup in entries for fold in setup.folds])
                ),
                shared=float(
                    np.mean(
                        [
                            _shared(*pair)
                            for pair in zip(entries, by_place[setup, size, 0], strict=True)
                        ]
                    )
                ),
            )
            for (setup, size, encoder), entries in by_place.items()
        ),
        failures=failures,
    )


def estimate(
    values: Sequence[float | None], pools: Sequence[Sequence[int]], upper_bound: float = 1.0
) -> PoolNumber:
    """Return the mean over the pools that have a value, with its interval, limited to −most to most."""
    known = [(value, pool) for value, pool in zip(values, pools, strict=True) if value is not None]
    if not known:
        return PoolNumber(None, None, tuple(values))
    over_pools = pool_mean([value for value, _ in known], [pool for _, pool in known])
    interval = over_pools.interval and (
        max(over_pools.interval[0], -upper_bound),
        min(over_pools.interval[1], upper_bound),
    )
    return PoolNumber(over_pools.mean, interval, tuple(values))


def _rank_stability(
    folds: Sequence[Sequence[FoldRow]], names: Sequence[str], pools: Sequence[Sequence[int]]
) -> dict[str, PoolNumber]:
    """By metric, of folds by pool; nothing is ranked where there is one verifier."""
    rhos_by_setup: dict[str, list[float | None]] = {
        metric: [_rho(rows, names, metric) for rows in folds] for metric in SHOWN
    }
    average: list[float | None] = []
    for pool in range(len(folds)):
        known = [rho for metric in SHOWN if (rho := rhos_by_setup[metric][pool]) is not None]
        average.append(float(np.mean(known)) if known else None)
    return {
        metric: estimate(values, pools)
        for metric, values in {**rhos_by_setup, AVERAGE: average}.items()
    }


def _rho(rows: Sequence[FoldRow], names: Sequence[str], metric: str) -> float | None:
    return None if len(names) < 2 else ranking_stability(_matrix(rows, names, metric)).rho


def _tested(info: FoldRecord) -> int:
    return 0 if info.counts is None else info.counts.test.total


def _shared(entry: PointRecord, point: PointRecord) -> float:
    return len(set(entry.topics) & set(point.topics)) / len(entry.topics)


METRICS = ("auc", "c@1", "f05u", "f1", "brier", "overall", "overall5")
"""Metrics of a run's tables, in their order; all in [0, 1], higher is better."""

TESTED = ("auc", "overall")
"""Metrics of the topic shortcut test: AUC is first, because it does not depend on a threshold."""

ORDER = ("hits", "random", "anti")
"""Setups in the order of tables."""

SETUPS = {"hits": "HITS", "random": "Random", "anti": "Anti", "given": "Given"}


def title(name: str) -> str:
    """Return the name of a metric or setup in tables."""
    return SETUPS.get(name) or TITLES.get(name, name)


@dataclass(frozen=True)
class Setup:
    """One setup (HITS, Random, Anti, Given …) over all pools; figures are means over its folds (Table 1).

    ``topics`` has the chosen topics of each pool in order of choice; ``split`` their number in train and
    test, ``pairs``, ``documents`` and ``authors`` their numbers there; ``neighbours`` the most similar
    (train topic, test topic, cosine) of its folds (Table 6), ``mean_similarity`` and ``max_similarity`` the
    cosines over train × test topic pairs (Table 7), in a second encoder too where topics were extracted.
    """

    name: str
    topics: tuple[tuple[str, ...], ...]
    folds: int
    pairs: Measures
    split: Measures
    documents: Measures
    authors: Measures
    composition: Measures
    neighbours: tuple[tuple[str, str, float], ...]
    mean_similarity: float | None
    max_similarity: float | None
    mean_similarity2: float | None
    max_similarity2: float | None


@dataclass(frozen=True)
class Result:
    """One verifier in one setup over its complete folds (Table 2): metrics in their units, counts of folds.

    ``mean`` and ``std`` (sample, ddof = 1) by metric, ``unanswered`` the mean proportion of unanswered problems,
    ``rank`` the mean rank by overall among all verifiers, 1 = best (Table 5). ``p`` is, in HITS, the paper's
    two-sided Student t-test against the Random folds.
    """

    verifier: str
    setup: str
    folds: int
    planned: int
    mean: Measures
    std: Measures
    p: Measures
    unanswered: float | None
    rank: float | None


@dataclass(frozen=True)
class Shortcut:
    """Topic shortcut test of one verifier in one metric, 0 to 1 (Table 11).

    ``hits`` and ``random`` are means over folds, then pools; ``difference`` = hits − random, negative if a verifier is
    worse when test topics are less alike; ``diff`` its absolute value. ``interval`` covers the difference over pools
    and allows for their overlap, None where it cannot be estimated; ``detectable`` is the smallest true difference so
    many pools would show with 80 % power.
    """

    verifier: str
    metric: str
    hits: float | None
    random: float | None
    difference: float | None
    interval: Interval | None
    detectable: float | None

    @property
    def diff(self) -> float | None:
        """|hits − random| in the unit of the metric, the paper's Diff."""
        return None if self.difference is None else abs(self.difference)

    @property
    def distinguishable(self) -> bool | None:
        """Whether the interval excludes zero."""
        return None if self.interval is None else not self.interval[0] <= 0 <= self.interval[1]


@dataclass(frozen=True, eq=False, repr=False)
class Analysis(Answer[RunPlan]):
    """Everything the reports say about a run, derived from its store and from truth.

    ``content`` is the transplant probe, None where it was not asked for, ``domain`` the crossed probe, None where a run
    has no topics, ``sweep`` where it has one design. ``composition`` is
    the mean share of same-topic pairs by class of test pair, ``detectable`` the smallest HITS–Random difference in
    AUC this run could show (median over verifiers), ``no_choice`` why HITS and Random cannot be compared (None where
    they can), ``no_strata`` why strata could not be filled evenly (None where they could, or nobody asked),
    ``lengths`` accuracy over length (empty where it was not asked for), ``variants`` methods of several runs and how they
    differ (None where nobody asked), ``stability`` Spearman’s ρ between folds of a pool by setup and metric (Table 4).
    """

    Plan = RunPlan

    pools: int
    composition: Measures
    detectable: float | None
    setups: tuple[Setup, ...]
    verifiers: tuple[str, ...]
    results: tuple[Result, ...]
    shortcut: tuple[Shortcut, ...]
    no_choice: str | None
    sweep: Sweep | None
    content: ContentProbe | None
    domain: Probing | None
    strata: tuple[Stratum, ...]
    no_strata: str | None
    lengths: tuple[LengthRow, ...]
    variants: Variants | None
    stability: Mapping[str, Measures]
    folds: tuple[FoldRow, ...]
    failures: tuple[Failure, ...]

    @classmethod
    def of(cls, store: Store) -> Analysis:
        return _analysis(store)

    @cached_property
    def chosen(self) -> Mapping[str, Metric]:
        """The metrics that the spec names, by name."""
        return _chosen(self.store.run)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics of the tables; the chosen ones are last."""
        return tuple(dict.fromkeys((*METRICS, *self.chosen)))

    def title(self, metric: str) -> str | None:
        """Return the heading of a metric; None if it has no column."""
        if metric in self.chosen:
            return title_of(self.chosen[metric])
        return title(metric) if metric in SHOWN else None

    def setup(self, name: str) -> Setup | None:
        """Return a setup by name."""
        return next((setup for setup in self.setups if setup.name == name), None)

    def result(self, verifier: str, setup: str) -> Result | None:
        """Return the figures of a verifier in a setup."""
        return next(
            (
                result
                for result in self.results
                if (result.verifier, result.setup) == (verifier, setup)
            ),
            None,
        )


NEIGHBOURS = 5
_Pools = dict[tuple[str, int | None], list[FoldRow]]


def _chosen(run: Head) -> dict[str, Metric]:
    metrics: str | None = run.spec.get("metrics")
    return metrics_of(metrics) if metrics else {}


def _analysis(store: Store) -> Analysis:
    plan = store.plan_as(RunPlan)
    names = [verifier.name for verifier in plan.verifiers]
    chosen = _chosen(store.run)
    folds, failures = fold_rows(
        store, names, [(fold, setup.setup) for setup in plan.setups for fold in setup.folds], chosen
    )
    sweep = sweeping(store, names, folds)
    domain = probing(store, names)
    by_kind = strata(store, plan, names)
    content = content_probe(
        store,
        plan.transplant,
        names,
        plan.topics,
        by_topic={
            name: (helps.auc, misleads.auc)
            for name, (helps, misleads) in misleading(by_kind).items()
        },
        topic={} if plan.strata is None else plan.strata.reference,
    )
    failures += (() if sweep is None else sweep.failures) + (
        () if domain is None else domain.failures
    )
    failures += () if content is None else content.failures
    lengths, unmeasured = length_rows(store, plan, names)
    failures += unmeasured
    similarity = store.similarity() if plan.topics else None
    second = store.similarity2() if plan.topics else None
    setups = tuple(_setup(plan, name, similarity, second) for name in _setup_names(plan))
    by_setup = {
        setup.name: [fold for fold in folds if fold.setup == setup.name] for setup in setups
    }
    tested = {"hits", "random"} <= set(by_setup) and no_choice(plan) is None
    by_pool: _Pools = {}
    for fold in folds:
        by_pool.setdefault((fold.setup, fold.info.pool), []).append(fold)
    results = tuple(
        _result(by_setup, name, setup.name, names, tested, chosen)
        for setup in setups
        for name in names
    )
    metrics = dict.fromkeys((*TESTED, *chosen)) if tested else ()
    shortcut = tuple(_shortcut(plan, by_pool, name, metric) for metric in metrics for name in names)
    detectables = [
        comparison.detectable
        for comparison in shortcut
        if comparison.metric == TESTED[0] and comparison.detectable is not None
    ]
    return Analysis(
        pools=max(len(plan.pools), 1),
        composition=_composition(fold.info for fold in folds),
        detectable=float(np.median(detectables)) if detectables else None,
        setups=setups,
        verifiers=tuple(names),
        results=results,
        shortcut=shortcut,
        no_choice=no_choice(plan),
        sweep=sweep,
        content=content,
        domain=domain,
        strata=by_kind,
        no_strata=None if plan.strata is None else plan.strata.reason,
        lengths=lengths,
        variants=variants(
            store, plan, {(result.setup, result.verifier): result.mean for result in results}
        ),
        stability={
            name: {metric: _stability(by_pool, name, names, metric) for metric in METRICS}
            for name in by_setup
        },
        folds=folds,
        failures=failures,
    )


def _setup_names(plan: RunPlan) -> list[str]:
    present = {setup.setup for setup in plan.setups}
    return [name for name in ORDER if name in present] + sorted(present - set(ORDER))


def _setup(plan: RunPlan, name: str, similarity: Floats | None, second: Floats | None) -> Setup:
    entries = [setup for setup in plan.setups if setup.setup == name]
    infos = [plan.folds[fold] for setup in entries for fold in setup.folds]
    blocks2 = [_block(second, info) for info in infos]
    return Setup(
        name=name,
        topics=tuple(tuple(plan.topics[topic] for topic in setup.topics) for setup in entries),
        folds=len(infos),
        split=_means(
            {"train": len(i.train_topics), "test": len(i.test_topics)} for i in infos if _topics(i)
        ),
        pairs=_means(_pairs(i.counts) for i in infos if i.counts is not None),
        documents=_means(_sides(i.documents) for i in infos),
        authors=_means(_sides(i.authors) for i in infos),
        composition=_composition(infos),
        neighbours=_neighbours(plan, infos, similarity),
        mean_similarity=mean(setup.mean_similarity for setup in entries),
        max_similarity=mean(setup.max_similarity for setup in entries),
        mean_similarity2=mean(None if block is None else float(block.mean()) for block in blocks2),
        max_similarity2=mean(None if block is None else float(block.max()) for block in blocks2),
    )


def _topics(info: FoldRecord) -> bool:
    return bool(info.train_topics) and bool(info.test_topics)


def _pairs(counts: PairCounts) -> Measures:
    return {
        "train": float(counts.fit.total + counts.calibrate.total),
        "test": float(counts.test.total),
    }


def _sides(sides: Sides | None) -> Measures | None:
    return None if sides is None else {"train": sides.train, "test": sides.test, "both": sides.both}


def _composition(infos: Iterable[FoldRecord]) -> Measures:
    return _means(
        None
        if (composition := i.composition) is None
        else {"same": composition.same, "different": composition.different}
        for i in infos
    )


def _block(similarity: Floats | None, info: FoldRecord) -> Floats | None:
    if similarity is None or not _topics(info):
        return None
    block: Floats = similarity[np.ix_(info.train_topics, info.test_topics)]
    return block


def _neighbours(
    plan: RunPlan, infos: Sequence[FoldRecord], similarity: Floats | None
) -> tuple[tuple[str, str, float], ...]:
    """The most similar train–test topic pairs of these folds, each unordered pair once, ties by topic number."""
    directed: dict[tuple[int, int], tuple[int, int]] = {}
    if similarity is not None:
        for info in filter(_topics, infos):
            for train_topic in info.train_topics:
                for test_topic in info.test_topics:
                    directed.setdefault(
                        (min(train_topic, test_topic), max(train_topic, test_topic)),
                        (train_topic, test_topic),
                    )
    closest = (
        sorted(directed, key=lambda pair: (-similarity[pair], pair))[:NEIGHBOURS]
        if similarity is not None
        else []
    )
    names = plan.topics
    return tuple(
        (
            names[directed[topic_pair][0]],
            names[directed[topic_pair][1]],
            float(similarity[topic_pair]),  # type: ignore[index]
        )
        for topic_pair in closest
    )


def _result(
    by_setup: Mapping[str, Sequence[FoldRow]],
    verifier: str,
    setup: str,
    names: Sequence[str],
    tested: bool,
    chosen: Mapping[str, Metric],
) -> Result:
    metrics = tuple(dict.fromkeys((*METRICS, *chosen)))
    rows = by_setup[setup]
    completed = [row.metrics[verifier] for row in rows if verifier in row.metrics]
    p_values: dict[str, float | None] = dict.fromkeys(metrics)
    if setup == "hits" and tested:
        random_values = [
            row.metrics[verifier] for row in by_setup["random"] if verifier in row.metrics
        ]
        p_values = {
            metric: t_test(_values(completed, metric), _values(random_values, metric))
            for metric in metrics
        }
    return Result(
        verifier=verifier,
        setup=setup,
        folds=len(completed),
        planned=len(rows),
        mean={metric: _mean_score(completed, metric) for metric in metrics},
        std={metric: spread_of(_values(completed, metric)) for metric in metrics},
        p=p_values,
        unanswered=mean(metrics_of_fold["unanswered"] for metrics_of_fold in completed),
        rank=_rank(rows, names, verifier),
    )


def _values(scores: Iterable[Measures], metric: str) -> list[float]:
    return [value for score in scores if (value := score[metric]) is not None]


def _matrix(rows: Sequence[FoldRow], names: Sequence[str], metric: str) -> Floats:
    """Values (folds, verifiers) over the folds every verifier completed."""
    complete = [
        row
        for row in rows
        if all(row.metrics.get(name, {}).get(metric) is not None for name in names)
    ]
    return np.array(
        [[fold.metrics[name][metric] for name in names] for fold in complete], dtype=np.float64
    ).reshape(-1, len(names))


def _mean_score(completed: Sequence[Measures], metric: str) -> float | None:
    """The mean over folds; None where answers leave the metric undefined on a fold, which a mean of the others would
    pass over: F1 of a verifier that leaves all of it unanswered."""
    undefined = any(scores[metric] is None and scores["auc"] is not None for scores in completed)
    return None if undefined else mean(scores[metric] for scores in completed)


def _rank(rows: Sequence[FoldRow], names: Sequence[str], verifier: str) -> float | None:
    from ravenbench.statistics.ranks import mean_ranks

    # An overall that is undefined, since no same-author problem was answered, ranks last.
    complete = [row for row in rows if all(row.metrics.get(name) for name in names)]
    values = np.array(
        [
            [
                -1.0 if (overall := fold.metrics[name].get("overall")) is None else overall
                for name in names
            ]
            for fold in complete
        ]
    )
    return float(mean_ranks(values)[names.index(verifier)]) if values.size else None


def _stability(by_pool: _Pools, setup: str, names: Sequence[str], metric: str) -> float | None:
    """Between two folds of a pool, mean over pairs of folds and pools, as in sweeps; None for a single verifier."""
    return mean(
        _rho(rows, names, metric)
        for (pool_setup, _), rows in by_pool.items()
        if pool_setup == setup
    )


def _shortcut(plan: RunPlan, by_pool: _Pools, verifier: str, metric: str) -> Shortcut:
    """Within a pool, the folds complete in both setups are compared by their number."""
    pools = []
    hits = []
    random = []
    for pool in plan.pools:
        hits_values = _by_number(by_pool.get(("hits", pool.pool), ()), verifier, metric)
        random_values = _by_number(by_pool.get(("random", pool.pool), ()), verifier, metric)
        folds_of_both = sorted(hits_values.keys() & random_values.keys())
        if folds_of_both:
            pools.append(pool.topics)
            hits.append(float(np.mean([hits_values[n] for n in folds_of_both])))
            random.append(float(np.mean([random_values[n] for n in folds_of_both])))
    if not pools:
        return Shortcut(verifier, metric, None, None, None, None, None)
    differences = np.subtract(hits, random)
    difference = pool_mean(differences, pools)
    spread = spread_of(differences.tolist())
    least = detectable(spread, len(pools), correlation=correlation(pools)) if spread else None
    return Shortcut(
        verifier, metric, mean(hits), mean(random), difference.mean, difference.interval, least
    )


def _by_number(folds: Sequence[FoldRow], verifier: str, metric: str) -> dict[int, float]:
    """Value by number of fold, averaged over the draws of a setup that was drawn several times."""
    by_number: dict[int, list[float]] = {}
    for fold in folds:
        value = fold.metrics.get(verifier, {}).get(metric)
        if value is not None:
            by_number.setdefault(fold.info.fold or 0, []).append(value)
    return {number: float(np.mean(values)) for number, values in by_number.items()}


def _means(records: Iterable[Measures | None]) -> Measures:
    known = [record for record in records if record]
    return {
        key: mean(metrics_of_fold.get(key) for metrics_of_fold in known)
        for key in (known[0] if known else ())
    }
