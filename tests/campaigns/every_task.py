"""The table of tasks and contracts (``tests/contracts``) with other draws: moments, files and ways of damage."""

from __future__ import annotations

import random
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from campaigns.outcome import Outcome
from contracts.commands import Starter, raven, warm
from contracts.table import CONTRACTS, DRAWN, EXTRA, Room
from contracts.tasks import TASKS, Task, write_data


def keep_contracts(outcome: Outcome, scratch: Path, name: str, tries: int, seed: int) -> None:
    """Repeat the contracts of a task whose disturbance is drawn, one after the other, each time with another draw."""
    place = scratch / f"contracts-{name}"
    drawn = sorted(DRAWN if find_spec("distributed") else DRAWN - EXTRA)
    data = write_data(place / "data")

    def finished(task: Task) -> Path:
        folder = place / "finished" / "run"
        if not folder.exists():
            ended = raven(*task.arguments(data, folder), "--workers", "1")
            assert ended.code == 0, ended
        return folder

    started: list[Any] = []

    def cluster() -> Any:
        """That of the last try, where both of its workers live."""
        from distributed import LocalCluster

        if started and len(started[0].scheduler.workers) < 2:
            started.pop().close()
        if not started:
            started.append(LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None))
        return started[0]

    finished(TASKS[name])
    starter, writes = Starter(warm()), dict[str, int]()
    while outcome.wants(tries):
        number = outcome.tried
        contract = drawn[number % len(drawn)]
        folder = place / "try"
        folder.mkdir()
        rng = random.Random(f"contracts-{seed}-{name}-{number}")
        try:
            CONTRACTS[contract](
                TASKS[name], Room(data, finished, folder, rng, starter, "", writes, cluster)
            )
            wrong = ""
        except Exception as error:  # whatever it is, the contract did not hold
            wrong = (
                f"seed {seed}, try {number}, {contract}: {type(error).__name__}: {str(error)[:400]}"
            )
        outcome.count(not wrong, wrong)
        outcome.note(contract.replace("_", " "))
        shutil.rmtree(folder, ignore_errors=True)
    for each in started:
        each.close()
    shutil.rmtree(place, ignore_errors=True)
