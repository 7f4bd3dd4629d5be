"""``raven site``: a static site of runs and evaluations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    runs: Annotated[
        list[Path], typer.Argument(help="Folders of raven run, pan14 and safety, or written by raven evaluate --out.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The site's folder.")],
    title: Annotated[str, typer.Option(help="What stands on top of every page.")] = "Authorship verification",
    submit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FOLDER",
            help="Answers of a system that was run elsewhere, FOLDER/[RUN/]FOLD/answers.jsonl; can be repeated.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Make a site for any web server: leaderboards with tie groups and intervals, a page for every system, for every
    set of texts and every fold, and files to download.

    With --submit the answers of a stranger are checked against the folds that raven export wrote (every id and value,
    nothing unknown) and stand beside the others; what is wrong is one error, and the site stays as it was.

        raven site raven-runs/newsgroups-1234 raven-runs/pan14-5678 -o site

        raven site raven-runs/newsgroups-1234 --submit theirs=answers/ -o site
    """
    from ravenbench.cli.show import print_json
    from ravenbench.reports.outside import parse_given
    from ravenbench.reports.site.pages import MOST, site

    page = site(runs, out, title=title, submitted=parse_given(submit or []))
    sizes = sorted((path.stat().st_size, path) for path in page.parent.rglob("*.html"))
    largest, which = sizes[-1]
    if json:
        print_json({"page": str(page), "pages": len(sizes), "largest": largest, "bytes": sum(s for s, _ in sizes)})
        return
    typer.echo(f"{len(sizes):,} pages, the largest of {largest / 1000:,.0f} kB ({which.relative_to(page.parent)})")
    if largest > MOST:
        typer.echo(f"this is more than {MOST // 1000} kB: fewer systems or folds a run make it smaller", err=True)
    typer.echo(f"site: {page}")
