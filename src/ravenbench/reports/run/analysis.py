"""From a run's store to every figure of its report.

Follows the paper's Tables 1, 2, 4, 5, 6, 7 and 11 (HITS and RAVEN, 2024), made precise in Raven's notes: ± is
the sample standard deviation over a setup's folds, pools and seeds together; two setups are compared on the
folds complete in both (contract 14).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ravenbench.bench.run.record import RunPlan
from ravenbench.bench.run.setups import no_choice
from ravenbench.reports.cells import mean
from ravenbench.reports.content import content_probe
from ravenbench.reports.run.fold_rows import FoldRow, fold_rows
from ravenbench.reports.run.lengths import length_rows
from ravenbench.reports.run.probe import probing
from ravenbench.reports.run.records import METRICS, ORDER, TESTED, Analysis, Result, Setup, Shortcut
from ravenbench.reports.run.strata import strata
from ravenbench.reports.run.sweep import sweeping
from ravenbench.reports.view import public_head
from ravenbench.statistics.significance import t_test
from ravenbench.types import Floats

if TYPE_CHECKING:
    from ravenbench.store.records import FoldRecord, PairCounts, Sides
    from ravenbench.store.store import Store

NEIGHBOURS = 5
_Pools = dict[tuple[str, int | None], list[FoldRow]]


def analyse(store: Store) -> Analysis:
    """Every figure of a run's report.

    Nothing is written and nothing but the store is read; equal stores give equal analyses.
    """
    store.expect("run")
    plan = store.plan_as(RunPlan)
    names = [entry.name for entry in plan.verifiers]
    folds, failures = fold_rows(store, names, [(fold, s.setup) for s in plan.setups for fold in s.folds])
    sweep = sweeping(store, names, folds)
    probe, content = probing(store, names), content_probe(store, plan.transplant, names, plan.topics)
    failures += (() if sweep is None else sweep.failures) + (() if probe is None else probe.failures)
    failures += () if content is None else content.failures
    lengths, unmeasured = length_rows(store, plan, names)
    failures += unmeasured
    similarity = store.similarity() if plan.topics else None
    second = store.similarity2() if plan.topics else None
    setups = tuple(_setup(plan, name, similarity, second) for name in _setup_names(plan))
    by_setup = {s.name: [f for f in folds if f.setup == s.name] for s in setups}
    tested = {"hits", "random"} <= set(by_setup) and no_choice(plan) is None
    by_pool: _Pools = {}
    for fold in folds:
        by_pool.setdefault((fold.setup, fold.info.pool), []).append(fold)
    shortcut = tuple(_shortcut(plan, by_pool, v, metric) for metric in TESTED for v in names) if tested else ()
    return Analysis(
        name=store.path.name,
        path=str(store.path),
        plan=plan,
        run=public_head(store.run),
        pools=max(len(plan.pools), 1),
        composition=_composition(f.info for f in folds),
        detectable=_median_detectable(shortcut),
        setups=setups,
        verifiers=tuple(names),
        results=tuple(_result(by_setup, v, s.name, names, tested) for s in setups for v in names),
        shortcut=shortcut,
        no_choice=no_choice(plan),
        sweep=sweep,
        content=content,
        probe=probe,
        strata=strata(store, plan, names),
        lengths=lengths,
        stability={name: {m: _stability(by_pool, name, names, m) for m in METRICS} for name in by_setup},
        folds=folds,
        failures=failures,
        similarity=similarity,
        selected={s.setup: tuple(s.topics) for s in reversed(plan.setups) if s.topics},
    )


def _setup_names(plan: RunPlan) -> list[str]:
    found = {s.setup for s in plan.setups}
    return [name for name in ORDER if name in found] + sorted(found - set(ORDER))


def _setup(plan: RunPlan, name: str, similarity: Floats | None, second: Floats | None) -> Setup:
    mine = [s for s in plan.setups if s.setup == name]
    infos = [plan.folds[fold] for s in mine for fold in s.folds]
    blocks2 = [_block(second, info) for info in infos]
    return Setup(
        name=name,
        topics=tuple(tuple(plan.topics[t] for t in s.topics) for s in mine),
        folds=len(infos),
        split=_means({"train": len(i.train_topics), "test": len(i.test_topics)} for i in infos if _topics(i)),
        pairs=_means(_pairs(i.counts) for i in infos if i.counts is not None),
        documents=_means(_sides(i.documents) for i in infos),
        authors=_means(_sides(i.authors) for i in infos),
        composition=_composition(infos),
        neighbours=_neighbours(plan, infos, similarity),
        mean_similarity=mean(s.mean_similarity for s in mine),
        max_similarity=mean(s.max_similarity for s in mine),
        mean_similarity2=mean(None if b is None else float(b.mean()) for b in blocks2),
        max_similarity2=mean(None if b is None else float(b.max()) for b in blocks2),
    )


def _topics(info: FoldRecord) -> bool:
    return bool(info.train_topics) and bool(info.test_topics)


def _pairs(counts: PairCounts) -> dict[str, float | None]:
    return {"train": float(counts.fit.total + counts.calibrate.total), "test": float(counts.test.total)}


def _sides(sides: Sides | None) -> dict[str, float | None] | None:
    return None if sides is None else {"train": sides.train, "test": sides.test, "both": sides.both}


def _composition(infos: Iterable[FoldRecord]) -> dict[str, float | None]:
    return _means(None if (c := i.composition) is None else {"same": c.same, "different": c.different} for i in infos)


def _block(similarity: Floats | None, info: FoldRecord) -> Floats | None:
    if similarity is None or not _topics(info):
        return None
    block: Floats = similarity[np.ix_(info.train_topics, info.test_topics)]
    return block


def _neighbours(
    plan: RunPlan, infos: Sequence[FoldRecord], similarity: Floats | None
) -> tuple[tuple[str, str, float], ...]:
    """The most similar train–test topic pairs of these folds, each unordered pair once, ties by topic number."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    if similarity is not None:
        for info in filter(_topics, infos):
            for a in info.train_topics:
                for b in info.test_topics:
                    found.setdefault((min(a, b), max(a, b)), (a, b))
    most = sorted(found, key=lambda pair: (-similarity[pair], pair))[:NEIGHBOURS] if similarity is not None else []
    names = plan.topics
    return tuple((names[found[p][0]], names[found[p][1]], float(similarity[p])) for p in most)  # type: ignore[index]


def _result(
    by_setup: Mapping[str, Sequence[FoldRow]], verifier: str, setup: str, names: Sequence[str], tested: bool
) -> Result:
    rows = by_setup[setup]
    done = [f.scores[verifier] for f in rows if verifier in f.scores]
    p: dict[str, float | None] = dict.fromkeys(METRICS)
    if setup == "hits" and tested:
        others = [f.scores[verifier] for f in by_setup["random"] if verifier in f.scores]
        p = {m: t_test(_values(done, m), _values(others, m)) for m in METRICS}
    return Result(
        verifier=verifier,
        setup=setup,
        folds=len(done),
        planned=len(rows),
        mean={m: mean(s[m] for s in done) for m in METRICS},
        std={m: _std(_values(done, m)) for m in METRICS},
        p=p,
        unanswered=mean(s["unanswered"] for s in done),
        rank=_rank(rows, names, verifier),
    )


def _values(scores: Iterable[Mapping[str, float | None]], metric: str) -> list[float]:
    return [value for s in scores if (value := s[metric]) is not None]


def _matrix(rows: Sequence[FoldRow], names: Sequence[str], metric: str) -> Floats:
    """Values (folds, verifiers) over the folds every verifier completed."""
    kept = [f for f in rows if all(f.scores.get(v, {}).get(metric) is not None for v in names)]
    return np.array([[f.scores[v][metric] for v in names] for f in kept], dtype=np.float64).reshape(-1, len(names))


def _rank(rows: Sequence[FoldRow], names: Sequence[str], verifier: str) -> float | None:
    from ravenbench.statistics.ranks import mean_ranks

    values = _matrix(rows, names, "overall")
    return float(mean_ranks(values)[names.index(verifier)]) if values.size else None


def _stability(by_pool: _Pools, setup: str, names: Sequence[str], metric: str) -> float | None:
    """Between two folds of a pool, mean over pairs of folds and pools, as in sweeps; None for a single verifier."""
    from ravenbench.statistics.ranks import ranking_stability

    if len(names) < 2:
        return None
    own = (rows for (which, _), rows in by_pool.items() if which == setup)
    return mean(ranking_stability(_matrix(rows, names, metric)).rho for rows in own)


def _shortcut(plan: RunPlan, by_pool: _Pools, verifier: str, metric: str) -> Shortcut:
    """Within a pool, the folds complete in both setups are compared by their number."""
    from ravenbench.statistics.pools import pool_mean

    pools, hits, random = [], [], []
    for pool in plan.pools:
        mine = _by_number(by_pool.get(("hits", pool.pool), ()), verifier, metric)
        other = _by_number(by_pool.get(("random", pool.pool), ()), verifier, metric)
        both = sorted(mine.keys() & other.keys())
        if both:
            pools.append(pool.topics)
            hits.append(float(np.mean([mine[n] for n in both])))
            random.append(float(np.mean([other[n] for n in both])))
    if not pools:
        return Shortcut(verifier, metric, None, None, None, None, None)
    found = pool_mean(np.subtract(hits, random), pools)
    detectable = _detectable_by_pools(np.subtract(hits, random), pools)
    return Shortcut(verifier, metric, mean(hits), mean(random), found.mean, found.interval, detectable)


def _detectable_by_pools(differences: Floats, pools: Sequence[Sequence[int]]) -> float | None:
    from ravenbench.statistics.pools import correlation, detectable

    spread = _std(list(differences))
    return detectable(spread, len(pools), correlation=correlation(pools)) if spread else None


def _median_detectable(shortcut: Sequence[Shortcut]) -> float | None:
    known = [s.detectable for s in shortcut if s.metric == TESTED[0] and s.detectable is not None]
    return float(np.median(known)) if known else None


def _by_number(folds: Sequence[FoldRow], verifier: str, metric: str) -> dict[int, float]:
    """Value by number of fold, averaged over the draws of a setup that was drawn several times."""
    found: dict[int, list[float]] = {}
    for f in folds:
        value = f.scores.get(verifier, {}).get(metric)
        if value is not None:
            found.setdefault(f.info.fold or 0, []).append(value)
    return {number: float(np.mean(values)) for number, values in found.items()}


def _means(records: Iterable[Mapping[str, float | None] | None]) -> dict[str, float | None]:
    kept = [r for r in records if r]
    return {key: mean(r.get(key) for r in kept) for key in (kept[0] if kept else ())}


def _std(values: Sequence[float]) -> float | None:
    return float(np.std(values, ddof=1)) if len(values) > 1 else None
