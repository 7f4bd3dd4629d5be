"""Where cells are missing, the report of every task says what its figures stand on.

Those of ``raven compare`` are looked at beside their other tests.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from ravenbench.cli.main import build
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.testing import toy_problems

pytestmark = pytest.mark.usefixtures("undrawn")

METHODS = "length, function-words"
CORPUS = "synthetic(documents=160, authors=24, topics=8, words=60)"


def raven(*arguments: object) -> Result:
    return CliRunner().invoke(build(str(arguments[0])), [str(a) for a in arguments])


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("toy")
    for split, seed in (("train", 1), ("test", 2)):
        write_pan_problems(place / split, *toy_problems(20, known=2, seed=seed))
    return place


@pytest.mark.parametrize("task", ["pan14", "verify", "safety", "attribute"])
def test_a_report_with_gaps_says_what_it_stands_on(task: str, toy: Path, tmp_path: Path) -> None:
    arguments = {
        "pan14": (toy, "--verifiers", METHODS, "--out", tmp_path / "run"),
        "verify": (
            "function-words",
            "--test",
            toy / "test",
            "--train",
            toy / "train",
            "--folder",
            tmp_path / "run",
            "--out",
            tmp_path / "answers.jsonl",
        ),
        "safety": (
            toy,
            "--train",
            toy,
            "--obfuscators",
            "identity, random",
            "--verifiers",
            METHODS,
            "--attacks",
            "none",
            "--out",
            tmp_path / "run",
        ),
        "attribute": (CORPUS, "--methods", "nb,svm", "--out", tmp_path / "run"),
    }
    done = raven(task, *arguments[task], "--workers", 1)
    assert done.exit_code == 0, done.output
    report = tmp_path / "run" / "report"
    whole = (report / "index.html").read_text()
    assert (
        json.loads((report / "report.json").read_text())["incomplete"] == []
        and "completed cells only" not in whole
    )
    sorted((tmp_path / "run" / "cells").glob("*.cell"))[0].unlink()
    again = raven("report", tmp_path / "run")
    assert again.exit_code == 1, again.output
    told = " ".join(again.stdout.split())
    (gap,) = json.loads((report / "report.json").read_text())["incomplete"]
    said = (
        f"completed cells only: {gap['method']} has {gap['planned'] - 1} of its"
        f" {gap['planned']}; the other methods have all."
    )
    assert gap["cells"] == gap["planned"] - 1
    assert (
        told.startswith("Cells are missing")
        and said in told
        and said in (report / "index.html").read_text()
    )
