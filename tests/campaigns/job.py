"""The small job that the campaign disturbs, and what its folder holds when nothing disturbed it."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

OPTIONS: dict[str, Any] = {
    "corpus": "synthetic(authors=24, topics=6, documents=96, words=40)",
    "topics": 4,
    "folds": 2,
    "pools": 1,
    "samplers": "hits, random",
    "docs_per_topic": 12,
    "verifiers": "length, ppm(order=2), char-ngram, chance",
    "probe": "none",
}
WARM = {"ravenbench", "numpy", "numba", "scipy", "sklearn", "polars", "joblib", "distributed"}
"""Packages that take a job long to import."""
CELLS = 16
"""Four verifiers on four folds."""


def work(
    folder: Path, workers: int = 1, scheduler: str | None = None, **other: Any
) -> tuple[str, ...]:
    """Do the job, or go on with it; the errors of cells that failed."""
    from ravenbench.engine.pool import dask
    from ravenbench.tasks.api import run

    engine = None if scheduler is None else dask(scheduler, timeout=120)
    return run(out=folder, workers=workers, engine=engine, **(OPTIONS | other)).errors


def state(folder: Path) -> dict[str, str]:
    """Hashes of all that decides what is reported: every planned file, and every cell's arrays.

    Cells also hold the seconds they took and are compared by their arrays. ``report/`` and ``pairs/``, of which cells
    are made, are derived: a finished run does not need them.
    """
    from ravenbench.store.records import CellRecord, read_packed

    found = {}
    for place in sorted(p for p in folder.rglob("*") if p.is_file() and not p.name.startswith(".")):
        name = place.relative_to(folder)
        if name.parts[0] == "cells":
            record, arrays = read_packed(place, CellRecord)
            data = b"".join(
                f"{n} {a.dtype} {a.shape} ".encode() + a.tobytes()
                for n, a in sorted(arrays.items())
            )
            data += f"{record.key} {record.verifier} {record.error}".encode()
        elif name.parts[0] in ("report", "pairs"):
            continue
        else:
            data = place.read_bytes()
        found[name.as_posix()] = hashlib.sha256(data).hexdigest()
    return found


def differences(found: dict[str, str], expected: dict[str, str]) -> list[str]:
    """Names of files that are missing, new or different."""
    return sorted(name for name in {*found, *expected} if found.get(name) != expected.get(name))


def _child(folder: str, workers: int, scheduler: str | None, quiet: bool) -> None:
    os.setsid()
    if quiet:
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
    from ravenbench.errors import RavenError

    try:
        code = 1 if work(Path(folder), workers, scheduler) else 0
    except RavenError as error:
        code = 2 if re.search(r"another command.*\bprocess \d+ on \w", str(error), re.DOTALL) else 3
    # A process of multiprocessing would wait for idle workers, which stay five minutes.
    os._exit(code)


class Starter:
    """Starts the job in processes of its own, forked from one that has imported all that was imported here."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(
            sorted(name for name in sys.modules if name.split(".")[0] in WARM)
        )

    def start(self, folder: Path, workers: int = 1, scheduler: str | None = None) -> Any:
        """A running job; ``exitcode`` is 0 when all went well, 2 where told who is at work, 3 if refused else."""
        process = self._context.Process(target=_child, args=(str(folder), workers, scheduler, True))
        process.start()
        return process


def kill_group(process: Any) -> None:
    """SIGKILL to a job and to all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
