"""Tables of docs/validation.md from folders of ``python -m benchmarks simulate``: counts over all, and a CSV.

``python -m benchmarks.validation_table FOLDER … --csv docs/data/validation-both.csv``; a folder's name is that of its
kind of world.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any

from benchmarks import lab
from ravenbench.statistics.estimates import wilson

CLEARED = "less", "floor"
EFFECTS = "relies", "loses", "notices", "swayed", "displaced", "follows"
COVERED = "covered_drop", "covered_style_left", "covered_free_swing", "covered_misleads"
MEANS = "auc", "style_left", "drop", "swing", "free_swing", "helps", "misleads"


def rows(folder: Path) -> list[dict[str, Any]]:
    """Every scorer of a simulation, with the kind of its worlds and how many there are."""
    from benchmarks.lab.report import SimulateReport
    from ravenbench.store.store import Store

    made = SimulateReport(Store.open(folder)).to_json()
    return [
        {
            **row,
            "world": folder.name,
            "worlds": made["replicates"],
            "swing": row["content"]["figure"],
        }
        for row in made["scorers"]
    ]


def share(counts: list[dict[str, Any]]) -> str:
    """Counts added up, with Wilson's interval."""
    count, of = (sum(each[name] for each in counts) for name in ("count", "of"))
    if not of:
        return "0 of 0"
    low, high = wilson(count / of, of)
    return f"{count} of {of} ({count / of:.3f} [{low:.3f}, {high:.3f}])"


def written(every: list[dict[str, Any]], file: Path) -> None:
    """One line a scorer and kind of world."""
    kinds = [*EFFECTS, "guesses", *CLEARED, "undecided"]
    with file.open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(
            [
                *("scorer", "world", "worlds"),
                *(f"mean_{name}" for name in MEANS),
                *kinds,
                *("no_effect_fitted_alone", "swing_covered", *COVERED),
            ]
        )
        for row in every:
            means = ["" if row[name] is None else f"{row[name]:.3f}" for name in MEANS]
            counts = [row["outcomes"][kind] for kind in kinds]
            covered = [row[name]["count"] for name in COVERED]
            own = [row["scorer"], row["world"], row["worlds"], *means, *counts]
            swing = row["content"]["covered"]["count"]
            table.writerow([*own, row["none_fitted"]["count"], swing, *covered])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    lab.register()
    every = [row for folder in options.folders for row in rows(folder)]
    for scorer in dict.fromkeys(row["scorer"] for row in every):
        own = [row for row in every if row["scorer"] == scorer]
        worlds = sum(row["worlds"] for row in own)

        def counted(*kinds: str, own: list[dict[str, Any]] = own) -> int:
            return sum(row["outcomes"][kind] for row in own for kind in kinds)

        print(
            f"{scorer:22} effect {counted(*EFFECTS)}, follows {counted('follows')}, cleared"
            f" {counted(*CLEARED)}, fitted alone {sum(row['none_fitted']['count'] for row in own)}"
            f" of {worlds}; null {share([row['null_flagged'] for row in own])}"
        )
    for name in ("covered", *COVERED):
        for world in (None, *dict.fromkeys(row["world"] for row in every)):
            held = [
                row["content"][name] if name == "covered" else row[name]
                for row in every
                if world in (None, row["world"])
            ]
            print(name, world or "all", share(held))
    if options.csv is not None:
        written(every, options.csv)


if __name__ == "__main__":
    main()
