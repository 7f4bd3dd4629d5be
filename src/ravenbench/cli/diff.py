"""``raven diff``: a page that shows what a rewriting changed."""

from __future__ import annotations

from typing import Annotated

import typer

from ravenbench.bench.options import ENCODING
from ravenbench.cli.meaning import Inference, SentenceEncoder


def command(
    original: Annotated[str, typer.Argument(help="A text, a problem set, or the folder of a safety or obfuscate run.")],
    obfuscated: Annotated[
        str | None, typer.Argument(help="The rewritten text or its parts (.json), or the set raven obfuscate wrote.")
    ] = None,
    out: Annotated[
        str, typer.Option(help="The page; for a set or a run a new folder with an index (path or URL).")
    ] = "diff.html",
    split: Annotated[str | None, typer.Option(help="train or test, of a set that has both.")] = None,
    system: Annotated[str, typer.Option(help="Name of the obfuscator, shown on the page.")] = "",
    blind: Annotated[bool, typer.Option("--blind", help="Open the page in blind review.")] = False,
    columns: Annotated[
        bool, typer.Option("--columns", help="Of two texts: side by side; sets and runs always have that view too.")
    ] = False,
    encoding: Annotated[str | None, typer.Option(help=ENCODING)] = None,
    encoder: SentenceEncoder = None,
    nli: Inference = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Show original and rewriting phrase by phrase on static pages, for reading, printing and blind grading.

    raven diff essay.txt hidden.txt --out essay.html

    raven diff pan14/en_essays.zip hidden/ --split test --out pages/

    raven diff raven-runs/safety-en_essays-1a2b3c4d --out pages/
    """
    from ravenbench.bench.safety.measures import Helpers
    from ravenbench.cli.show import print_json
    from ravenbench.reports.diff.pages import diff

    found = diff(
        original, obfuscated, out=out, split=split, system=system, blind=blind, columns=columns,  # type: ignore[arg-type]
        helpers=Helpers(None, encoder, nli), encoding=encoding,
    )  # fmt: skip
    if json:
        print_json(found.to_json())
    else:
        typer.echo(f"{found.comparisons} comparison{'s' * (found.comparisons != 1)}: {found.page}")
