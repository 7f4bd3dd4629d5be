"""``raven new``: writes files that work at once, to be changed into one's own.

In: a kind (verifier or metric), a name, a form. Out: the paths of the files, and commands to try next.
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
from typing import Annotated, Literal

import typer

from ravenbench.errors import InputError
from ravenbench.files import write_text

_RUN = {
    "verifier": 'raven run --verifiers "{}, style-only, length"',
    "metric": 'raven run --metrics "{}"',
}
# The interpreter by its path: what stands under "python" may be a shim that a confined program cannot follow.
_PROGRAMS = {
    "program": {"file": "$module.py", "starts": shlex.quote(sys.executable), "layout": "pairs"},
    "r": {"file": "$module.R", "starts": "Rscript", "layout": "problems"},
}
"""Programs of their own: their file, what starts it, and the form in which it gets its problems."""
_FILES = {
    "class": {"$module.py": "$kind/module.txt", "test_$module.py": "$kind/test.txt"},
    "program": {"$module.py": "program/program.txt", "$module.toml": "program/spec.txt"},
    "r": {"$module.R": "r/program.txt", "$module.toml": "program/spec.txt"},
    "package": {
        "$name/pyproject.toml": "package/pyproject.txt",
        "$name/src/$module/__init__.py": "$kind/module.txt",
        "$name/tests/test_$module.py": "$kind/test.txt",
    },
}
"""Files of each form, and the starters that they are made of."""


def make(kind: str, name: str, form: str) -> tuple[list[Path], list[str]]:
    """Write the files of a verifier or metric in one form: ``class``, ``program``, ``r`` or ``package``. Returns these,
    and commands to try next. Raises InputError if one of the files is there already; nothing is written then.
    """
    module = name.replace("-", "_").lower()
    dashed = module.replace("_", "-")
    own = "".join(map(str.capitalize, module.split("_")))
    fields = {"kind": kind, "name": name, "module": module, "Class": own, "dashed": dashed}
    for field, value in _PROGRAMS.get(form, {}).items():
        fields[field] = Template(value).substitute(fields)
    wanted = {
        Path(Template(place).substitute(fields)): source for place, source in _FILES[form].items()
    }
    for place in wanted:
        if place.exists():
            raise InputError(
                "this file is there already", file=place, fix="choose another name, or move it away"
            )
    starters = files("ravenbench.ext.tools") / "starters"
    for place, source in wanted.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        starter = (starters / Template(source).substitute(fields)).read_text(encoding="utf-8")
        write_text(place, Template(starter).substitute(fields))
    if form == "class":
        test = f"python -m pytest test_{module}.py      (after: pip install pytest)"
        next_ones = [_RUN[kind].format(f"{module}:{own}"), test]
    elif form == "package":
        next_ones = [f"pip install -e ./{name}", _RUN[kind].format(dashed)]
    else:
        next_ones = [f"raven run --spec {module}.toml"]
    return list(wanted), next_ones


Form = Literal["class", "program", "r", "package"]


def command(
    kind: Annotated[str, typer.Argument(help="What to make: verifier or metric.")],
    name: Annotated[str, typer.Argument(help="Its name, such as my_verifier.")],
    form: Annotated[
        Form,
        typer.Option(
            "--as",
            help=(
                "class: a Python class; program: a program of its own in Python; r: the same in R; "
                "package: a Python package that others can install."
            ),
        ),
    ] = "class",
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
        raise SpecError(
            f"raven does not make a new {kind!r}", expected="verifier or metric", fix=fix
        )
    if kind == "metric" and form in ("program", "r"):
        raise SpecError(
            "a metric is a Python class",
            found=f"--as {form}",
            expected="--as class or --as package",
        )
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,59}", name):
        raise SpecError(
            f"this cannot be a {kind}'s name",
            found=name,
            expected="up to 60 letters, digits, - and _",
        )
    module = name.replace("-", "_").lower()
    words = {word.lower() for word in keyword.kwlist}
    if (
        module in words
        or module in sys.stdlib_module_names
        or module in metadata.packages_distributions()
    ):
        raise SpecError(
            "this name belongs to Python or to an installed package: a file of this name would"
            " hide it",
            found=name,
            fix=f"raven new {kind} my_{name}",
        )
    written, next_ones = make(kind, name, form)
    say(f"written: {', '.join(map(str, written))}\n\nnext:")
    for line in next_ones:
        say(f"  {line}")
