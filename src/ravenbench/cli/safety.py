"""``raven safety``: what obfuscators do to verifiers, and to the texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ravenbench.cli.meaning import Inference, SentenceEncoder


def command(
    problems: Annotated[str, typer.Argument(help="Problems to attack, with truth (PAN folder, zip or pairs).")],
    train: Annotated[str, typer.Option(help="Problems the verifiers learn from.")],
    obfuscators: Annotated[
        str | None, typer.Option(help="Default: identity, random, mihaylova-2016, mansoorizadeh-2016.")
    ] = None,
    verifiers: Annotated[str | None, typer.Option(help="Default: char-ngram, ppm, function-words, cng-2013.")] = None,
    seeds: Annotated[str, typer.Option(help="Seeds of the rewritings, comma-separated.")] = "0",
    attacks: Annotated[
        str,
        typer.Option(help="On the obfuscations, of normalise, mirror, invert (both rewrite much), preimage; or none."),
    ] = "normalise",
    surrogates: Annotated[str | None, typer.Option(help="Verifiers that searching obfuscators may ask.")] = None,
    limit: Annotated[int | None, typer.Option(help="Use so many test problems of each class.")] = None,
    languagetool: Annotated[
        str | None, typer.Option(help="Address of a LanguageTool server; texts are sent there.")
    ] = None,
    encoder: SentenceEncoder = None,
    nli: Inference = None,
    rewritings: Annotated[
        Path | None, typer.Option(help="Folder where rewritings are kept and found again; default: in --out.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The run's folder; default raven-runs/safety-….")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; default: all cores.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Rewrite the questioned texts of same-author problems, verify again, and measure what it cost the texts.

    Interrupted at any point, the same command goes on where it stopped.

        raven safety pan14/en_essays.zip --train pan14/en_essays.zip --obfuscators mihaylova-2016,mansoorizadeh-2016
    """
    from ravenbench.bench.safety.api import safety
    from ravenbench.bench.safety.measures import Helpers
    from ravenbench.bench.safety.spec import safety_spec
    from ravenbench.cli.show import print_json, print_parts, progress_bar
    from ravenbench.reports.safety.analysis import analyse_safety
    from ravenbench.reports.safety.json_form import safety_json
    from ravenbench.reports.safety.page import terminal, write_safety

    spec = safety_spec(
        problems=problems, train=train, obfuscators=obfuscators, verifiers=verifiers, seeds=seeds, attacks=attacks,
        surrogates=surrogates, limit=limit,
    )  # fmt: skip
    for name, component in spec.named_obfuscators().items():
        if component.sends_text:
            typer.secho(f"{name}: texts leave this machine", fg="yellow", err=True)
    if languagetool is not None:
        typer.secho("LanguageTool: texts leave this machine", fg="yellow", err=True)
    with progress_bar() as progress:
        result = safety(
            spec, out=out, rewritings=rewritings, helpers=Helpers(languagetool, encoder, nli), workers=workers,
            progress=progress,
        )  # fmt: skip
    analysis = analyse_safety(result.store)
    page = write_safety(result.store, analysis)
    if json:
        print_json(safety_json(analysis))
    else:
        print_parts(terminal(analysis), page)
    if result.errors or any(o.error for o in analysis.obfuscators):
        first = next(iter(result.errors), next((f"{o.name}: {o.error}" for o in analysis.obfuscators if o.error), ""))
        typer.secho(f"not all could be done, the first: {first}", fg="red", err=True)
        raise typer.Exit(1)
