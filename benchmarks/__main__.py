"""``python -m benchmarks [names]``: run the modules ``bench_<name>``, print a table, keep ``results.json``."""

from __future__ import annotations

import argparse
import importlib
import json
import os
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"


def available() -> list[str]:
    """Names of the benchmark modules here."""
    return sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def merge(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows by name; new ones replace old ones."""
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


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *available()], help="which; all if none is named")
    new = []
    for name in parser.parse_args().names or available():
        new += importlib.import_module(f"benchmarks.bench_{name}").rows()
    old = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []
    RESULTS.write_text(json.dumps(merge(old, new), indent=1, allow_nan=False) + "\n", encoding="utf-8")
    show(new)


if __name__ == "__main__":
    main()
