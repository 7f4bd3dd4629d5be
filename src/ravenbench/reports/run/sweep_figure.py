"""A sweep over numbers of topics, drawn: similarity and ranking stability by m and setup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ravenbench.reports.page import FAINT, INK, OTHER, SETUP, canvas
from ravenbench.reports.run.records import title
from ravenbench.reports.run.sweep import AVERAGE, Estimate, Point, Sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKS = "osD^vP*X"
FURTHER = (OTHER, "#2f8f7a", "#a3476e", "#9a7d1f")
"""Of setups without a colour of their own; dark enough for light pages, light enough for dark ones."""


def sweep_figure(sweep: Sweep) -> Figure:
    """One line a setup over m; bars are intervals over pools."""
    figure, axes = canvas(7.2, 3.0, columns=3)
    sizes = sorted(sweep.m)
    further = [setup for setup in sweep.samplers if setup not in SETUP]
    colors = SETUP | {setup: FURTHER[i % len(FURTHER)] for i, setup in enumerate(further)}
    step = 0.012 * (sizes[-1] - sizes[0])
    for ax, (heading, kind) in zip(axes, PANELS.items(), strict=True):
        for i, setup in enumerate(sweep.samplers):
            color = colors[setup]
            found = [(m, _value(sweep.point(setup, m, sweep.encoders[0]), kind)) for m in sizes]
            known = [(m + step * (i - (len(sweep.samplers) - 1) / 2), e) for m, e in found if e.mean is not None]
            if not known:
                continue
            for x, e in known:
                if e.interval is not None:
                    ax.plot((x, x), e.interval, color=color, linewidth=1.6, alpha=0.55, solid_capstyle="butt")
            places, means = [x for x, _ in known], [e.mean for _, e in known]
            ax.plot(places, means, marker=MARKS[i % len(MARKS)], color=color, linewidth=1, markersize=4.2)
        ax.set_title(heading, color=INK)
        ax.set_xticks(sizes)
        ax.set_xlabel("topics (m)")
        ax.grid(axis="y", color=FAINT, alpha=0.25, linewidth=0.6)
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], marker=MARKS[i % len(MARKS)], color=colors[s], linewidth=1, markersize=4.2, label=name)
        for i, (s, name) in enumerate((s, title(s)) for s in sweep.samplers)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(4, len(handles)), fontsize=9)
    return figure


PANELS = {"mean similarity": "mean", "highest similarity": "max", "ranking stability (ρ)": "rho"}


def _value(point: Point, kind: str) -> Estimate:
    return {"mean": point.mean_similarity, "max": point.max_similarity, "rho": point.stability[AVERAGE]}[kind]
