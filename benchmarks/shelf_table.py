"""What ``benchmarks.study_shelf`` writes: figures as JSON and CSV, a table in ``docs/verdict.md``, a figure."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.pages import put_between
from ravenbench.reports.content import OUTCOME
from ravenbench.reports.page import FAINT, INK, OTHER, SETUP, canvas, save, style
from ravenbench.statistics.axes import Content, Domain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "docs" / "data" / "verdict.csv"
BEGIN, END = "<!-- shelf: made by python -m benchmarks.study_shelf -->", "<!-- end of shelf -->"
TITLES = {"newsgroups": "20 Newsgroups", "ebg": "Extended Brennan–Greenstadt corpus"}
SHORT = {"newsgroups": "20 Newsgroups", "ebg": "EBG"}
WORDS = (
    *map(
        str,
        (
            Content.RELIES,
            Content.LOSES,
            Content.NOTICES,
            Content.SWAYED,
            Content.DISPLACED,
            Content.GUESSES,
            Content.LESS,
        ),
    ),
    *map(str, (Domain.DEPENDS, Domain.LESS)),
)
"""Outcomes in the order of the table."""
ESTIMATES = ("auc", "style_left", "drop", "swing", "null_swing", "gain", "null_gain")
PLAIN = (
    "corpus",
    "verifier",
    "form",
    "folds",
    "problems",
    "authors",
    "repetitions",
    "content",
    "batch_matters",
    "domain",
    "cpu_seconds",
)

Row = Mapping[str, Any]


def write_all(
    rows: Sequence[Row], shelf: Sequence[str], designs: Mapping[str, Any], cap: float
) -> None:
    """Write all three; verifiers of the shelf without a row are named as not run."""
    absent = {name: [v for v in shelf if not _of(rows, name, v)] for name in TITLES}
    kept = {"designs": designs, "cap_cpu_seconds": cap, "not_run": absent}
    lines = [
        f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)},"
        for name, value in kept.items()
    ]
    told = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in rows)
    text = "\n".join(["{", *lines, ' "rows": [', told, " ]", "}", ""])
    Path(__file__).with_name("shelf.json").write_text(text, encoding="utf-8")
    page = ROOT / "docs" / "verdict.md"
    put_between(page, BEGIN, END, f"\n{tables(rows, absent)}")
    write_csv(rows)
    with style():
        save(figure(rows), ROOT / "docs" / "images" / "shelf.svg")


def tables(rows: Sequence[Row], absent: Mapping[str, Sequence[str]]) -> str:
    """Who got which outcome on each axis and corpus, the largest swing first; of undecided ones the number."""
    heads = [f"{axis}, {SHORT[name]}" for axis in ("content", "training domain") for name in TITLES]
    parts = [f"| outcome | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for outcome in (*WORDS, "undecided", "no verdict"):
        content = [
            [_named(row) for row in _ranked(rows, name) if row["content"] == outcome]
            for name in TITLES
        ]
        domain = [
            [
                row["verifier"]
                for row in _ranked(rows, name)
                if row["repetitions"] and row["domain"] == outcome
            ]
            for name in TITLES
        ]
        if any(map(any, (*content, *domain))):
            told = (
                ", ".join(names) if outcome in WORDS else str(len(names) or "")
                for names in (*content, *domain)
            )
            parts.append(f"| {outcome} | {' | '.join(told)} |")
    for name, title in TITLES.items():
        stopped = [
            row["verifier"] for row in rows if row["corpus"] == name and row["folds_missing"]
        ]
        if stopped:
            parts.append(f"\nAnswers are missing on some folds of {title}: {', '.join(stopped)}.")
    lacking = "; ".join(
        f"{', '.join(some)} on {SHORT[name]}" for name, some in absent.items() if some
    )
    return "\n".join([*parts, f"\nNot run: {lacking}.\n" if lacking else ""])


def _ranked(rows: Sequence[Row], corpus: str) -> list[Row]:
    return sorted((row for row in rows if row["corpus"] == corpus), key=_swing, reverse=True)


def _named(row: Row) -> str:
    """A verifier, marked where its answers depend on their batch."""
    return f"{row['verifier']}{'ᵇ' * row['batch_matters']}"


def write_csv(rows: Sequence[Row]) -> None:
    """Every figure with its interval."""
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(
            [*PLAIN, *(f"{key}{end}" for key in ESTIMATES for end in ("", "_low", "_high"))]
        )
        for row in rows:
            ends = (
                value
                for key in ESTIMATES
                for found in [row[key] or {"value": None, "interval": None}]
                for value in (found["value"], *(found["interval"] or (None, None)))
            )
            out.writerow(
                [*(row[key] for key in PLAIN), *("" if v is None else f"{v:.3f}" for v in ends)]
            )


def figure(rows: Sequence[Row]) -> Figure:
    """Of each corpus: a point for what style alone reaches, a bar for how far content moves it, by outcome."""
    from matplotlib.patches import Patch

    shown = [name for name in TITLES if any(row["corpus"] == name for row in rows)]
    order = _order(rows)
    made, axes = canvas(7.6, 1.2 + 0.2 * len(order), columns=len(shown))
    for name, ax in zip(shown, axes, strict=True):
        ax.axvline(0.5, color=INK, linewidth=0.8)
        for y, verifier in enumerate(order):
            row = _of(rows, name, verifier)
            if row is None or row["style_left"] is None or row["reach"] is None:
                continue
            left, (low, high) = row["style_left"]["value"], row["reach"]
            color = OUTCOME.get(Content(row["content"]), OTHER)
            ax.barh(y, high - low, left=low, height=0.55, color=color, alpha=0.35)
            if row["style_left"]["interval"]:
                ax.plot(
                    row["style_left"]["interval"],
                    (y, y),
                    color=INK,
                    linewidth=1.1,
                    solid_capstyle="butt",
                )
            ax.plot([left], [y], "o", markersize=4.5, color=color)
        ax.set_yticks(range(len(order)), order if ax is axes[0] else [""] * len(order), fontsize=8)
        ax.set_ylim(len(order) - 0.45, -0.55)
        ax.spines["left"].set_visible(False)
        ax.set_title(SHORT[name], color=INK)
        ax.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
    words = {
        SETUP["anti"]: "an effect of content",
        SETUP["hits"]: "none beyond ±.02",
        SETUP["random"]: "undecided",
    }
    handles = [Patch(color=color, alpha=0.6, label=word) for color, word in words.items()]
    handles.append(Patch(color=OTHER, alpha=0.6, label="tells nobody apart, or no verdict"))
    made.legend(handles=handles, loc="outside upper center", ncols=4, fontsize=8)
    made.supxlabel(
        "AUC: point = style alone, bar = how far content moves it (.5 = guessing)",
        fontsize=9,
        color=INK,
    )
    return made


def _of(rows: Sequence[Row], corpus: str, verifier: str) -> Row | None:
    return next(
        (row for row in rows if row["corpus"] == corpus and row["verifier"] == verifier), None
    )


def _order(rows: Sequence[Row]) -> list[str]:
    """Verifiers by their swing on the first corpus, those that are not there by that on the next."""
    ranked = sorted(rows, key=lambda row: (list(TITLES).index(row["corpus"]), -_swing(row)))
    return list(dict.fromkeys(row["verifier"] for row in ranked))


def _swing(row: Row) -> float:
    return -1.0 if row["swing"] is None else float(row["swing"]["value"])
