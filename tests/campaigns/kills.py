"""SIGKILL at random moments, over one to four workers and a Dask cluster; then the same job again, to its end."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from campaigns.job import Starter, differences, kill_group, state
from campaigns.outcome import Outcome

LONGEST = 300
"""Seconds after which an undisturbed job is taken for hung."""


def kill_jobs(
    outcome: Outcome,
    scratch: Path,
    expected: dict[str, str],
    kills: int,
    workers: int,
    seed: int,
    scheduler: str | None = None,
    most: int = 5,
) -> None:
    """Kill jobs until ``kills`` were killed before their end, up to ``most`` in a row on one folder.

    A kill hits the job's process alone or, every other time, all of its processes at once. Kills are drawn over the
    time that the job took when it was not killed.
    """
    rng = random.Random(f"kills-{seed}-{workers}-{scheduler is None}-{outcome.tried}")
    starter, number = Starter(), 0
    starter.start(scratch / "warm", workers, scheduler).join(LONGEST)
    folder = scratch / "timed"
    began = time.monotonic()
    process = starter.start(folder, workers, scheduler)
    process.join(LONGEST)
    long = time.monotonic() - began
    for name in ("warm", "timed"):
        shutil.rmtree(scratch / name, ignore_errors=True)
    while outcome.wants(kills):
        number += 1
        folder = scratch / f"killed-{workers}-{number}"
        hit = 0
        for _ in range(rng.randint(1, most)):
            process = starter.start(folder, workers, scheduler)
            process.join(rng.uniform(0, long))
            if process.exitcode is not None:
                long = max(long * 0.9, 0.2)
                break
            (kill_group if rng.random() < 0.5 else lambda p: p.kill())(process)
            process.join(30)
            hit += 1
            if outcome.tried + hit >= kills:
                break
        if not hit:
            shutil.rmtree(folder, ignore_errors=True)
            continue
        told = f"seed {seed}, {workers} workers, job {number}, {hit} kills"
        process = starter.start(folder, workers, scheduler)
        process.join(LONGEST)
        if process.exitcode != 0:
            kill_group(process)
            wrong = [f"the job that went on ended with {process.exitcode}"]
        else:
            wrong = differences(state(folder), expected)
        for _ in range(hit):
            outcome.count(not wrong, f"{told}: {wrong[:3]}")
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def cluster() -> Iterator[str]:
    """The address of a Dask cluster of two worker processes."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as started:
        yield started.scheduler_address
