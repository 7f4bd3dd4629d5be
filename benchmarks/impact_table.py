"""What ``benchmarks.study_impact`` writes: figures as JSON and CSV, a table in ``docs/safety-studies.md``."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.pages import bare, put_between

BEGIN, END = "<!-- impact: made by python -m benchmarks.study_impact -->", "<!-- end of impact -->"
SAME, OTHER = "a known text again", "another author's text"
PUBLISHED = {
    "mihaylova, faithful": {
        "satyam-2014": 0.41,
        "glad-2015": 0.67,
        "frery-2014": 0.31,
        "castillo-2014": 0.29,
        "modaresi-2014": 0.58,
        "zamani-2014": 0.08,
        "vartapetiance-2014": 0.32,
        "jankowska-2014": 0.84,
    },
    "mansoorizadeh, faithful": {
        "satyam-2014": 0.13,
        "glad-2015": 0.61,
        "frery-2014": 0.04,
        "castillo-2014": 0.03,
        "modaresi-2014": 0.42,
        "zamani-2014": 0.03,
        "vartapetiance-2014": 0.00,
        "jankowska-2014": 0.32,
    },
}
"""Impact on namesakes in the overview, Tables 3 and 5."""
ABLE = 0.6
SHOWN = (0, 1, 6)
"""Columns of the conditions that the page has; the CSV file has all."""
ON_PAGE = (
    "mihaylova, repaired",
    "mihaylova, faithful",
    "… all targets, misspelt, on lines",
    "mansoorizadeh, repaired",
    "mansoorizadeh, faithful",
    "… any synonym, on lines",
    SAME,
    OTHER,
)
"""Conditions that the page has; the CSV file has all."""

Row = Mapping[str, Any]


def write_all(targets: Mapping[str, Mapping[str, float]], rows: Sequence[Row]) -> None:
    """Write the figures, the files beside the page, and the page's table."""
    told = ",\n".join(
        f"  {json.dumps({k: _short(v) for k, v in row.items()}, ensure_ascii=False)}"
        for row in rows
    )
    head = json.dumps(
        {name: {k: _short(v) for k, v in one.items()} for name, one in targets.items()}
    )
    kept = f'{{\n "targets": {head},\n "rows": [\n{told}\n ]\n}}\n'
    Path(__file__).with_name("impact.json").write_text(kept, encoding="utf-8")
    page = Path(__file__).parent.parent / "docs" / "safety-studies.md"
    heads, lines = conditions(rows)
    for name, table in (
        ("impact", [heads, *lines]),
        ("impact-namesakes", namesakes(rows)),
        ("impact-targets", aims(targets)),
    ):
        with (page.parent / "data" / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(
                [cell.replace("−", "-") for cell in line] for line in table
            )
    by_name = {line[0]: line for line in lines}
    shown = [[by_name[name][i] for i in SHOWN] for name in ON_PAGE]
    put_between(page, BEGIN, END, f"\n{_table([heads[i] for i in SHOWN], shown)}\n")


def conditions(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Means over verifiers of every condition."""
    counted = [row for row in rows if row["finite"]]
    lines = []
    for name in dict.fromkeys(row["condition"] for row in counted):
        mine = [row for row in counted if row["condition"] == name]
        able = [row for row in mine if row["accuracy"] >= ABLE]
        right = [row for row in mine if row["right_way"]]
        figures = [_mean(mine, key) for key in ("impact", "delta_rec", "delta_auc", "level_impact")]
        figures += [
            _mean(able, "impact"),
            *(_mean(right, key) for key in ("impact", "delta_rec", "delta_auc")),
        ]
        lines.append([name, *map(_signed, figures)])
    heads = [
        "condition",
        "impact",
        "Δrec",
        "ΔAUC",
        "at published recall",
        "able",
        "the right way",
        "Δrec, the right way",
        "ΔAUC, the right way",
    ]
    return heads, lines


def namesakes(rows: Sequence[Row]) -> list[list[str]]:
    """Verifiers of the overview beside ours of the same name."""
    told = {
        one: {row["verifier"]: row for row in rows if row["condition"] == one} for one in PUBLISHED
    }
    first, second = PUBLISHED.items()
    mine, other = told[first[0]], told[second[0]]
    lines = [
        [
            name,
            _signed(value),
            *(_signed(mine[name][key]) for key in ("impact", "level_impact")),
            _signed(second[1][name]),
            _signed(other[name]["impact"]),
            *(bare(mine[name][key]) for key in ("accuracy", "recall", "level_recall")),
            "yes" if mine[name]["right_way"] else "no",
        ]
        for name, value in first[1].items()
    ]
    heads = [
        "namesake",
        "mihaylova, published",
        "here",
        "at published recall",
        "mansoorizadeh, published",
        "here",
    ]
    heads += ["accuracy", "recall", "recall brought to"]
    return [[*heads, "the right way"], *lines]


def aims(targets: Mapping[str, Mapping[str, float]]) -> list[list[str]]:
    """The averages that mihaylova-2016 pulls towards, shipped and recomputed."""
    lines = [
        [
            name,
            *(bare(targets[key][name], 3) for key in ("shipped", "recomputed")),
            *(f"{100 * targets[key][name]:.0f} %" for key in ("above shipped", "above recomputed")),
        ]
        for name in ("known", "stop", "punctuation", "ttr", "sentence_length")
    ]
    return [
        [
            "average of",
            "the team's",
            "recomputed",
            "texts above the team's",
            "above the recomputed",
        ],
        *lines,
    ]


def _mean(rows: Sequence[Row], key: str) -> float:
    return sum(float(row[key]) for row in rows) / len(rows)


def _signed(value: float) -> str:
    body = bare(abs(value), 3)
    return body if body == ".000" else ("−" if value < 0 else "+") + body


def _table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rows = [heads, ["---"] * len(heads), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _short(value: Any) -> Any:
    return round(value, 4) if isinstance(value, float) else value
