"""Runs ``raven site`` and ``raven diff``: writes pages of leaderboards, and pages that show what rewritings changed.

In: options of the command line: ``site``: folders of runs, late answers as NAME=PLACE, a place to write; ``diff``: an
original and a rewriting, or a run's folder, and a place to write.
Out: HTML files at that place, and its path on the terminal or as JSON. InputError if something cannot be read or does
not fit, or the place is taken.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ravenbench.engine.options import ENCODING
from ravenbench.errors import counted

SentenceEncoder = Annotated[
    str | None,
    typer.Option(
        help="Sentence encoder to measure soundness: a folder or a model in the local cache."
    ),
]


def site(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help=("Folders of raven run, pan14, safety, retrieve …, or of raven evaluate --out.")
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the site.")],
    title: Annotated[str, typer.Option(help="Heading of every page.")] = "Authorship verification",
    submit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=PLACE",
            help=(
                "A late submission: the folder of a run or search, answers "
                "FOLDER/[RUN/]FOLD/answers.jsonl, a file of answers (to an evaluation with "
                "--keep), a file of rankings (to a search) or a result file (raven export "
                "--result); can be repeated."
            ),
        ),
    ] = None,
    public: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="KEY",
            help=(
                "A public key: the owner of one of these must have signed each result file; can "
                "be repeated. Without a key Raven uses those that the files name."
            ),
        ),
    ] = None,
    withdrawn: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A system that keeps its row without a rank; can be repeated.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Make a site for any web server: leaderboards with tie groups and intervals, a page for every system, for every
    set of texts and every fold, and files to download.

    Raven first checks each --submit against the folds that raven export wrote, the truth of an evaluation, or the data
    of a run or search (every id, value and hash). If anything is wrong, Raven reports one error and does not change the
    site.

        raven site raven-runs/newsgroups-1234 raven-runs/pan14-5678 -o site

        raven site raven-runs/newsgroups-1234 --submit theirs=answers/ -o site

        raven site raven-runs/retrieve-1234 --submit theirs=their-search/ -o site

        raven site raven-runs/newsgroups-1234 --submit theirs=result.json -o site
    """
    from ravenbench.cli.show import print_json, say
    from ravenbench.ext.site.pages import MOST, site
    from ravenbench.reports.outside import parse_given

    page = site(
        runs,
        out,
        title=title,
        submitted=parse_given(submit or []),
        public=public or (),
        withdrawn=withdrawn or (),
    )
    sizes = sorted((path.stat().st_size, path) for path in page.parent.rglob("*.html"))
    largest, which = sizes[-1]
    if json:
        print_json(
            {
                "page": str(page),
                "pages": len(sizes),
                "largest": largest,
                "bytes": sum(s for s, _ in sizes),
            }
        )
        return
    say(
        f"{len(sizes):,} pages, the largest {largest / 1000:,.0f} kB"
        f" ({which.relative_to(page.parent)})"
    )
    if largest > MOST:
        say(
            f"this is more than {MOST // 1000} kB; fewer systems or fewer folds per run make the"
            " page smaller",
            err=True,
        )
    say(f"site: {page}")


def diff(
    original: Annotated[
        str,
        typer.Argument(help="A text, a problem set, or the folder of a safety or obfuscate run."),
    ],
    obfuscated: Annotated[
        str | None,
        typer.Argument(
            help="The rewritten text or its parts (.json), or the set that raven obfuscate wrote."
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            help=(
                "Place of the page, default diff.html; for a set or a run, a folder with an index,"
                " default diff."
            )
        ),
    ] = None,
    split: Annotated[
        str | None, typer.Option(help="Part of a set that has both: train or test.")
    ] = None,
    blind: Annotated[bool, typer.Option("--blind", help="Open the page in blind review.")] = False,
    columns: Annotated[
        bool,
        typer.Option(
            "--columns",
            help="Show two texts side by side; sets and runs always have this view too.",
        ),
    ] = False,
    encoding: Annotated[str | None, typer.Option(help=ENCODING)] = None,
    encoder: SentenceEncoder = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show original and rewriting phrase by phrase on static pages, for reading, printing and blind grading.

    raven diff essay.txt hidden.txt --out essay.html

    raven diff pan14/en_essays.zip hidden/ --split test --out pages/

    raven diff raven-runs/safety-en_essays-1a2b3c4d --out pages/
    """
    from ravenbench.cli.show import print_json, say
    from ravenbench.ext.site.diff.pages import diff

    differences = diff(
        original,
        obfuscated,
        out=out,
        split=split,  # type: ignore[arg-type]
        blind=blind,
        columns=columns,
        encoder=encoder,
        encoding=encoding,
    )
    if json:
        print_json(differences.to_json())
    else:
        say(f"{counted(differences.comparisons, 'comparison')}: {differences.page}")
