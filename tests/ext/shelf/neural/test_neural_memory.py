"""Memory that runs out names an option that lowers it, and costs no finished epoch."""

from __future__ import annotations

import importlib
import json

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import InputError
from ravenbench.testing import toy_problems

pytestmark = pytest.mark.extra
PLACES = {
    "bagnall-2015(hidden=16, epochs=3, characters=10000, references=5, device='cpu')": (
        "bagnall.ManyHeads.loss",
        "bagnall.ManyHeads.states",
        "longest or hidden",
    ),
    "o2d2(hidden=8, vectors=8, epochs=3, detector_epochs=2, device='cpu')": (
        "o2d2.O2D2Network.loss",
        "o2d2.O2D2Network.pooled",
        "windows or hidden",
    ),
}


@pytest.fixture
def torch(need_extra):
    need_extra("transformers")
    return need_extra("torch")


def answers(fitted, problems):
    return fitted.score(problems) if hasattr(fitted, "score") else fitted.verify(problems)


@pytest.mark.parametrize("spec", PLACES)
def test_memory_that_runs_out_costs_no_finished_epoch(spec, torch, monkeypatch, tmp_path):
    train, same = toy_problems(30, seed=1)
    option = PLACES[spec][2]
    training, scoring = (f"ravenbench.ext.shelf.neural.{place}" for place in PLACES[spec][:2])
    whole = registry.parse("verifier", spec).fit(train, same)
    expected = answers(whole, train)
    module, owner, name = training.rsplit(".", 2)
    real = getattr(getattr(importlib.import_module(module), owner), name)

    def full(*_):
        raise torch.cuda.OutOfMemoryError("CUDA out of memory.")

    def full_later(*given):
        return full() if kept() else real(*given)

    def kept():
        return [
            json.loads(head.read_text())["epoch"]
            for head in (tmp_path / "cache").rglob("checkpoint.json")
        ]

    with monkeypatch.context() as patch, pytest.raises(InputError, match="lower batch"):
        patch.setattr(training, full_later)
        registry.parse("verifier", spec).fit(train, same)
    assert kept() == [1]
    fitted = registry.parse("verifier", spec).fit(train, same)
    assert kept() == [3]
    with monkeypatch.context() as patch, pytest.raises(InputError, match=f"lower {option}"):
        patch.setattr(scoring, full)
        answers(fitted, train)
    with monkeypatch.context() as patch:
        patch.setattr(training, full)
        elsewhere = registry.parse("verifier", spec.replace("'cpu'", "'auto'"))
        patch.setenv("RAVEN_DEVICE", "cpu")
        assert np.array_equal(answers(elsewhere.fit(train, same), train), expected)
    assert not kept()
