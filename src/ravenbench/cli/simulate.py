"""``raven simulate``: known-truth checks of the topic tests."""

from __future__ import annotations

from typing import Annotated

import typer

from ravenbench.bench.simulate.spec import SimulateSpec, build
from ravenbench.cli.options import option


def command(
    replicates: Annotated[int | None, option(SimulateSpec, "replicates")] = None,
    corpus: Annotated[str | None, option(SimulateSpec, "corpus")] = None,
    pairs: Annotated[str | None, option(SimulateSpec, "pairs")] = None,
    doses: Annotated[str | None, option(SimulateSpec, "doses")] = None,
    pools: Annotated[int | None, option(SimulateSpec, "pools")] = None,
    folds: Annotated[int | None, option(SimulateSpec, "folds")] = None,
    repetitions: Annotated[int | None, option(SimulateSpec, "repetitions")] = None,
    seed: Annotated[int | None, option(SimulateSpec, "seed")] = None,
    out: Annotated[
        str | None, typer.Option(help="The simulation's folder or URL; default raven-runs/simulate-<hash>.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; default: all cores.")] = None,
    engine: Annotated[str, typer.Option(help="local (processes) or dask (an existing cluster).")] = "local",
    scheduler: Annotated[str | None, typer.Option(help="Address of the Dask scheduler.")] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Only say what would be simulated.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Run both topic tests on scorers whose reliance on topic is known, on fresh synthetic corpora.

    Shows how often each test convicts a scorer of style alone, how HITS − Random and the crossed probe's gain
    grow with the dose of topic, and what smaller designs would still see. Interrupted at any point, the same
    command goes on where it stopped.

        raven simulate

        raven simulate --pairs reference --replicates 10
    """
    given = {name: value for name, value in locals().items() if name in SimulateSpec.__struct_fields__}
    from ravenbench.bench.shared import engines
    from ravenbench.bench.simulate.api import carry, outlook
    from ravenbench.cli.show import progress_bar, show_outlook, show_report

    how = engines.engine(engine, workers, scheduler)
    spec = build(given)
    if plan:
        show_outlook(outlook(spec, out), json)
        return
    with progress_bar() as progress:
        result = carry(spec, out, how, progress)
    show_report(result.store, json)
    if result.errors:
        typer.secho(f"{len(result.errors)} replicates failed, the first: {result.errors[0]}", fg="red", err=True)
        raise typer.Exit(1)
