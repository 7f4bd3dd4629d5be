"""``raven list``: what can be named in commands and specs, a line each."""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

SHOWN = ("verifier", "attributor", "obfuscator", "translator", "sampler", "encoder", "pairs", "calibrator")


def command(
    kind: Annotated[str, typer.Argument(help="One of the kinds; all of them if none is named.")] = "",
) -> None:
    """List verifiers, attribution methods, obfuscators, samplers and whatever else takes a name.

    Names take parameters, as in 'impostors(variant="seidman")'; the docstring of each tells them.

        raven list verifier
    """
    from rich.console import Console
    from rich.table import Table

    from ravenbench import registry
    from ravenbench.errors import SpecError, did_you_mean

    if kind and kind not in registry.KINDS:
        kinds = list(registry.KINDS)
        raise SpecError(f"there is no kind {kind!r}", expected=", ".join(kinds), fix=did_you_mean(kind, kinds))
    console = Console()
    for shown in [kind] if kind else SHOWN:
        table = Table(shown, "what it is", box=None, title_justify="left", header_style="bold", pad_edge=False)
        for name, target in sorted(registry.targets(shown).items()):
            table.add_row(name, summary(target))
        console.print(table)
        console.print()


def summary(target: str) -> str:
    """First line of the docstring behind ``module:Class``, read from its source: no extra is needed to list it."""
    module, _, name = target.partition(":")
    # find_spec would import the parents, and with them what an extra brings.
    spec = find_spec(module.partition(".")[0])
    if spec is None or not spec.submodule_search_locations:
        return ""
    path = Path(next(iter(spec.submodule_search_locations))).joinpath(*module.split(".")[1:])
    source = next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)
    if source is None:
        return ""
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return (ast.get_docstring(node) or "").partition("\n\n")[0].replace("\n", " ")
    return ""
