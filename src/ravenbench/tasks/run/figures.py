"""Draws the figures of a run: content, training domain, scores, sweep.

In: a run's ``Analysis``.
Out: matplotlib figures by name, those that the run allows; axes are AUC or metrics (0 to 1), gains in AUC
(differences, −1 to 1), numbers of topics, or lengths in words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ravenbench.reports.content import content_figure, name_rows
from ravenbench.reports.page import FAINT, INK, OTHER, SETUP, canvas, style
from ravenbench.tasks.run.analysis import SHOWN, Analysis, title
from ravenbench.tasks.run.probes import domain_figure, lengths_figure
from ravenbench.tasks.run.sweep import sweep_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NARROW = 0.1
"""An axis of scores never spans less, so that it does not exaggerate small differences."""


def draw(analysis: Analysis) -> dict[str, Figure]:
    """Return the figures that this run allows, by name: ``content``, ``domain``, ``results``, and further ones."""
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
        if any(result.folds for result in analysis.results):
            figures["results"] = scores(analysis)
        if analysis.sweep is not None and len(analysis.sweep.m) > 1:
            figures["sweep"] = sweep_figure(analysis.sweep)
        if any(row.auc is not None for row in analysis.lengths):
            figures["lengths"] = lengths_figure(analysis.lengths)
    return figures


def scores(analysis: Analysis) -> Figure:
    """Draw the paper's metrics (0 to 1) by verifier and setup; bars are one standard deviation over folds to each side."""
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
