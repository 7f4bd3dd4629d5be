"""Reads from a command what its form has, and makes the words of the command of what was typed.

In: the name of a command; for ``words`` also what was typed (text by option name).
Out: ``options``: the command's parameters by name, as the command line declares them, so that no option is written
twice. ``words``: the command as a list of words, in which a value is never apart from its option.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import typer

from ravenbench.cli.main import build

COMMANDS = ("compare", "advise", "obfuscate", "map", "contrast", "run", "evaluate", "site")
"""Commands that have a form; the first screen (``home.html.j2``) says what each is for."""


def options(command: str) -> dict[str, Any]:
    """Return the parameters of a command by name, in the order of ``--help``; ``is_path`` if files can be chosen,
    ``is_many`` if it takes several values."""
    group: Any = typer.main.get_command(build(command))
    chosen = group.commands[command]
    declared = getattr(chosen.callback, "declared", None)
    table: Any = getattr(declared, "option_table", dict)()
    parameters = {each.name: each for each in chosen.params}
    for name, each in parameters.items():
        takes = getattr(table.get(name), "takes", "")
        each.is_path = re.search("[Pp]ath|[Ff]older|[Ff]ile", f"{takes} {each.help}")
        each.is_many = each.nargs != 1 or getattr(each, "multiple", False)
    return parameters


def words(command: str, values: Mapping[str, str]) -> list[str]:
    """Return the words of a command; fields that are empty are left out."""
    flags = []
    arguments = []
    for name, option in options(command).items():
        given = [original(line) for line in values.get(name, "").splitlines() if line]
        if option.param_type_name == "argument":
            arguments += given
        else:
            flag = option.opts[0]
            joint = "=" if flag.startswith("--") else ""
            flags += [flag if option.is_flag else f"{flag}{joint}{value}" for value in given]
    return [command, *flags, "--", *arguments] if arguments else [command, *flags]


def typed(path: Path, folder: Path) -> str:
    """Return a path as a field has it: below the folder, if it is there; as an address if a field would change it."""
    text = str(path.relative_to(folder) if path.is_relative_to(folder) else path)
    return text if text.isprintable() and text == text.strip() else path.as_uri()


def original(value: str) -> str:
    """Return a value with the path of which ``typed`` made an address."""
    before, scheme, address = value.rpartition("file:///")
    return before + os.fsdecode(unquote_to_bytes(f"/{address}")) if scheme else value
