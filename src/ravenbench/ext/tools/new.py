"""``raven new``: files that work at once, to be changed into one's own."""

from __future__ import annotations

import keyword
import re
import shlex
import sys
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Annotated, Literal

import typer

from ravenbench.errors import InputError
from ravenbench.files import write_text


@dataclass(frozen=True)
class Made:
    """What was written, and what to try next."""

    files: tuple[Path, ...]
    commands: tuple[str, ...]


# The interpreter by its path: what stands under "python" may be a shim that a confined program cannot follow.
_PROGRAMS = {"program": (".py", shlex.quote(sys.executable), "pairs"), "r": (".R", "Rscript", "problems")}
"""Programs of their own: ending of the file, what starts it, and the form in which it gets its problems."""


def make(kind: str, name: str, form: str, folder: Path) -> Made:
    """Write the files of a verifier or metric in one form: ``class``, ``program``, ``r`` or ``package``. Raises
    InputError if one of the files is there already; nothing is written then.
    """
    module = name.replace("-", "_").lower()
    own = "".join(part.capitalize() for part in module.split("_") if part)
    starter = "class" if kind == "verifier" else kind
    shown = 'raven run --metrics "{}"' if kind == "metric" else 'raven run --verifiers "{}, style-only, length"'
    fields = {"kind": kind, "module": module, "Class": own, "dashed": module.replace("_", "-")}
    if form in _PROGRAMS:
        suffix, program, fields["layout"] = _PROGRAMS[form]
        fields |= {"file": f"{module}{suffix}", "program": f"{program} {module}{suffix}"}
        wanted = {f"{module}{suffix}": f"{form}/program.txt", f"{module}.toml": "program/spec.txt"}
        commands = [f"raven run --spec {module}.toml"]
    elif form == "class":
        wanted = {f"{module}.py": f"{starter}/module.txt", f"test_{module}.py": f"{starter}/test.txt"}
        commands = [
            shown.format(f"{module}:{own}"),
            f"python -m pytest test_{module}.py      (after: pip install pytest)",
        ]
    else:
        wanted = {
            f"{name}/pyproject.toml": "package/pyproject.txt",
            f"{name}/src/{module}/__init__.py": f"{starter}/module.txt",
            f"{name}/tests/test_{module}.py": f"{starter}/test.txt",
        }
        commands = [f"pip install -e {shlex.quote(str(folder / name))}", shown.format(fields["dashed"])]
    if str(folder) != "." and form != "package":
        commands.insert(0, f"cd {shlex.quote(str(folder))}")
    return Made(_write(folder, wanted, fields), tuple(commands))


def _write(folder: Path, wanted: dict[str, str], fields: dict[str, str]) -> tuple[Path, ...]:
    there = [folder / path for path in wanted if (folder / path).exists()]
    if there:
        raise InputError("this file is there already", file=there[0], fix="choose another name, or move it away")
    starters = files("ravenbench.ext.tools") / "starters"
    for path, source in wanted.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        write_text(folder / path, Template((starters / source).read_text(encoding="utf-8")).substitute(fields))
    return tuple(folder / path for path in wanted)


Form = Literal["class", "program", "r", "package"]


def command(
    kind: Annotated[str, typer.Argument(help="What to make: verifier or metric.")],
    name: Annotated[str, typer.Argument(help="Its name, such as my_verifier.")],
    form: Annotated[
        Form,
        typer.Option(
            "--as",
            help="class: a Python class; program: a program of its own in Python; r: the same in R; "
            "package: a Python package that others can install.",
        ),
    ] = "class",
    folder: Annotated[Path, typer.Option("--in", help="The folder to write to.")] = Path(),
) -> None:
    """Write a small working verifier or metric, with a test, for you to change.

    It is a known method, so that you can see a first report before you write any code.

        raven new verifier my_verifier

        raven new verifier my_verifier --as r

        raven new metric my_metric
    """
    from ravenbench.cli.show import say
    from ravenbench.errors import SpecError

    if kind not in ("verifier", "metric"):
        fix = f"raven new verifier {name}"
        raise SpecError(f"raven does not make a new {kind!r}", expected="verifier or metric", fix=fix)
    if kind == "metric" and form in ("program", "r"):
        raise SpecError("a metric is a Python class", found=f"--as {form}", expected="--as class or --as package")
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,59}", name):
        raise SpecError(f"this cannot be a {kind}'s name", found=name, expected="up to 60 letters, digits, - and _")
    if _taken(name.replace("-", "_").lower()):
        raise SpecError(
            "this name belongs to Python or to an installed package: a file of this name would hide it",
            found=name,
            fix=f"raven new {kind} my_{name}",
        )
    created = make(kind, name, form, folder)
    say("written: " + ", ".join(str(path) for path in created.files))
    say("\nnext:")
    for line in created.commands:
        say(f"  {line}")


def _taken(module: str) -> bool:
    from importlib import metadata

    words = {word.lower() for word in keyword.kwlist}
    return module in words or module in sys.stdlib_module_names or module in metadata.packages_distributions()
