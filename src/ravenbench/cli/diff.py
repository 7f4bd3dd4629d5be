"""``raven diff``: a page that shows what a rewriting changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ravenbench.cli.meaning import Inference, SentenceEncoder

if TYPE_CHECKING:
    from ravenbench.formats.pan_obfuscation import Part
    from ravenbench.reports.diff.comparison import Comparison


def command(
    original: Annotated[Path, typer.Argument(help="A text, a problem set, or a safety run's folder.")],
    obfuscated: Annotated[
        Path | None, typer.Argument(help="The rewritten text or its parts (.json), or the set raven obfuscate wrote.")
    ] = None,
    out: Annotated[Path, typer.Option(help="The page; for a set or a run a new folder with an index.")] = Path(
        "diff.html"
    ),
    split: Annotated[str | None, typer.Option(help="train or test, of a set that has both.")] = None,
    system: Annotated[str, typer.Option(help="Name of the obfuscator, shown on the page.")] = "",
    blind: Annotated[bool, typer.Option("--blind", help="Open the page in blind review.")] = False,
    columns: Annotated[
        bool, typer.Option("--columns", help="Of two texts: side by side; sets and runs always have that view too.")
    ] = False,
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
    from ravenbench.errors import InputError
    from ravenbench.files import write_text
    from ravenbench.formats.output import check_fresh, fresh_folder
    from ravenbench.reports.diff.columns import columns_page
    from ravenbench.reports.diff.comparison import compare, diff_page
    from ravenbench.reports.diff.sets import from_run, from_sets, neural_facts, write_pages

    helpers = Helpers(None, encoder, nli)
    helpers.check()
    if columns and blind:
        raise InputError("columns show the original, which blind review hides", fix="give one of --columns and --blind")
    if obfuscated is None and original.is_file():
        raise InputError("there is nothing to compare this text with", file=original, fix="give the rewritten text too")
    if obfuscated is not None and original.is_file() and obfuscated.is_file():
        if out.is_dir():
            raise InputError("the output is a folder", file=out, fix="name the page, such as diff.html")
        parts = read_pair(original, obfuscated)
        found = compare(original.name, parts, system or obfuscated.stem, facts=neural_facts(parts, helpers))
        out.parent.mkdir(parents=True, exist_ok=True)
        write_text(out, columns_page([found]) if columns else diff_page(found, blind=blind))
        result = {"page": str(out), "comparisons": 1, "changes_per_1000": found.changes_per_1000}
    else:
        check_fresh(out)
        comparisons: Iterator[Comparison]
        if obfuscated is None:
            comparisons = from_run(original)
        else:
            comparisons = from_sets(original, obfuscated, split, system or obfuscated.name, helpers)
        with fresh_folder(out) as folder:
            count = write_pages(folder, comparisons, blind=blind)
        result = {"page": str(out / "index.html"), "comparisons": count, "changes_per_1000": None}
    if json:
        print_json(result)
    else:
        typer.echo(f"{result['comparisons']} comparison{'s' * (result['comparisons'] != 1)}: {result['page']}")


def read_pair(original: Path, obfuscated: Path) -> Sequence[Part]:
    """Parts of a rewriting: from the part file given or lying beside it, else the whole texts as one part.

    Raises
    ------
    InputError
        If a file is not UTF-8, or the parts are not of this original.
    """
    from ravenbench.cli.obfuscate import parts_file, read_text
    from ravenbench.formats.pan_obfuscation import Part, read_parts

    text = read_text(original)
    if obfuscated.suffix == ".json":
        return read_parts(obfuscated, text)
    rewritten = read_text(obfuscated)
    beside = parts_file(obfuscated)
    if beside.is_file():
        parts = read_parts(beside, text)
        if "".join(part.obfuscation for part in parts) == rewritten:
            return parts
    return (Part(0, len(text), text, rewritten),)
