"""The code in README and documentation, page by page, as it is to be tried.

Fenced blocks of ``sh``, ``python`` and ``R`` are tried in the order in which they stand, all of a page in one folder.
A comment before a block says otherwise: ``<!-- file: NAME -->`` writes it to a file, ``<!-- not run: WHY -->`` only
checks its commands' options, ``<!-- copy: PATH -->`` first puts a file of the documentation beside it. Indented blocks
of commands are checked in the same way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import typer

import extensions
import ravenbench
from ravenbench import registry
from ravenbench.cli.main import build
from ravenbench.cli.main import commands as commands_of_raven

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_FENCE = re.compile(r"^(```+)(\w*)\s*$")
_NOTE = re.compile(r"^<!-- (file|not run|copy): (.+?) -->$")


@dataclass(frozen=True)
class Block:
    """One block: where it begins, its language, its text, and what the comment before it says."""

    page: Path
    line: int
    language: str
    text: str
    file: str | None = None
    why_not: str | None = None
    copied: str | None = None

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page, and its indented blocks of ``raven`` commands."""
    found, note, lines = [], None, page.read_text(encoding="utf-8").split("\n")
    at = 0
    while at < len(lines):
        said, fence = _NOTE.match(lines[at]), _FENCE.match(lines[at])
        if said:
            note = said.groups()
        elif fence:
            end = next(i for i in range(at + 1, len(lines)) if lines[i] == fence[1])
            text = "\n".join(lines[at + 1 : end]) + "\n"
            kind, value = note or (None, None)
            file, why_not = (
                (value if kind == "file" else None),
                (value if kind == "not run" else None),
            )
            copied = value if kind == "copy" else None
            found.append(Block(page, at + 1, fence[2], text, file, why_not, copied))
            note, at = None, end
        elif lines[at].startswith("    raven ") and (at == 0 or not lines[at - 1].strip()):
            end = next(
                (i for i in range(at, len(lines)) if not lines[i].startswith("    ")), len(lines)
            )
            text = "\n".join(line[4:] for line in lines[at:end]) + "\n"
            found.append(Block(page, at + 1, "sh", text, why_not="an overview of commands"))
            at = end
            continue
        elif lines[at].strip():
            note = None
        at += 1
    return found


SMALLER = {
    "synthetic(documents=400, authors=80, topics=8)": "synthetic(documents=160, authors=32, topics=8, words=60)",
    "synthetic(documents=200, authors=40, topics=6)": "synthetic(documents=120, authors=30, topics=6, words=60)",
    "synthetic(documents=600, authors=80, topics=12)": "synthetic(documents=300, authors=60, topics=12, words=60)",
}
"""Corpora of examples, and those that do for what is shown here: that every command ends well."""


def smaller(text: str) -> str:
    """A block of a page with the smaller corpora."""
    for corpus, less in SMALLER.items():
        text = text.replace(corpus, less)
    return text


@cache
def is_here(text: str) -> bool:
    """Whether the commands and functions in a text of code are here: false only where an extension was taken out."""
    if not extensions.absent():
        return True
    wanted = set(re.findall(r"(?:^|[\s$(`])raven ([a-z]+)", text)) - {"lengths"}
    called = set(re.findall(r"\bravenbench\.([a-z_]+)\(", text))
    topics = set(re.findall(r"""--topic ["']?([a-z]+)\(""", text))
    here = wanted <= commands_of_raven().keys() - extensions.WITH_FORMS and topics <= {
        *registry.names("topics")
    }
    return here and called <= {*dir(ravenbench)}


@cache
def command_of(name: str) -> Any:
    """A command of Raven's with all its options, built once."""
    return typer.main.get_command(build(name)).commands[name]  # type: ignore[attr-defined]


def commands(text: str) -> list[str]:
    """The lines of a block that call raven, continued lines joined."""
    joined = text.replace("\\\n", " ")
    return [line.strip() for line in joined.split("\n") if line.strip().startswith("raven ")]
