"""``raven new``: writes files that work at once and that you can change.

In: ``make``: a kind (verifier or metric), a name, a form (class, program, r or package); ``command``: the same from the
command line.
Out: ``make``: the paths of the files written below the current folder, and commands to try next; ``command``
prints these. SpecError for an impossible name, from ``command`` also for a kind or form; InputError if a file
exists: then nothing is written.
"""

from __future__ import annotations

import keyword
import re
import shlex
import sys
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Annotated, Literal, NamedTuple

import typer

from ravenbench.errors import InputError, SpecError
from ravenbench.files import write_text

Form = Literal["class", "program", "r", "package"]


class Starter(NamedTuple):
    """One form: its files and their starters, commands to try next, and the values inserted in both."""

    files: dict[str, str]
    commands: list[str]
    fields: dict[str, str]


_RUN = {
    "verifier": 'raven run --verifiers "$spoken, style-only, length"',
    "metric": 'raven run --metrics "$spoken"',
}
_PROGRAM = ["raven run --spec $module.toml"]
_STARTERS = {
    "class": Starter(
        {"$module.py": "$kind/module.txt", "test_$module.py": "$kind/test.txt"},
        ["$run", "python -m pytest test_$module.py      (after: pip install pytest)"],
        {"spoken": "$module:$Class"},
    ),
    "program": Starter(
        {"$module.py": "program/program.txt", "$module.toml": "program/spec.txt"},
        _PROGRAM,
        # By its path: a confined program cannot follow a shim named python.
        {"file": "$module.py", "starts": shlex.quote(sys.executable), "layout": "pairs"},
    ),
    "r": Starter(
        {"$module.R": "r/program.txt", "$module.toml": "program/spec.txt"},
        _PROGRAM,
        {"file": "$module.R", "starts": "Rscript", "layout": "problems"},
    ),
    "package": Starter(
        {
            "$name/pyproject.toml": "package/pyproject.txt",
            "$name/src/$module/__init__.py": "$kind/module.txt",
            "$name/tests/test_$module.py": "$kind/test.txt",
        },
        ["pip install -e ./$name", "$run"],
        {"spoken": "$name"},
    ),
}


def make(kind: str, name: str, form: Form) -> tuple[list[Path], list[str]]:
    """Write the files of a verifier or metric in one form; return the files, and commands to try next. SpecError
    for a name that cannot be imported, InputError if one of the files exists; then nothing is written.
    """
    module = name.replace("-", "_").lower()
    own = "".join(map(str.capitalize, module.split("_")))
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,59}", name):
        expected = "up to 60 letters, digits, - and _"
        raise SpecError(f"this cannot be a {kind}'s name", found=name, expected=expected)
    reserved = {*keyword.kwlist, *sys.stdlib_module_names, *metadata.packages_distributions()}
    if module in reserved or own in reserved:
        raise SpecError(
            "this name belongs to Python or to an installed package; a file of this name would"
            " hide it",
            found=name,
            fix=f"raven new {kind} my_{name}",
        )
    starter = _STARTERS[form]
    fields = {"kind": kind, "name": name, "module": module, "Class": own}

    def filled(text: str) -> str:
        return Template(text).substitute(fields)

    fields.update({field: filled(value) for field, value in starter.fields.items()})
    fields["run"] = Template(_RUN[kind]).safe_substitute(fields)
    folder = files("ravenbench.ext.tools") / "starters"
    texts = {
        Path(filled(place)): filled((folder / filled(source)).read_text(encoding="utf-8"))
        for place, source in starter.files.items()
    }
    for place in filter(Path.exists, texts):
        fix = "choose another name, or move the file"
        raise InputError("this file already exists", file=place, fix=fix)
    for place, text in texts.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        write_text(place, text)
    return list(texts), list(map(filled, starter.commands))


def command(
    kind: Annotated[str, typer.Argument(help="What to make: verifier or metric.")],
    name: Annotated[str, typer.Argument(help="Its name, such as my_verifier.")],
    form: Annotated[
        Form,
        typer.Option(
            "--as",
            help=(
                "class: a Python class; program: a separate program in Python; r: the same in R; "
                "package: a Python package that others can install."
            ),
        ),
    ] = "class",
) -> None:
    """Write a small working verifier or metric, with a test, that you can change.

    It is a known method, so that you can see a first report before you write any code.

        raven new verifier my_verifier

        raven new verifier my_verifier --as r

        raven new metric my_metric
    """
    from ravenbench.cli.show import say

    if kind not in _RUN:
        fix = f"raven new verifier {name}"
        problem = f"Raven cannot write a new {kind!r}"
        raise SpecError(problem, expected="verifier or metric", fix=fix)
    if kind == "metric" and form in ("program", "r"):
        raise SpecError(
            "a metric is a Python class",
            found=f"--as {form}",
            expected="--as class or --as package",
        )
    written, next_ones = make(kind, name, form)
    say(f"written: {', '.join(map(str, written))}\n\nnext:")
    for line in next_ones:
        say(f"  {line}")
