"""How much of two workers a run uses: ``python -m benchmarks.study_workers [light] [heavy] [--write]``.

``heavy`` cells are raven-2026 on 20 Newsgroups, two pools of three samplers, five seconds of work each; ``light`` ones
(``length`` and ``chance`` on the embedded corpus, 300 cells) cost nothing but reading and keeping them. A run is
planned once, and its plan carried out by two processes of this machine and by a Dask cluster of two. Shown are the CPU
seconds of the workers, their start included, over twice the time on the clock. Rows are kept in ``scale.json``;
``--write`` puts them as a table between the marks of ``docs/scale.md``. Only a machine with two idle cores tells
anything.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.pages import put_between
from benchmarks.study_scale import RESULTS, keep
from ravenbench.engine import pool
from ravenbench.engine.cells import execute
from ravenbench.engine.pool import Engine
from ravenbench.store.store import open_store
from ravenbench.tasks.run.spec import build
from ravenbench.tasks.run.task import Run

PAGE = Path(__file__).parent.parent / "docs" / "scale.md"
MARKS = "<!-- workers: python -m benchmarks.study_workers --write -->", "<!-- end of workers -->"
RUNS: dict[str, dict[str, Any]] = {
    "light": {"corpus": "synthetic", "verifiers": "length, chance", "pools": 10, "probe": "none"},
    "heavy": {"corpus": "newsgroups", "verifiers": "raven-2026", "pools": 2, "probe": "none"},
}


def seconds_of_children() -> dict[int, float]:
    """CPU seconds so far of the processes below this one, by number."""
    import psutil

    found: dict[int, float] = {}
    for process in psutil.Process().children(recursive=True):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        found[process.pid] = float(times.user + times.system)
    return found


def measured(planned: Path, out: Path, kind: str, engine: Engine) -> dict[str, Any]:
    """Carry out a plan in a folder of its own; what it took."""
    shutil.copytree(planned, out)
    store = open_store(out)
    before, began = seconds_of_children(), time.perf_counter()
    errors = execute(store, build(RUNS[kind]).named_verifiers(), engine)
    wall = time.perf_counter() - began
    assert not errors, errors
    cpu = sum(seconds - before.get(pid, 0.0) for pid, seconds in seconds_of_children().items())
    return {
        "cells": kind,
        "count": len(store.plan.cells),
        "seconds": wall,
        "cpu": cpu,
        "used": cpu / (2 * wall),
    }


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as Markdown."""
    lines = [
        "| cells | engine, two workers | seconds | CPU seconds of the workers | used |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['count']} {row['cells']} | {row['engine']} | {row['seconds']:.1f} | {row['cpu']:.1f} "
        f"| {row['used']:.0%} |"
        for row in rows
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.study_workers", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=["heavy"], help=", ".join(RUNS))
    parser.add_argument(
        "--write", action="store_true", help="into docs/scale.md, between its marks"
    )
    options = parser.parse_args()
    if unknown := sorted(set(options.kinds) - set(RUNS)):
        parser.error(f"there are no such cells: {', '.join(unknown)} (known: {', '.join(RUNS)})")
    from distributed import LocalCluster

    rows: list[dict[str, Any]] = json.loads(RESULTS.read_text("utf-8")).get("workers", [])
    with tempfile.TemporaryDirectory() as folder:
        for kind in options.kinds:
            planned = Path(folder) / kind
            Run({**RUNS[kind], "out": planned}).prepare()
            for name in ("local", "dask"):
                out = Path(folder) / f"{kind}-{name}"
                if name == "local":
                    row = measured(planned, out, kind, pool.local(2))
                else:
                    with LocalCluster(
                        n_workers=2, threads_per_worker=1, dashboard_address=None
                    ) as cluster:
                        row = measured(
                            planned, out, kind, pool.dask(str(cluster.scheduler_address))
                        )
                rows = [r for r in rows if (r["cells"], r["engine"]) != (kind, name)] + [
                    {"engine": name, **row}
                ]
                print(rows[-1], flush=True)
                keep("workers", rows)
    if options.write:
        put_between(PAGE, *MARKS, f"\n{table(rows)}\n")


if __name__ == "__main__":
    main()
