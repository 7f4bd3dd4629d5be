"""``raven safety``: what obfuscators do to verifiers, and to the texts."""

from __future__ import annotations

from typing import Annotated

import typer

from ravenbench.bench.safety.spec import SafetySpec, build
from ravenbench.bench.shared.spec import help_of
from ravenbench.cli.cell_timeout import CellTimeout
from ravenbench.cli.meaning import Inference, SentenceEncoder
from ravenbench.cli.options import option


def command(
    problems: Annotated[str, typer.Argument(help=help_of(SafetySpec, "problems"))],
    train: Annotated[str | None, option(SafetySpec, "train")] = None,
    obfuscators: Annotated[str | None, option(SafetySpec, "obfuscators")] = None,
    verifiers: Annotated[str | None, option(SafetySpec, "verifiers")] = None,
    methods: Annotated[str | None, option(SafetySpec, "methods")] = None,
    reject: Annotated[float | None, option(SafetySpec, "reject")] = None,
    seeds: Annotated[str | None, option(SafetySpec, "seeds", metavar="SEED[,SEED…]")] = None,
    attacks: Annotated[str | None, option(SafetySpec, "attacks")] = None,
    normalise: Annotated[str | None, option(SafetySpec, "normalise", metavar="MASK")] = None,
    surrogates: Annotated[str | None, option(SafetySpec, "surrogates")] = None,
    limit: Annotated[int | None, option(SafetySpec, "limit")] = None,
    languagetool: Annotated[
        str | None, typer.Option(help="Address of a LanguageTool server; texts are sent there.")
    ] = None,
    encoder: SentenceEncoder = None,
    nli: Inference = None,
    grades: Annotated[
        str | None,
        typer.Option(help="Folder of reviews that readers exported from the pages of raven diff (key e)."),
    ] = None,
    rewritings: Annotated[
        str | None, typer.Option(help="Folder where rewritings are kept and found again; default: in --out.")
    ] = None,
    out: Annotated[str | None, typer.Option(help="The run's folder or URL; default raven-runs/safety-….")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; default: all cores.")] = None,
    cell_timeout: CellTimeout = None,
    engine: Annotated[str, typer.Option(help="local (processes) or dask (an existing cluster).")] = "local",
    scheduler: Annotated[str | None, typer.Option(help="Address of the Dask scheduler.")] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only say what would be done, and what of it is done already.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Rewrite the questioned texts of same-author problems, verify again, and measure what it cost the texts.

    Interrupted at any point, the same command goes on where it stopped.

        raven safety pan14/en_essays.zip --train pan14/en_essays.zip --obfuscators mihaylova-2016,mansoorizadeh-2016

    With --methods, attribution is attacked: who of several candidates wrote a text, before and after rewriting.

        raven safety pan18.zip --methods svm,ppm,burrows-delta --obfuscators mihaylova-2016,castro-2017
    """
    given = {name: value for name, value in locals().items() if name in SafetySpec.__struct_fields__}
    from ravenbench.bench.safety.api import safety
    from ravenbench.bench.safety.measures import Helpers
    from ravenbench.bench.safety.outlook import outlook
    from ravenbench.bench.shared import engines
    from ravenbench.cli.show import progress_bar, say, show_outlook, show_report
    from ravenbench.services.http import leaves_machine

    how = engines.engine(engine, workers, scheduler)
    spec = build(given)
    for name, component in spec.named_obfuscators().items():
        if component.sends_text:
            typer.secho(f"{name}: texts leave this machine", fg="yellow", err=True)
    if plan:
        show_outlook(outlook(spec, out, rewritings), json)
        return
    if languagetool is not None and leaves_machine(languagetool):
        typer.secho("LanguageTool: texts leave this machine", fg="yellow", err=True)
    helpers = Helpers(languagetool, encoder, nli)
    with progress_bar() as progress:
        result = safety(
            **given, out=out, rewritings=rewritings, helpers=helpers, grades=grades, engine=how, progress=progress
        )
    show_report(result.store, json)
    if result.errors:
        say(f"not all could be done, the first: {result.errors[0]}", fg="red", err=True)
        raise typer.Exit(1)
