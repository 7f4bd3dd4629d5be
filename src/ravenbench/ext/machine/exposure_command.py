"""``raven exposure``: has a language model read these texts?"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ravenbench.cli.corpus import Json, reads
from ravenbench.cli.tasks import Device, MostCalls, use
from ravenbench.services import KEY


@reads()
def command(
    texts: Annotated[str, typer.Argument(help="A corpus that the model may have read, as raven run takes it.")],
    reference: Annotated[
        str, typer.Option(help="A corpus of the same kind that it cannot have read: written after it was made.")
    ],
    model: Annotated[
        str, typer.Option(help="A folder, a GGUF file or smollm2; with --url as the endpoint names it.")
    ] = "smollm2",
    url: Annotated[
        str,
        typer.Option(help=f"Address of an OpenAI-compatible endpoint, to which texts are sent; its key is in {KEY}."),
    ] = "",
    most: Annotated[int, typer.Option(help="Texts of a side that are drawn at most.")] = 200,
    price_in: Annotated[float, typer.Option(help="Of a million tokens read, for the estimate.")] = 0.0,
    price_out: Annotated[float, typer.Option(help="Of a million tokens written.")] = 0.0,
    seed: Annotated[int, typer.Option(help="Seed of every random choice.")] = 0,
    device: Device = None,
    most_calls: MostCalls = None,
    json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Has a language model read these texts? A verifier on it is then better there than elsewhere.

    raven exposure essays.csv --reference essays-of-this-year.csv --model FOLDER

    raven exposure essays.csv --reference essays-of-this-year.csv --model NAME --url https://HOST/v1

    On this machine each text is compared with its twin, the same text with content words of another one: a model
    prefers a text that it has read by more. An endpoint is asked to continue each text, and for a name hidden in it.
    """
    from ravenbench.cli.show import print_json, print_parts, progress_bar
    from ravenbench.ext.machine.exposure import exposure
    from ravenbench.ext.machine.exposure_report import exposure_table, finding
    from ravenbench.reports.view import for_terminal, rows_json

    use(device)
    with progress_bar() as progress:
        rows = exposure(
            texts, reference, model=model, url=url, most=most, price_in=price_in, price_out=price_out,
            seed=seed, progress=progress, **reading,
        )  # fmt: skip
    shown = exposure_table(rows)
    if json:
        print_json({"model": model, "finding": finding(rows, model), "rows": rows_json(shown)})
    else:
        print_parts([for_terminal(shown)], finding=finding(rows, model))
