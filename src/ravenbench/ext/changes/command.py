"""``raven changes``: where does the author change in PAN's problems of several authors?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ravenbench.cli.corpus import Json, reads


@reads("topic")
def command(
    problems: Annotated[Path, typer.Argument(help="A folder or zip of problem-1.txt …, with truth or without.")],
    train: Annotated[Path | None, typer.Option(help="Problems with truth, of the same form, to learn from.")] = None,
    background: Annotated[
        str | None, typer.Option(help="Instead: texts by known authors, as raven compare takes them.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The folder of answers and page; default raven-runs/changes-<hash>."),
    ] = None,
    year: Annotated[int | None, typer.Option(help="Whose form and measures, where no truth shows it.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of every random choice.")] = 0,
    allow_shared: Annotated[
        bool, typer.Option("--allow-shared", help="Answer also problems that stand among those to learn from.")
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only show what would be learned from and answered; nothing is written.")
    ] = False,
    json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Say where the author changes in PAN's problems of several authors, 2018 to 2026.

    raven changes pan24/ --train pan24/

    raven changes problems/ --background others/ -o answers

    Writes answers in PAN's form. Where truth lies beside the problems, a page has the year's measures with intervals,
    what trivial answers reach, and how much of the answers is topic: the same with other content words, by style alone,
    by content alone.
    """
    from ravenbench.cli.show import print_json, print_parts, progress_bar, show_preview
    from ravenbench.engine.task import content_hash
    from ravenbench.ext.changes.report import detect_changes, preview_changes
    from ravenbench.reports.view import for_terminal

    if out is None:
        options = [f"{name}={value}" for name, value in reading.items() if value is not None]
        names = [*map(str, (problems, train, background, year, seed)), *options]
        out = Path("raven-runs") / f"changes-{content_hash(names)}"
    how: dict[str, Any] = {"year": year, "out": out, **reading, "seed": seed, "allow_shared": allow_shared}
    if plan:
        show_preview(preview_changes(problems, train, background, **how), json)
        return
    with progress_bar() as progress:
        made = detect_changes(problems, train, background, **how, progress=progress)
    if json:
        print_json({**made.to_json(), "page": str(out / "index.html")})
    else:
        print_parts([*made.sentences, *([for_terminal(made.table)] if made.rows else [])], out / "index.html")
