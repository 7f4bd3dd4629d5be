"""Methods of strangers: whatever they give, raise, print or end, their cells fail and nothing else."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from ravenbench.cli.main import build
from ravenbench.engine.cells import FIRST
from ravenbench.errors import AnswerError, InputError
from ravenbench.store.store import Store
from ravenbench.tasks.api import run
from ravenbench.tasks.run.forecast import forecast
from ravenbench.tasks.run.spec import build as spec_of
from ravenbench.verifiers.contract.base import checked_answers, checked_scores
from small_run import SMALL

pytestmark = pytest.mark.usefixtures("undrawn")

OPTIONS = {**SMALL, "samplers": "random"}
STRANGERS = """
import ctypes, os, sys
import numpy as np
from ravenbench import Scorer, Verifier

print("imported aloud")

class Base(Verifier):
    def fit(self, problems, same):
        return self

    def verify(self, problems):
        return np.full(len(problems), 0.6)

class Odd(Exception):
    def __str__(self):
        raise ValueError("no")

class Proba(Base):
    def verify(self, problems):
        return np.full((len(problems), 2), 0.5)

class Masked(Base):
    def verify(self, problems):
        return np.ma.masked_less(np.full(len(problems), 0.6), 0.5)

class Nan(Base):
    def verify(self, problems):
        return np.full(len(problems), np.nan)

class Strings(Scorer):
    def score(self, problems):
        return np.array(["0.5"] * len(problems))

class Wide(Scorer):
    def score(self, problems):
        return np.zeros((len(problems), 2, 2))

class Exits(Base):
    def verify(self, problems):
        sys.exit(0)

class Interrupts(Base):
    def fit(self, problems, same):
        raise KeyboardInterrupt

class Recurses(Base):
    def verify(self, problems):
        return self.verify(problems)

class Hungry(Base):
    def fit(self, problems, same):
        raise MemoryError

class Surrogate(Base):
    def verify(self, problems):
        raise ValueError("half a pair: \\udcff")

class Unspeakable(Base):
    def verify(self, problems):
        raise Odd

class Loud(Base):
    def verify(self, problems):
        print("printed aloud")
        os.write(1, b"written aloud\\n")
        ctypes.CDLL(None).puts(b"put aloud")
        return super().verify(problems)

class Aborts(Base):
    def verify(self, problems):
        os.abort()

"""
FAILING = {
    "Proba": "returned unusable answers; found: shape",
    "Masked": "a masked array",
    "Nan": "nan to problem",
    "Strings": "returned unusable scores; found: an array of <U3",
    "Wide": r"returned unusable scores; found: shape (",
    "Exits": "tried to end the program (SystemExit: 0)",
    "Interrupts": "tried to end the program (KeyboardInterrupt",
    "Recurses": "RecursionError",
    "Hungry": "MemoryError",
    "Surrogate": r"half a pair: \udcff",
    "Unspeakable": "its message cannot be read",
}


@pytest.fixture
def strangers(tmp_path, monkeypatch) -> Path:
    (tmp_path / "strangers.py").write_text(STRANGERS)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("strangers", None)


def test_each_fails_its_own_cells_alone(strangers, capfd):
    names = [f"strangers:{name}" for name in (*FAILING, "Loud")]
    result = run(
        out=strangers / "run", workers=1, verifiers=", ".join(["length", *names]), **OPTIONS
    )
    store = Store.open(strangers / "run")
    for fold in store.plan.folds:
        assert store.cell("length", fold).error is None
        assert store.cell("strangers:Loud", fold).error is None
        for name, message in FAILING.items():
            first = store.cell(f"strangers:{name}", fold).error.splitlines()[0]
            assert message in first, (name, first)
        raised = store.cell("strangers:Surrogate", fold).error.splitlines()[0]
        assert re.search(r"\(strangers\.py, line \d+\)$", raised), raised
    assert len(result.errors) == len(FAILING) * len(store.plan.folds)
    said = capfd.readouterr()
    assert "aloud" not in said.out
    assert all(f"{how} aloud" in said.err for how in ("imported", "printed", "written", "put"))


def raven(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = begun(folder, *arguments)
    stdout, stderr = command.communicate()
    return subprocess.CompletedProcess(command.args, command.returncode, stdout, stderr)


def begun(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    # One that was started in the background ignores Ctrl-C.
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += "from ravenbench.cli.main import run; run()"
    keys = [f"{name} = {json.dumps(given)}" for name, given in OPTIONS.items() if name != "corpus"]
    (folder / "spec.toml").write_text("\n".join(["[run]", *keys]))
    command = [sys.executable, "-c", code, "run", OPTIONS["corpus"], "--spec", "spec.toml"]
    command += arguments
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, stdout=pipe, stderr=pipe, text=True)


def test_a_method_that_leaves_does_not_end_the_command_well(strangers):
    done = raven(
        strangers,
        "--verifiers=strangers:Exits,strangers:Loud,length",
        "--workers=1",
        "--out=run",
        "--json",
    )
    assert done.returncode == 1 and "2 cells have no answers" in done.stderr
    assert {
        entry["verifier"]
        for entry in json.loads(done.stdout)["results"]
        if entry["auc"] is not None
    } == {
        "strangers:Loud",
        "length",
    }


def test_a_method_that_ends_its_process_fails_alone(strangers):
    names = ["strangers:Aborts", "length"]
    done = run(out=strangers / "run", workers=2, verifiers=", ".join(names), **OPTIONS)
    assert len(done.errors) == 2
    store = Store.open(strangers / "run")
    for fold in store.plan.folds:
        for name in names:
            error = store.cell(name, fold).error
            assert (error is not None) == name.startswith("strangers"), (name, error)
            assert error is None or "ended its process" in error


def test_a_method_that_fails_alike_is_not_tried_everywhere_and_the_report_says_what_is_missing(
    strangers,
):
    options = OPTIONS | {
        "samplers": "hits, random",
        "verifiers": "strangers:Nan, length",
        "workers": 1,
    }
    errors = run(out=strangers / "run", **options).errors
    store = Store.open(strangers / "run")
    folds = list(store.plan.folds)
    tried = [store.cell("strangers:Nan", fold) is not None for fold in folds]
    assert tried == [True, True, False, False] and len(errors) == 4
    assert (
        f"not tried, because its first {FIRST} fits failed in the same way (AnswerError: strangers:Nan returned"
        in errors[0]
    )
    assert all(store.cell("length", fold).error is None for fold in folds)
    (gone,) = [
        p for p in (strangers / "run").rglob(f"*{store.keys['length', folds[0]]}*") if p.is_file()
    ]
    gone.unlink()
    done = CliRunner().invoke(build("report"), ["report", str(strangers / "run")])
    assert done.exit_code == 1
    told = done.stderr.splitlines()
    assert told[0] == "5 of 8 cells have no result; every figure leaves them out:"
    assert told[1].startswith(f"  strangers:Nan on {', '.join(folds)}: AnswerError: ")
    assert told[2:] == [
        f"  length on {folds[0]}: missing or damaged",
        "repeat raven run to compute them",
    ]
    assert "1 of 2" in done.stdout and "2 of 2" in done.stdout and "0 of 2" in done.stdout
    assert not [
        e
        for e in run(out=strangers / "run", **options | {"workers": 1}).errors
        if e.startswith("length")
    ]


@pytest.mark.parametrize(
    ("verifier", "message"),
    [
        ("char-ngram(n=0)", r"char-ngram: n must be at least 1"),
        ("ppm(order=-1)", r"ppm: order must be 0 or 1"),
        ("command('nope')", r"does not work: program not found(?s:.*)found: nope"),
        ("calibrated(length, length)", "does not work"),
    ],
)
def test_parameters_that_cannot_work_fail_before_anything_is_planned(verifier, message, tmp_path):
    with pytest.raises(InputError, match=message):
        run(out=tmp_path / "run", workers=1, verifiers=verifier, **OPTIONS)
    assert not (tmp_path / "run").exists()


def test_a_plan_starts_no_outside_program(tmp_path):
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    program.chmod(0o755)
    assert forecast(spec_of({**OPTIONS, "verifiers": f"length, command('{program}')"})).cells > 0
    assert not (tmp_path / "started").exists()


def test_ctrl_c_during_a_method_ends_the_run(strangers):
    (strangers / "strangers.py").write_text(
        STRANGERS + "\nimport time\nclass Sleeps(Base):\n    def verify(self, problems):\n"
        "        try:\n            time.sleep(600)\n"
        "        except BaseException:\n            pass\n        return super().verify(problems)\n"
    )
    command = begun(strangers, "--verifiers=strangers:Sleeps", "--workers=1", "--out=run")
    until = time.monotonic() + 60
    while not (strangers / "run" / "plan.json").exists() and time.monotonic() < until:
        time.sleep(0.1)
    time.sleep(3)
    command.send_signal(signal.SIGINT)
    _, said = command.communicate(timeout=60)
    assert command.returncode == 130 and "interrupted" in said, said
    assert not list((strangers / "run").glob("cells/*"))


def test_a_method_that_interrupts_itself_fails_alone(strangers):
    (strangers / "strangers.py").write_text(
        STRANGERS + "\nimport signal\nclass Pressed(Base):\n    def verify(self, problems):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n        return super().verify(problems)\n"
    )
    done = raven(strangers, "--verifiers=strangers:Pressed,length", "--workers=1", "--out=run")
    assert done.returncode == 1 and "ended its process" in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (np.full((3, 2), 0.5), r"shape \(3, 2\)"),
        (np.full((3, 1), 0.5), r"shape \(3, 1\)"),
        (np.full(2, 0.5), r"shape \(2,\)"),
        (np.full(3, 0.5 + 0j), "complex128"),
        (np.array([0, 1, 1]), "int64"),
        (np.array(["0.1"] * 3), "<U3"),
        (np.array([0.1] * 3, dtype=object), "object"),
        (np.ma.masked_array(np.full(3, 0.5)), "masked array"),
        (np.array([0.1, np.inf, 0.2]), "inf to problem b"),
        (np.array([0.1, -0.1, 2.0]), r"-0\.1 to problem b \(and 1 more\)"),
        (None, r"shape \(\)"),
        ([[0.1], [0.1, 0.2], [0.3]], "not an array"),
    ],
)
def test_answers_that_are_none(given, found):
    with pytest.raises(
        AnswerError, match=rf"mine returned unusable answers\n  found: .*{found}(?s:.*)fix: "
    ):
        checked_answers(given, ["a", "b", "c"], "mine")


def test_answers_and_scores_that_are_some():
    assert (
        checked_answers(np.array([0, 0.5, 1], dtype=np.float32), ["a", "b", "c"], "mine").dtype
        == np.float64
    )
    assert checked_answers([0.1, 0.2], ["a", "b"], "mine").tolist() == [0.1, 0.2]
    assert checked_scores([1, 2], 2, "mine").tolist() == [1.0, 2.0]
    assert np.isnan(checked_scores(np.array([[np.nan, 1.0]]), 1, "mine")[0, 0])
    for bad in (np.array([np.inf, 0]), np.array([1j, 0]), np.array([True, False]), np.zeros(3)):
        with pytest.raises(AnswerError, match="mine returned unusable scores"):
            checked_scores(bad, 2, "mine")


def test_a_calibrator_that_answers_nothing_is_told(strangers):
    (strangers / "strangers.py").write_text(
        "import numpy as np\nfrom ravenbench import Scorer\nclass Small(Scorer):\n    def score(self, problems):\n"
        "        known = problems.known_index[problems.known_ptr[:-1]]\n"
        "        words = [set(text.split()) for text in problems.texts]\n"
        "        pairs = zip(known, problems.questioned_index, strict=True)\n"
        "        return np.array([1e-4 * len(words[a] & words[b]) for a, b in pairs])\n"
    )
    verifiers = "strangers:Small, calibrated(strangers:Small, logistic)"
    result = run(out=strangers / "run", workers=1, verifiers=verifiers, **OPTIONS)
    assert not result.errors
    done = CliRunner().invoke(build("report"), ["report", str(strangers / "run")])
    assert done.exit_code == 0
    told = " ".join(done.stdout.split())
    assert "logistic) left all problems unanswered" in told and "scaled-logistic suits any" in told
    assert "strangers:Small left" not in told
    assert "logistic does not suit their scale" in told
    page = " ".join((strangers / "run" / "report" / "index.html").read_text().split())
    assert "left all problems unanswered" in page


def test_scores_all_alike_are_not_blamed_on_the_calibrator_that_suits_any(strangers):
    (strangers / "strangers.py").write_text(
        "import numpy as np\nfrom ravenbench import Scorer\nclass Alike(Scorer):\n    def score(self, problems):\n"
        "        return np.zeros(len(problems))\n"
    )
    verifiers = "strangers:Alike, calibrated(strangers:Alike, scaled-logistic)"
    assert not run(out=strangers / "run", workers=1, verifiers=verifiers, **OPTIONS).errors
    told = " ".join(
        CliRunner().invoke(build("report"), ["report", str(strangers / "run")]).stdout.split()
    )
    assert (
        told.count("problems unanswered (0.5): its scores hardly differ.") == 2
        and "suits any" not in told
    )
