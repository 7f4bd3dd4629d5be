"""``python -m benchmarks [names]`` times Raven and other code, prints a table, and writes ``results.json`` and a figure.

``python -m benchmarks simulate …`` tests both verdicts on made-up worlds whose truth is known (``lab``); ``python -m
benchmarks generate`` writes a made-up corpus of any size. Each has ``--help``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
FIGURE = HERE.parent / "docs" / "images" / "benchmarks.svg"


LONG = {"whole"}
"""Benchmarks that take so long that they run only if you name them."""


def available() -> list[str]:
    """Names of the benchmark modules here."""
    return sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def merge(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows sorted by name; a new row replaces an old one of the same name."""
    rows = {row["name"]: row for row in [*old, *new]}
    return [rows[name] for name in sorted(rows)]


def show(rows: list[dict[str, Any]]) -> None:
    """Print the table."""
    from rich.console import Console
    from rich.table import Table

    table = Table("name", "ours (s)", "peer", "peer (s)", "ratio", "spread", "peak (MB)")
    for row in rows:
        peer, times, spread = row["peer_seconds"], row["ratio"], row["spread"]
        table.add_row(
            row["name"],
            f"{row['ours_seconds']:.3g}",
            row["peer"] or "–",
            "–" if peer is None else f"{peer:.3g}",
            "–" if times is None else f"{times:,.3g}",
            "–" if spread is None else f"{spread[0]:,.3g} – {spread[1]:,.3g}",
            f"{row['peak_mb']:.0f}",
        )
    Console().print(table)


def draw(rows: list[dict[str, Any]]) -> None:
    """Draw the ratios on a logarithmic axis, with their spread."""
    from ravenbench.reports.page import canvas, save, style

    rows = [row for row in rows if row["ratio"] is not None]
    with style():
        figure, (axes,) = canvas(8.6, 0.6 + 0.3 * len(rows))
        for place, row in enumerate(reversed(rows)):
            axes.plot(row["spread"], [place, place], color="C0", linewidth=1.5)
            axes.plot([row["ratio"]], [place], "o", color="C0", markersize=5)
        axes.set_xscale("log")
        axes.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
        axes.set_yticks(
            range(len(rows)),
            [f"{row['name']} · {row['peer'].split(',')[0]}" for row in reversed(rows)],
        )
        axes.set_xlabel("times as fast as the peer, in one run")
        save(figure, FIGURE)


def slower(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[str]:
    """One sentence for each row that lost more than a tenth beyond its spread.

    Rows with a peer are compared by their ratio to it, which a busy machine does not change: the best new round
    against the worst old one. Rows without a peer are compared by their seconds: in the same way if the earlier file
    has their spread, otherwise by their medians.
    """
    then, found = {row["name"]: row for row in old}, []
    for row in new:
        before = then.get(row["name"])
        if before is None:
            continue
        if row["ratio"] is not None and before["ratio"] is not None:
            best, worst, unit = row["spread"][1], before["spread"][0], "times as fast as its peer"
            lost = best < 0.9 * worst
            now, was = row["ratio"], before["ratio"]
        else:
            now, was, unit = row["ours_seconds"], before["ours_seconds"], "seconds"
            best = row["spread"][0] if row["spread"] and row["ratio"] is None else now
            worst = before["spread"][1] if before["spread"] and before["ratio"] is None else was
            lost = best > 1.1 * worst
        if lost:
            found.append(f"{row['name']}: {now:.3g} {unit}, {was:.3g} before")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        choices=[[], *available()],
        help="benchmarks to run; default: all except whole",
    )
    parser.add_argument(
        "--pan", type=Path, metavar="FOLDER", help="checkout of pan-webis-de/pan-code"
    )
    parser.add_argument(
        "--hits", type=Path, metavar="FOLDER", help="checkout of the HITS paper's released code"
    )
    parser.add_argument(
        "--compare",
        type=Path,
        metavar="OLD.json",
        help="list benchmarks that lost more than 10 %% beyond their spread",
    )
    options = parser.parse_args()
    then = json.loads(options.compare.read_text(encoding="utf-8")) if options.compare else []
    checkouts = {"pan": ("--pan", options.pan), "hits_code": ("--hits", options.hits)}
    old = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []
    new: list[dict[str, Any]] = []
    for name in options.names or sorted(set(available()) - LONG):
        module = importlib.import_module(f"benchmarks.bench_{name}")
        option, folder = checkouts.get(name, (None, None))
        if option is None:
            new += module.rows()
        elif folder is None:
            print(f"{name}: left out, its peer's code is read from a checkout ({option} FOLDER)")
        else:
            new += module.rows(folder)
        RESULTS.write_text(
            json.dumps(merge(old, new), indent=1, allow_nan=False) + "\n", encoding="utf-8"
        )
    draw(merge(old, new))
    show(new)
    if lost := slower(then, new):
        raise SystemExit("slower than before:\n  " + "\n  ".join(lost))


if __name__ == "__main__":
    if sys.argv[1:2] == ["simulate"]:
        from benchmarks import lab

        lab.register()
        from ravenbench.__main__ import run

        run()
    elif sys.argv[1:2] == ["generate"]:
        from benchmarks import generate

        generate.main(sys.argv[2:])
    else:
        main()
