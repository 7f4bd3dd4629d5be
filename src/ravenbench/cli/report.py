"""``raven report``: rebuild what is derived from a run's store."""

from __future__ import annotations

from typing import Annotated

import typer


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

        raven report raven-runs/newsgroups-1234

        raven report raven-runs/newsgroups-1234 --answers theirs=answers/
    """
    from ravenbench.bench.shared.store import Store
    from ravenbench.cli.show import show_report
    from ravenbench.reports.shared.outside import parse_given, with_answers

    store = Store.open(run)
    if not answers:
        show_report(store, json)
        return
    found = with_answers(store, parse_given(answers))
    show_report(found, json, notes=[note for system in found.systems for note in system.notes])
