"""``raven run``: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ravenbench.cli.device import Device, use


def command(
    corpus: Annotated[
        str | None,
        typer.Argument(help="A known corpus (raven corpus list), a table or an imported folder; default: synthetic."),
    ] = None,
    topic: Annotated[str | None, typer.Option(help="Level of topic: a column, or extract(within='group').")] = None,
    topics: Annotated[str | None, typer.Option(metavar="M[,M…]", help="Topics to sample; several: a sweep.")] = None,
    folds: Annotated[int | None, typer.Option(metavar="K", help="Folds over topics.")] = None,
    pools: Annotated[int | None, typer.Option(metavar="N", help="Repetitions on random subsets of topics.")] = None,
    pairs: Annotated[str | None, typer.Option(help="Pair rule: matched, controlled or reference.")] = None,
    samplers: Annotated[str | None, typer.Option(help="Default: hits, random, anti.")] = None,
    docs_per_topic: Annotated[int | None, typer.Option(help="Documents kept of each topic.")] = None,
    min_docs: Annotated[int | None, typer.Option(help="Topics with fewer documents are left out.")] = None,
    limit: Annotated[int | None, typer.Option(help="Most pairs on each side of a fold.")] = None,
    encoder: Annotated[str | None, typer.Option(help="Compares topics: lsa, nmf, lda, sbert; or several.")] = None,
    verifiers: Annotated[
        str | None,
        typer.Option(help="E.g. 'char-ngram(n=3), ppm'. Default: char-ngram, ppm, topic-fit."),
    ] = None,
    probe: Annotated[
        str | None, typer.Option(help="crossed: what training near the test topics is worth; none. Default: crossed.")
    ] = None,
    repetitions: Annotated[
        int | None, typer.Option(metavar="R", help="Repetitions of the probe, and of its null; default 20.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of every draw; default 0.")] = None,
    train: Annotated[str | None, typer.Option(help="Problem set to train on, instead of CORPUS.")] = None,
    test: Annotated[str | None, typer.Option(help="Problem set to answer, with --train.")] = None,
    spec: Annotated[
        Path | None, typer.Option(help="TOML file whose table run holds these flags; flags override it.")
    ] = None,
    out: Annotated[
        str | None, typer.Option(help="The run's folder or URL; default raven-runs/<corpus>-<hash>.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; default: all cores.")] = None,
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
    """
    from ravenbench.bench.run.api import run
    from ravenbench.bench.shared import engines
    from ravenbench.cli.show import progress_bar, show_report

    options: dict[str, Any] = {
        "topic": topic,
        "topics": topics,
        "folds": folds,
        "pools": pools,
        "pairs": pairs,
        "samplers": samplers,
        "docs_per_topic": docs_per_topic,
        "min_docs": min_docs,
        "limit": limit,
        "encoder": encoder,
        "probe": probe,
        "repetitions": repetitions,
        "seed": seed,
        "train": train,
        "test": test,
    }
    use(device)
    how = engines.engine(engine, workers, scheduler)
    if plan:
        show_plan({"corpus": corpus, "verifiers": verifiers, **options}, spec, json)
        return
    with progress_bar() as progress:
        result = run(corpus, verifiers=verifiers, out=out, spec=spec, engine=how, progress=progress, **options)
    show_report(result.store, json)
    if result.errors:
        typer.secho(f"{len(result.errors)} cells failed, the first: {result.errors[0]}", fg="red", err=True)
        raise typer.Exit(1)


def show_plan(given: dict[str, Any], file: Path | None, json: bool) -> None:
    """Print what a run would be; nothing is written."""
    from ravenbench.bench.run.forecast import forecast
    from ravenbench.bench.run.spec import build
    from ravenbench.cli.show import print_json, print_parts, progress_bar
    from ravenbench.reports.run.forecast import lines

    spec = build(given, file)
    spec.named_verifiers()
    with progress_bar() as progress:
        found = forecast(spec, progress)
    if json:
        print_json(found.to_json())
        return
    print_parts(lines(found))
