"""``raven pan14``: the tables of the PAN-2014 overview."""

from __future__ import annotations

from typing import Annotated

import typer

from ravenbench.bench.options import help_of
from ravenbench.bench.pan14.spec import Pan14Spec
from ravenbench.cli.cell_timeout import CellTimeout
from ravenbench.cli.device import Device, use
from ravenbench.cli.options import option


def command(
    data: Annotated[list[str], typer.Argument(help=help_of(Pan14Spec, "data"))],
    verifiers: Annotated[str | None, option(Pan14Spec, "verifiers")] = None,
    probe: Annotated[str | None, option(Pan14Spec, "probe")] = None,
    encoding: Annotated[str | None, option(Pan14Spec, "encoding")] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", help="The run's folder or URL; default raven-runs/….")
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
    """Train and test verifiers on every corpus given and report them as the PAN-2014 overview does.

    AUC, c@1 and their product for each corpus, over all problems and as a mean over corpora, with intervals; the
    meta-classifier, pairwise tests, the ROC hull; and how far content alone moves each verifier. Interrupted, the same
    command goes on where it stopped.

        raven pan14 pan14/*.zip

        raven pan14 pan14/ --verifiers 'cng-2013, impostors(variant="khonji-iraqi")'
    """
    from ravenbench.bench.pan14.api import outlook, pan14
    from ravenbench.cli.show import progress_bar, say, show_outlook, show_report
    from ravenbench.engine import pool

    use(device)
    how = pool.engine(engine, workers, scheduler)
    if plan:
        with progress_bar() as progress:
            found = outlook(data, verifiers=verifiers, probe=probe, encoding=encoding, out=out, progress=progress)
        show_outlook(found, json)
        return
    with progress_bar() as progress:
        result = pan14(
            data, verifiers=verifiers, probe=probe, encoding=encoding, out=out, engine=how, progress=progress
        )
    show_report(result.store, json)
    if result.errors:
        say(f"{len(result.errors)} cells have no answers, the first: {result.errors[0]}", fg="red", err=True)
        raise typer.Exit(1)
