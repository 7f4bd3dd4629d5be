"""``raven report``: rebuild what is derived from a run's store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ravenbench.bench.shared.store import Store


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
    from ravenbench.bench.shared.store import Store
    from ravenbench.cli.show import say, show_report
    from ravenbench.reports.shared.outside import parse_given, with_answers

    store = Store.open(run)
    if not answers:
        show_report(store, json)
    else:
        found = with_answers(store, parse_given(answers))
        show_report(found, json, notes=[note for system in found.systems for note in system.notes])
    if lines := incomplete(store):
        for line in lines:
            say(line, fg="red", err=True)
        raise typer.Exit(1)


def incomplete(store: Store) -> list[str]:
    """What a run lacks, a line for each verifier or method with its folds; empty where every cell has its result."""
    missing: dict[str, list[str]] = {}
    reasons: dict[str, str] = {}
    planned = _planned(store)
    for name, fold, key in planned:
        cell = store.read_cell(key)
        if cell is None or cell.error is not None:
            missing.setdefault(name, []).append(fold)
            wrong = "missing or damaged" if cell is None or cell.error is None else cell.error.splitlines()[0]
            reasons.setdefault(name, wrong)
    if not missing:
        return []
    count = sum(map(len, missing.values()))
    head = f"{count} of {len(planned)} cells have no result and are left out of every figure:"
    tail = f"repeat raven {store.kind} to compute them"
    lines = [f"  {name} on {_listed(folds)}: {reasons[name]}" for name, folds in missing.items()]
    return [head, *lines, tail]


def _planned(store: Store) -> list[tuple[str, str, str]]:
    """Method, fold and key of every cell that a run should have."""
    if store.kind != "verify":
        return [(place.verifier, place.fold, place.key) for place in store.plan.cells]
    from ravenbench.bench.verify.record import VerifyPlan

    plan = store.plan_as(VerifyPlan)
    name = plan.verifiers[0].name
    return [(name, f"{b.fold}, problems {b.start + 1} to {b.stop}", b.key) for b in plan.blocks]


def _listed(folds: list[str], most: int = 6) -> str:
    more = f" and {len(folds) - most} more" if len(folds) > most else ""
    return ", ".join(folds[:most]) + more
