"""``raven new``: files that work at once, to be changed into one's own."""

from __future__ import annotations

import keyword
import re
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

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
    """Write a verifier or a metric that works, and its test, for you to change.

    It is a small known method, so that the first report comes before the first line of your own.

        raven new verifier my_verifier

        raven new verifier my_verifier --as r

        raven new metric my_metric
    """
    from ravenbench.cli.starter import make
    from ravenbench.errors import SpecError

    if kind not in ("verifier", "metric"):
        fix = f"raven new verifier {name}"
        raise SpecError(f"raven does not make a new {kind!r}", expected="verifier or metric", fix=fix)
    if kind == "metric" and form in ("program", "r"):
        raise SpecError("a metric is a Python class", found=f"--as {form}", expected="--as class or --as package")
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,59}", name):
        raise SpecError(
            f"this cannot be a {kind}'s name",
            found=name,
            expected="up to 60 letters, digits, - and _",
        )
    if _taken(name.replace("-", "_").lower()):
        raise SpecError(
            "this name belongs to Python or to an installed package: a file of this name would hide it",
            found=name,
            fix=f"raven new {kind} my_{name}",
        )
    made = make(kind, name, form, folder)
    typer.echo("written: " + ", ".join(str(path) for path in made.files))
    typer.echo("\nnext:")
    for line in made.commands:
        typer.echo(f"  {line}")


def _taken(module: str) -> bool:
    from importlib import metadata

    words = {word.lower() for word in keyword.kwlist}
    return module in words or module in sys.stdlib_module_names or module in metadata.packages_distributions()
