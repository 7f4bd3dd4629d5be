"""Every task of Raven, with the smallest job that does all of it: one entry for each command that has an engine.

The contracts (``table.py``) talk to commands alone, so an entry says no more than a user would: what stands in the
folder of data, what the command is told, where its own folder goes, and what else it writes.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import click
import typer

import extensions
from ravenbench.cli.main import build, commands
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.testing import toy_problems


@dataclass(frozen=True)
class Task:
    """One task: the command, what it is told of data below a folder, and what it writes besides its own folder.

    ``place`` is the option of its own folder; ``products`` are options of further outputs with the names these get.
    ``data`` names the inputs, the first of which is changed where a contract changes data.
    """

    name: str
    told: tuple[str, ...]
    data: tuple[str, ...]
    place: str = "--out"
    products: tuple[tuple[str, str], ...] = ()
    command: str = ""
    """The command, where it is not the task's name: one command may have several tasks."""

    def arguments(self, data: Path, folder: Path, products: Path | None = None) -> list[str]:
        """The command line without ``raven``; paths of data are absolute."""
        told = [part.replace("$data", str(data)) for part in self.told]
        more = [
            part
            for option, name in self.products
            for part in (option, str((products or folder.parent) / name))
        ]
        return [self.command or self.name, *told, self.place, str(folder), *more]


PAIR = ("--train", "$data/toy", "--test", "$data/toy")
TASKS = {
    task.name: task
    for task in (
        Task(
            "run",
            (
                "$data/corpus.jsonl",
                "--topics",
                "4",
                "--folds",
                "2",
                "--pools",
                "1",
                "--samplers",
                "hits, random",
                "--docs-per-topic",
                "12",
                "--probe",
                "none",
                "--verifiers",
                "length, chance",
            ),
            ("corpus.jsonl",),
        ),
        Task("pan14", ("$data/toy", "--verifiers", "length, chance", "--probe", "none"), ("toy",)),
        Task(
            "verify",
            ("length", *PAIR),
            ("toy",),
            "--folder",
            (("--out", "answers.jsonl"), ("--save", "saved")),
        ),
        Task(
            "attribute",
            ("$data/corpus.jsonl", "--methods", "svm", "--min-docs", "2", "--min-topics", "2"),
            ("corpus.jsonl",),
        ),
        Task(
            "obfuscate", ("identity", "$data/texts"), ("texts",), "--folder", (("--out", "hidden"),)
        ),
        Task(
            "safety",
            (
                "$data/toy",
                "--train",
                "$data/toy",
                "--obfuscators",
                "identity, other-author",
                "--verifiers",
                "length",
                "--attacks",
                "none",
            ),
            ("toy",),
        ),
    )
} | {name: Task(name, **row) for name, row in extensions.rows("TASKS").items()}
"""The bench's own, and those of extensions that are here (``tests/ext/NAME/rows.py``)."""


def registered() -> set[str]:
    """Commands that are tasks: they say where their work is done."""
    return {name for name, given in all_options().items() if "engine" in given}


@cache
def every_command() -> dict[str, click.Command]:
    """Every command by what a user types (``corpus import`` …)."""
    found: dict[str, click.Command] = {}

    def add(name: str, command: click.Command) -> None:
        inner = getattr(command, "commands", None)
        if inner:
            for sub, one in inner.items():
                add(f"{name} {sub}", one)
        else:
            found[name] = command

    for name in commands():
        add(name, typer.main.get_command(build(name)).commands[name])  # type: ignore[attr-defined]
    return found


@cache
def options() -> dict[str, dict[str, click.Parameter]]:
    """Every command with its parameters by name, as the command line has them."""
    return {
        name: {parameter.name or "": parameter for parameter in command.params}
        for name, command in every_command().items()
    }


def spec_keys() -> dict[str, list[str]]:
    """Every command with those of its options that are no flags, but keys of a spec file."""
    return {
        name: [*getattr(command.callback, "in_spec", ("", ()))[1]]
        for name, command in every_command().items()
    }


def all_options() -> dict[str, set[str]]:
    """Every command with the names of all its options: flags, and keys of its spec file."""
    return {name: {*flags, *spec_keys()[name]} for name, flags in options().items()}


def write_data(folder: Path, mark: Callable[[str], str] = lambda name: name) -> Path:
    """Everything that tasks read; ``mark`` changes the names of authors, topics and files within."""
    from ravenbench.reading.load import load_corpus

    folder.mkdir(parents=True, exist_ok=True)
    documents = list(load_corpus("synthetic(authors=24, topics=6, documents=96, words=40)"))
    rows = [
        {"text": d.text, "author": mark(d.author), "topic": mark(d.topic or "")} for d in documents
    ]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    for part, n, seed in (("train", 8, 1), ("test", 8, 2)):
        problems, same = toy_problems(n, known=2, words=40, seed=seed)
        write_pan_problems(folder / "toy" / part, problems, same)
    (folder / "texts").mkdir()
    for number, one in enumerate(documents[:3]):
        (folder / "texts" / mark(f"text{number}.txt")).write_text(one.text, "utf-8")
    by_author: dict[str, list[str]] = {}
    for d in load_corpus("synthetic(authors=36, topics=3, documents=144, words=130, style=0.9)"):
        by_author.setdefault(d.author, []).append(d.text)
    (_, known), *others = sorted(by_author.items())
    for author, texts in [("../known", known[1:]), *((f"{mark(a)}", t) for a, t in others)]:
        for number, text in enumerate(texts):
            place = folder / "others" / author / f"{number}.txt"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8")
    (folder / "questioned.txt").write_text(known[0], "utf-8")
    (folder / "conditions.csv").write_text(
        "questioned,known,texts\n125,125,1\n4000,4000,2\n", "utf-8"
    )
    return folder


def change(task: Task, data: Path) -> None:
    """Add a word to one of the texts that a task reads."""
    place = data / task.data[0]
    file = (
        place
        if place.is_file()
        else sorted(p for p in place.rglob("*.txt") if p.name != "truth.txt")[0]
    )
    text = file.read_text("utf-8")
    file.write_text(
        text.replace('"text": "', '"text": "more ', 1)
        if file.suffix == ".jsonl"
        else text + " more",
        "utf-8",
    )


def copied(data: Path, place: Path) -> Path:
    """A copy of the data that may be changed."""
    return Path(shutil.copytree(data, place))
