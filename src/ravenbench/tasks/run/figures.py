"""The figures of a run: content, training domain, shortcut test, scores, sweep.

In: a run's ``Analysis``. Out: matplotlib figures by name; axes are AUC, metrics in [0, 1] or numbers of topics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ravenbench.reports.content import content_figure, name_rows
from ravenbench.reports.page import FAINT, INK, OTHER, SETUP, canvas, style
from ravenbench.tasks.run.analysis import SHOWN, TESTED, Analysis, title
from ravenbench.tasks.run.probes import domain_figure, lengths_figure
from ravenbench.tasks.run.sweep import sweep_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NARROW = 0.1
"""No axis of scores spans less, lest it make much of nothing."""


def draw(analysis: Analysis) -> dict[str, Figure]:
    """The figures this run allows, by name: ``content``, ``domain``, ``shortcut``, ``results``, and further ones."""
    figures: dict[str, Figure] = {}
    with style():
        if analysis.content is not None and any(
            row.figures.swing is not None for row in analysis.content.rows
        ):
            figures["content"] = content_figure(analysis.content)
        if analysis.domain is not None and any(
            row.gain is not None for row in analysis.domain.rows
        ):
            figures["domain"] = domain_figure(analysis.domain)
        if any(comparison.difference is not None for comparison in analysis.shortcut):
            figures["shortcut"] = shortcut(analysis)
        if any(result.folds for result in analysis.results):
            figures["results"] = scores(analysis)
        if analysis.sweep is not None and len(analysis.sweep.m) > 1:
            figures["sweep"] = sweep_figure(analysis.sweep)
        if any(row.auc is not None for row in analysis.lengths):
            figures["lengths"] = lengths_figure(analysis.lengths)
    return figures


def shortcut(analysis: Analysis) -> Figure:
    """HITS − Random in AUC per verifier, with its interval over pools."""
    rows = [
        comparison
        for comparison in analysis.shortcut
        if comparison.metric == TESTED[0] and comparison.difference is not None
    ]
    figure, (axes,) = canvas(4.6, 0.9 + 0.34 * len(rows))
    axes.axvline(0, color=INK, linewidth=0.8)
    for row_index, row in enumerate(rows):
        if row.interval is not None:
            axes.plot(
                row.interval,
                (row_index, row_index),
                color=SETUP["hits"],
                linewidth=2,
                solid_capstyle="butt",
                alpha=0.75,
            )
        fill = SETUP["hits"] if row.interval is not None else "none"
        axes.plot(
            [row.difference],
            [row_index],
            "o",
            markersize=6.5,
            color=SETUP["hits"],
            markerfacecolor=fill,
        )
    name_rows(axes, [row.verifier for row in rows])
    ends = [
        abs(difference)
        for row in rows
        for difference in (row.difference or 0.0, *(row.interval or ()))
    ]
    reach = 1.08 * max([0.02, *ends])
    axes.set_xlim(-reach, reach)
    axes.set_xlabel("AUC in HITS − AUC in Random")
    axes.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
    return figure


def scores(analysis: Analysis) -> Figure:
    """The paper's metrics by verifier and setup; bars are one standard deviation over folds to each side."""
    verifiers = analysis.verifiers
    setups = [setup.name for setup in analysis.setups]
    figure, axes = canvas(
        6.0, 1.2 + 0.14 * max(3, len(setups)) * len(verifiers), columns=len(SHOWN)
    )
    step = min(0.216, 0.75 / max(len(setups), 1))
    for panel, (metric, ax) in enumerate(zip(SHOWN, axes, strict=True)):
        for i, setup in enumerate(setups):
            color = SETUP.get(setup, OTHER)
            for row_index, verifier in enumerate(verifiers):
                result = analysis.result(verifier, setup)
                mean = None if result is None else result.mean[metric]
                if result is None or mean is None:
                    continue
                height = row_index + step * (i - (len(setups) - 1) / 2)
                std = result.std[metric] or 0.0
                ax.plot(
                    (mean - std, mean + std),
                    (height, height),
                    color=color,
                    linewidth=1.6,
                    alpha=0.55,
                )
                ax.plot([mean], [height], "osD^v"[i % 5], markersize=4.2, color=color)
        ax.set_title(title(metric), color=INK)
        ax.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
        low, high = ax.get_xlim()
        if high - low < NARROW:
            ax.set_xlim((low + high - NARROW) / 2, (low + high + NARROW) / 2)
        ax.locator_params(axis="x", nbins=3)
        name_rows(ax, verifiers if panel == 0 else [""] * len(verifiers))
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            marker="osD^v"[i % 5],
            color=SETUP.get(setup, OTHER),
            linewidth=1.6,
            markersize=4.2,
            label=title(setup),
        )
        for i, setup in enumerate(setups)
    ]
    figure.legend(
        handles=handles, loc="outside lower center", ncols=max(len(setups), 1), fontsize=9
    )
    return figure
