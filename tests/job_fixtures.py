"""The smallest job of each task, done once a session for all who look at what it leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

if TYPE_CHECKING:
    from contracts.tasks import Task


@pytest.fixture(scope="session")
def jobs(of_all_workers: Path) -> Path:
    """The folder of the jobs and of what they read."""
    folder = of_all_workers / "jobs"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def read_by_jobs(jobs: Path) -> Path:
    """What the jobs read; nobody may change it."""
    from contracts.tasks import write_data

    with FileLock(jobs / "data.lock"):
        return jobs / "data" if (jobs / "data").exists() else write_data(jobs / "data")


@pytest.fixture(scope="session")
def finished(read_by_jobs: Path, jobs: Path) -> Callable[..., Path]:
    """An undisturbed folder of each task, made when it is first needed; nobody may change it."""
    from contracts.commands import raven, warm

    def of(task: Task, wait: float = -1) -> Path:
        folder, imported = jobs / task.name / "run", jobs / task.name / "imported"
        with FileLock(jobs / f"{task.name}.lock", timeout=wait):
            if not imported.exists():
                ended = raven(*task.arguments(read_by_jobs, folder), "--workers", "1")
                assert ended.code == 0, ended.said
                imported.write_text("\n".join(warm()))
        return folder

    return of
