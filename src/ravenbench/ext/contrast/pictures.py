"""The pictures of a contrast: words that each side prefers, and texts by the words that others chose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ravenbench.ext.contrast.analysis import FUNCTION, HOLDS, ContrastAnalysis
from ravenbench.reports.page import COLORS, FAINT, canvas, style, titled
from ravenbench.reports.view import printable, public

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _short(name: str, most: int = 24) -> str:
    name = public(printable(name))
    return name if len(name) <= most else f"{name[: most - 1]}…"


def draw_words(a: ContrastAnalysis, count: int) -> Figure:
    """Zeta of the words that each side prefers most, with intervals; what is or may be topic is hollow."""
    rows = a.words.filter((a.words["prefers"] != "") & (a.words["rank"] <= count)).sort("zeta", descending=True)
    with style():
        drawing, (axes,) = canvas(5.2, 0.6 + 0.155 * len(rows))
        for y, row in enumerate(rows.iter_rows(named=True)):
            color = COLORS[0] if row["zeta"] > 0 else COLORS[1]
            if row["zeta low"] is not None:
                axes.plot([row["zeta low"], row["zeta high"]], [y, y], color=color, linewidth=1)
            fill = color if row["kind"] in (FUNCTION, HOLDS) else "none"
            (made,) = axes.plot([row["zeta"]], [y], "o", color=color, markersize=4, markerfacecolor=fill)
            titled(made, f"{row['word']}, {row['kind']}")
        axes.axvline(0, color=FAINT, linewidth=0.8)
        axes.set_yticks(range(len(rows)), [public(printable(word)) for word in rows["word"]], fontsize=7.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlabel(f"{_short(a.sides[1].name)}  ←  Zeta  →  {_short(a.sides[0].name)} (hollow: may be topic)")
        return drawing


def draw_slices(a: ContrastAnalysis) -> Figure:
    """Texts by the shares of words preferred and avoided that their slices have."""
    with style():
        drawing, (axes,) = canvas(5.2, 3.8)
        names = [side.name for side in a.sides]
        looks = {names[0]: ("o", COLORS[0]), names[1]: ("s", COLORS[1]), "test": ("^", COLORS[2])}
        for side, (marker, color) in looks.items():
            own = [p for p in a.placed if p.side == side]
            for n, p in enumerate(own):
                label = _short(side) if n == 0 else "_"
                (made,) = axes.plot([p.avoided], [p.preferred], marker, color=color, markersize=5, label=label)
                titled(made, f"{p.text}, {side}, {p.nearer} of {p.slices} slices nearer to {names[0]}")
        axes.set_xlabel(f"share of the words of {_short(names[1])}")
        axes.set_ylabel(f"share of the words of {_short(names[0])}")
        drawing.legend(loc="outside lower center", ncols=3, fontsize=7.5)
        return drawing
