"""Tasks × contracts: every registered task keeps every contract."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from contracts.commands import Starter, raven
from contracts.table import CONTRACTS, COSTLY, EXTRA, Room
from contracts.tasks import TASKS, Task, registered, write_data

SEED = 30
CHECKED = [pytest.param(n, marks=[pytest.mark.extra] if n in EXTRA else []) for n in CONTRACTS if n not in COSTLY]


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("contracts") / "data")


@pytest.fixture(scope="session")
def finished(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Task], Path]:
    """An undisturbed folder of each task, made when it is first needed; nobody may change it."""
    made: dict[str, Path] = {}

    def of(task: Task) -> Path:
        if task.name not in made:
            folder = tmp_path_factory.mktemp(task.name) / "run"
            ended = raven(*task.arguments(data, folder), "--workers", "1")
            assert ended.code == 0, ended.said
            made[task.name] = folder
        return made[task.name]

    return of


@pytest.fixture(scope="session")
def writes() -> dict[str, int]:
    return {}


@pytest.fixture(scope="session")
def starter(finished: Callable[[Task], Path]) -> Starter:
    for task in TASKS.values():
        finished(task)
    return Starter()


@pytest.fixture(scope="session")
def scheduler() -> Iterator[str]:
    distributed = pytest.importorskip("distributed", reason="the extra that brings distributed is not installed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


def test_every_registered_task_stands_in_the_table() -> None:
    assert registered() == {task.command or task.name for task in TASKS.values()}, (
        "a command with an engine is a task: give it a line in tests/contracts/tasks.py"
    )


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.extra] if name in EXTRA else [])
        for name in CONTRACTS
        if name not in COSTLY
    ],
)
def test_contract(
    name: str, task: Task, data: Path, finished: Callable[[Task], Path], starter: Starter, tmp_path: Path,
    writes: dict[str, int], request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    scheduler = request.getfixturevalue("scheduler") if name in EXTRA else ""
    rng = random.Random(f"{SEED} {name} {task.name}")
    CONTRACTS[name](task, Room(data, finished, scratch, rng, starter, scheduler, writes))
