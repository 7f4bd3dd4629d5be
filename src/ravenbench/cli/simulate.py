"""``raven simulate``: known-truth checks of both axes of the verdict."""

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
    function_words: Annotated[int | None, option(SimulateSpec, "function_words")] = None,
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
    """Judge scorers whose reliance on content is known, on both axes of the verdict, in fresh worlds.

    Shows how often scorers that cannot see content are convicted all the same, how often scorers of topic, trained or
    not, and blends with style are found, and whether intervals hold what they should. Interrupted at any point, the
    same command goes on where it stopped.

        raven simulate

        raven simulate --corpus "manifold(style=0.6, drift=1)" --replicates 40 --seed 3000

        raven simulate --corpus newsgroups --pools 1 --replicates 6
    """
    given = {name: value for name, value in locals().items() if name in SimulateSpec.__struct_fields__}
    from ravenbench.bench.simulate.api import carry, outlook
    from ravenbench.cli.show import progress_bar, say, show_outlook, show_report
    from ravenbench.engine import pool

    how = pool.engine(engine, workers, scheduler)
    spec = build(given)
    if plan:
        show_outlook(outlook(spec, out), json)
        return
    with progress_bar() as progress:
        result = carry(spec, out, how, progress)
    show_report(result.store, json)
    if result.errors:
        say(f"{len(result.errors)} replicates failed, the first: {result.errors[0]}", fg="red", err=True)
        raise typer.Exit(1)
