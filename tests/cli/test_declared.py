"""Commands that are declared: what a newcomer needs stands first, and the function has the command's options."""

import pytest

import extensions
from contracts.commands import raven
from ravenbench.cli.tasks import command_of
from ravenbench.engine.options import HEADINGS
from ravenbench.engine.task import declared_of
from ravenbench.tasks.functions import function_of
from stub import of_raven

MOST_FIRST = 9


@pytest.mark.parametrize("name", of_raven())
def test_a_newcomer_sees_few_options_first(name):
    task = declared_of(name)
    options = {
        option.name for option in task.options() if option.command and not option.in_spec
    } - set(task.arguments)
    first = {name for name in options if task.heading(name) is None}
    declared = set(task.first.split())
    if extensions.absent() and name in extensions.WITH_FORMS:
        declared &= options
    assert declared <= options, "a name that is no option"
    assert not task.first or (first == declared and len(first) <= MOST_FIRST)
    assert {task.heading(name) for name in options} <= {None, "Further options", *HEADINGS}


@pytest.mark.parametrize("name", of_raven())
def test_command_and_function_follow_from_one_declaration(name):
    task = declared_of(name)
    on_command, in_python = (
        command_of(task).__signature__.parameters,
        function_of(task).__signature__.parameters,
    )
    for option in (option for option in task.options() if option.name != "engine"):
        assert (option.name in on_command, option.name in in_python) == (
            option.command and not option.in_spec,
            option.function,
        )
        assert not option.function or f"\n{option.name} : " in function_of(task).__doc__
    assert on_command.keys() - {option.name for option in task.options()} <= {
        "context",
        "engine",
        "scheduler",
        "plan",
        "json",
        "spec",
    }


@pytest.mark.parametrize("name", of_raven())
def test_a_command_has_few_flags(name):
    parameters = command_of(declared_of(name)).__signature__.parameters
    assert len(parameters) - len(declared_of(name).arguments) <= (26 if name == "run" else 21), (
        "one is the context"
    )


def test_a_flag_that_left_is_answered_by_where_it_went(tmp_path):
    ended = raven("run", "--lengths", "50", as_it_is=True)
    assert ended.code == 2 and "the line run.lengths = …" in ended.said
    listed = " ".join(raven("run", "--help", as_it_is=True).said.split())
    assert "Keys in a file for --spec:" in listed and " lengths, " in listed
    file = tmp_path / "s.toml"
    file.write_text("[verify]\nsavee = 'x'\n")
    ended = raven("verify", "length", "--test", "x", "--spec", str(file))
    assert ended.code == 2 and "unknown key 'savee'" in ended.said and "did you mean" in ended.said
