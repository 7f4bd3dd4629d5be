"""``raven export``: a run's folds as PAN problems."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    run: Annotated[str, typer.Argument(help="A run's folder or URL.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="A new folder.")],
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Write every fold of a run as PAN20–23 jsonl: OUT/<fold>/train and OUT/<fold>/test, pairs and truth.

    Any outside system can then be trained and tested on the benchmark, and its answers compared with
    raven evaluate OUT/<fold>/test ANSWERS.
    """
    from ravenbench.bench.run.export import export
    from ravenbench.bench.shared.store import Store
    from ravenbench.cli.show import print_json

    folds = export(Store.open(run), out)
    if json:
        print_json({"folder": str(out), "folds": folds})
    else:
        typer.echo(f"{len(folds)} folds in {out}")
