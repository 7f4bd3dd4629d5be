"""A system that was not run here, judged from its answers to what raven export wrote."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from given_problems import write_made_up
from ravenbench.cli.main import build
from ravenbench.errors import InputError
from ravenbench.reading.answers import write_answers
from ravenbench.reading.problems import read_problems
from ravenbench.reports.outside import with_answers
from ravenbench.reports.report import analyse
from ravenbench.tasks.api import run
from ravenbench.types import Answers

pytestmark = pytest.mark.usefixtures("undrawn")

export = pytest.importorskip(
    "ravenbench.ext.programs.export", reason="the extension programs is not here"
).export


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    place = tmp_path_factory.mktemp("outside")
    data = write_made_up(place / "es")
    return run(
        train=str(data), test=str(data), verifiers="function-words", out=place / "run", workers=1
    ).store


def answered(store, folder, folds):
    """What the run's own verifier answered, written as an outside system would."""
    for number, fold in enumerate(folds):
        cell = store.cell("function-words", fold)
        (folder / fold).mkdir(parents=True)
        suffix = "txt" if number % 2 else "jsonl"
        write_answers(
            folder / fold / f"answers.{suffix}", Answers(store.fold(fold).test.ids, cell.answers)
        )
    return folder


def test_exported_folds_are_told_apart(store, tmp_path):
    folds = export(store, tmp_path / "out")
    told = json.loads((tmp_path / "out" / "folds.json").read_text())
    arms = [f"given-{way}{arm}" for way in ("", "free-") for arm in ("along", "against", "off")]
    assert list(told) == folds == ["given", *arms, "given-batch"]
    assert told["given-along"] == {"setup": None, "source": "given", "version": "along"}
    assert told["given"]["source"] is None and told["given"]["version"] is None
    found = read_problems(tmp_path / "out" / "given-along" / "test").problems
    test = store.fold("given-along").test
    texts = dict(zip(found.ids.tolist(), found.texts.rows(found.questioned_index), strict=True))
    assert texts == dict(
        zip(test.ids.tolist(), test.texts.rows(test.questioned_index), strict=True)
    )
    assert not set(texts) & set(store.fold("given").test.ids.tolist()), (
        "no answer is taken over by its id"
    )


def test_its_answers_are_judged_as_those_of_a_verifier(store, tmp_path):
    folds = list(store.plan.folds)
    cells = sorted(p.name for p in (store.path / "cells").iterdir())
    overlay = with_answers(store, {"theirs": answered(store, tmp_path / "a", folds)})
    own, theirs = analyse(overlay).content.rows
    assert theirs.verifier == "theirs" and own.figures.same == theirs.figures.same
    assert theirs.figures.style_left.value == pytest.approx(own.figures.style_left.value, abs=0.05)
    assert sorted(p.name for p in (store.path / "cells").iterdir()) == cells
    assert [v.name for v in store.plan.verifiers] == ["function-words"]


def test_missing_folds_are_named_and_the_axis_says_so(store, tmp_path):
    lacking = {"given-against", "given-batch"}
    folder = answered(store, tmp_path / "a", [f for f in store.plan.folds if f not in lacking])
    done = CliRunner().invoke(
        build("report"), ["report", str(store.path), "--answers", f"theirs={folder}", "--json"]
    )
    told = json.loads(done.stdout)
    assert told["notes"] == ["theirs has no answers to 2 folds: given-against, given-batch"]
    row = told["content"][1]
    assert row["outcome"] == "none" and "answers are missing" in row["reason"]
    assert {f["error"].split(":")[0] for f in told["failed"]} == {"file of answers not found"}
    assert [r["verifier"] for r in told["results"]] == ["function-words", "theirs"]


def test_answers_are_checked(store, tmp_path):
    folder = answered(store, tmp_path / "a", ["given"])
    with pytest.raises(InputError, match="a name that no verifier of the run has"):
        with_answers(store, {"function-words": folder})
    (folder / "given-oof").mkdir()
    (folder / "given-oof" / "answers.txt").write_text("P1000 0.5\n")
    with pytest.raises(InputError, match="any fold of the run"):
        with_answers(store, {"theirs": folder})
    (folder / "given-oof" / "answers.txt").unlink()
    (folder / "given" / "answers.jsonl").write_text('{"id": "P1000", "value": 1.5}\n')
    with pytest.raises(InputError):
        with_answers(store, {"theirs": folder})
    (folder / "given" / "answers.jsonl").unlink()
    with pytest.raises(InputError, match="no answers to any fold of the run"):
        with_answers(store, {"theirs": folder})
