"""``raven report``: rebuild what is derived from a run's store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ravenbench.reports.report import Gap
    from ravenbench.store.store import Store


def command(
    run: Annotated[str, typer.Argument(help="A run's folder or URL.")],
    answers: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FOLDER",
            help="Answers of a system that was not run here, FOLDER/<fold>/answers.jsonl or .txt; can be repeated.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Rebuild a run's tables and page from its store; nothing is fitted again.

    With --answers the report also judges systems that answered what raven export wrote: each is one more verifier.
    Folds it did not answer are named; the run's own cells stay as they are.

    Where cells are missing, damaged or failed, the report is made of the others, the missing ones are named on stderr,
    and the exit code is 1, as that of the run was.

        raven report raven-runs/newsgroups-1234

        raven report raven-runs/newsgroups-1234 --answers theirs=answers/
    """
    from ravenbench.cli.show import say, show_report
    from ravenbench.reports.outside import parse_given, with_answers
    from ravenbench.store.store import Store

    store = Store.open(run)
    if not answers:
        missing = show_report(store, json)
    else:
        found = with_answers(store, parse_given(answers))
        every = show_report(found, json, notes=[note for system in found.systems for note in system.notes])
        missing = [gap for gap in every if gap.method not in found.outside]
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
        yield f"  {gap.method} on {_listed(gap.folds)}: {gap.reason}"
    yield f"repeat raven {store.kind} to compute them"


def _listed(folds: Sequence[str], most: int = 6) -> str:
    more = f" and {len(folds) - most} more" if len(folds) > most else ""
    return ", ".join(folds[:most]) + more
