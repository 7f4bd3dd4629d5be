"""``raven doctor``: what is installed, what is missing, and the command that brings it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from ravenbench.cli.checkup import Check

_MARKS = {"ok": "✓", "missing": "–", "wrong": "✗"}
_STYLES = {"ok": "green", "missing": "yellow", "wrong": "bold red"}


def command(
    test: Annotated[bool, typer.Option(help="Also perform a small job from texts to report.")] = True,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Look over this installation: packages, extras, data, models and outside programs, and how to get what is missing.

    It ends with a test that performs the main job on a few made-up texts. Nothing is downloaded, and nothing that is
    missing is an error: the base installation is enough for the main job. The exit code is 1 where something that is
    installed does not work.

        raven doctor
    """
    from ravenbench.cli.checkup import look_over, self_test
    from ravenbench.cli.show import console, print_json

    found = look_over()
    if not json:
        for group in dict.fromkeys(check.group for check in found):
            out = console()
            out.print(group, style="bold")
            out.print(_table([check for check in found if check.group == group]), width=min(out.width, 80))
    if test:
        if not json:
            typer.echo("self-test: the main job on a few made-up texts …")
        found.append(self_test())
        if not json:
            out = console()
            out.print(_table(found[-1:]), width=min(out.width, 80))
    wrong = [check for check in found if check.state == "wrong"]
    if json:
        print_json({"ok": not wrong, "checks": [check.to_json() for check in found]})
    else:
        typer.echo(
            f"{len(wrong)} of {len(found)} do not work"
            if wrong
            else "everything that is installed works; start with: raven run"
        )
    if wrong:
        raise typer.Exit(1)


def _table(checks: list[Check]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(width=1)
    table.add_column(width=17, overflow="fold")
    table.add_column(overflow="fold")
    for check in checks:
        told = Text(check.detail)
        if check.fix:
            told.append(f"\n{check.fix}", style="cyan")
        table.add_row(Text(_MARKS[check.state], style=_STYLES[check.state]), check.name, told)
    return table
