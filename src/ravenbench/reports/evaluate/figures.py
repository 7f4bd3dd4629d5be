"""Figures of an evaluation: ROC curves with their hull, reliability diagrams."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from ravenbench.metrics.base import title_of
from ravenbench.metrics.calibration import reliability
from ravenbench.metrics.roc import Curve, curve
from ravenbench.reports.evaluate.records import Findings
from ravenbench.reports.page import FAINT, INK, canvas, style
from ravenbench.reports.view import printable
from ravenbench.types import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = ("#2f7fd0", "#c8642b", "#2f9468", "#a45fc4", "#a8830f", "#d04f77")
"""Legible on white and on black."""
DASHES = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (7, 2, 1.5, 2)))
VERTICES = 300
"""Most vertices drawn of a curve; the hull is always drawn whole."""
PANELS = 24
"""Most reliability diagrams in a figure."""


def draw(evaluation: Findings) -> dict[str, Figure]:
    """The figures by name: ``standings``, ``roc`` where truth has both classes, ``reliability``."""
    made = {}
    with style():
        made["standings"] = standings(evaluation)
        if evaluation.hull is not None:
            made["roc"] = roc(evaluation)
        made["reliability"] = diagrams(evaluation)
    return made


def standings(evaluation: Findings) -> Figure:
    """A point with its interval for every system in the tested metric; lines part ranks, meta-classifiers come last."""
    shown = [*evaluation.ranked, *evaluation.meta]
    figure, (axes,) = canvas(3.9, 0.75 + 0.24 * len(shown))
    metric = evaluation.ranked_by
    for y, s in enumerate(shown):
        if y and s.tie_group != shown[y - 1].tie_group:
            axes.axhline(y - 0.5, color=FAINT, linewidth=0.6, linestyle="-" if s.tie_group else (0, (3, 3)))
        value, interval = s.scores[metric], s.interval[metric]
        if value is None:
            continue
        if interval is not None:
            axes.plot(interval, (y, y), color=INK, linewidth=1.2, solid_capstyle="butt")
        axes.plot([value], [y], "o", markersize=5, color=COLORS[0] if s.tie_group else FAINT)
    axes.set_yticks(range(len(shown)), [_cut(s.name, 26) for s in shown])
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(title_of(evaluation.metrics[metric]))
    axes.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
    return figure


def roc(evaluation: Findings) -> Figure:
    """Every system's curve; the hull over all of them is wide, in its owner's colour between an owner's vertices."""
    assert evaluation.hull is not None
    names = [s.name for s in evaluation.ranked]
    look = {name: (COLORS[i % len(COLORS)], DASHES[i // len(COLORS) % len(DASHES)]) for i, name in enumerate(names)}
    figure, (axes,) = canvas(5.6, 5.3 + 0.19 * -(-len(names) // 2))
    hull = evaluation.hull
    axes.plot(hull.fpr, hull.tpr, color=FAINT, linewidth=5, alpha=0.3, solid_joinstyle="round")
    for owner, run in groupby(range(len(hull.owner)), key=lambda v: hull.owner[v]):
        rows = list(run)
        if owner is not None:
            axes.plot(hull.fpr[rows], hull.tpr[rows], color=look[owner][0], linewidth=5, alpha=0.45)
    axes.plot((0, 1), (0, 1), color=FAINT, linewidth=0.7)
    owners = set(hull.owner)
    for s in evaluation.ranked:
        found = curve(evaluation.truth.same, s.value)
        if found is None:
            continue
        color, dashes = look[s.name]
        auc = "n/a" if s.scores["auc"] is None else f"{s.scores['auc']:.3f}".replace("0.", ".", 1)
        label = f"{_cut(s.name)} {auc}" + (" •" if s.name in owners else "")
        axes.plot(*_thinned(found), color=color, linestyle=dashes, linewidth=1.3, label=label)
    point = evaluation.operating
    if point is not None and point.system is not None:
        axes.plot([point.fpr], [point.tpr], "o", color=INK, markersize=6, markerfacecolor="none", markeredgewidth=1.4)
    axes.set_aspect("equal")
    axes.set_xlim(-0.01, 1.01)
    axes.set_ylim(-0.01, 1.01)
    axes.set_xlabel("false-positive rate")
    axes.set_ylabel("true-positive rate")
    axes.grid(color=FAINT, alpha=0.2, linewidth=0.6)
    figure.legend(loc="outside lower center", ncols=2, fontsize=8.5, handlelength=2.4)
    return figure


def diagrams(evaluation: Findings) -> Figure:
    """Mean value against the share of same-author problems, ten bins; a point's area is its share of problems."""
    shown = [*evaluation.ranked, *evaluation.meta][:PANELS]
    columns = min(4, len(shown))
    rows = -(-len(shown) // columns)
    figure, _ = canvas(1.85 * columns + 0.5, 2.05 * rows + 0.35, columns=0)
    grid: Any = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for place, ax in enumerate(grid.flat):
        if place >= len(shown):
            ax.set_visible(False)
            continue
        s = shown[place]
        bins = reliability(evaluation.truth.same, s.value)
        ax.plot((0, 1), (0, 1), color=FAINT, linewidth=0.7)
        ax.plot(bins.value, bins.same, color=COLORS[0], linewidth=1, alpha=0.7)
        ax.scatter(bins.value, bins.same, s=6 + 130 * bins.problems / bins.problems.sum(), color=COLORS[0], linewidth=0)
        ax.set_title(_cut(s.name, 22), fontsize=8.5, color=INK)
        ax.text(0.97, 0.04, f"ECE {s.ece:.3f}", transform=ax.transAxes, ha="right", fontsize=8)
        ax.set_aspect("equal")
        ax.set_xlim(-0.04, 1.04)
        ax.set_ylim(-0.04, 1.04)
        ax.set_xticks((0, 0.5, 1), ("0", ".5", "1"))
        ax.set_yticks((0, 0.5, 1), ("0", ".5", "1"))
        if place + columns >= len(shown):
            ax.tick_params(labelbottom=True)
    figure.supxlabel("mean answer", fontsize=9, color=INK)
    figure.supylabel("share of same-author problems", fontsize=9, color=INK)
    return figure


def _thinned(c: Curve) -> tuple[Floats, Floats]:
    """The curve through at most ``VERTICES`` of its vertices, evenly along it."""
    if len(c.fpr) <= VERTICES:
        return c.fpr, c.tpr
    way = c.fpr + c.tpr
    rows = np.unique(np.append(np.searchsorted(way, np.linspace(0, 2, VERTICES - 1)), len(way) - 1))
    rows = rows[rows < len(way)]
    return c.fpr[rows], c.tpr[rows]


def _cut(name: str, most: int = 30) -> str:
    name = printable(name)
    return name if len(name) <= most else name[: most - 1] + "…"
