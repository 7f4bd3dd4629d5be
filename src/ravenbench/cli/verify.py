"""``raven verify``: one verifier, one set of problems to learn from, one to answer."""

from __future__ import annotations

from typing import Annotated

import typer

from ravenbench.bench.options import help_of
from ravenbench.bench.verify.spec import VerifySpec
from ravenbench.cli.cell_timeout import CellTimeout
from ravenbench.cli.device import Device, use
from ravenbench.cli.options import option


def command(
    verifier: Annotated[str, typer.Argument(help=help_of(VerifySpec, "verifier"))],
    test: Annotated[str, option(VerifySpec, "test")],
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="Where to write the answers, a path or URL that ends in .jsonl or .txt."),
    ] = None,
    train: Annotated[str | None, option(VerifySpec, "train")] = None,
    save: Annotated[str | None, typer.Option(help="A new folder for the trained verifier.")] = None,
    load: Annotated[str | None, option(VerifySpec, "load")] = None,
    probe: Annotated[str | None, option(VerifySpec, "probe")] = None,
    encoding: Annotated[str | None, option(VerifySpec, "encoding")] = None,
    folder: Annotated[
        str | None, typer.Option(help="The run's folder or URL, where work is kept; default raven-runs/verify-….")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; default: all cores.")] = None,
    cell_timeout: CellTimeout = None,
    engine: Annotated[str, typer.Option(help="local (processes) or dask (an existing cluster).")] = "local",
    scheduler: Annotated[str | None, typer.Option(help="Address of the Dask scheduler.")] = None,
    device: Device = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only say what would be done, and what of it is done already.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Train a verifier on problems, or load a trained one, and answer others.

    A problem that cannot be read, or on which the method fails, is left unanswered (0.5) and named with its reason;
    it never stops the rest. Interrupted, the same command goes on where it stopped. Where the problems to answer have
    truth, the report gives AUC, c@1 and their product.

        raven verify ppm --train pan14/en_essays.zip --test pan14/en_essays.zip --out answers.txt

        raven verify ppm --train train/ --test test/ --out answers.jsonl --save trained/

        raven verify ppm --load trained/ --test more/ --out more.jsonl
    """
    from ravenbench.bench.verify.api import outlook, verify
    from ravenbench.cli.show import progress_bar, show_outlook, show_report
    from ravenbench.engine import pool
    from ravenbench.errors import SpecError

    use(device)
    how = pool.engine(engine, workers, scheduler)
    if plan:
        with progress_bar() as progress:
            planned = outlook(
                verifier,
                test=test,
                train=train,
                load=load,
                probe=probe,
                encoding=encoding,
                folder=folder,
                progress=progress,
            )
        show_outlook(planned, json)
        return
    if out is None:
        raise SpecError("the answers need a place", expected="--out FILE.jsonl or FILE.txt")
    with progress_bar() as progress:
        found = verify(
            verifier,
            test=test,
            train=train,
            load=load,
            probe=probe,
            encoding=encoding,
            save=save,
            out=out,
            folder=folder,
            engine=how,
            progress=progress,
        )
    show_report(found.store, json, {"answers": out, "saved": save})
