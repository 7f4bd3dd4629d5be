"""The figure of the content axis: what style alone reaches, and how far content moves a verifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ravenbench.reports.shared.content import ContentProbe
from ravenbench.reports.shared.figures import FAINT, INK, OTHER, SETUP, canvas
from ravenbench.reports.shared.tables import named, printable
from ravenbench.statistics.axes import Content, Domain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OUTCOME: dict[Content | Domain, str] = {
    Content.RELIES: SETUP["anti"],
    Content.LOSES: SETUP["anti"],
    Content.NOTICES: SETUP["anti"],
    Content.SWAYED: SETUP["anti"],
    Content.LESS: SETUP["hits"],
    Content.UNDECIDED: SETUP["random"],
}
"""Colours of the outcomes on the content axis."""


def content_figure(found: ContentProbe) -> Figure:
    """A point for what style alone reaches with its interval, a bar from the AUC with content against the truth to
    that with content along with it."""
    figure, (axes,) = canvas(3.9, 0.8 + 0.3 * len(found.rows))
    axes.axvline(0.5, color=INK, linewidth=0.8)
    ends = [0.45, 0.7]
    for y, row in enumerate(found.rows):
        left = row.figures.style_left
        if left is None or row.reach is None:
            continue
        color = OUTCOME.get(row.judged.outcome, OTHER)
        low, high = row.reach
        axes.barh(y, high - low, left=low, height=0.46, color=color, alpha=0.35)
        if left.interval is not None:
            axes.plot(left.interval, (y, y), color=INK, linewidth=1.4, solid_capstyle="butt")
        axes.plot([left.value], [y], "o", markersize=4.5, color=color)
        ends += [left.value, *row.reach, *(left.interval or ())]
    name_rows(axes, [row.verifier for row in found.rows])
    axes.set_xlim(min(ends) - 0.02, max(ends) + 0.02)
    axes.set_xlabel("AUC (.5 = guessing)")
    axes.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
    return figure


def name_rows(axes: Any, names: Sequence[str]) -> None:
    """Verifier names down the axis, first on top; long ones are cut."""
    shown = [n if len(n) <= 24 else n[:23] + "…" for n in map(printable, map(named, names))]
    axes.set_yticks(range(len(names)), shown)
    axes.set_ylim(len(names) - 0.45, -0.55)
    axes.spines["left"].set_visible(False)
