"""Runs ``raven freeze`` and ``raven thaw``: problems that can be cited, and rebuilt from another copy of the texts.

In: ``freeze``: the path of a run, problems, a search's files, a spec or a corpus, and a file to write; ``thaw``: a
manifest, a copy of the corpus, and optionally a folder to write.
Out: a manifest file (JSON), or a folder of problems, and lines or JSON with the differences; exit code 2 if not
every problem could be rebuilt or a search has another truth. InputError for what cannot be read or written.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ravenbench.cli.tasks import Json, reads
from ravenbench.ext.freeze.frozen import Names

SHOWN = 20


@reads
def freeze(
    what: Annotated[
        str,
        typer.Argument(help="A run, problems, a search's files, a corpus, a spec of raven run."),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The manifest; compressed if it ends in .gz.")
    ],
    names: Annotated[
        Names,
        typer.Option(
            help="Names of people and topics: clear, or hashes (somebody who guesses a name can"
            " check it)."
        ),
    ] = "clear",
    truth: Annotated[
        bool, typer.Option(help="Whether the manifest contains the truth of the problems.")
    ] = True,
    corpus: Annotated[
        str | None,
        typer.Option(help="The whole corpus: thaw then lists additional documents of a copy."),
    ] = None,
    column: Annotated[
        str | None, typer.Option(help="A column of the corpus with its split.")
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Seed of the split that Raven draws from a corpus.")
    ] = 0,
    json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Describe problems, folds or a split without texts, so that others can rebuild them and a paper can cite them.

    raven freeze raven-runs/newsgroups-1234 -o split.json.gz

    raven freeze essays/ -o essays.json --names hashed

    raven freeze newsgroups --seed 7 -o split.json

    The manifest has hashes of texts (NFC, line ends as \\n, without white space at line ends), names, truth, rule, seed
    and counts, and a digest to cite. raven thaw rebuilds the problems, raven run --frozen checks them.
    """
    from ravenbench.cli.show import print_json, say
    from ravenbench.ext.freeze.manifests import freeze

    made = freeze(
        what, out, names=names, truth=truth, corpus=corpus, column=column, seed=seed, **reading
    )
    if json:
        about = {
            "left_out": made.left_out,
            "bytes": out.stat().st_size,
            "manifest": str(out),
            "cite": made.cited(),
        }
        print_json({"digest": made.digest, "counts": made.counts, **about})
        return
    for reason, count in made.left_out.items():
        if count:
            say(f"left out: {count:,} {reason}")
    say(f"cite: {made.cited()}")
    say(
        f"manifest: {out} ({out.stat().st_size / 1000:,.0f} kB, names"
        f" {'not hidden' if names == 'clear' else names})"
    )


@reads
def thaw(
    manifest: Annotated[str, typer.Argument(help="The manifest that raven freeze wrote.")],
    corpus: Annotated[
        str, typer.Argument(help="A copy of the texts: a corpus, problems, or a run's folder.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A new folder; default: only check.")
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Write the problems that can be rebuilt.")
    ] = False,
    json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Rebuild frozen problems from a copy of their corpus, or show the difference of each document.

    raven thaw split.json.gz newsgroups -o problems/

    raven thaw split.json.gz newsgroups

    Documents are missing, changed (found by name, content or place), extra (if the manifest lists the whole corpus),
    in another order or, if both name authors, by another author; a search's query may have another truth. Exit
    code 2: not every problem could be rebuilt, or a search has another truth.
    """
    from ravenbench.cli.show import print_json, say
    from ravenbench.ext.freeze.manifests import thaw
    from ravenbench.outputs import check_folder
    from ravenbench.reports.view import printable

    if out is not None:
        check_folder(out, inputs=[manifest, corpus], kind="thaw")
    thawed = thaw(manifest, corpus, **reading)
    what = "documents" if thawed.splits else "problems"
    total = thawed.manifest.counts[what]
    if json:
        print_json(
            {
                **thawed.to_json(),
                "folder": None if out is None or (thawed.lacking and not partial) else str(out),
            }
        )
    else:
        for one in thawed.differences[:SHOWN]:
            say(
                printable(
                    f"{one.kind}: {one.document}" + (f" ({one.detail})" if one.detail else "")
                )
            )
        if (more := len(thawed.differences) - SHOWN) > 0:
            say(f"and {more:,} more differences (all with --json)")
        say(
            f"Raven can rebuild {total - thawed.lacking:,} of {total:,} {what}; digest"
            f" {thawed.manifest.digest}"
        )
        if not thawed.lacking:
            others = sum(one.kind == "other author" for one in thawed.differences)
            same = (
                "every text is identical, byte by byte"
                + f", {others:,} by another author" * bool(others)
            )
            say(same if thawed.exact else "some texts differ in white space at line ends")
        if "author" not in thawed.manifest.columns:
            say(
                "Raven did not compare authors, because the manifest names none; freeze --corpus"
                " takes the authors of the corpus"
            )
    if out is not None:
        thawed.write(out, partial)
        if not json:
            say(f"written to {out}")
    elif thawed.lacking or any(one.kind == "other truth" for one in thawed.differences):
        raise typer.Exit(2)
