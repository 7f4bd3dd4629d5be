"""Cells of nothing: what planning, keeping and reporting cost the bench itself, a cell.

``python -m benchmarks.bench_cells 500`` says it of 20,000 cells, from 500 pools.
"""

from __future__ import annotations

import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from ravenbench import write_report
from ravenbench.store.store import Store
from ravenbench.tasks.api import run

METHODS, POOLS, ROUNDS = 10, 50, 3
"""2,000 cells: 10 methods on 200 folds."""


def rows() -> list[dict[str, Any]]:
    """CPU milliseconds a cell on one worker, as medians with their spread over rounds."""
    seconds: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            cells, found = once(Path(folder) / "run")
        for stage, value in found.items():
            seconds.setdefault(stage, []).append(value / cells)
    return [
        {
            "name": f"a cell of nothing: {stage}",
            "ours_seconds": statistics.median(values),
            "peer": None,
            "peer_seconds": None,
            "ratio": None,
            "spread": [min(values), max(values)],
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
        for stage, values in seconds.items()
    ]


def once(folder: Path, pools: int = POOLS) -> tuple[int, dict[str, float]]:
    """How many cells there were, and CPU seconds by stage."""
    marks: list[float] = []

    def progress(stage: str, done: int, total: int) -> None:
        if stage in ("first fits", "fitting and scoring") and not marks:
            marks.append(time.process_time())

    began = time.process_time()
    store = run(
        "synthetic(authors=40, topics=20, documents=600, words=60)",
        verifiers=", ".join(f"benchmarks.nothing:Nothing(number={i})" for i in range(METHODS)),
        topics=4,
        folds=2,
        pools=pools,
        samplers="hits, random",
        docs_per_topic=20,
        probe="none",
        out=folder,
        workers=1,
        progress=progress,
    ).store
    done = time.process_time()
    write_report(Store.open(folder))
    told = time.process_time()
    return len(store.plan.cells), {
        "plan": marks[0] - began,
        "keep": done - marks[0],
        "report": told - done,
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        print(*once(Path(place) / "run", int(sys.argv[1])))
