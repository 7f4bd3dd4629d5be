"""``raven list``: what can be named in commands and specs, a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ravenbench.cli.describe import docstring

if TYPE_CHECKING:
    from rich.table import Table

SHOWN = ("verifier", "attributor", "obfuscator", "translator", "sampler", "encoder", "pairs", "calibrator", "metric")


def command(
    kind: Annotated[str, typer.Argument(help="One of the kinds; all of them if none is named.")] = "",
    name: Annotated[str, typer.Argument(help="One of its names: all that is known of it.")] = "",
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """List verifiers, attribution methods, obfuscators, samplers and whatever else takes a name.

    Names take parameters, as in 'impostors(variant="seidman")'; the docstring of each tells them.

        raven list verifier

        raven list verifier impostors      its parameters, what it needs, where it comes from
    """
    from rich.console import Console
    from rich.table import Table

    from ravenbench import registry
    from ravenbench.cli.describe import describe, told
    from ravenbench.cli.show import print_json
    from ravenbench.errors import SpecError, did_you_mean

    kind = {"corpora": "corpus", **{f"{k}s": k for k in registry.KINDS}}.get(kind, kind)
    if kind and kind not in registry.KINDS:
        raise SpecError(f"there is no kind {kind!r}", fix=did_you_mean(kind, registry.KINDS))
    if name:
        found = describe(kind, name)
        print_json(found) if json else typer.echo(told(found))
        return
    kinds_shown = [kind] if kind else SHOWN
    if json:
        print_json({k: {n: summary(t) for n, t in sorted(registry.targets(k).items())} for k in kinds_shown})
        return
    console = Console()
    for shown in kinds_shown:
        table = Table(shown, "what it is", box=None, title_justify="left", header_style="bold", pad_edge=False)
        for name, target in sorted(registry.targets(shown).items()):
            table.add_row(name, summary(target))
        console.print(table)
        if shown == kind == "translator":
            console.print()
            console.print(_translators_here())
        console.print()


def _translators_here() -> Table:
    """What each translator can do on this machine."""
    from rich.table import Table

    from ravenbench import registry

    table = Table("translator", "what this machine can do", box=None, header_style="bold", pad_edge=False)
    for name in sorted(registry.targets("translator")):
        table.add_row(name, registry.resolve("translator", name).here())
    return table


def summary(target: str) -> str:
    """First paragraph of the docstring behind ``module:Class``, on one line."""
    return docstring(target).partition("\n\n")[0].replace("\n", " ")
