"""``docs/data/shelf.csv``: how well every verifier answers, on five corpora of one small design each, without a probe.

PAN-2014's three corpora are answered as they are given (``RAVEN_DATA/pan14``). EBG and newsgroups are cut to two folds
of ten topics and at most 120 pairs a side, so that slow methods can be asked the same questions as fast ones. A row is
a verifier on a corpus; finished rows are kept in ``benchmarks/shelf_page.json`` with what they cost, and a verifier
that has used up its budget of CPU seconds on a corpus has no row there.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pages import put_between
from benchmarks.shelf_overview import draw, reading
from ravenbench.engine.cells import execute
from ravenbench.engine.pool import Engine
from ravenbench.metrics.calibration import cllr
from ravenbench.metrics.pan import scores
from ravenbench.reports.cells import sides_of
from ravenbench.statistics.estimates import mean_auc
from ravenbench.store.store import open_store
from ravenbench.tasks.run.record import RunPlan
from ravenbench.tasks.run.spec import RunSpec, build
from ravenbench.tasks.run.task import Run

ROWS = Path(__file__).with_name("shelf_page.json")
PAGE = Path(__file__).parent.parent / "docs" / "shelf.md"
CORPORA = {
    "du_essays": "PAN-2014 Dutch essays",
    "en_essays": "PAN-2014 English essays",
    "gr_articles": "PAN-2014 Greek articles",
    "ebg": "Extended Brennan–Greenstadt corpus",
    "newsgroups": "20 Newsgroups",
}
SHORT = {
    "du_essays": "Dutch",
    "en_essays": "English",
    "gr_articles": "Greek",
    "ebg": "EBG",
    "newsgroups": "newsgroups",
}
TABLE = Path(__file__).parent.parent / "docs" / "data" / "shelf.csv"
IMAGE = Path(__file__).parent.parent / "docs" / "images" / "shelf-page.svg"
ENGLISH = ("en_essays", "ebg", "newsgroups")
SMALL = {
    "pools": 1,
    "folds": 2,
    "topics": 10,
    "docs_per_topic": 30,
    "limit": 120,
    "samplers": "random",
}
WHY = {
    "command": "several known documents",
    "encoder": "an English model",
}
LEFT_OUT = "not run, stopped, or a part of it is not installed"
"""Why a verifier has no row."""
ANSWERS = "<!-- answers: made by python -m benchmarks.study_shelf -->", "<!-- end of answers -->"
SPEED = "<!-- speed: made by python -m benchmarks.study_shelf -->", "<!-- end of speed -->"
"""Where the page has its tables."""

Row = Mapping[str, Any]


def spec_of(
    name: str, forms: Mapping[str, str], corpus: Callable[[str], dict[str, Any]]
) -> RunSpec:
    """The run of some verifiers, by name and printed form, on a corpus."""
    aliases = {verifier: form for verifier, form in forms.items() if verifier != form}
    given: dict[str, Any] = {
        "verifiers": ", ".join(forms),
        "aliases": aliases,
        "probe": "none",
    }
    if name in ("ebg", "newsgroups"):
        return build({**corpus(name), **SMALL, **given})
    place = str(Path(os.environ["RAVEN_DATA"]) / "pan14" / f"{name}.zip")
    return build({"train": place, "test": place, **given})


def compute(
    spec: RunSpec, folder: Path, engine: Engine, progress: Callable[[str, int, int], None]
) -> None:
    """Compute what is missing of a run."""
    execute(Run({"spec": spec, "out": folder}).prepare(), spec.named_verifiers(), engine, progress)


def collect(name: str, folder: Path, spent: Mapping[str, float]) -> list[dict[str, Any]]:
    """A row for every verifier that answered all folds of a run."""
    store = open_store(folder)
    plan = store.plan_as(RunPlan)
    folds = [fold for fold, record in plan.folds.items() if record.transplanted is None]
    rows = []
    for verifier, form in ((entry.name, entry.spec) for entry in plan.verifiers):
        cells = [store.cell(verifier, fold) for fold in folds]
        if any(cell is None or cell.answers is None for cell in cells):
            continue
        same = np.concatenate([store.truth(fold) for fold in folds])
        answers = np.concatenate(
            [cell.answers for cell in cells if cell is not None and cell.answers is not None]
        )
        found, price = scores(same, answers), cllr(same, answers).cllr
        sides = [sides_of(store, fold, plan.topics) for fold in folds]
        split = np.split(answers, np.cumsum([len(side.same) for side in sides])[:-1])
        area = mean_auc(
            [(s.same, each, s.authors, s.problem) for s, each in zip(sides, split, strict=True)]
        )
        rows.append(
            {
                "corpus": name,
                "verifier": verifier,
                "form": _plain(form) if form != verifier else None,
                "problems": len(same),
                "unanswered": int((answers == 0.5).sum()),
                "auc": area.value,
                "auc_interval": area.interval,
                "c@1": found["c@1"],
                "cllr": price,
                "cpu_seconds": round(
                    spent[verifier] + (spent[form] if form != verifier else 0.0), 1
                ),
            }
        )
    return rows


def keep(new: Sequence[Row]) -> list[Row]:
    """Add rows to those kept; a new one replaces the old."""
    old = json.loads(ROWS.read_text(encoding="utf-8")) if ROWS.exists() else []
    rows = {(row["corpus"], row["verifier"]): row for row in [*old, *new]}
    kept = [rows[key] for key in sorted(rows)]
    lines = ",\n".join(" " + json.dumps(row, ensure_ascii=False) for row in kept)
    ROWS.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    return kept


def write(rows: Sequence[Row], shelf: Sequence[str], cap: float) -> None:
    """Write the page's tables, its figure, and all figures as CSV."""
    draw(rows, SHORT, IMAGE)
    absent = []
    for name in CORPORA:
        there = {row["verifier"] for row in rows if row["corpus"] == name}
        absent += [(v, SHORT[name]) for v in shelf if v not in there]
    why = "; ".join(
        f"`{v}` ({', '.join(name for other, name in absent if other == v)}: {WHY.get(v, LEFT_OUT)})"
        for v in dict.fromkeys(verifier for verifier, _ in absent)
    )
    told = f"Stopped after {cap:.0f} CPU seconds on a corpus. Without a row: {why or 'none'}."
    put_between(PAGE, *ANSWERS, f"\n{reading(rows, CORPORA)}\n\n{told}\n")
    put_between(PAGE, *SPEED, f"\n{ratios()}\n")
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(
            [
                "corpus",
                "verifier",
                "form",
                "problems",
                "auc",
                "auc_low",
                "auc_high",
                "c@1",
                "cllr",
                "open",
                "cpu_seconds",
            ]
        )
        for row in sorted(
            rows, key=lambda row: (list(CORPORA).index(row["corpus"]), -(row["auc"] or 0))
        ):
            out.writerow(
                [
                    row["corpus"],
                    row["verifier"],
                    row["form"] or "",
                    row["problems"],
                    *_ends(row, "auc"),
                    _digits(row["c@1"]),
                    _digits(row["cllr"]),
                    row["unanswered"],
                    row["cpu_seconds"],
                ]
            )


def ratios() -> str:
    """How many times as fast as the packages of others, from the benchmarks' kept results."""
    lines = ["| task | package | times as fast (least and most of its rounds) |", "|---|---|---|"]
    for row in json.loads(ROWS.with_name("results.json").read_text(encoding="utf-8")):
        if row["peer"] in ("lambdag", "bitig"):
            low, high = row["spread"]
            lines.append(
                f"| {row['name']} | {row['peer']} | {row['ratio']:,.0f} ({low:,.0f}, {high:,.0f}) |"
            )
    return "\n".join(lines)


def _plain(form: str) -> str:
    """A form without the place of a program or a model."""
    return form.split("(")[0] + "(…)" if "/" in form else form


def _digits(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _ends(row: Row, key: str) -> list[str]:
    """An AUC and the ends of its interval, as far as it can lie there."""
    low, high = row.get(f"{key}_interval") or (None, None)
    ends = None if low is None else max(low, 0.0), None if high is None else min(high, 1.0)
    return [_digits(value) for value in (row[key], *ends)]
