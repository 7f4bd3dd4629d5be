"""How well verifiers answer, in ``docs/shelf.md``: a figure of all on all corpora, and who is best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.pages import bare
from ravenbench.reports.page import FAINT, INK, SETUP, canvas, save, style

CONTROLS = ("topic-only", "topic-fit", "length", "chance")
"""Controls of known reliance; no method is compared with them in the sentences."""
Row = Mapping[str, Any]


def order(rows: Sequence[Row], corpora: Sequence[str]) -> list[str]:
    """Verifiers by their mean AUC, those on fewer corpora last."""
    mine: dict[str, list[float]] = {}
    for row in rows:
        if row["corpus"] in corpora and row["auc"] is not None:
            mine.setdefault(row["verifier"], []).append(row["auc"])
    return sorted(
        mine, key=lambda name: (-len(mine[name]), -sum(mine[name]) / len(mine[name]), name)
    )


def reading(rows: Sequence[Row], corpora: Mapping[str, str]) -> str:
    """A row a corpus: who is best by AUC, and how many others' intervals hold it."""
    lines = ["| corpus | highest AUC | in intervals of others |", "|---" * 3 + "|"]
    for corpus, title in corpora.items():
        mine = [row for row in rows if row["corpus"] == corpus and row["verifier"] not in CONTROLS]
        if mine:
            best = max(mine, key=lambda row: row["auc"])
            told = f"{best['verifier']} {ranged(best['auc'], best.get('auc_interval'))}"
            lines.append(f"| {title} | {told} | {_reach(mine, best)} |")
    return "\n".join(lines)


def draw(rows: Sequence[Row], corpora: Mapping[str, str], place: Path) -> None:
    """Of each corpus: a point for AUC with its interval."""
    shown = [corpus for corpus in corpora if any(row["corpus"] == corpus for row in rows)]
    names = order(rows, shown)
    if not names:
        return
    found = {(row["verifier"], row["corpus"]): row for row in rows}
    with style():
        made, axes = canvas(9.6, 1.0 + 0.2 * len(names), columns=len(shown))
        for corpus, ax in zip(shown, axes, strict=True):
            ax.axvline(0.5, color=INK, linewidth=0.8)
            for y, name in enumerate(names):
                if (row := found.get((name, corpus))) is not None and row["auc"] is not None:
                    _mark(ax, y, row)
            ax.set_yticks(
                range(len(names)), names if ax is axes[0] else [""] * len(names), fontsize=8
            )
            ax.set_ylim(len(names) - 0.45, -0.55)
            ax.set_xlim(0.2, 1.02)
            ax.set_xticks([0.25, 0.5, 0.75, 1.0], [".25", ".5", ".75", "1"])
            ax.spines["left"].set_visible(False)
            ax.set_title(corpora[corpus], color=INK, fontsize=10)
            ax.grid(axis="both", color=FAINT, alpha=0.25, linewidth=0.6)
        told = "AUC with its 95 % interval; .5 is guessing"
        made.supxlabel(told, fontsize=9, color=INK)
        save(made, place)


def ranged(value: float | None, interval: Sequence[float] | None) -> str:
    """A figure with its interval, as far as an AUC can lie in it."""
    if value is None or interval is None:
        return short(value)
    return f"{short(value)} [{short(max(interval[0], 0.0))}, {short(min(interval[1], 1.0))}]"


def short(value: float | None) -> str:
    """Three digits without a leading zero."""
    return "n/a" if value is None else bare(value, 3)


def _mark(ax: Any, y: int, row: Row) -> None:
    if row.get("auc_interval"):
        ax.plot(row["auc_interval"], (y, y), color=FAINT, linewidth=1.4, solid_capstyle="butt")
    ax.plot([row["auc"]], [y], "o", markersize=4, color=SETUP["hits"])


def _reach(rows: Sequence[Row], best: Row) -> int:
    """How many other verifiers' intervals contain the best one's figure."""
    ends = [row["auc_interval"] for row in rows if row is not best and row.get("auc_interval")]
    return sum(high >= best["auc"] for _, high in ends)
