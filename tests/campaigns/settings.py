"""Determinism: the same job under other numbers of workers, hash seeds, threads, folders, engines and Pythons."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from campaigns.job import OPTIONS, differences, state
from campaigns.outcome import Outcome

VERIFIERS = (
    "length, ppm(order=2), char-ngram, function-words, impostors, topic-fit, raven-2026, chance"
)
"""More methods than the disturbed job has: linear algebra, sampling, n-gram counts, compression."""

SETTINGS: dict[str, tuple[int, dict[str, str]]] = {
    "1 worker": (1, {}),
    "2 workers": (2, {}),
    "4 workers": (4, {}),
    "hash seed 1": (1, {"PYTHONHASHSEED": "1"}),
    "hash seed 12345": (1, {"PYTHONHASHSEED": "12345"}),
    "2 threads of linear algebra": (
        1,
        {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "NUMBA_NUM_THREADS": "2"},
    ),
    "1 thread of everything": (
        1,
        {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"},
    ),
    "another working folder": (1, {}),
    "another locale and time zone": (
        1,
        {"LC_ALL": "C", "LANG": "C", "TZ": "Asia/Kathmandu", "PYTHONUTF8": "0"},
    ),
}


def done(
    python: str,
    folder: Path,
    workers: int,
    environment: dict[str, str],
    scheduler: str | None = None,
    verifiers: str = VERIFIERS,
) -> str:
    """Do the job in a process of its own; what it said where it failed."""
    folder.mkdir(parents=True)
    engine = "None" if scheduler is None else f"dask({scheduler!r})"
    options = OPTIONS | {"verifiers": verifiers}
    code = (
        "from ravenbench.tasks.api import run\nfrom ravenbench.engine.pool import dask\n"
        f"errors = run(out='run', workers={workers}, engine={engine}, **{options!r}).errors\n"
        "assert not errors, errors"
    )
    inherited = {
        k: v
        for k, v in os.environ.items()
        if not k.endswith("_NUM_THREADS") and k != "PYTHONHASHSEED"
    }
    inherited["RAVEN_CACHE"] = str(folder / "cache")
    ran = subprocess.run(
        [python, "-c", code],
        cwd=folder,
        env=inherited | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if ran.returncode == 0 else ran.stderr[-500:]


def decisive(folder: Path) -> dict[str, str]:
    """Hashes of all that decides the answers; ``run.json`` names versions, ``plan.json`` their hash-free rest."""
    return {name: sha for name, sha in state(folder).items() if name != "run.json"}


def vary(
    outcome: Outcome,
    scratch: Path,
    names: Sequence[str] = tuple(SETTINGS),
    python: str = sys.executable,
    scheduler: str | None = None,
    verifiers: str = VERIFIERS,
) -> None:
    """Compare settings, with another Python that has the package or on a cluster, with one plain job, file by file."""
    plain = scratch / "plain"
    if not plain.exists():
        failed = done(sys.executable, plain, 1, {"PYTHONHASHSEED": "0"}, None, verifiers)
        assert not failed, failed
    expected = decisive(plain / "run")
    while outcome.wants(len(expected) * len(names)):
        name = names[outcome.notes.get("settings", 0)]
        folder = Path(tempfile.mkdtemp(prefix="elsewhere ", dir=scratch)) / "below"
        failed = done(python, folder, *SETTINGS[name], scheduler, verifiers)
        found = {} if failed else decisive(folder / "run")
        wrong = differences(found, expected)
        for file in expected:
            outcome.count(file not in wrong, f"{name}: {failed or file}")
        outcome.note("settings")
