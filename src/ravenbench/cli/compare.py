"""``raven compare``: did this person write this text?"""

from __future__ import annotations

from typing import Annotated

import typer

from ravenbench.bench.compare.spec import CompareSpec
from ravenbench.cli.cell_timeout import CellTimeout
from ravenbench.cli.options import option
from ravenbench.errors import InputError


def command(
    context: typer.Context,
    questioned: Annotated[list[str] | None, option(CompareSpec, "questioned", metavar="FILE")] = None,
    known: Annotated[list[str] | None, option(CompareSpec, "known", metavar="[NAME=]PATH")] = None,
    background: Annotated[str | None, option(CompareSpec, "background")] = None,
    batch: Annotated[str | None, option(CompareSpec, "batch")] = None,
    verifiers: Annotated[str | None, option(CompareSpec, "verifiers")] = None,
    authors: Annotated[int | None, option(CompareSpec, "authors")] = None,
    folds: Annotated[int | None, option(CompareSpec, "folds", metavar="K")] = None,
    donors: Annotated[int | None, option(CompareSpec, "donors")] = None,
    encoding: Annotated[str | None, option(CompareSpec, "encoding")] = None,
    seed: Annotated[int | None, option(CompareSpec, "seed")] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", help="The folder or URL; default raven-runs/compare-<text>-<hash>.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; default: all cores.")] = None,
    cell_timeout: CellTimeout = None,
    engine: Annotated[str, typer.Option(help="local (processes) or dask (an existing cluster).")] = "local",
    scheduler: Annotated[str | None, typer.Option(help="Address of the Dask scheduler.")] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only say what would be done, and what of it is done already.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Did this person write this text? A likelihood ratio, how far to trust it, and what it rests on.

    The questioned text is compared with texts the candidate wrote, and with texts by other people (the background) that
    should be of the same kind, language and time: without them nobody can say how alike two texts by different people
    are. Forty authors with five texts each serve well; ten are the least.

    The answer is a likelihood ratio: how many times more probable the findings are if the candidate wrote the text than
    if someone else did. It is not a probability that the candidate wrote it. Where the texts are too short, too unlike
    the background, or the background is too small, no answer is given and the reason is said.

        raven compare --questioned letter.txt --known smith/ --background others/

        raven compare --questioned letter.txt --known anne=a/ --known bob=b/ ...

        raven compare --batch cases.csv --background others/ -o cases
    """
    given = {name: value for name, value in locals().items() if name in CompareSpec.__struct_fields__}
    if context.args:
        raise InputError(
            "raven compare takes each text by an option that says what it is",
            found=" ".join(context.args),
            expected="--questioned FILE --known FILE_OR_FOLDER --background FOLDER",
            fix="say which text is questioned and which is known, as raven compare --help shows; the background "
            "folder holds texts by other people",
        )
    from ravenbench.bench.compare.api import compare
    from ravenbench.bench.compare.outlook import outlook
    from ravenbench.cli.show import progress_bar, show_outlook, show_report
    from ravenbench.engine import pool

    how = pool.engine(engine, workers, scheduler)
    with progress_bar() as progress:
        if plan:
            ahead = outlook(out, progress, **given)
        else:
            result = compare(**given, out=out, engine=how, progress=progress)  # type: ignore[arg-type]
    if plan:
        show_outlook(ahead, json)
        return
    show_report(result.store, json)
    if result.errors:
        typer.secho(f"{len(result.errors)} parts failed, the first: {result.errors[0]}", fg="red", err=True)
        raise typer.Exit(1)
