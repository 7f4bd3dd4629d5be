"""Made-up runs and small pages for the reports, each written once a session."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from fabricated_run import write_run
from kinds_of_pages import Pages
from ravenbench.store.store import Store
from ravenbench.tasks.run.record import RunPlan

HOSTILE = '<script>alert("x")</script>"\'><img src=x onerror=alert(1)> $\\frac{1}$ {{7*7}} &amp; ]]> --> \x1b[31m\u202e_%#~^'


@pytest.fixture(scope="session")
def pages(of_all_workers: Path, finished: Callable[..., Path]) -> Pages:
    from contracts.tasks import TASKS

    return Pages(of_all_workers / "pages", lambda name: finished(TASKS[name]))


@pytest.fixture(scope="session")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return write_run(tmp_path_factory.mktemp("runs") / "plain")


@pytest.fixture(scope="session")
def with_failure(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return write_run(tmp_path_factory.mktemp("runs") / "failed", failed=(("ppm", "p00-hits-1"),))


@pytest.fixture(scope="session")
def hostile_run(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return write_run(
        tmp_path_factory.mktemp("runs") / "hostile",
        failed=(("char-ngram", "p00-hits-0"),),
        hostile=HOSTILE,
    )


@pytest.fixture(scope="session")
def hostile_text() -> str:
    return HOSTILE


@pytest.fixture(scope="session")
def one_pool(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return write_run(tmp_path_factory.mktemp("runs") / "single", pools=1, verifiers=("ppm",))


@pytest.fixture(scope="session")
def given_run(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A run over given problem sets: one setup, one fold, no topics."""
    store = write_run(tmp_path_factory.mktemp("runs") / "given", pools=1, k=2)
    (store.path / "similarity2.npy").unlink()
    (store.path / "similarity.npy").unlink()
    plan = {k: v for k, v in msgspec.to_builtins(store.plan_as(RunPlan)).items() if k != "files"}
    fold = "p00-hits-0"
    kept = ("counts", "train_digest", "test_digest", "documents")
    plan |= {
        "topics": [],
        "encoder": None,
        "second_encoder": None,
        "pairs": "given",
        "k": 1,
        "m": 0,
        "pools": [],
        "setups": [
            {
                "pool": 0,
                "setup": "given",
                "topics": [],
                "merged": {},
                "mean_similarity": None,
                "max_similarity": None,
                "folds": [fold],
            }
        ],
        "folds": {fold: {k: v for k, v in plan["folds"][fold].items() if k in kept}},
        "cells": [c for c in plan["cells"] if c["fold"] == fold],
    }
    plan["corpus"] = plan["corpus"] | {"authors": None, "topics": 0}
    store.write_plan(msgspec.convert(plan, RunPlan))
    return Store.open(store.path)
