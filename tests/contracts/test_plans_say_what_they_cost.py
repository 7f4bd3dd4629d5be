"""``--plan`` of every task says CPU seconds and memory, and tries methods on a few problems only."""

import json

import numpy as np
import pytest

import extensions
import ravenbench
from contracts.commands import raven
from contracts.tasks import TASKS, options, write_data
from ravenbench.engine import estimate
from ravenbench.engine.estimate import of_folds, reckon
from ravenbench.errors import SpecError
from ravenbench.problems.sources import given
from ravenbench.store.records import CellPlace
from ravenbench.testing import toy_problems
from ravenbench.verifiers.baselines import CharNgram


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_data(tmp_path_factory.mktemp("plans") / "data")


def test_every_command_with_a_plan_is_in_the_table():
    planned = {name for name, parameters in options().items() if "plan" in parameters}
    assert planned == {task.command or task.name for task in TASKS.values()} | extensions.names("PLANS")


@pytest.mark.parametrize("name", TASKS)
def test_a_plan_says_seconds_and_memory(name, data, tmp_path):
    ended = raven(*TASKS[name].arguments(data, tmp_path / "run"), "--plan", "--json")
    assert ended.code == 0, ended
    told = json.loads(ended.said[ended.said.index("{") :])
    assert 0.1 < told["cpu_seconds"] < 1000
    assert 50 < told["megabytes"] < 10_000
    assert not (tmp_path / "run").exists()


def test_what_grows_goes_on_growing_and_a_failure_is_no_time(monkeypatch):
    clock, counts = [0.0], []

    def work(count):
        counts.append(count)
        clock[0] += 1.0 + 0.01 * count

    monkeypatch.setattr(estimate.time, "process_time", lambda: clock[0])
    monkeypatch.setattr(estimate, "ENOUGH", 2.0)
    monkeypatch.setattr(estimate, "LONG", 2.0)
    assert reckon(work, 1000) == pytest.approx(1.0 + 0.01 * 1000)
    assert counts == [2, 8, 16, 32]
    assert reckon(lambda count: 1 / 0, 1000) is None


def test_a_search_is_tried_in_small(monkeypatch):
    sizes = []

    class Searches(CharNgram):
        in_small = {"n": 2}

        def fit(self, problems, same):
            sizes.append(self.n)
            return super().fit(problems, same)

    monkeypatch.setattr(estimate, "reckon", lambda work, *_: (work(8), 1.0)[1])
    fold = given(*toy_problems(40, seed=1), *toy_problems(20, seed=2), "fold")
    place = CellPlace(key="", verifier="own", fold="fold")
    seconds, _ = of_folds({"own": Searches(n=6)}, [fold], [place])
    assert set(sizes) == {2} and seconds == 6 / 2 * 1.0 + 1.0


def test_a_plan_in_python_is_that_of_the_command(data, tmp_path):
    arguments = TASKS["verify"].arguments(data, tmp_path / "run")
    ended = raven(*arguments, "--plan", "--json")
    told = json.loads(ended.said[ended.said.index("{") :])
    method, given_options = arguments[1], dict(zip(arguments[2::2], arguments[3::2], strict=False))
    values = {name.removeprefix("--"): str(value) for name, value in given_options.items()}
    values.pop("workers", None)
    planned = ravenbench.plan(ravenbench.verify, method, **values)
    assert planned.cells == told["cells"] and planned.cpu_seconds > 0 and not (tmp_path / "run").exists()
    with pytest.raises(SpecError, match="has no plan"):
        ravenbench.plan(ravenbench.evaluate, "truth.txt")
    with pytest.raises(TypeError, match="did you mean"):
        ravenbench.plan(ravenbench.verify, method, trian="x")


def test_a_method_is_tried_on_few_problems_of_both_classes(monkeypatch):
    problems, same = toy_problems(200, seed=1)
    test, truth = toy_problems(100, seed=2)
    asked = []
    real = CharNgram.fit

    def fit(self, problems, same):
        asked.append((len(problems), int(np.sum(same))))
        return real(self, problems, same)

    monkeypatch.setattr(CharNgram, "fit", fit)
    monkeypatch.setattr(estimate, "ENOUGH", 1e9)
    fold = given(problems, same, test, truth, "fold")
    place = CellPlace(key="", verifier="own", fold="fold")
    seconds, unknown = of_folds({"own": CharNgram()}, [fold], [place])
    assert seconds > 0 and not unknown
    assert max(size for size, _ in asked) <= estimate.MOST
    assert all(0 < positive < size for size, positive in asked if size > 2)  # before these only kernels are loaded
