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
    """Write every fold of a run as PAN problems: OUT/<fold>/train and OUT/<fold>/test, problems and truth.

    Any outside system can then be trained and tested on the benchmark. OUT/folds.json tells which folds are the
    transplant probe's: their test set is that of another fold (source) with other content (version), their training set
    is the same, so that a system trained on the source answers them as it is. Write its answers to
    ANSWERS/<fold>/answers.jsonl, and it is judged as one more verifier by raven report RUN --answers NAME=ANSWERS; one
    fold alone by raven evaluate OUT/<fold>/test ANSWERS/<fold>.
    """
    from ravenbench.bench.run.export import export
    from ravenbench.cli.show import print_json
    from ravenbench.store.store import Store

    folds = export(Store.open(run), out)
    if json:
        print_json({"folder": str(out), "folds": folds})
    else:
        typer.echo(f"{len(folds)} folds in {out}")
