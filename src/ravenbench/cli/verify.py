"""``raven verify``: one verifier, one set of problems to learn from, one to answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ravenbench.cli.device import Device, use

if TYPE_CHECKING:
    from ravenbench.bench.verify.api import Verified

SHOWN = 5
"""Reasons shown in the terminal; the rest is in the JSON object."""


def command(
    verifier: Annotated[str, typer.Argument(help="E.g. ppm, 'impostors(variant=\"seidman\")' or module:Class.")],
    test: Annotated[Path, typer.Option(help="Problems to answer: PAN13–15 or PAN20–23, a folder or zip.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write the answers, .jsonl or .txt.")],
    train: Annotated[Path | None, typer.Option(help="Problems with truth to learn from.")] = None,
    save: Annotated[Path | None, typer.Option(help="A new folder for the trained verifier.")] = None,
    load: Annotated[Path | None, typer.Option(help="A trained verifier's folder, instead of --train.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; default: all cores.")] = None,
    engine: Annotated[str, typer.Option(help="local (processes) or dask (an existing cluster).")] = "local",
    scheduler: Annotated[str | None, typer.Option(help="Address of the Dask scheduler.")] = None,
    device: Device = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Train a verifier on problems, or load a trained one, and answer others.

    A problem that cannot be read, or on which the method fails, is left unanswered (0.5) and named with its reason;
    it never stops the rest. Interrupted, the same command goes on where it stopped.

        raven verify ppm --train pan14/en_essays.zip --test pan14/en_essays.zip --out answers.txt

        raven verify ppm --train train/ --test test/ --out answers.jsonl --save trained/

        raven verify ppm --load trained/ --test more/ --out more.jsonl
    """
    from ravenbench.bench.shared import engines
    from ravenbench.bench.verify.api import verify
    from ravenbench.cli.show import print_json, progress_bar

    use(device)
    how = engines.engine(engine, workers, scheduler)
    with progress_bar() as progress:
        found = verify(verifier, test=test, train=train, load=load, save=save, out=out, engine=how, progress=progress)
    if json:
        print_json({**found.to_json(), "answers": str(out), "saved": None if save is None else str(save)})
        return
    for line in summary(found):
        typer.echo(line)
    typer.echo(f"answers: {out}")
    if save is not None:
        typer.echo(f"trained verifier: {save}")


def summary(found: Verified) -> list[str]:
    """What a reader must know before using the answers."""
    from ravenbench.reports.shared.tables import printable

    told = found.to_json()
    lines = [f"{found.verifier}: {told['problems']:,} problems, {told['unanswered']:,} of them unanswered"]

    def listed(title: str, reasons: list[str]) -> None:
        if reasons:
            lines.append(f"{len(reasons):,} {title}:")
            lines.extend(f"  {printable(reason)}" for reason in reasons[:SHOWN])
            if len(reasons) > SHOWN:
                lines.append(f"  and {len(reasons) - SHOWN:,} more (--json names all)")

    listed("could not be answered", [f"{name}: {why}" for name, why in found.faults.items()])
    listed("training problems were left out", [f"{name}: {why}" for name, why in found.left_out.items()])
    listed("remarks", list(found.notes))
    return lines
