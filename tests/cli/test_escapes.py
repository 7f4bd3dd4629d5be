"""Nothing that strangers named commands a terminal or a page, whatever the command and its output."""

from __future__ import annotations

import ast
import dataclasses
import json
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import extensions
import ravenbench
from contracts.commands import raven
from contracts.tasks import options, write_data
from ravenbench.cli.main import COMMANDS as OF_THE_BENCH
from ravenbench.errors import OBEYED
from ravenbench.reading.problem_formats.pan_pairs import write_pan_pairs
from ravenbench.testing import toy_problems

HOSTILE = "a\x1b]0;x\x07\x9b31m\u202e\u2066b"
ROOT = Path(ravenbench.__file__).parent
SHOWN = {".html", ".svg", ".csv", ".tex", ".json"}
RECORDS = {
    "run.json",
    "plan.json",
    "corpus.json",
    "contents.json",
    "frozen.json",
    ".raven.json",
    "measures",
    "rewritings",
}
"""What programs read, and nobody is shown: files, and folders of a run."""
OUT = ("-o", "$out")
RUN = (
    "--verifiers",
    "length",
    "--folds",
    "2",
    "--topics",
    "4",
    "--probe",
    "none",
    "--workers",
    "1",
)
PAIRS = ("--train", "$data/learn", "--test", "$data/pairs")
COMMANDS = {
    "run": [
        ("$data/corpus.jsonl", *RUN, "--out", "$out"),
        ("$data/corpus.jsonl", *RUN, "--plan"),
        (HOSTILE,),
        ("$data/corpus.jsonl", "--verifiers", HOSTILE),
        (*PAIRS, "--verifiers", "length", "--probe", "none", "--workers", "1", "--out", "$out"),
    ],
    "evaluate": [("$data/pairs", "$data/systems", "--trials", "10", "--replicates", "10", *OUT)],
    "pan14": [
        (
            "$data/sets",
            "--verifiers",
            "length",
            "--probe",
            "none",
            "--workers",
            "1",
            "--out",
            "$out",
        )
    ],
    "verify": [("length", *PAIRS, "--out", "$out.jsonl", "--folder", "$out", "--workers", "1")],
    "attribute": [
        (
            "$data/corpus.jsonl",
            "--methods",
            "cosine-delta",
            "--min-docs",
            "2",
            "--min-topics",
            "2",
            "--workers",
            "1",
            "--out",
            "$out",
        ),
    ],
    "safety": [
        (
            "$data/pairs",
            "--train",
            "$data/learn",
            "--obfuscators",
            "identity",
            "--verifiers",
            "length",
            "--attacks",
            "none",
            "--workers",
            "1",
            "--out",
            "$out",
        )
    ],
    "obfuscate": [
        ("identity", "$data/texts", "--folder", "$out", "--out", "$out-hidden", "--workers", "1")
    ],
    "report": [("$run",)],
}
"""The bench's own; those of extensions stand in their folders, further lines of a command of the bench's too."""
FURTHER = extensions.rows("ESCAPES")
LINES_OF = {
    name: [*COMMANDS.get(name, []), *FURTHER.get(name, [])] for name in {**COMMANDS, **FURTHER}
}
REFUSED = {("run", 2), ("run", 3)} | extensions.names("ESCAPES_REFUSED")
NAMES_NOTHING = {"list"} | extensions.names("ESCAPES_NOTHING")
"""Commands that show nothing that the data name."""


def hostile(name: str) -> str:
    """A name with what a terminal and a page would obey in it; an ending stays."""
    return f"{HOSTILE}{name}"


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("hostile")
    data = write_data(folder / "data", hostile)
    known = data / hostile("known")
    (data / "known").rename(known)
    questioned, other = data / hostile("questioned.txt"), data / hostile("other.txt")
    (data / "questioned.txt").rename(questioned)
    other.write_text(questioned.read_text("utf-8").replace("e", "a", 9), "utf-8")
    rows = (data / "corpus.jsonl").read_text("utf-8").splitlines()
    (data / "changed.jsonl").write_text(
        "\n".join([rows[0].replace('"text": "', '"text": "more ', 1), *rows[2:]])
    )
    for name, count, seed in (("learn", 8, 1), ("pairs", 8, 2)):
        problems, same = toy_problems(count, known=1, words=40, seed=seed)
        ids = np.array([hostile(str(number)) for number in range(count)])
        write_pan_pairs(data / name, dataclasses.replace(problems, ids=ids), same)
    shutil.copytree(data / "toy", data / "sets" / hostile("essays"))
    for system in ("one", "two"):
        place = data / "systems" / hostile(system) / "answers.jsonl"
        place.parent.mkdir(parents=True)
        lines = [{"id": hostile(str(number)), "value": number / 8} for number in range(8)]
        place.write_text("".join(json.dumps(line) + "\n" for line in lines))
    inbox = data / "inbox"
    (inbox / hostile("name")).mkdir(parents=True)
    (inbox / hostile("name") / "b\x9b.txt").write_text("My own words stand here.")
    (inbox / hostile("name") / hostile("c.doc")).write_bytes(b"x")
    (inbox / hostile("name") / hostile("gone.txt")).symlink_to("nowhere.txt")
    (inbox / "m.eml").write_text(
        f"From: {HOSTILE} <e@x.org>\nSubject: {HOSTILE}\n\nMy own words too.\n", "utf-8"
    )
    (inbox / "bad.eml").write_text(
        "From: =?utf-8?q?=1B]0;x=07?=\nSubject: s\n\nMy own words as well.\n", "utf-8"
    )
    where = {
        "$run": str(folder / "run"),
        "$frozen": str(folder / "frozen.json"),
        "$data": str(data),
        "$known": str(known),
        "$questioned": str(questioned),
        "$other": str(other),
    }
    made = raven("run", str(data / "corpus.jsonl"), *RUN, "--out", where["$run"])
    assert made.code == 0, made.said
    made = raven("freeze", where["$run"], "-o", where["$frozen"])
    assert made.code == 0, made.said
    return where


def test_every_command_stands_in_the_table() -> None:
    assert set(LINES_OF) | NAMES_NOTHING == set(options())
    assert {name.partition(" ")[0] for name in COMMANDS} <= set(OF_THE_BENCH), (
        "a row of an extension's stands there"
    )


PLAINLY: tuple[str, ...] = ()
LINES = [(name, number) for name, lines in LINES_OF.items() for number in range(len(lines))]


@pytest.mark.parametrize(("name", "number"), LINES)
def test_what_strangers_named_is_shown_and_not_obeyed(
    name: str, number: int, places: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second time for a program, into the same place: answers that are there are not computed again."""
    monkeypatch.chdir(tmp_path)
    line = list(LINES_OF[name][number])
    for short, path in {**places, "$out": str(tmp_path / "out")}.items():
        line = [word.replace(short, path) if word.startswith(short) else word for word in line]
    places_written = [tmp_path, *([Path(places["$run"]) / "report"] if name == "report" else [])]
    for how in (PLAINLY, ("--json",)):
        ended = raven(*name.split(), *line, *how)
        assert "Traceback" not in ended.said, ended.said
        assert ended.code == (2 if (name, number) in REFUSED else 0), ended.said
        assert OBEYED.search(ended.said) is None, repr(ended.said)
        for path in (path for place in places_written for path in place.rglob("*")):
            if (
                path.is_file()
                and path.suffix in SHOWN
                and not RECORDS & {path.name, path.parent.name}
            ):
                shown = OBEYED.search(path.read_bytes().decode("utf-8"))
                assert shown is None, (path, shown)


def test_one_way_to_print() -> None:
    others = []
    for path in ROOT.rglob("*.py"):
        text = path.read_text("utf-8")
        if "echo" not in text or (
            path.name in ("show.py", "main.py") and path.parent.name == "cli"
        ):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and re.search(r"\bs?echo$", ast.unparse(node.func)):
                others.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not others, "say() of cli/show.py prints what strangers named"
