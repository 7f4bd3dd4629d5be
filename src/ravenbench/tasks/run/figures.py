"""The figures of a run: content, training domain, shortcut test, scores, similarity, sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

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
        if analysis.content is not None and any(r.figures.swing is not None for r in analysis.content.rows):
            figures["content"] = content_figure(analysis.content)
        if analysis.domain is not None and any(r.gain is not None for r in analysis.domain.rows):
            figures["domain"] = domain_figure(analysis.domain)
        if any(s.difference is not None for s in analysis.shortcut):
            figures["shortcut"] = shortcut(analysis)
        if any(r.folds for r in analysis.results):
            figures["results"] = scores(analysis)
        if analysis.similarity is not None and analysis.selected:
            figures["similarity"] = heat_maps(analysis)
        if analysis.sweep is not None and len(analysis.sweep.m) > 1:
            figures["sweep"] = sweep_figure(analysis.sweep)
        if any(row.auc is not None for row in analysis.lengths):
            figures["lengths"] = lengths_figure(analysis.lengths)
    return figures


def shortcut(analysis: Analysis) -> Figure:
    """HITS − Random in AUC per verifier, with its interval over pools."""
    rows = [s for s in analysis.shortcut if s.metric == TESTED[0] and s.difference is not None]
    figure, (axes,) = canvas(4.6, 0.9 + 0.34 * len(rows))
    axes.axvline(0, color=INK, linewidth=0.8)
    for y, s in enumerate(rows):
        if s.interval is not None:
            axes.plot(s.interval, (y, y), color=SETUP["hits"], linewidth=2, solid_capstyle="butt", alpha=0.75)
        fill = SETUP["hits"] if s.interval is not None else "none"
        axes.plot([s.difference], [y], "o", markersize=6.5, color=SETUP["hits"], markerfacecolor=fill)
    name_rows(axes, [s.verifier for s in rows])
    ends = [abs(v) for s in rows for v in (s.difference or 0.0, *(s.interval or ()))]
    reach = 1.08 * max([0.02, *ends])
    axes.set_xlim(-reach, reach)
    axes.set_xlabel("AUC in HITS − AUC in Random")
    axes.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
    return figure


def scores(analysis: Analysis) -> Figure:
    """The paper's metrics by verifier and setup; bars are one standard deviation over folds to each side."""
    verifiers, setups = analysis.verifiers, [s.name for s in analysis.setups]
    figure, axes = canvas(6.0, 1.2 + 0.14 * max(3, len(setups)) * len(verifiers), columns=len(SHOWN))
    step = min(0.216, 0.75 / max(len(setups), 1))
    for place, (metric, ax) in enumerate(zip(SHOWN, axes, strict=True)):
        for i, setup in enumerate(setups):
            color = SETUP.get(setup, OTHER)
            for y, verifier in enumerate(verifiers):
                r = analysis.result(verifier, setup)
                mean = None if r is None else r.mean[metric]
                if r is None or mean is None:
                    continue
                at = y + step * (i - (len(setups) - 1) / 2)
                std = r.std[metric] or 0.0
                ax.plot((mean - std, mean + std), (at, at), color=color, linewidth=1.6, alpha=0.55)
                ax.plot([mean], [at], "osD^v"[i % 5], markersize=4.2, color=color)
        ax.set_title(title(metric), color=INK)
        ax.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
        low, high = ax.get_xlim()
        if high - low < NARROW:
            ax.set_xlim((low + high - NARROW) / 2, (low + high + NARROW) / 2)
        ax.locator_params(axis="x", nbins=3)
        name_rows(ax, verifiers if place == 0 else [""] * len(verifiers))
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], marker="osD^v"[i % 5], color=SETUP.get(s, OTHER), linewidth=1.6, markersize=4.2, label=title(s))
        for i, s in enumerate(setups)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=max(len(setups), 1), fontsize=9)
    return figure


def heat_maps(analysis: Analysis) -> Figure:
    """Cosine similarities of the first pool's topics, in order of choice; the diagonal is left blank."""
    from matplotlib.colors import to_rgb

    assert analysis.similarity is not None
    names = [s.name for s in analysis.setups if s.name in analysis.selected]
    figure, axes = canvas(7.2, 7.2 / max(len(names), 2) + 0.5, columns=len(names))
    blocks = [analysis.similarity[np.ix_(analysis.selected[n], analysis.selected[n])] for n in names]
    every = np.concatenate([_off(b) for b in blocks])
    low = max(0.0, float(every.min(initial=1.0)))
    high = max(low + 1e-9, float(every.max(initial=0.0)))
    rgb = to_rgb(SETUP["hits"])
    for ax, name, block in zip(axes, names, blocks, strict=True):
        image = np.empty((*block.shape, 4))
        image[..., :3] = rgb
        image[..., 3] = np.clip((block - low) / (high - low), 0, 1)
        np.fill_diagonal(image[..., 3], 0)
        ax.imshow(image, interpolation="none")
        mean = f"{_off(block).mean():.2f}".replace("-", "−") if len(block) > 1 else "n/a"
        ax.set_title(title(name) + (", " if len(names) < 4 else "\n") + f"mean {mean}", color=INK)
        ax.set_xticks([])
        ax.set_yticks([])
        for spine in ax.spines.values():
            spine.set_visible(True)
    figure.supxlabel(f"no colour: {low:.2f} or less · full colour: {high:.2f}", fontsize=8.5, color=INK)
    return figure


def _off(block: Any) -> Any:
    """Values off the diagonal."""
    return block[~np.eye(len(block), dtype=bool)]
