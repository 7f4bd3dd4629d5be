"""``raven exposure``: has a language model read these texts?"""

from __future__ import annotations

from typing import Annotated

import typer

from ravenbench.cli.tasks import Device, use
from ravenbench.engine.options import ENCODING


def command(
    texts: Annotated[str, typer.Argument(help="A corpus that the model may have read, as raven run takes it.")],
    reference: Annotated[
        str, typer.Option(help="A corpus of the same kind that it cannot have read: written after it was made.")
    ],
    model: Annotated[str, typer.Option(help="A folder, a GGUF file or smollm2.")] = "smollm2",
    most: Annotated[int, typer.Option(help="Texts of a side that are drawn at most.")] = 200,
    encoding: Annotated[str | None, typer.Option(help=ENCODING)] = None,
    seed: Annotated[int, typer.Option(help="Seed of every random choice.")] = 0,
    device: Device = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Has a language model read these texts? A verifier on it is then better there than elsewhere.

    raven exposure essays.csv --reference essays-of-this-year.csv --model FOLDER

    Each text is compared with its twin, the same text with content words of another one: a model prefers a text that it
    has read by more.
    """
    from ravenbench.cli.show import print_json, print_parts, progress_bar
    from ravenbench.ext.machine.exposure import exposure
    from ravenbench.ext.machine.exposure_report import exposure_table, finding
    from ravenbench.reports.view import for_terminal, rows_json

    use(device)
    with progress_bar() as progress:
        rows = exposure(texts, reference, model=model, most=most, encoding=encoding, seed=seed, progress=progress)
    shown = exposure_table(rows)
    if json:
        print_json({"model": model, "finding": finding(rows, model), "rows": rows_json(shown)})
    else:
        print_parts([for_terminal(shown)], finding=finding(rows, model))
