"""``raven report``: rebuild what is derived from a run's store."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    run: Annotated[str, typer.Argument(help="A run's folder or URL.")],
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Rebuild a run's tables and page from its store; nothing is fitted again."""
    from ravenbench.bench.shared.store import Store
    from ravenbench.cli.show import show_report

    show_report(Store.open(run), json)
