"""A disk that is really full, and data that change while they are read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ravenbench.errors import InputError
from ravenbench.reading.load import load_corpus
from ravenbench.tasks.api import run
from ravenbench.tasks.run import plan as planning

CORPUS = "synthetic(authors=40, topics=8, documents=240, words=60)"
OPTIONS = {
    "topics": 4,
    "folds": 2,
    "pools": 1,
    "samplers": "hits, random, random(draw=1)",
    "docs_per_topic": 30,
    "probe": "none",
    "verifiers": "length, ppm(order=2)",
    "workers": 1,
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert not run(CORPUS, out=folder, **OPTIONS).errors
    return folder


@pytest.fixture
def table(tmp_path: Path) -> Path:
    lines = [
        json.dumps({"text": d.text, "author": d.author, "topic": d.topic})
        for d in load_corpus(CORPUS)
    ]
    (tmp_path / "c.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path / "c.jsonl"


def test_random_is_drawn_several_times_in_one_run(whole):
    plan = json.loads((whole / "plan.json").read_text())["record"]
    assert [s["setup"] for s in plan["setups"]] == ["hits", "random", "random"]
    assert plan["setups"][1]["topics"] != plan["setups"][2]["topics"]
    assert len(plan["folds"]) == 6 and plan["sweep"] is None
    assert {plan["folds"][name]["setup"] for name in plan["setups"][2]["folds"]} == {"random"}


@pytest.mark.slow
def test_a_full_disk_is_one_message_on_the_command_line(tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small]
    if not shutil.which("mount") or os.geteuid() or subprocess.run(mount, check=False).returncode:
        pytest.skip("no small file system can be mounted here")
    try:
        command = [
            sys.executable,
            "-c",
            "from ravenbench.cli.main import run; run()",
            "run",
            CORPUS,
        ]
        command += [
            "--topics",
            "4",
            "--folds",
            "2",
            "--pools",
            "1",
            "--probe",
            "none",
            "--verifiers",
            "length",
        ]
        command += ["--out", str(small / "run")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (
            done.returncode == 2
            and "No space left" in done.stderr
            and "Traceback" not in done.stderr
        )
        subprocess.run(["mount", "-o", "remount,size=64m", small], check=True)
        assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    finally:
        subprocess.run(["umount", small], check=True)


def test_a_corpus_that_changes_while_it_is_read(table, tmp_path, monkeypatch):
    real = planning.load_corpus

    def reading(what, **how):
        corpus = real(what, **how)
        with table.open("a") as file:
            file.write(
                json.dumps({"text": "one more text", "author": "a0001", "topic": "f00a"}) + "\n"
            )
        return corpus

    monkeypatch.setattr(planning, "load_corpus", reading)
    with pytest.raises(InputError, match=r"c\.jsonl: the files changed while Raven read them"):
        run(str(table), out=tmp_path / "run", **OPTIONS)
    assert not (tmp_path / "run" / "plan.json").exists()
