"""Every option that names an output, of every command: new, empty or the command's own, and never an input."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import extensions
from contracts.commands import contents, raven
from contracts.tasks import TASKS, all_options, write_data

pytestmark = pytest.mark.usefixtures("undrawn")

NAMES = ("out", "save", "folder", "rewritings", "propose", "result")
"""What parameters that name an output are called."""
DEAR = {"validate"}
"""Tasks whose contracts are those of ``-m slow``."""
NOTHING = {"list"} | extensions.names("OUTPUTS_NOTHING")
"""Commands that write nothing a user names."""
POOLED = {("report", "out")}
"""Several runs of one spec are wanted: ``tests/reports/test_seeds.py`` sees to these."""


class Output(NamedTuple):
    """What a command is told besides the output, the inputs that it must not be, and whether it is written twice."""

    told: tuple[str, ...]
    inputs: tuple[str, ...]
    again: bool = False


OUTPUTS = (
    {
        ("evaluate", "out"): Output(
            ("$data/toy/test", "$data/answers.jsonl", "--trials", "10", "--replicates", "10"),
            ("toy", "toy/test", "answers.jsonl"),
            True,
        ),
    }
    | {
        (task.name, option.lstrip("-").replace("-", "_")): Output(task.told, task.data, True)
        for task in TASKS.values()
        if not task.command
        for option in (task.place, *(product for product, _ in task.products))
    }
    | {
        (name, "rewritings"): Output(TASKS[name].told, TASKS[name].data, True)
        for name in ("obfuscate", "safety")
    }
    | {which: Output(*row) for which, row in extensions.rows("OUTPUTS").items()}
)
MIXED = {("obfuscate", "rewritings"), ("safety", "rewritings")}
"""Folders in which files are put beside others, under names of their own."""


def test_every_output_of_every_command_stands_in_the_table() -> None:
    found = {(name, one) for name, given in all_options().items() for one in given if one in NAMES}
    assert found - POOLED == set(OUTPUTS), (
        "an option that names an output goes through the rule of outputs.py"
    )
    silent = {name for name, given in all_options().items() if not given & set(NAMES)}
    assert silent == NOTHING, "a command says where it writes by an option of one of these names"


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything that commands read, in one folder."""
    place = tmp_path_factory.mktemp("outputs")
    data = write_data(place / "data")
    (data / "one.txt").write_text("One text of some words.")
    (data / "two.txt").write_text("Another text of some words.")
    for name in ("run", "verify"):
        folder = data / "runs" / name / "run"
        assert raven(*TASKS[name].arguments(data, folder), "--workers", "1").code == 0
    shutil.copy(data / "runs" / "verify" / "answers.jsonl", data / "answers.jsonl")
    assert raven("freeze", str(data / "toy"), "-o", str(data / "toy.json")).code == 0
    return place


def command(which: tuple[str, str], room: Path, place: Path, scratch: Path) -> list[str]:
    """The whole command line with its output at a place, every other output in a folder of the test's."""
    name, option = which
    told = [part.replace("$data", str(room / "data")) for part in OUTPUTS[which].told]
    told = [part.replace("$runs", str(room / "data" / "runs")) for part in told]
    flag = f"--{option}"
    line = [*name.split(), *told, flag, str(place)]
    if name in TASKS:
        task = TASKS[name]
        rest = [(task.place, "run"), *task.products]
        line += [part for o, n in rest if o != flag for part in (o, str(scratch / n))]
        line += ["--workers", "1"]
    return line


OF_TASKS = [
    (task.name, option.lstrip("-"))
    for task in TASKS.values()
    if not task.command and task.name not in DEAR
    for option in (task.place, *(product for product, _ in task.products))
]
"""A contract of all tasks says the same of these: ``outputs_are_not_taken`` of ``table.py``."""


@pytest.mark.parametrize(
    "which", [which for which in OUTPUTS if which not in OF_TASKS], ids="-".join
)
def test_nothing_of_the_users_is_overwritten(
    which: tuple[str, str], room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    mine, file = tmp_path / "mine", tmp_path / "thesis.jsonl"
    mine.mkdir()
    for name in ("thesis.txt", "my_own.py", "index.html"):
        (mine / name).write_text("mine")
    file.write_text("mine")
    (tmp_path / "link").symlink_to(mine)
    places = [*([] if which in MIXED else [mine, tmp_path / "link"]), file]
    places += [room / "data" / name for name in OUTPUTS[which].inputs]
    before, kept = contents(room), contents(mine)
    for number, place in enumerate(places):
        ended = raven(*command(which, room, place, tmp_path / f"other{number}"))
        assert ended.code == 2 and "error:" in ended.said and "Traceback" not in ended.said, (
            place,
            ended,
        )
        assert contents(mine) == kept and file.read_text() == "mine" and contents(room) == before, (
            place
        )


OWN = [(task.name, task.place.lstrip("-")) for task in TASKS.values() if not task.command]
"""Folders of tasks: the contracts see to these."""


@pytest.mark.parametrize("which", [which for which in OUTPUTS if which not in OWN], ids="-".join)
def test_an_output_is_new_empty_or_its_own(
    which: tuple[str, str], room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    fresh = tmp_path / "deep" / "new.jsonl"
    line = command(which, room, fresh, tmp_path / "other")
    ended = raven(*line)
    assert ended.code == 0, ended
    first, is_file = sorted(contents(fresh)), fresh.is_file()
    again = raven(*line)
    assert (again.code == 0) == OUTPUTS[which].again, again
    assert sorted(contents(fresh)) == first
    # Answers that are there are not computed again: the same command with a place that was emptied.
    fresh.unlink() if is_file else shutil.rmtree(fresh)
    fresh.touch() if is_file else fresh.mkdir()
    ended = raven(*line)
    assert ended.code == 0 and sorted(contents(fresh)) == first


KILLED = [
    ("obfuscate", "out"),
    *(which for which in (("export", "out"), ("problems", "out")) if which in OUTPUTS),
]


@pytest.mark.parametrize("which", KILLED, ids="-".join)
def test_what_a_killed_command_left_is_gone_after_the_next(
    which: tuple[str, str], room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Truth and texts do not stay in a hidden folder for ever."""
    from ravenbench import files

    monkeypatch.chdir(tmp_path)
    left = files.temporary_name(tmp_path / "other name")
    name = left.name.replace(f"-{files.owner().partition('-')[2]}-", "-4194305-")
    (tmp_path / name).mkdir()
    (tmp_path / name / "truth.jsonl").write_text("of an earlier command")
    assert raven(*command(which, room, tmp_path / "out", tmp_path / "beside")).code == 0
    assert not [p.name for p in tmp_path.iterdir() if p.name.startswith(".")]
