"""A device and a limit on time are given in Python as on the command line, and hold wherever a run's
work is done; the environment of the process stays as it is."""

import os
from dataclasses import dataclass

import pytest

import ravenbench
from ravenbench.cli.tasks import command_of, in_spec
from ravenbench.engine.apart import process
from ravenbench.engine.pool import aside, local, run_units, silent
from ravenbench.engine.task import LIMITS, declared_of
from ravenbench.engine.walls import view
from ravenbench.errors import SpecError
from ravenbench.limits import RunLimits, limits_here, within
from ravenbench.tasks.functions import function_of
from stub import of_raven

pytestmark = pytest.mark.usefixtures("undrawn")

GIVEN = RunLimits("cpu", 45.0)


@dataclass(frozen=True)
class Teller:
    """A unit whose errors are the limits of the process that does it."""

    def work(self):
        return [repr(limits_here())]


def tell(state):
    return state, {"limits": repr(limits_here())}


@pytest.mark.parametrize("workers", [1, 2])
def test_units_have_the_limits_of_their_run(workers):
    with within(GIVEN):
        units = run_units(local(workers), [Teller(), Teller(), Teller()], silent, "cells")
    assert units == [repr(GIVEN)] * 3
    assert (
        run_units(local(workers), [Teller(), Teller()], silent, "cells") == [repr(RunLimits())] * 2
    ), "the next has none"


def test_what_is_done_meanwhile_and_apart_has_them_too():
    with within(GIVEN), aside(2) as begin:
        assert begin(limits_here)() == GIVEN
        with process(view([], [], None)) as apart:
            assert apart.ask(tell)["limits"] == repr(GIVEN)


@pytest.mark.parametrize("name", of_raven())
def test_the_function_takes_what_the_command_takes(name):
    task = declared_of(name)
    given = {*command_of(task).__signature__.parameters, *in_spec(task)}
    on_command = {name for name in given if name in LIMITS}
    assert on_command == {
        name for name in function_of(task).__signature__.parameters if name in LIMITS
    }


def test_a_function_in_python_limits_its_run_alone(monkeypatch):
    before, seen = dict(os.environ), list[RunLimits]()
    monkeypatch.setattr(
        "ravenbench.engine.task.run_task", lambda *_, **__: seen.append(limits_here())
    )
    ravenbench.verify("length", test="test", train="train", device="cpu", cell_timeout=45)
    ravenbench.verify("length", test="test", train="train", device="auto")
    assert seen == [RunLimits("cpu", 45), RunLimits("auto")]
    assert limits_here() == RunLimits()
    assert not {name for name in os.environ.keys() - before.keys() if "RAVEN" in name}


@pytest.mark.parametrize("given", [{"device": "gpu"}, {"cell_timeout": 0}, {"cell_timeout": 1e300}])
def test_limits_that_cannot_hold_are_refused_before_any_work(tmp_path, given):
    with pytest.raises(SpecError):
        ravenbench.run("synthetic", out=tmp_path / "run", **given)
    assert not (tmp_path / "run").exists()
