"""Shows a run's sweep over numbers of topics, samplers and encoders: the tables of the paper's §7, JSON and a figure.

In: a ``Sweep`` with one ``Point`` for each setup, number of topics and encoder; for ``planned_sweep`` forecast sizes.
Out: ``Table`` objects (similarities are cosines and stability is Spearman's ρ, both −1 to 1; the rest counts and
shares), JSON values (None without a sweep) and a matplotlib figure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from ravenbench.reports.page import FAINT, INK, OTHER, SETUP, canvas
from ravenbench.reports.view import Col, Table, col, each, table
from ravenbench.tasks.run.analysis import AVERAGE, SHOWN, Point, PoolNumber, Sweep, title
from ravenbench.tasks.run.probes import MARKS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ravenbench.tasks.run.setups import SweepSize

OVER_POOLS = "95 % intervals over pools, allowing for their overlap."
ONE_POOL = "One pool of topics: an interval cannot be estimated."
RHO = "Spearman’s ρ between the rankings of verifiers on two folds of a pool"
FURTHER = (OTHER, "#2f8f7a", "#a3476e", "#9a7d1f")
"""Of setups without a colour of their own; dark enough for light pages, light enough for dark ones."""
PANELS: dict[str, Callable[[Point], PoolNumber]] = {
    "mean similarity": lambda point: point.mean_similarity,
    "highest similarity": lambda point: point.max_similarity,
    "ranking stability (ρ)": lambda point: point.stability[AVERAGE],
}
"""What is drawn of each point."""
R = TypeVar("R")
M: Col[Any] = col("m", attrgetter("m"))
SETUP_COL: Col[Any] = col("setup", lambda point: title(point.setup), text=True)


def sweep_tables(sweep: Sweep | None) -> tuple[Table, ...]:
    """Return those of Tables 7 to 10 that this sweep can fill: cosines and Spearman's ρ of its points."""
    if sweep is None:
        return ()
    tables = (similarity_over_m(sweep), stability_over_m(sweep), approaches(sweep), encoders(sweep))
    return tuple(replace(table, section="sweep") for table in tables if table.rows)


def planned_sweep(points: Sequence[SweepSize]) -> Table:
    """Return the contents of a sweep, from a forecast."""
    return table(
        "sweep-plan",
        f"Sweep of this run: {len(points)} designs",
        points,
        M,
        col("encoder", "encoder", text=True),
        SETUP_COL,
        col("folds", "folds"),
        col("own", "new"),
        col("pairs in train", lambda point: round(point.train)),
        col("pairs in test", lambda point: round(point.test)),
        note=(
            "Own: folds that are not in a design above; designs that choose the same topics"
            " of a pool share folds."
        ),
    )


def similarity_over_m(sweep: Sweep) -> Table:
    """Table 7: cosine similarity of train and test topics by number of topics."""
    return table(
        "sweep-similarity",
        "Topic similarity by number of topics",
        _over_m(sweep),
        M,
        SETUP_COL,
        col("mean", "mean_similarity.value"),
        col("mean, interval", "mean_similarity.interval"),
        col("highest", "max_similarity.value"),
        col("highest, interval", "max_similarity.interval"),
        note=(
            "Cosines over train × test topics of a fold, mean over folds and pools; encoder "
            f"{sweep.encoders[0]}. {_over(sweep)}"
        ),
    )


def stability_over_m(sweep: Sweep) -> Table:
    """Table 8: ranking stability (Spearman's ρ, −1 to 1) by number of topics."""
    return table(
        "sweep-stability",
        "Ranking stability by number of topics",
        [point for point in _over_m(sweep) if point.stability[AVERAGE].value is not None],
        M,
        SETUP_COL,
        *_by_metric(lambda point: point),
        col("mean", lambda point: point.stability[AVERAGE].value),
        col("interval", lambda point: point.stability[AVERAGE].interval),
        note=(
            f"{RHO}, mean over pairs of folds, then pools; the interval is of the mean over"
            f" metrics. {_over(sweep)}"
        ),
    )


def approaches(sweep: Sweep) -> Table:
    """Table 9: cutting (HITS) against grouping and the other samplers of the sweep."""
    compared = []
    for size in sweep.m if "hits" in sweep.samplers else ():
        hits = sweep.point("hits", size, sweep.encoders[0])
        compared += [
            (sweep.point(setup, size, sweep.encoders[0]), hits) for setup in sweep.samplers
        ]
    rows = [
        (point, _difference(sweep, point, hits))
        for point, hits in compared
        if point.stability[AVERAGE].value is not None
    ]
    return table(
        "sweep-samplers",
        "HITS and other ways to choose topics",
        rows if len(rows) > len(sweep.m) else (),
        col("m", "0.m"),
        col("setup", lambda compared_point: title(compared_point[0].setup), text=True),
        col("merged", "0.merged", digits=1),
        col(
            "test pairs",
            "0.test_pairs",
            digits=0,
            terminal=False,
        ),
        col("highest cosine", "0.max_similarity.value"),
        col("mean ρ", lambda compared_point: compared_point[0].stability[AVERAGE].value),
        col("− HITS", "1.value", signed=True),
        col("interval", "1.interval", signed=True),
        note=(
            f"{RHO}, mean over metrics, pairs of folds and pools, and its difference from"
            " HITS. HITS removes topics that it does not choose; merged: these topics join a"
            f" chosen topic instead; cosine: between train and test topics. {_over(sweep)}"
        ),
    )


def encoders(sweep: Sweep) -> Table:
    """Table 10: HITS by encoder of topics (or the first sampler, without HITS)."""
    setup = "hits" if "hits" in sweep.samplers else next(iter(sweep.samplers))
    compared = []
    for size in sweep.m if len(sweep.encoders) > 1 else ():
        first_point = sweep.point(setup, size, sweep.encoders[0])
        compared += [(sweep.point(setup, size, encoder), first_point) for encoder in sweep.encoders]
    return table(
        "sweep-encoders",
        f"Encoders, {title(setup)}",
        [
            (point, _difference(sweep, point, first_point))
            for point, first_point in compared
            if point.stability[AVERAGE].value is not None
        ],
        col("m", "0.m"),
        col("encoder", "0.encoder", text=True),
        col("topics shared", "0.shared", digits=2),
        *_by_metric(lambda row: row[0]),
        col("mean", lambda row: row[0].stability[AVERAGE].value),
        col("− first", "1.value", signed=True),
        col("interval", "1.interval", signed=True),
        note=(
            f"{RHO}, mean over pairs of folds, then pools; topics shared with those that the first"
            f" encoder chooses. {_over(sweep)}"
        ),
    )


def _by_metric(point: Callable[[R], Point]) -> list[Col[R]]:
    """Stability in each metric: for the page; 80 columns have room for its mean."""
    return each(SHOWN, title, lambda row, metric: point(row).stability[metric].value, terminal=())


def _difference(sweep: Sweep, point: Point, reference: Point) -> PoolNumber:
    return PoolNumber(None) if point is reference else sweep.contrast(point, reference)


def _over_m(sweep: Sweep) -> list[Point]:
    """Points of the first encoder by m, where there are several."""
    sizes = sorted(sweep.m) if len(sweep.m) > 1 else ()
    return [
        sweep.point(setup, size, sweep.encoders[0]) for size in sizes for setup in sweep.samplers
    ]


def _over(sweep: Sweep) -> str:
    return OVER_POOLS if len(sweep.pools) > 1 else ONE_POOL


def sweep_json(sweep: Sweep | None) -> dict[str, Any] | None:
    """Return every point with its figures and their intervals; None if a run has one design."""
    if sweep is None:
        return None
    points = []
    for point in sweep.points:
        similarities = {
            name: getattr(point, name).to_json() for name in ("mean_similarity", "max_similarity")
        }
        points.append(
            vars(point)
            | similarities
            | {"stability": {metric: rho.to_json() for metric, rho in point.stability.items()}}
        )
    return {
        "m": list(sweep.m),
        "encoders": list(sweep.encoders),
        "samplers": dict(sweep.samplers),
        "points": points,
    }


def sweep_figure(sweep: Sweep) -> Figure:
    """Draw one line for each setup over m; bars are intervals over pools."""
    figure, axes = canvas(7.2, 3.0, columns=3)
    sizes = sorted(sweep.m)
    further = [setup for setup in sweep.samplers if setup not in SETUP]
    colors = SETUP | {setup: FURTHER[i % len(FURTHER)] for i, setup in enumerate(further)}
    step = 0.012 * (sizes[-1] - sizes[0])
    for ax, (heading, value) in zip(axes, PANELS.items(), strict=True):
        for i, setup in enumerate(sweep.samplers):
            color = colors[setup]
            estimates = [
                (size, value(sweep.point(setup, size, sweep.encoders[0]))) for size in sizes
            ]
            known = [
                (size + step * (i - (len(sweep.samplers) - 1) / 2), rho)
                for size, rho in estimates
                if rho.value is not None
            ]
            if not known:
                continue
            for position, rho in known:
                if rho.interval is not None:
                    ax.plot(
                        (position, position),
                        rho.interval,
                        color=color,
                        linewidth=1.6,
                        alpha=0.55,
                        solid_capstyle="butt",
                    )
            positions = [position for position, _ in known]
            means = [rho.value for _, rho in known]
            ax.plot(
                positions,
                means,
                marker=MARKS[i % len(MARKS)],
                color=color,
                linewidth=1,
                markersize=4.2,
            )
        ax.set_title(heading, color=INK)
        ax.set_xticks(sizes)
        ax.set_xlabel("topics (m)")
        ax.grid(axis="y", color=FAINT, alpha=0.25, linewidth=0.6)
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            marker=MARKS[i % len(MARKS)],
            color=colors[sampler],
            linewidth=1,
            markersize=4.2,
            label=title(sampler),
        )
        for i, sampler in enumerate(sweep.samplers)
    ]
    figure.legend(
        handles=handles, loc="outside lower center", ncols=min(4, len(handles)), fontsize=9
    )
    return figure
