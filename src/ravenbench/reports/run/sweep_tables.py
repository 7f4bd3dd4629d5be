"""The tables of a sweep, those of the paper's §7 (HITS and RAVEN, 2024)."""

from __future__ import annotations

from collections.abc import Sequence

from ravenbench.bench.run.setups import SweepSize
from ravenbench.reports.run.fold_rows import SHOWN
from ravenbench.reports.run.records import Analysis, title
from ravenbench.reports.run.sweep import AVERAGE, Estimate, Point, Sweep
from ravenbench.reports.view import Column, Range, Table, Value

OVER_POOLS = "95 % intervals over pools, allowing for their overlap."
ONE_POOL = "One pool of topics: an interval cannot be estimated."
RHO = "Spearman’s ρ between the rankings of verifiers on two folds of a pool"


def sweep_tables(analysis: Analysis) -> tuple[Table, ...]:
    """Tables 7 to 10, those that this sweep can fill."""
    sweep = analysis.sweep
    if sweep is None:
        return ()
    made = (similarity_over_m(sweep), stability_over_m(sweep), approaches(sweep), encoders(sweep))
    return tuple(table for table in made if table.rows)


def planned_sweep(points: Sequence[SweepSize]) -> Table:
    """What a sweep would hold, from a forecast."""
    rows: list[tuple[Value, ...]] = [
        (p.m, p.encoder, title(p.setup), p.folds, p.new, round(p.train), round(p.test)) for p in points
    ]
    columns = (
        Column("m"),
        Column("encoder", text=True),
        Column("setup", text=True),
        *(Column(name) for name in ("folds", "own", "pairs in train", "pairs in test")),
    )
    note = "Own: folds that no design above has; where designs choose the same topics of a pool, they share."
    return Table("sweep-plan", f"Its sweep: {len(rows)} designs", columns, tuple(rows), note)


def similarity_over_m(sweep: Sweep) -> Table:
    """Table 7: similarity of train and test topics by number of topics."""
    rows: list[tuple[Value, ...]] = [
        (p.m, title(p.setup), *_both(p.mean_similarity), *_both(p.max_similarity)) for p in _over_m(sweep)
    ]
    columns = (
        *_place(),
        Column("mean"),
        Column("mean, interval"),
        Column("highest"),
        Column("highest, interval"),
    )
    note = f"Cosines over train × test topics of a fold, mean over folds and pools; encoder {sweep.encoders[0]}."
    return Table("sweep-similarity", "Topic similarity by number of topics", columns, tuple(rows), _noted(sweep, note))


def stability_over_m(sweep: Sweep) -> Table:
    """Table 8: ranking stability by number of topics."""
    rows: list[tuple[Value, ...]] = [
        (p.m, title(p.setup), *(p.stability[metric].mean for metric in SHOWN), *_both(p.stability[AVERAGE]))
        for p in _over_m(sweep)
        if p.stability[AVERAGE].mean is not None
    ]
    columns = (*_place(), *(Column(title(metric)) for metric in SHOWN), Column("mean"), Column("interval"))
    return Table(
        "sweep-stability",
        "Ranking stability by number of topics",
        columns,
        tuple(rows),
        _noted(sweep, f"{RHO}, mean over pairs of folds, then pools; the interval is of the mean over metrics."),
    )


def approaches(sweep: Sweep) -> Table:
    """Table 9: cutting (HITS) against grouping and whatever else was swept over."""
    rows: list[tuple[Value, ...]] = []
    if "hits" in sweep.samplers:
        for m in sweep.m:
            hits = sweep.point("hits", m, sweep.encoders[0])
            for setup in sweep.samplers:
                p = sweep.point(setup, m, sweep.encoders[0])
                rho = p.stability[AVERAGE].mean
                if rho is not None:
                    against = (None, None) if p is hits else _both(sweep.contrast(p, hits))
                    rows.append((m, title(setup), p.merged, p.test_pairs, p.max_similarity.mean, rho, *against))
    columns = (
        *_place(),
        Column("merged", digits=1),
        Column("test pairs", digits=0),
        Column("highest cosine"),
        Column("mean ρ"),
        Column("− HITS", signed=True),
        Column("interval", signed=True),
    )
    note = (
        f"{RHO}, mean over metrics, pairs of folds, pools, and its difference from HITS. HITS cuts topics that are not "
        "chosen; merged: topics that join a chosen one instead; cosine: of train and test topics."
    )
    several = len(rows) > len(sweep.m)
    return Table(
        "sweep-samplers", "Cutting and other ways", columns, tuple(rows) if several else (), _noted(sweep, note)
    )


def encoders(sweep: Sweep) -> Table:
    """Table 10: HITS by what topics are compared with (the first sampler where HITS is not among them)."""
    setup = "hits" if "hits" in sweep.samplers else next(iter(sweep.samplers))
    rows: list[tuple[Value, ...]] = []
    for m in sweep.m if len(sweep.encoders) > 1 else ():
        first = sweep.point(setup, m, sweep.encoders[0])
        for encoder in sweep.encoders:
            p = sweep.point(setup, m, encoder)
            means = [p.stability[metric].mean for metric in (*SHOWN, AVERAGE)]
            if means[-1] is not None:
                against = (None, None) if p is first else _both(sweep.contrast(p, first))
                rows.append((m, encoder, p.shared, *means, *against))
    columns = (
        Column("m"),
        Column("encoder", text=True),
        Column("topics shared", digits=2),
        *(Column(title(metric)) for metric in SHOWN),
        Column("mean"),
        Column("− first", signed=True),
        Column("interval", signed=True),
    )
    note = f"{RHO}, mean over pairs of folds, then pools; topics shared with those that the first encoder chooses."
    return Table("sweep-encoders", f"Encoders, {title(setup)}", columns, tuple(rows), _noted(sweep, note))


def _over_m(sweep: Sweep) -> list[Point]:
    """Points of the first encoder by m, where there are several."""
    return [
        sweep.point(setup, m, sweep.encoders[0])
        for m in (sorted(sweep.m) if len(sweep.m) > 1 else ())
        for setup in sweep.samplers
    ]


def _place() -> tuple[Column, Column]:
    return Column("m"), Column("setup", text=True)


def _both(found: Estimate) -> tuple[Value, Value]:
    return found.mean, None if found.interval is None else Range(*found.interval)


def _noted(sweep: Sweep, note: str) -> str:
    return f"{note} {OVER_POOLS if len(sweep.pools) > 1 else ONE_POOL}"
