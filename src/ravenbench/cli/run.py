"""``raven run``: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ravenbench.bench.options import help_of
from ravenbench.bench.run.spec import RunSpec, build
from ravenbench.cli.cell_timeout import CellTimeout
from ravenbench.cli.device import Device, use
from ravenbench.cli.options import option


def command(
    corpus: Annotated[str | None, typer.Argument(help=help_of(RunSpec, "corpus"))] = None,
    topic: Annotated[str | None, option(RunSpec, "topic")] = None,
    topics: Annotated[str | None, option(RunSpec, "topics", metavar="M[,M…]")] = None,
    folds: Annotated[int | None, option(RunSpec, "folds", metavar="K")] = None,
    pools: Annotated[int | None, option(RunSpec, "pools", metavar="N")] = None,
    pool_share: Annotated[float | None, option(RunSpec, "pool_share")] = None,
    pairs: Annotated[str | None, option(RunSpec, "pairs")] = None,
    samplers: Annotated[str | None, option(RunSpec, "samplers")] = None,
    docs_per_topic: Annotated[int | None, option(RunSpec, "docs_per_topic")] = None,
    min_docs: Annotated[int | None, option(RunSpec, "min_docs")] = None,
    limit: Annotated[int | None, option(RunSpec, "limit")] = None,
    calibration: Annotated[float | None, option(RunSpec, "calibration")] = None,
    encoder: Annotated[str | None, option(RunSpec, "encoder")] = None,
    verifiers: Annotated[str | None, option(RunSpec, "verifiers")] = None,
    normalise: Annotated[str | None, option(RunSpec, "normalise", metavar="MASK")] = None,
    probe: Annotated[str | None, option(RunSpec, "probe")] = None,
    repetitions: Annotated[int | None, option(RunSpec, "repetitions", metavar="R")] = None,
    lengths: Annotated[str | None, option(RunSpec, "lengths", metavar="WORDS[,…]")] = None,
    encoding: Annotated[str | None, option(RunSpec, "encoding")] = None,
    seed: Annotated[int | None, option(RunSpec, "seed")] = None,
    train: Annotated[str | None, option(RunSpec, "train")] = None,
    test: Annotated[str | None, option(RunSpec, "test")] = None,
    spec: Annotated[
        Path | None, typer.Option(help="TOML file whose table run holds these flags; flags override it.")
    ] = None,
    out: Annotated[
        str | None, typer.Option(help="The run's folder or URL; default raven-runs/<corpus>-<hash>.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; default: all cores.")] = None,
    cell_timeout: CellTimeout = None,
    engine: Annotated[str, typer.Option(help="local (processes) or dask (an existing cluster).")] = "local",
    scheduler: Annotated[str | None, typer.Option(help="Address of the Dask scheduler.")] = None,
    device: Device = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only say what the run would hold, cost and be able to show.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Sample topics with HITS, at random and adversely; verify pairs across topics; report what it shows.

    Interrupted at any point, the same command goes on where it stopped.

        raven run                              the embedded corpus

        raven run newsgroups                   after raven corpus fetch newsgroups

        raven run mine.parquet --verifiers char-ngram,ppm

        raven run newsgroups --topics 25,10    a sweep over numbers of topics

        raven run newsgroups --plan            pairs, cost, what could be seen

        raven run --train pan14/en_essays.zip --test pan14/en_essays.zip

        raven run newsgroups --lengths 50,100,250    how many words do I need?
    """
    given = {name: value for name, value in locals().items() if name in RunSpec.__struct_fields__}
    from ravenbench.bench.run.api import run
    from ravenbench.cli.show import progress_bar, say, show_report
    from ravenbench.engine import pool

    use(device)
    how = pool.engine(engine, workers, scheduler)
    chosen = build(given, spec)
    if plan:
        show_plan(chosen, json)
        return
    with progress_bar() as progress:
        result = run(spec=chosen, out=out, workers=workers, engine=how, progress=progress)
    show_report(result.store, json)
    if result.errors:
        say(f"{len(result.errors)} cells have no answers, the first: {result.errors[0]}", fg="red", err=True)
        raise typer.Exit(1)


def show_plan(spec: RunSpec, json: bool) -> None:
    """Print what a run would be; nothing is written."""
    from ravenbench.bench.run.forecast import forecast
    from ravenbench.cli.show import print_json, print_parts, progress_bar
    from ravenbench.reports.run.report import lines

    spec.named_verifiers()
    with progress_bar() as progress:
        found = forecast(spec, progress)
    if json:
        print_json(found.to_json())
    else:
        print_parts(lines(found))
