"""``raven contrast``: which words one group of texts prefers to another."""

from __future__ import annotations

import inspect
from typing import Any

from ravenbench.cli.tasks import of_option
from ravenbench.engine.options import Option, options_of
from ravenbench.engine.task import slug
from ravenbench.ext.contrast.spec import CORPUS, PRIMARY, SECONDARY, TEST, ContrastSpec
from ravenbench.ext.map.command import JSON

OUT = Option(
    "out", "Folder of the page, tables and figures; an earlier contrast is replaced. Default: contrast-PRIMARY.",
    flags=("--out", "-o"),
)  # fmt: skip


def command(**values: Any) -> None:
    """Say which words one group of texts prefers to another: Zeta (Burrows, Craig, Eder) and keyness, with intervals.

    Words that may be topic are marked. Options have the names of stylo's oppose(), with hyphens for dots.

        raven contrast austen/ others/

        raven contrast Dickens Trollope --corpus novels/

        raven contrast her_letters/ his_letters/ --test anonymous.txt --text-slice-length 500
    """
    from ravenbench.cli.show import print_json, print_parts, progress_bar
    from ravenbench.ext.contrast.report import contrast
    from ravenbench.formats.output import check_folder
    from ravenbench.reports.view import for_terminal

    out, json = values.pop("out"), values.pop("json")
    out = out or f"contrast-{slug(values['primary']) or 'texts'}"
    named = values["corpus"] is not None
    places = [values[name] for name in (("corpus", "test") if named else ("primary", "secondary", "test"))]
    check_folder(out, inputs=[place for place in places if place], kind="contrast")
    with progress_bar() as progress:
        made = contrast(**{k: v for k, v in values.items() if v is not None and v is not False}, progress=progress)
        page = made.write(out)
    if json:
        print_json({**made.to_json(), "page": str(page)})
    else:
        tables = [for_terminal(t) for t in made.brief() if t.rows]
        print_parts([*made.sentences[1:], *made.analysis.notes, *tables], page, made.finding())


command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [
        *(of_option(o, o is PRIMARY or o is SECONDARY) for o in (PRIMARY, SECONDARY, CORPUS, TEST)),
        *(of_option(o, False) for o in [*options_of(ContrastSpec).values(), OUT, JSON]),
    ]
)
command.__annotations__ = {}
