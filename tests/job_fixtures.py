"""The smallest job of each task, done once a session for all who look at what it leaves behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from ravenbench.reports import page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from contracts.tasks import Task

DRAWN = page._printed
OUTLINES = {"svg": b'<svg width="1pt" height="1pt"></svg>', "pdf": b"%PDF-", "png": b"\x89PNG"}


def outline(figure: Figure, kind: str, *_: object) -> bytes:
    """What stands for a figure that no test looks at."""
    return OUTLINES[kind]


@contextmanager
def drawing(draw: Callable[..., bytes] = outline) -> Iterator[None]:
    """Figures are drawn so, by default not at all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "_printed", draw)
        yield


@pytest.fixture(scope="module")
def undrawn() -> Iterator[None]:
    """Figures are made but not drawn, which is a third of a small job: for tests of answers, words and exit codes.

    They are drawn in golden outputs of every command, in tests of pages and in what ``finished`` gives.
    """
    with drawing():
        yield


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
                with drawing(DRAWN):
                    ended = raven(*task.arguments(read_by_jobs, folder), "--workers", "1")
                assert ended.code == 0, ended.said
                imported.write_text("\n".join(warm()))
        return folder

    return of
