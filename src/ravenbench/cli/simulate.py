"""``raven simulate``: known-truth checks of the topic tests."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    replicates: Annotated[int, typer.Option(min=2, help="Fresh corpora, about ten seconds each.")] = 20,
    corpus: Annotated[
        str, typer.Option(help="The synthetic corpus and its dials; each replicate has its own seed.")
    ] = "synthetic(style=0.4)",
    pairs: Annotated[
        str, typer.Option(help="Pair rule: matched, under which alone runs give verdicts, controlled or reference.")
    ] = "matched",
    doses: Annotated[
        str, typer.Option(help="Known reliance on topic, from 0 (style alone) to 1 (topic alone).")
    ] = "0, .05, .1, .2, .5, 1",
    pools: Annotated[int, typer.Option(min=2, help="Pools a replicate.")] = 10,
    folds: Annotated[int, typer.Option(min=2, help="Folds a pool and setup.")] = 5,
    repetitions: Annotated[int, typer.Option(min=2, help="Repetitions of the probe, and of its null.")] = 20,
    seed: Annotated[int, typer.Option(help="Seed of every draw.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for the page, the figure and the tables.")] = Path(
        "raven-simulation"
    ),
    workers: Annotated[int | None, typer.Option(help="Processes; default: all cores.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Run both topic tests on scorers whose reliance on topic is known, on fresh synthetic corpora.

    Shows how often each test convicts a scorer of style alone, how HITS − Random and the crossed probe's gain
    grow with the dose of topic, and what smaller designs would still see.

        raven simulate

        raven simulate --pairs reference --replicates 10
    """
    from ravenbench.bench.shared.engines import usable_cores
    from ravenbench.bench.simulate.trials import Design, check, trials
    from ravenbench.cli.show import print_json, print_parts, progress_bar
    from ravenbench.errors import SpecError
    from ravenbench.reports.simulate.analysis import summarise, to_json
    from ravenbench.reports.simulate.page import terminal, write

    try:
        levels = tuple(sorted({float(part) for part in doses.split(",") if part.strip()}))
    except ValueError:
        raise SpecError("--doses is not a list of numbers", found=doses, expected="0, .1, .5, 1") from None
    design = Design(corpus, pairs, levels, pools, folds, repetitions, seed)
    check(design)
    with progress_bar() as progress:
        simulation = summarise(design, trials(design, replicates, workers or usable_cores(), progress))
    page = write(simulation, out)
    if json:
        print_json(to_json(simulation))
        return
    print_parts(terminal(simulation), page)
