"""What a task states is in its folder before any report of it, and a report states nothing else."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ravenbench
from contracts.tasks import TASKS
from ravenbench import registry
from ravenbench.engine.task import task_of, tasks
from ravenbench.reports.answers import ANSWER
from ravenbench.reports.report import write_report
from ravenbench.store.store import Store

pytestmark = pytest.mark.usefixtures("undrawn")
STATING = [name for name in tasks() if task_of(name).answer and name in TASKS]


def numbers(value: Any) -> Iterator[float]:
    """Every number of a JSON value that is no whole one: shares, scores, ends of intervals."""
    if isinstance(value, dict):
        value = [*value.values()]
    for inner in value if isinstance(value, list) else [value]:
        if isinstance(inner, float) and inner != round(inner):
            yield inner
        elif isinstance(inner, dict | list):
            yield from numbers(inner)


def refuse(*_: object) -> None:
    raise AssertionError("an answer is computed while its report is written")


@pytest.fixture(params=STATING)
def folder(request: pytest.FixtureRequest, finished: Callable[..., Path], tmp_path: Path) -> Path:
    """A finished run of a task, without its report."""
    shutil.copytree(finished(TASKS[request.param]), tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / "report")
    return tmp_path / "run"


def test_what_the_bench_states_is_kept() -> None:
    assert {"run", "verify", "pan14", "attribute", "safety"} <= set(STATING)


def test_a_report_is_written_of_the_answer_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = (folder / ANSWER).read_bytes()
    shape = registry.load("answer", task_of(Store.open(folder).kind).answer)
    with monkeypatch.context() as patch:
        patch.setattr(shape, "of", refuse)
        page = write_report(Store.open(folder))
    stated = set(numbers(json.loads(kept)["record"]["answer"]))
    report = json.loads((folder / "report" / "report.json").read_text())
    # A difference of two means, or a mean of several, is made where it is shown.
    said = set(numbers(report))
    assert not said or not stated or len(said & stated) > 0.5 * len(said)
    rows = [
        row
        for file in (folder / "report" / "tables").glob("*.csv")
        for row in csv.reader(file.read_text().splitlines())
    ]
    cells = {cell for row in rows for cell in row}
    assert not stated or cells & {repr(number) for number in stated}
    assert page.read_text()
    assert (folder / ANSWER).read_bytes() == kept


@pytest.mark.parametrize("harm", ["missing", "cut", "a digit", "in another version"])
def test_an_answer_that_is_lost_or_damaged_is_computed_again(folder: Path, harm: str) -> None:
    place = folder / ANSWER
    kept = place.read_bytes()
    write_report(Store.open(folder))
    before = (folder / "report" / "report.json").read_bytes()
    if harm == "missing":
        place.unlink()
    else:
        changed = {
            "cut": kept[: len(kept) // 2],
            "a digit": kept[:-40] + bytes([kept[-40] ^ 1]) + kept[-39:],
            "in another version": kept.replace(b'"raven"', b'"older"', 1),
        }
        place.write_bytes(changed[harm])
    write_report(Store.open(folder))
    assert place.read_bytes() == kept
    assert (folder / "report" / "report.json").read_bytes() == before


def test_an_answer_is_of_the_cells_that_are_there(folder: Path) -> None:
    kept = (folder / ANSWER).read_bytes()
    if not (folder / "cells").is_dir():
        pytest.skip("nothing was computed in this folder: its parts are folders of their own")
    cell = sorted((folder / "cells").iterdir())[0]
    bytes_of_cell = cell.read_bytes()
    cell.unlink()
    ravenbench.analyse(Store.open(folder))
    assert (folder / ANSWER).read_bytes() != kept
    cell.write_bytes(bytes_of_cell)
    ravenbench.analyse(Store.open(folder))
    assert (folder / ANSWER).read_bytes() == kept


def test_a_folder_that_cannot_be_written_is_read_all_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / ANSWER).unlink()

    def fails(*_: object, **__: object) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr("ravenbench.files.write_bytes", fails)
    assert ravenbench.analyse(Store.open(folder)).plan.cells is not None
    assert not (folder / ANSWER).exists()
