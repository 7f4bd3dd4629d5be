"""``raven report``: rebuild what is derived from a run's store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Rebuild a run's tables and page from its store; nothing is fitted again."""
    from ravenbench.bench.store import Store
    from ravenbench.cli.run import report

    report(Store.open(run), json)
