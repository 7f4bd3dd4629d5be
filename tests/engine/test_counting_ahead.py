"""A large run counts its texts once, and its answers are those of one that does not."""

import os

import pytest

from ravenbench.engine import cells
from ravenbench.engine.pool import _alone
from ravenbench.tasks.api import run
from ravenbench.texts import TextTable
from small_run import SMALL
from stored import answers

OPTIONS = {**SMALL, "verifiers": "char-ngram, topic-fit, style-only"}


@pytest.mark.parametrize("workers", [1, 2])
def test_texts_counted_ahead(tmp_path, monkeypatch, workers):
    run(out=tmp_path / "own", workers=workers, **OPTIONS)
    counted, stages = [], []
    monkeypatch.setattr(cells, "LARGE", 0)
    kept = cells.plan_counting

    def planned(*given):
        counted.extend(found := kept(*given))
        return found

    monkeypatch.setattr("ravenbench.engine.cells.plan_counting", planned)
    folder = tmp_path / "ahead"

    def progress(stage: str, done: int, total: int) -> None:
        stages.append((stage, sorted(p.suffix for p in (folder / "counts").glob("*"))))

    assert not run(out=folder, workers=workers, progress=progress, **OPTIONS).errors
    assert len(counted) == 2 and answers(folder) == answers(tmp_path / "own")
    assert ("counting texts", []) in stages and (
        "first fits",
        [".index"] * 2 + [".packed"] * 2,
    ) in stages
    assert not (folder / "counts").exists()


def test_what_a_killed_process_left_is_not_read(tmp_path):
    folder = tmp_path / "run"
    first = run(out=folder, workers=1, **OPTIONS)
    (folder / "counts").mkdir()
    (folder / "counts" / "old.index").write_text("nonsense")
    for cell in (folder / "cells").glob("*.cell"):
        cell.unlink()
    assert not run(out=folder, workers=1, **OPTIONS).errors
    assert not (folder / "counts").exists() and first.store.path == folder


def test_another_meaning_of_the_name_counts_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(cells, "LARGE", 0)
    store = run(out=tmp_path, workers=1, **SMALL | {"verifiers": "length"}).store
    stranger = type("Stranger", (), {"counted": {"a": 1}})()
    assert cells.plan_counting(store, [stranger, stranger], list(store.plan.folds)) == []


class Dies:
    """A model that ends the process it encodes in."""

    def prepare(self, texts: list[str]) -> None:
        os._exit(1)


def test_a_model_that_ends_its_process_does_not_end_the_run(tmp_path):
    TextTable.collect(["a", "b"])[0].save(tmp_path / "texts")
    (tmp_path / "plan.json").write_text("{}")
    # As the units that were being done are done again (tests/engine/test_strangers.py), in a process of their own.
    assert _alone(cells.EncodeUnit(tmp_path, Dies(), (0,))) == []
