"""``raven obfuscate``: rewrite a text, a folder of texts or a problem set."""

from __future__ import annotations

from typing import Annotated

import typer

from ravenbench.bench.obfuscate.spec import ObfuscateSpec, build
from ravenbench.bench.options import help_of
from ravenbench.cli.cell_timeout import CellTimeout
from ravenbench.cli.options import option

_NAMED = 10


def command(
    obfuscator: Annotated[str, typer.Argument(help=help_of(ObfuscateSpec, "obfuscator"))],
    source: Annotated[str, typer.Argument(metavar="IN", help=help_of(ObfuscateSpec, "source"))],
    out: Annotated[
        str | None,
        typer.Option(
            help="The new text, folder or problem set (path or URL), with its parts as JSON beside each text."
        ),
    ] = None,
    encoding: Annotated[str | None, option(ObfuscateSpec, "encoding")] = None,
    seed: Annotated[int | None, option(ObfuscateSpec, "seed")] = None,
    every: Annotated[bool, option(ObfuscateSpec, "every", "--all")] = False,
    split: Annotated[str | None, option(ObfuscateSpec, "split")] = None,
    known: Annotated[list[str] | None, option(ObfuscateSpec, "known")] = None,
    language: Annotated[str | None, option(ObfuscateSpec, "language")] = None,
    train: Annotated[str | None, option(ObfuscateSpec, "train")] = None,
    surrogates: Annotated[str | None, option(ObfuscateSpec, "surrogates")] = None,
    folder: Annotated[
        str | None, typer.Option(help="The run's folder or URL; default raven-runs/obfuscate-<IN>-<hash>.")
    ] = None,
    rewritings: Annotated[
        str | None, typer.Option(help="Folder where rewritings are kept and found again; default: in --folder.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; default: all cores.")] = None,
    cell_timeout: CellTimeout = None,
    engine: Annotated[str, typer.Option(help="local (processes) or dask (an existing cluster).")] = "local",
    scheduler: Annotated[str | None, typer.Option(help="Address of the Dask scheduler.")] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only say what would be done, and what of it is done already.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Rewrite questioned texts so that their author is hidden.

    Of a problem set only the questioned texts of same-author problems are rewritten, as in the 2016 study. Interrupted,
    the same command goes on where it stopped.

        raven obfuscate mihaylova-2016 essay.txt --out hidden.txt

        raven obfuscate mansoorizadeh-2016 pan14/en_essays.zip --split test --out hidden/
    """
    given = {name: value for name, value in locals().items() if name in ObfuscateSpec.__struct_fields__}
    from ravenbench.bench.obfuscate.api import obfuscate
    from ravenbench.bench.obfuscate.outlook import outlook
    from ravenbench.cli.show import progress_bar, say, show_outlook, show_report
    from ravenbench.engine import pool
    from ravenbench.errors import SpecError

    how = pool.engine(engine, workers, scheduler)
    spec = build(given)
    if spec.component().sends_text:
        typer.secho(f"{spec.obfuscator}: texts leave this machine", fg="yellow", err=True)
    if plan:
        show_outlook(outlook(spec, folder, rewritings), json)
        return
    if out is None:
        raise SpecError("nothing says where the new texts go", fix="--out hidden.txt, or a new folder")
    with progress_bar() as progress:
        result = obfuscate(**given, out=out, folder=folder, rewritings=rewritings, engine=how, progress=progress)
    show_report(result.store, json)
    if result.errors:
        named = "; ".join(result.errors[:_NAMED])
        text = f"{len(result.errors)} texts could not be rewritten, so nothing was written to {out}: {named}"
        say(text, fg="red", err=True)
        raise typer.Exit(1)
    if result.unchanged:
        named = ", ".join(result.unchanged[:_NAMED]) + ("…" if len(result.unchanged) > _NAMED else "")
        text = f"{len(result.unchanged)} of {len(result.rewritings)} texts came back unchanged, so nothing of them is "
        text += f"hidden: {named}; " + (f"the others: {out}" if result.written else f"nothing was written to {out}")
        say(text, fg="red", err=True)
        raise typer.Exit(1)
    if not json:
        typer.echo(f"rewritten: {out}")
