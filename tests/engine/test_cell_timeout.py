"""A method that never ends fails its own cells, and the others go on."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from contracts.commands import raven
from ravenbench.engine.guard import isolated
from ravenbench.engine.pool import engine
from ravenbench.errors import SpecError
from ravenbench.limits import TIMEOUT as LIMIT
from ravenbench.store.store import Store
from ravenbench.tasks.api import run

CORPUS = "synthetic(authors=24, topics=6, documents=96, words=40)"
OPTIONS = {
    "topics": 4,
    "folds": 2,
    "pools": 1,
    "samplers": "random",
    "docs_per_topic": 12,
    "probe": "none",
}
ENDLESS = """
import signal, time
from ravenbench import Verifier

class Sleeps(Verifier):
    def fit(self, problems, same):
        return self

    def verify(self, problems):
        while True:
            time.sleep(60)

class Catches(Sleeps):
    def fit(self, problems, same):
        while True:
            try:
                self.verify(problems)
            except Exception:
                pass

class Deaf(Sleeps):
    def fit(self, problems, same):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        return self
"""


@pytest.fixture
def endless(tmp_path, monkeypatch):
    (tmp_path / "endless.py").write_text(ENDLESS)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("endless", None)


def test_a_method_that_sleeps_forever_fails_its_cells_alone(endless, monkeypatch):
    assert not run(CORPUS, out=endless / "plain", workers=1, verifiers="length", **OPTIONS).errors
    monkeypatch.setenv(LIMIT, "3")
    names = ["endless:Sleeps", "endless:Catches"]
    errors = run(
        CORPUS, out=endless / "run", workers=1, verifiers=", ".join(["length", *names]), **OPTIONS
    ).errors
    store, plain = Store.open(endless / "run"), Store.open(endless / "plain")
    assert len(errors) == 2 * len(store.plan.folds)
    assert all(
        "the method took longer than 3 seconds, the limit (--cell-timeout)" in error
        for error in errors
    )
    for fold in store.plan.folds:
        assert store.keys["length", fold] == plain.keys["length", fold]
        assert (
            store.cell("length", fold).answers.tolist()
            == plain.cell("length", fold).answers.tolist()
        )
        assert all(store.cell(name, fold).error for name in names)


@pytest.mark.slow
def test_a_method_that_hears_nothing_is_ended(endless):
    keys = [f"{name} = {json.dumps(given)}" for name, given in OPTIONS.items()]
    (endless / "spec.toml").write_text("\n".join(["[run]", *keys, "cell_timeout = 2"]))
    given = [
        "--spec=spec.toml",
        "--verifiers=endless:Deaf,length",
        "--workers=2",
        "--out=run",
        "--json",
    ]
    command = [
        sys.executable,
        "-c",
        "from ravenbench.cli.main import run; run()",
        "run",
        CORPUS,
        *given,
    ]
    done = subprocess.run(
        command, cwd=endless, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 1, done.stderr
    store = Store.open(endless / "run")
    for fold in store.plan.folds:
        assert store.cell("length", fold).error is None
        assert (
            "took longer than 2 seconds, the limit (--cell-timeout)"
            in store.cell("endless:Deaf", fold).error
        )


def test_limits_that_cannot_hold_are_refused(monkeypatch):
    assert raven("run", "--cell-timeout", "0").code == 2
    assert raven("run", "--cell-timeout", "1e300").code == 2
    monkeypatch.setenv(LIMIT, "60")
    with pytest.raises(SpecError, match="not to a Dask cluster"):
        engine("dask", scheduler="tcp://127.0.0.1:8786")
    for given in ("soon", "inf", "nan", "1e300"):
        monkeypatch.setenv(LIMIT, given)
        with pytest.raises(SpecError, match="number of seconds above 0"), isolated():
            pass
