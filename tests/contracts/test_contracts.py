"""Tasks × contracts: every registered task keeps every contract."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import Timeout

sys.path.insert(0, str(Path(__file__).parents[1]))

from contracts.commands import Starter
from contracts.table import CONTRACTS, COSTLY, EXTRA, Room
from contracts.tasks import TASKS, Task, registered
from job_fixtures import outline
from ravenbench.reports import page

SEED = 30
SHAPES = ("run", "verify", "unknown")
"""A task of each shape: folds drawn from a corpus; given problems, with outputs beside its folder; one case. What the
engine and the store do for all tasks alike is shown on these, and on the others by tests that are marked slow."""
OF_ALL_TASKS_ALIKE = {
    "one_writer_at_a_time",
    "two_at_once",
    "stopped_between_writes",
    "full_disk",
    "signals",
    "damaged_files",
    "changed_data",
    "unknown_kind",
    "a_report_that_is_not_its_own",
    "modes",
}
OTHERS = [name for name in TASKS if name not in SHAPES]
TURNS = sorted(OF_ALL_TASKS_ALIKE)
"""What the engine and the store do for all tasks alike meets a third of the other tasks here, in turn, so that each of
these is disturbed; in the campaign all that is drawn meets all, many times."""
OF_FIGURES = {"shows_itself", "for_the_paper", "no_leaks", "hostile_names"}
"""Contracts that look at figures, too; for the others they are not drawn."""
DEAR = {"validate"}
"""Tasks whose smallest job takes seconds."""


def cases() -> list[object]:
    """Every contract with every task, but for what is done in turn."""
    chosen = []
    for name in CONTRACTS:
        if name in COSTLY:
            continue
        for task in TASKS.values():
            alike = name in OF_ALL_TASKS_ALIKE and task.name not in SHAPES
            if alike and (TURNS.index(name) + OTHERS.index(task.name)) % 3:
                continue
            slow = alike or (task.name in DEAR and name != "shows_itself")
            marks = [
                *([pytest.mark.extra] if name in EXTRA else []),
                *([pytest.mark.slow] if slow else []),
            ]
            chosen.append(pytest.param(name, task, marks=marks, id=f"{name}-{task.name}"))
    return chosen


@pytest.fixture(scope="session")
def writes() -> dict[str, int]:
    return {}


@pytest.fixture(scope="session")
def starter(finished: Callable[..., Path]) -> Starter:
    """Processes that begin with all that any task imports; workers share the making of the tasks."""
    for task in TASKS.values():
        with contextlib.suppress(Timeout):
            finished(task, 0)
    return Starter(
        {
            m
            for t in TASKS.values()
            for m in (finished(t).parent / "imported").read_text().split("\n")
        }
    )


@pytest.fixture(scope="session")
def scheduler() -> Iterator[str]:
    distributed = pytest.importorskip(
        "distributed", reason="the extra that brings distributed is not installed"
    )
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


def test_every_registered_task_stands_in_the_table() -> None:
    assert registered() == {task.command or task.name for task in TASKS.values()}, (
        "a command with an engine is a task: give it a line in tests/contracts/tasks.py"
    )


@pytest.mark.parametrize(("name", "task"), cases())
def test_contract(
    name: str,
    task: Task,
    read_by_jobs: Path,
    finished: Callable[[Task], Path],
    starter: Starter,
    tmp_path: Path,
    writes: dict[str, int],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    if name not in OF_FIGURES:
        monkeypatch.setattr(page, "_printed", outline)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    scheduler = request.getfixturevalue("scheduler") if name in EXTRA else ""
    rng = random.Random(f"{SEED} {name} {task.name}")
    CONTRACTS[name](task, Room(read_by_jobs, finished, scratch, rng, starter, scheduler, writes))
