"""Everything that README and documentation tell a reader to type does what they say."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import click
import pytest
from pages import PAGES, ROOT, Block, blocks, command_of, commands, is_here, smaller

from contracts.commands import Ended, Starter, on_one_core, warm
from contracts.commands import command as as_command
from contracts.commands import script as as_script
from ravenbench.cli.main import commands as commands_of_raven

LIBRARIES = (
    "ravenbench.testing",
    "ravenbench.ext.map.report",
    "sklearn.linear_model",
    "sklearn.svm",
    "matplotlib.figure",
)

RUNNERS = {"sh": ["bash", "-euo", "pipefail"], "python": [sys.executable], "R": ["Rscript"]}
IMPORTED = (
    "ravenbench.tasks.run.task",
    "ravenbench.tasks.run.report",
    "ravenbench.ext.corpora.command",
    "ravenbench.cli.tasks",
    "ravenbench.testing",
    "ravenbench.ext.map.report",
    "ravenbench.verifiers.baselines",
    "sklearn.linear_model",
    "sklearn.svm",
    "polars",
    "matplotlib.figure",
    "scipy.stats",
)
OPERATORS = re.compile(r"[|&;<>$`*]")
"""What only a shell understands; a line without it is words, and is a command as it stands."""
TOGETHER = re.compile(r"<<|^\s*(for|while|if|case|cd|export|set) |^\w+=|[({]\s*$", re.MULTILINE)
"""What makes a line of a shell depend on others."""
ALL = [block for page in PAGES for block in blocks(page)]
RUN = [
    page
    for page in PAGES
    if any(b.language in RUNNERS and not b.why_not for b in ALL if b.page == page)
    and all(
        is_here(b.text) for b in ALL if b.page == page and b.language in RUNNERS and not b.why_not
    )
]


@pytest.fixture(scope="module")
def starter() -> Starter:
    """Processes that begin with what most blocks import, which takes each longer than its work."""
    for name in IMPORTED:
        importlib.import_module(name)
    return Starter(warm())


def of_shell(text: str, script: Path) -> list[list[str]]:
    """A block of the shell as commands, line by line: ``raven`` with its words, where it is no more, the rest by bash;
    a block whose lines belong together as one script."""
    lines = [line.strip() for line in text.replace("\\\n", " ").split("\n") if line.strip()]
    if TOGETHER.search(text):
        script.write_text(text, encoding="utf-8")
        return [[*RUNNERS["sh"], str(script)]]
    plain = [line.startswith("raven ") and not OPERATORS.search(line) for line in lines]
    return [
        shlex.split(line, comments=True) if alone else [*RUNNERS["sh"], "-c", line]
        for line, alone in zip(lines, plain, strict=True)
    ]


def done(command: list[str], starter: Starter, folder: Path, environment: dict[str, str]) -> Ended:
    """A command in this folder: Raven and Python from the starter, others as they are."""
    if command[0] in ("raven", sys.executable):
        said = folder / ".said"
        work = partial(on_one_core, work=as_command if command[0] == "raven" else as_script)
        process = starter.start(command[1:], said, work, environment)
        process.join(600)
        return Ended(process.exitcode, said.read_text("utf-8", "replace"))
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    return Ended(ran.returncode, ran.stdout + ran.stderr)


LONG = {"README.md"}
"""Pages whose blocks do the main job at its whole size: by ``-m slow``, and by CI."""


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.slow if page.name in LONG else ()) for page in RUN],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_a_page_does_what_it_says(
    page: Path, tmp_path: Path, starter: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(
            filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")])
        ),
        "COLUMNS": "80",
    }
    for block in (b for b in ALL if b.page == page and b.why_not is None):
        if block.copied is not None:
            shutil.copy(page.parent / block.copied, tmp_path)
        if block.file is not None:
            target = tmp_path / block.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        elif block.language in RUNNERS:
            runner = RUNNERS[block.language]
            if shutil.which(runner[0]) is None:
                pytest.skip(f"{runner[0]} is not installed")
            script, text = tmp_path / ".block", smaller(block.text)
            script.write_text(text, encoding="utf-8")
            for command in (
                of_shell(text, script) if block.language == "sh" else [[*runner, str(script)]]
            ):
                ended = done(command, starter, tmp_path, environment)
                assert ended.code == 0, (
                    f"{block.place}\n{shlex.join(command)}\n{ended.said[-4000:]}"
                )


NOT_RUN = [
    block for block in ALL if block.why_not and block.language == "sh" and is_here(block.text)
]


@pytest.mark.parametrize("block", NOT_RUN, ids=lambda block: block.place)
def test_commands_that_are_not_run_have_these_options(block: Block) -> None:
    for line in commands(block.text):
        words = shlex.split(re.split(r" {3,}| [|>;&]+ |  #", line)[0], comments=True)[1:]
        if any(word in ("…", "...") or word.endswith("…") for word in words) or not words:
            continue
        if words[0] == "lengths":  # a task that a page has readers write
            continue
        assert words[0] in commands_of_raven(), f"{block.place}: there is no raven {words[0]}"
        command, rest = command_of(words[0]), words[1:]
        if hasattr(command, "commands"):
            command, rest = command.commands[rest[0]], rest[1:]
        try:
            command.make_context(words[0], list(rest))
        except click.exceptions.Exit:
            pass
        except (click.UsageError, SystemExit) as error:
            raise AssertionError(f"{block.place}: {line}: {error}") from None


def test_links_lead_somewhere() -> None:
    broken = []
    for page in PAGES:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            place, _, anchor = target.partition("#")
            if "://" in place or place.startswith("mailto:"):
                continue
            file = (page.parent / place) if place else page
            if not file.exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
            elif anchor and file.suffix == ".md" and anchor not in _anchors(file):
                broken.append(f"{page.relative_to(ROOT)}: {target}: no such heading")
        for place in re.findall(r"`(tests/[\w/.]+)", text):
            if not (ROOT / place).exists():
                broken.append(f"{page.relative_to(ROOT)}: {place}")
    assert not broken


def _anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}
