"""``--plan`` of every task says what would be done, tries no method and writes nothing."""

import json

import pytest

import extensions
import ravenbench
from contracts.commands import raven
from contracts.tasks import TASKS, options, write_data
from ravenbench.errors import SpecError
from ravenbench.verifiers.baselines import CharNgram


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_data(tmp_path_factory.mktemp("plans") / "data")


def test_every_command_with_a_plan_is_in_the_table():
    planned = {name for name, parameters in options().items() if "plan" in parameters}
    assert planned == {task.command or task.name for task in TASKS.values()} | extensions.names(
        "PLANS"
    )


@pytest.mark.parametrize("name", TASKS)
def test_a_plan_tries_no_method_and_writes_nothing(name, data, tmp_path, monkeypatch):
    monkeypatch.setattr(CharNgram, "fit", lambda *_: pytest.fail("a method was tried"))
    ended = raven(*TASKS[name].arguments(data, tmp_path / "run"), "--plan", "--json")
    assert ended.code == 0, ended
    told = json.loads(ended.said[ended.said.index("{") :])
    assert told.get("done", 0) == 0 <= told["cells"]
    assert not (tmp_path / "run").exists()


def test_a_plan_in_python_is_that_of_the_command(data, tmp_path):
    arguments = TASKS["verify"].arguments(data, tmp_path / "run")
    ended = raven(*arguments, "--plan", "--json")
    told = json.loads(ended.said[ended.said.index("{") :])
    method, given_options = arguments[1], dict(zip(arguments[2::2], arguments[3::2], strict=False))
    values = {name.removeprefix("--"): str(value) for name, value in given_options.items()}
    values.pop("workers", None)
    planned = ravenbench.plan(ravenbench.verify, method, **values)
    assert planned.cells == told["cells"] and not (tmp_path / "run").exists()
    with pytest.raises(SpecError, match="has no plan"):
        ravenbench.plan(ravenbench.evaluate, "truth.txt")
    with pytest.raises(TypeError, match="did you mean"):
        ravenbench.plan(ravenbench.verify, method, trian="x")
