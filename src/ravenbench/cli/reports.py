"""``raven report``: what was computed is shown again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace

from ravenbench.errors import InputError, first_names

if TYPE_CHECKING:
    from ravenbench.reports.report import Gap
    from ravenbench.store.store import Store


def report(
    run: Annotated[
        list[str], typer.Argument(help="A run's folder or URL; several that differ only in their seeds are pooled.")
    ],
    answers: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FOLDER",
            help="Answers of a system that was not run here, FOLDER/<fold>/answers.jsonl or .txt; can be repeated.",
        ),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=A,B,…", help="Verifiers that are runs of one method, as for raven run."),
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="METHOD", help="Method that the others are compared with, as for raven run.")
    ] = None,
    figures: Annotated[str, typer.Option(help="Forms of the figures beside SVG: pdf, png, or both.")] = "",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for the report of several runs.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Rebuild a run's tables and page from its store; nothing is fitted again.

    With --answers the report also judges systems that answered what raven export wrote: each is one more verifier.
    Folds it did not answer are named; the run's own cells stay as they are.

    Where cells are missing, damaged or failed, the report is made of the others, the missing ones are named on stderr,
    and the exit code is 1, as that of the run was.

        raven report raven-runs/newsgroups-1234

        raven report raven-runs/newsgroups-1234 --answers theirs=answers/

        raven report raven-runs/newsgroups-1234 --figures pdf,png

        raven report raven-runs/mine-1 raven-runs/mine-2    two seeds, pooled
    """
    from ravenbench.cli.show import say, show_report, show_seeds
    from ravenbench.reports.outside import parse_given, with_answers
    from ravenbench.reports.report import forms_of
    from ravenbench.store.store import Store

    forms = forms_of(figures)
    if len(run) > 1 or out is not None:
        if answers or group or against or forms or len(run) < 2:
            raise InputError("only several runs are pooled into --out, and they are shown as they are",
                             expected="raven report RUN RUN … --out FOLDER")  # fmt: skip
        show_seeds([Store.open(place) for place in run], out, json)
        return
    store = Store.open(run[0])
    extra = with_answers(store, parse_given(answers)) if answers else None
    if split_by := {key: value for key, value in {"group": group, "against": against}.items() if value}:
        if store.kind != "run":
            raise InputError("only the report of raven run compares methods", file=store.path)
        (extra or store).run = replace(store.run, spec={**store.run.spec, **split_by})
    if extra is None:
        missing = show_report(store, json, forms=forms)
    else:
        notes = [note for system in extra.systems for note in system.notes]
        every = show_report(extra, json, notes=notes, forms=forms)
        missing = [gap for gap in every if gap.method not in extra.outside]
    if missing:
        for line in _told(store, missing):
            say(line, fg="red", err=True)
        raise typer.Exit(1)


def _told(store: Store, missing: Sequence[Gap]) -> Iterator[str]:
    """What a run lacks, a line for each verifier or method with its folds."""
    count = sum(len(gap.folds) for gap in missing)
    planned = len(store.plan.cells) or missing[0].planned
    yield f"{count} of {planned} cells have no result and are left out of every figure:"
    for gap in missing:
        yield f"  {gap.method} on {first_names(gap.folds, 6, ', ')}: {gap.reason}"
    yield f"repeat raven {store.kind} to compute them"
