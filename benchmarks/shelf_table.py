"""What ``benchmarks.study_shelf`` writes: figures as JSON and CSV, the table of outcomes in ``docs/shelf.md``, a figure."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.pages import bare, put_between
from ravenbench.reports.content import OUTCOME, OUTCOMES
from ravenbench.reports.page import FAINT, INK, OTHER, SETUP, canvas, save, style
from ravenbench.statistics.axes import Content

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "shelf.md"
TABLE = ROOT / "docs" / "data" / "verdict.csv"
DOMAIN = ROOT / "docs" / "data" / "verdict-domain.csv"
BEGIN, END = "<!-- shelf: made by python -m benchmarks.study_shelf -->", "<!-- end of shelf -->"
ORDER = (
    Content.LESS,
    Content.FLOOR,
    Content.UNDECIDED,
    Content.GUESSES,
    Content.FOLLOWS,
    Content.DISPLACED,
    Content.SWAYED,
    Content.NOTICES,
    Content.LOSES,
    Content.RELIES,
    Content.NO_VERDICT,
)
"""Outcomes in the order of the table."""
BY_WORDS = {
    "style_left": "style_left_interval",
    "drop": "drop_interval",
    "swing": "interval",
    "both_ways": "both_ways_interval",
    "decisions": "decisions_interval",
    "ranks": "ranks_interval",
    "left_open": "left_open_interval",
}
"""Figures of a replacement, with the names of their intervals."""

Row = Mapping[str, Any]


def write_all(
    rows: Sequence[Row],
    domain: Sequence[Row],
    shelf: Sequence[str],
    designs: Mapping[str, Any],
    cap: float,
) -> None:
    """Write everything; verifiers of the shelf without a row are named as not judged yet."""
    kept = {"designs": designs, "cap_cpu_seconds": cap}
    lines = [f" {json.dumps(name)}: {json.dumps(value)}," for name, value in kept.items()]
    parts = []
    for name, some in (("rows", rows), ("domain", domain)):
        told = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in some)
        parts.append(f' "{name}": [\n{told}\n ]')
    text = "\n".join(["{", *lines, ",\n".join(parts), "}", ""])
    Path(__file__).with_name("shelf.json").write_text(text, encoding="utf-8")
    put_between(PAGE, BEGIN, END, f"\n{outcomes(rows, shelf)}\n")
    write_csv(rows, domain)
    with style():
        save(figure(rows), ROOT / "docs" / "images" / "shelf.svg")


def outcomes(rows: Sequence[Row], shelf: Sequence[str]) -> str:
    """Who got which outcome, the highest AUC where topic misleads first, with style left and that AUC."""
    lines = ["| outcome | style left; AUC where topic misleads |", "|---|---|"]
    for outcome in ORDER:
        mine = [_named(row) for row in ranked(rows) if row["outcome"] == OUTCOMES[outcome]]
        if mine:
            lines.append(f"| {outcome} | {', '.join(mine)} |")
    absent = [name for name in shelf if all(row["verifier"] != name for row in rows)]
    if absent:
        lines.append(f"\nNot judged by this rule yet: {', '.join(absent)}.")
    return "\n".join(lines)


def ranked(rows: Sequence[Row]) -> list[Row]:
    """Rows by the AUC where topic misleads, the highest first."""
    return sorted(rows, key=lambda row: -(row["topic_misleads"] or 0.0))


def _named(row: Row) -> str:
    """A verifier with its figures, marked where its answers depend on their batch."""
    figures = [row["style_left"], row["topic_misleads"]]
    told = "; ".join("–" if value is None else bare(value) for value in figures)
    return f"{row['verifier']}{'ᵇ' * bool(row['batch_matters'])} ({told})"


def write_csv(rows: Sequence[Row], domain: Sequence[Row]) -> None:
    """Every figure with its interval: a line for each verifier and replacement; and the training domain's."""
    plain = ("corpus", "verifier", "form", "outcome", "decided_by", "folds", "batch_matters")
    head = [*plain, "words", "by_these", "problems", "auc"]
    head += [f"{key}{end}" for key in (*BY_WORDS, "misleads") for end in ("", "_low", "_high")]
    lines: list[list[Any]] = [[*head, "cpu_seconds"]]
    for row in ranked(rows):
        hard = _ends(row, "topic_misleads", "topic_misleads_interval")
        for by in row["by_replacement"]:
            line = [row[key] for key in plain]
            line += [by["replacement"], by["outcome"], by["problems"], _digits(by["auc"])]
            line += [end for pair in BY_WORDS.items() for end in _ends(by, *pair)]
            lines.append([*line, *hard, row["cpu_seconds"]])
    _write(TABLE, lines)
    keys = ("corpus", "verifier", "repetitions", "domain")
    gains = [
        [*(row[key] for key in keys), *_ends(row["gain"], "value", "interval")]
        for row in domain
        if row["gain"]
    ]
    _write(DOMAIN, [[*keys, "gain", "gain_low", "gain_high"], *gains])


def figure(rows: Sequence[Row]) -> Figure:
    """A point for what style alone reaches, a bar for how far content moves it, by outcome."""
    from matplotlib.patches import Patch

    named = {name: OUTCOME.get(outcome, OTHER) for outcome, name in OUTCOMES.items()}
    order = ranked(rows)
    made, [ax] = canvas(6.4, 1.2 + 0.2 * len(order), columns=1)
    ax.axvline(0.5, color=INK, linewidth=0.8)
    for y, row in enumerate(order):
        left, half = row["style_left"], abs(row["swing"]) / 2
        color = named[row["outcome"]]
        ax.barh(y, 2 * half, left=left - half, height=0.55, color=color, alpha=0.35)
        if row["style_left_interval"]:
            ends = row["style_left_interval"]
            ax.plot(ends, (y, y), color=INK, linewidth=1.1, solid_capstyle="butt")
        ax.plot([left], [y], "o", markersize=4.5, color=color)
    ax.set_yticks(range(len(order)), [row["verifier"] for row in order], fontsize=8)
    ax.set_ylim(len(order) - 0.45, -0.55)
    ax.spines["left"].set_visible(False)
    ax.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
    words = {
        SETUP["anti"]: "an effect of content",
        SETUP["hits"]: "none beyond ±.02",
        SETUP["random"]: "undecided",
        OTHER: "tells nobody apart",
    }
    handles = [Patch(color=color, alpha=0.6, label=word) for color, word in words.items()]
    made.legend(handles=handles, loc="outside upper center", ncols=4, fontsize=8)
    told = "AUC: point = style alone, bar = how far content moves it (.5 = guessing)"
    made.supxlabel(told, fontsize=9, color=INK)
    return made


def _write(place: Path, lines: Sequence[Sequence[Any]]) -> None:
    with place.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)


def _ends(row: Row, key: str, interval: str) -> list[str]:
    """A figure and the ends of its interval."""
    return [_digits(value) for value in (row[key], *(row[interval] or (None, None)))]


def _digits(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
