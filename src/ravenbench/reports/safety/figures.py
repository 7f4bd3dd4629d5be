"""The trade-off of a safety run: what an obfuscator gains against what it costs the texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ravenbench.reports.page import FAINT, INK, SETUP, canvas, style
from ravenbench.reports.safety.records import ObfuscatorRow, Quality, SafetyAnalysis
from ravenbench.reports.safety.tables import title
from ravenbench.reports.view import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def trade_off(analysis: SafetyAnalysis) -> Figure | None:
    """Safety against soundness and against sensibleness, one point an obfuscator, bars 95 % intervals."""
    rows = [o for o in analysis.obfuscators if o.average_impact is not None and o.soundness]
    if not rows:
        return None
    sound = next((n for n in ("meteor", "chrf", "tfidf") if all(o.soundness[n].mean is not None for o in rows)), None)
    sense = "surprisal" if all(o.sensibleness["surprisal"].mean is not None for o in rows) else None
    panels: list[tuple[str, Callable[[ObfuscatorRow], Quality]]] = []
    if sound is not None:
        panels.append((f"soundness: {title(sound)} →", lambda o: o.soundness[sound]))
    if sense is not None:
        panels.append((f"← sensibleness: {title(sense)} over the original's", lambda o: o.sensibleness[sense]))
    if not panels:
        return None
    with style():
        figure, axes = canvas(7.2, 3.6, columns=len(panels))
        for ax, (label, of) in zip(axes, panels, strict=True):
            _panel(ax, rows, of)
            ax.set_xlabel(label)
        axes[0].set_ylabel("average impact →")
        names = [f"{i} {printable(o.name)[:24]}" for i, o in enumerate(rows, start=1)]
        figure.supxlabel(
            "\n".join(" · ".join(names[i : i + 5]) for i in range(0, len(names), 5)), fontsize=8.5, color=INK
        )
    return figure


def _panel(ax: Any, rows: Sequence[ObfuscatorRow], of: Callable[[ObfuscatorRow], Quality]) -> None:
    ax.axhline(0, color=FAINT, linewidth=0.6)
    ax.grid(color=FAINT, alpha=0.25, linewidth=0.6)
    for o in rows:
        quality = of(o)
        if quality.interval is not None:
            ax.plot(quality.interval, (o.average_impact,) * 2, color=SETUP["hits"], linewidth=1.4, alpha=0.6)
        if o.interval is not None:
            ax.plot((quality.mean,) * 2, o.interval, color=SETUP["hits"], linewidth=1.4, alpha=0.6)
        ax.plot([quality.mean], [o.average_impact], "o", color=SETUP["hits"], markersize=5)
    # Points lie close: they bear numbers, to either side in turn, and the names stand below.
    for place, number in enumerate(sorted(range(len(rows)), key=lambda i: of(rows[i]).mean or 0.0)):
        at = (of(rows[number]).mean, rows[number].average_impact)
        ax.annotate(
            str(number + 1), at, xytext=(-7 if place % 2 else 7, -10 if place % 2 else 5), fontsize=8, color=INK,
            textcoords="offset points", ha="center",
        )  # fmt: skip
