"""Everything that README and documentation tell a reader to type does what they say."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
import typer
from pages import PAGES, ROOT, Block, blocks, commands

from ravenbench.cli.main import build
from ravenbench.cli.main import commands as commands_of_raven

RUNNERS = {"sh": ["bash", "-euo", "pipefail"], "python": [sys.executable], "R": ["Rscript"]}
ALL = [block for page in PAGES for block in blocks(page)]
RUN = [page for page in PAGES if any(b.language in RUNNERS and not b.why_not for b in ALL if b.page == page)]


@pytest.mark.parametrize("page", RUN, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_does_what_it_says(page: Path, tmp_path: Path) -> None:
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")])),
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
            script = tmp_path / ".block"
            script.write_text(block.text, encoding="utf-8")
            done = subprocess.run(
                [*runner, str(script)], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600
            )
            assert done.returncode == 0, f"{block.place}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


@pytest.mark.parametrize("block", [b for b in ALL if b.why_not and b.language == "sh"], ids=lambda b: b.place)
def test_commands_that_are_not_run_have_these_options(block: Block) -> None:
    for line in commands(block.text):
        words = shlex.split(re.split(r" {3,}| [|>;&]+ |  #", line)[0], comments=True)[1:]
        if any(word in ("…", "...") or word.endswith("…") for word in words) or not words:
            continue
        assert words[0] in commands_of_raven(), f"{block.place}: there is no raven {words[0]}"
        group = typer.main.get_command(build(words[0]))
        assert isinstance(group, click.Group) or hasattr(group, "commands")
        command, rest = group.commands[words[0]], words[1:]
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
    assert not broken


def _anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}
