"""``raven pan14``: the tables of the PAN-2014 overview."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ravenbench.cli.device import Device, use

if TYPE_CHECKING:
    from ravenbench.bench.shared.store import Store
    from ravenbench.reports.pan14.analysis import Overview


def command(
    data: Annotated[list[Path], typer.Argument(help="Zips or folders with CORPUS/train and CORPUS/test.")],
    verifiers: Annotated[
        str | None,
        typer.Option(help="E.g. 'ppm, impostors'. Default: raven-2026 and five published methods."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The run's folder; default raven-runs/….")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; default: all cores.")] = None,
    engine: Annotated[str, typer.Option(help="local (processes) or dask (an existing cluster).")] = "local",
    scheduler: Annotated[str | None, typer.Option(help="Address of the Dask scheduler.")] = None,
    device: Device = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Train and test verifiers on every corpus given and report them as the PAN-2014 overview does.

    AUC, c@1 and their product for each corpus, over all problems and as a mean over corpora, with intervals; the
    meta-classifier, pairwise tests, the ROC hull. Interrupted, the same command goes on where it stopped.

        raven pan14 pan14/*.zip

        raven pan14 pan14/ --verifiers 'cng-2013, impostors(variant="khonji-iraqi")'
    """
    from ravenbench.bench.pan14.api import pan14
    from ravenbench.bench.shared import engines
    from ravenbench.cli.show import progress_bar

    use(device)
    how = engines.engine(engine, workers, scheduler)
    with progress_bar() as progress:
        result = pan14(data, verifiers=verifiers, out=out, engine=how, progress=progress)
        progress("evaluating", 0, 0)
        overview = analysed(result.store)
    report(overview, json)
    if result.errors:
        typer.secho(f"{len(result.errors)} cells failed, the first: {result.errors[0]}", fg="red", err=True)
        raise typer.Exit(1)


def analysed(store: Store) -> tuple[Overview, Path]:
    """What a store holds, and the page written of it."""
    from ravenbench.reports.pan14.analysis import analyse
    from ravenbench.reports.pan14.page import write_overview

    overview = analyse(store)
    return overview, write_overview(overview, store.path)


def report(found: tuple[Overview, Path], json: bool) -> None:
    """Print the closing tables, or the JSON object."""
    from ravenbench.cli.show import print_json, print_parts
    from ravenbench.reports.pan14.page import shown

    overview, page = found
    if json:
        print_json(overview.to_json())
        return
    print_parts(shown(overview), page)
