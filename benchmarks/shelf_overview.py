"""How ``docs/shelf.md`` opens: a table and a figure of all verifiers on all corpora, and what they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.pages import bare
from ravenbench.reports.page import FAINT, INK, canvas, save, style

CONTROLS = ("topic-only", "topic-fit", "length", "chance")
"""Controls of known reliance; no method is compared with them in the sentences."""
BEST = 10
"""Verifiers that the page's table shows."""
Row = Mapping[str, Any]


def overview(rows: Sequence[Row], corpora: Mapping[str, str]) -> str:
    """AUC → style left, a row a verifier, the most style left on average first; those without all rows last."""
    found = {(row["verifier"], row["corpus"]): row for row in rows}
    shown = [corpus for corpus in corpora if any(row["corpus"] == corpus for row in rows)]
    lines = [
        f"| AUC → style left | {' | '.join(corpora[c] for c in shown)} |",
        "|---" * (len(shown) + 1) + "|",
    ]
    for name in (name for n, name in enumerate(order(rows, shown)) if n < BEST or name in CONTROLS):
        cells = [_cell(found.get((name, corpus))) for corpus in shown]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines.append(
        f"\nThe {BEST} with the most style left on average, and the controls; figure and CSV file have all. –: no row."
    )
    lines.append("\n![AUC and style left of every verifier on every corpus](images/shelf-page.svg)")
    return "\n".join(lines)


def order(rows: Sequence[Row], corpora: Sequence[str]) -> list[str]:
    """Verifiers by their mean style left (AUC where content could not be asked), those on fewer corpora last."""
    mine: dict[str, list[float]] = {}
    for row in rows:
        if row["corpus"] in corpora and row["auc"] is not None:
            mine.setdefault(row["verifier"], []).append(
                row["auc"] if row["style_left"] is None else row["style_left"]
            )
    return sorted(
        mine, key=lambda name: (-len(mine[name]), -sum(mine[name]) / len(mine[name]), name)
    )


def reading(rows: Sequence[Row], corpora: Mapping[str, str]) -> str:
    """A row a corpus: who is best by AUC, who by style left, and how many others' intervals hold these figures."""
    lines = [
        "| corpus | highest AUC | its style left | most style left | lose .1 |",
        "|---" * 5 + "|",
    ]
    for corpus, title in corpora.items():
        mine = [row for row in rows if row["corpus"] == corpus and row["verifier"] not in CONTROLS]
        asked = [row for row in mine if row["style_left"] is not None]
        if not asked:
            continue
        best, styled = (
            max(mine, key=lambda row: row["auc"]),
            max(asked, key=lambda row: row["style_left"]),
        )
        topical = [row for row in asked if row["auc"] - row["style_left"] >= 0.1]
        cells = [title, f"{best['verifier']} {_told(best, 'auc')} ({_reach(mine, 'auc', best)})"]
        cells += [_told(best, "style_left")]
        cells += [
            f"{styled['verifier']} {_told(styled, 'style_left')} ({_reach(asked, 'style_left', styled)})"
        ]
        cells += [f"{len(topical)} of {len(asked)}"]
        lines.append(f"| {' | '.join(cells)} |")
    told = "In round brackets: how many others' intervals hold the figure. *Lose .1*: methods that lose .1 or more of\n"
    return "\n".join(
        [*lines, "", f"{told}AUC when content stops helping. Controls are not counted."]
    )


def draw(rows: Sequence[Row], corpora: Mapping[str, str], place: Path) -> None:
    """Of each corpus: a ring for AUC, a point for style left with its interval, a line between them."""
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
        told = "ring: AUC; point: style left with its 95 % interval, orange where it is .1 or more below; .5 is guessing"
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
    area, left = row["auc"], row["style_left"]
    ax.plot([area], [y], "o", markersize=5, markerfacecolor="none", markeredgecolor=FAINT)
    if left is not None:
        color = "#c05621" if area - left >= 0.1 else "#2b6cb0"
        ax.plot([area, left], [y, y], color=color, linewidth=0.8, alpha=0.5)
        if row.get("style_left_interval"):
            ax.plot(
                row["style_left_interval"],
                (y, y),
                color=color,
                linewidth=2.4,
                alpha=0.3,
                solid_capstyle="butt",
            )
        ax.plot([left], [y], "o", markersize=3.5, color=color)


def _cell(row: Row | None) -> str:
    if row is None or row["auc"] is None:
        return "–"
    left = row["style_left"]
    return f"{row['auc']:.2f}→{'n/a' if left is None else f'{left:.2f}'}".replace("0.", ".")


def _told(row: Row, key: str) -> str:
    return ranged(row[key], row.get(f"{key}_interval"))


def _reach(rows: Sequence[Row], key: str, best: Row) -> int:
    """How many other verifiers' intervals contain the best one's figure."""
    ends = [
        row[f"{key}_interval"] for row in rows if row is not best and row.get(f"{key}_interval")
    ]
    return sum(high >= best[key] for _, high in ends)
