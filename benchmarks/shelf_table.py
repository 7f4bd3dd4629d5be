"""What ``benchmarks.study_shelf`` writes: figures as JSON, a table in ``docs/verdict.md``, a figure for the README."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.pages import put_between
from ravenbench.reports.content import OUTCOME
from ravenbench.reports.page import FAINT, INK, OTHER, SETUP, canvas, save, style
from ravenbench.statistics.axes import CONTENT_MARGIN, DOMAIN_MARGIN, Content, Domain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROOT = Path(__file__).parent.parent
BEGIN, END = "<!-- shelf: made by python -m benchmarks.study_shelf -->", "<!-- end of shelf -->"
TITLES = {"newsgroups": "20 Newsgroups", "ebg": "Extended Brennan–Greenstadt corpus"}
SHORT = {"newsgroups": "20 Newsgroups", "ebg": "EBG"}
WORDS = {
    str(Content.RELIES): "relies on content",
    str(Content.LOSES): "content words matter",
    str(Content.LESS): f"no effect beyond ±{CONTENT_MARGIN:.2f}".replace("0.", "."),
    str(Domain.DEPENDS): "depends on it",
    str(Domain.LESS): f"no effect beyond ±{DOMAIN_MARGIN:.2f}".replace("0.", "."),
    str(Domain.NOT_APPLICABLE): "not applicable",
}
HEADS = (
    "verifier",
    "AUC",
    "style left",
    "drop",
    "swing",
    "content",
    "domain gain",
    "training domain",
    "folds",
    "problems",
    "rep.",
    "CPU s",
)

Row = Mapping[str, Any]


def write_all(rows: Sequence[Row], shelf: Sequence[str], designs: Mapping[str, Any], cap: float) -> None:
    """Write all three; verifiers of the shelf without a row are named as not run."""
    absent = {name: [v for v in shelf if not _of(rows, name, v)] for name in TITLES}
    kept = {"designs": designs, "cap_cpu_seconds": cap, "not_run": absent}
    lines = [f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}," for name, value in kept.items()]
    told = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in rows)
    text = "\n".join(["{", *lines, ' "rows": [', told, " ]", "}", ""])
    Path(__file__).with_name("shelf.json").write_text(text, encoding="utf-8")
    page = ROOT / "docs" / "verdict.md"
    put_between(page, BEGIN, END, f"\n{tables(rows, absent)}")
    with style():
        save(figure(rows), ROOT / "docs" / "images" / "shelf.svg")


def tables(rows: Sequence[Row], absent: Mapping[str, Sequence[str]]) -> str:
    """A Markdown table a corpus, the largest swing first, and what was not run."""
    parts = []
    for name, title in TITLES.items():
        mine = sorted((row for row in rows if row["corpus"] == name), key=_swing, reverse=True)
        if mine:
            parts += [f"**{title}**\n", "| " + " | ".join(HEADS) + " |", "|---" * len(HEADS) + "|"]
            parts += ["| " + " | ".join(cells(row)) + " |" for row in mine] + [""]
            stopped = [row["verifier"] for row in mine if row["folds_missing"]]
            if stopped:
                parts.append(f"Answers are missing on some folds of {', '.join(stopped)}.\n")
        lacking = ", ".join(absent[name])
        if lacking and mine:
            parts.append(f"Not run on {title}: {lacking}.\n")
        elif lacking:
            parts.append(f"Nothing was run on {title}.\n")
    forms = {row["verifier"]: row["form"] for row in rows if row["form"]}
    parts.append("Forms other than defaults: " + ", ".join(f"`{form}`" for form in forms.values()) + ".\n")
    return "\n".join(parts)


def cells(row: Row) -> list[str]:
    """A row of the table."""
    return [
        row["verifier"],
        _figure(row["auc"]),
        _figure(row["style_left"]),
        _figure(row["drop"], signed=True),
        _figure(row["swing"], signed=True),
        WORDS.get(row["content"], row["content"]) + (", batch matters" if row["batch_matters"] else ""),
        "n/a" if row["domain"] == str(Domain.NOT_APPLICABLE) else _figure(row["gain"], signed=True),
        WORDS.get(row["domain"], row["domain"]) if row["repetitions"] else "not asked",
        str(row["folds"]),
        str(row["problems"]),
        str(row["repetitions"]),
        f"{row['cpu_seconds']:.0f}" if row["cpu_seconds"] >= 1 else "< 1",
    ]


def figure(rows: Sequence[Row]) -> Figure:
    """Of each corpus: a point for what style alone reaches, a bar for how far content moves it, by outcome."""
    from matplotlib.patches import Patch

    shown = [name for name in TITLES if any(row["corpus"] == name for row in rows)]
    ranked = sorted(rows, key=lambda row: (row["corpus"] != shown[0], -_swing(row)))
    order = list(dict.fromkeys(row["verifier"] for row in ranked))
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
                ax.plot(row["style_left"]["interval"], (y, y), color=INK, linewidth=1.1, solid_capstyle="butt")
            ax.plot([left], [y], "o", markersize=4.5, color=color)
        ax.set_yticks(range(len(order)), order if ax is axes[0] else [""] * len(order), fontsize=8)
        ax.set_ylim(len(order) - 0.45, -0.55)
        ax.spines["left"].set_visible(False)
        ax.set_title(SHORT[name], color=INK)
        ax.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
    words = {SETUP["anti"]: "an effect of content", SETUP["hits"]: "none beyond ±.02", SETUP["random"]: "undecided"}
    handles = [Patch(color=color, alpha=0.6, label=word) for color, word in words.items()]
    handles.append(Patch(color=OTHER, alpha=0.6, label="tells nobody apart, or no verdict"))
    made.legend(handles=handles, loc="outside upper center", ncols=4, fontsize=8)
    made.supxlabel("AUC: point = style alone, bar = how far content moves it (.5 = guessing)", fontsize=9, color=INK)
    return made


def _of(rows: Sequence[Row], corpus: str, verifier: str) -> Row | None:
    return next((row for row in rows if row["corpus"] == corpus and row["verifier"] == verifier), None)


def _swing(row: Row) -> float:
    return -1.0 if row["swing"] is None else float(row["swing"]["value"])


def _figure(found: Mapping[str, Any] | None, *, signed: bool = False) -> str:
    if found is None:
        return "n/a"
    shown = _plain(found["value"], signed)
    if found["interval"] is None:
        return shown
    low, high = (_plain(end, signed) for end in found["interval"])
    return f"{shown} [{low}, {high}]"


def _plain(value: float, signed: bool) -> str:
    text = f"{value:+.3f}" if signed else f"{value:.3f}"
    text = ".000" if float(text) == 0 else text
    return text.replace("-", "−").replace("0.", ".", 1)
