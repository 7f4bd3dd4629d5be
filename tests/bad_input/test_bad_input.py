"""Every malformed input is refused with its message; the page of them is up to date; limits hold in memory too."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import extensions
from bad_input.cases import Case
from bad_input.document import PAGE, TABLE, page, table
from bad_input.readers import EVERY, GROUPS, told

CASES = [
    pytest.param(case, id=f"{group}: {case.name}")
    for group, cases in GROUPS.items()
    for case in cases
]


@pytest.mark.parametrize("case", CASES)
def test_it_is_refused_with_its_message(case: Case, tmp_path: Path) -> None:
    folder = tmp_path / "bad"
    folder.mkdir()
    message = told(case, folder)
    if "ravenbench[documents]" in message:
        pytest.skip("the extra documents is not installed")
    assert message, "it was accepted"
    assert case.says in message
    assert all(c.isprintable() or c == "\n" for c in message), (
        "nothing in a message commands the terminal"
    )
    assert len(message) < 1500


def test_there_are_many_and_each_has_a_name_of_its_own() -> None:
    assert GROUPS == EVERY or extensions.absent(), (
        "an extension that is here has readers, and these no rows"
    )
    assert len(CASES) >= 150
    assert all(len({case.name for case in cases}) == len(cases) for cases in GROUPS.values())
    assert all(case.says for cases in GROUPS.values() for case in cases)


def test_the_page_is_up_to_date() -> None:
    pairs = [(PAGE.read_text("utf-8"), page()), (TABLE.read_text("utf-8"), table())]
    if extensions.absent():  # what is read with them stands on the page too, and in its counts
        pairs = [
            (kept, now)
            for kept, now in pairs[1:]
            if not set(now.splitlines()) <= set(kept.splitlines())
        ]
    assert all(kept == now for kept, now in pairs), "run python tests/bad_input/document.py"


def test_the_command_ends_with_code_2_and_one_error(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").write_text('{"id": "p1\\ud800", "value": 1}\n')
    (tmp_path / "truth.jsonl").write_text('{"id": "p1", "same": true}\n')
    code = "from ravenbench.cli.main import run; run()"
    command = [
        sys.executable,
        "-c",
        code,
        "evaluate",
        "truth.jsonl",
        "answers.jsonl",
        "--out",
        "out",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert done.stderr.startswith("error: answers.jsonl:1: an id is not valid Unicode")
    assert not (tmp_path / "out").exists()


MEASURE = """
import resource, sys
from ravenbench.errors import RavenError
from ravenbench.reading.answers import read_answers
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    print(len(read_answers(sys.argv[1]).ids))
except RavenError as error:
    print(str(error).splitlines()[0])
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def measured(path: Path) -> tuple[str, int]:
    """What reading answers says, and the megabytes it took."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True
    )
    said, megabytes = done.stdout.splitlines()
    return said, int(megabytes)


def test_a_line_without_end_is_refused_in_bounded_memory(tmp_path: Path) -> None:
    with (tmp_path / "answers.jsonl").open("wb") as file:
        for _ in range(500):
            file.write(b"x" * 1_000_000)
    said, megabytes = measured(tmp_path / "answers.jsonl")
    assert said.endswith("answers.jsonl:1: this line is too long") and megabytes < 300


def test_one_long_id_does_not_widen_all(tmp_path: Path) -> None:
    ids = ["i" * 500, *map(str, range(40_000))]
    (tmp_path / "answers.jsonl").write_text(
        "".join(json.dumps({"id": i, "value": 0.7}) + "\n" for i in ids)
    )
    said, megabytes = measured(tmp_path / "answers.jsonl")
    assert said == "40001" and megabytes < 40
