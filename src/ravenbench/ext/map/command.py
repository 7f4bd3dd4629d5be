"""``raven map``: many texts in pictures, and how much of their grouping is topic."""

from __future__ import annotations

import inspect
from typing import Any

from ravenbench.cli.tasks import of_option
from ravenbench.engine.options import Option, options_of
from ravenbench.engine.task import slug
from ravenbench.ext.map.spec import CORPUS, MapSpec

OUT = Option(
    "out",
    "Folder of the page, tables and figures; an earlier map is replaced. Default: map-CORPUS.",
    flags=("--out", "-o"),
)
JSON = Option("json", "One JSON object on stdout.", bool)


def command(**values: Any) -> None:
    """Draw many texts: dendrogram, consensus tree, maps in two dimensions, network of neighbours, rolling attribution.

    Every picture stands beside the same picture with content words masked, and numbers say how much of the grouping is
    topic. Options have the names of the R package stylo, with hyphens for dots.

        raven map corpus/

        raven map corpus/ --analysis-type BCT --mfw-min 100 --mfw-max 1000 --distance-measure wurzburg

        raven map corpus/ --rolling Anonymous_Play --slice-size 2000 --out play/
    """
    from ravenbench.cli.show import print_json, print_parts, progress_bar
    from ravenbench.ext.map.report import map_texts
    from ravenbench.formats.output import check_folder
    from ravenbench.reports.view import for_terminal

    corpus, out, json = values.pop("corpus"), values.pop("out"), values.pop("json")
    out = out or f"map-{slug(corpus) or 'texts'}"
    check_folder(out, inputs=[corpus], kind="map")
    with progress_bar() as progress:
        made = map_texts(
            corpus, **{k: v for k, v in values.items() if v is not None and v is not False}, progress=progress
        )
        page = made.write(out)
    if json:
        print_json({**made.to_json(), "page": str(page)})
    else:
        rest = [one for one in made.sentences if one != made.finding()]
        print_parts([*rest, *made.analysis.notes, for_terminal(made.named()["grouping"])], page, made.finding())


command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [of_option(CORPUS, True), *(of_option(o, False) for o in [*options_of(MapSpec).values(), OUT, JSON])]
)
command.__annotations__ = {}
