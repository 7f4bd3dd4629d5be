"""Prints what commands end with: tables, a progress bar on stderr, one JSON object on stdout; and runs ``raven
report``.

In: a ``Store`` or several, an ``Ending`` or a ``Preview``; ``report`` takes folders of runs, and folders of answers by
others.
Out: tables and lines on stdout, or one JSON object there; ``show_report`` writes a report and returns a ``Gap`` for
each method with cells (its results on one fold each) that are missing or failed; ``progress_bar`` gives a callback
(stage, done, in all); ``readable`` gives values without control characters. InputError for options that do not fit.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec.structs import replace

from ravenbench.cli.terminal import writes_all
from ravenbench.errors import InputError, SpecError, counted, first_names, is_remarked, visible
from ravenbench.files import escaped_json

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from ravenbench.engine.task import Ending
    from ravenbench.reports.report import Gap
    from ravenbench.store.store import Store


EVERY = 30.0
"""Seconds between two lines of progress where stderr is not a terminal."""


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """A progress callback (stage, units done, units in all) drawn on stderr; a line every ``EVERY`` seconds if stderr is
    not a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines(EVERY)
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskID,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description:<22}", markup=False),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def progress(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                for task in tasks.values():
                    bar.update(task, visible=False)
                tasks[stage] = bar.add_task(stage, total=total or None)
            bar.update(tasks[stage], completed=done, total=total or None)

        yield progress


def _lines(every: float) -> Callable[[str, int, int], None]:
    """A progress callback for logs: where the work is, at most once in so many seconds; short work says nothing."""
    started = shown_at = time.monotonic()
    begun: dict[str, tuple[float, int]] = {}

    def progress(stage: str, done: int, total: int) -> None:
        nonlocal shown_at
        time_now = time.monotonic()
        since, first_done = begun.setdefault(stage, (time_now, done))
        if time_now - shown_at >= every:
            shown_at = time_now
            progress_text = f": {done:,} of {total:,}" if total else ""
            remaining = (
                f", about {(time_now - since) / (done - first_done) * (total - done):,.0f} s left"
                if done > first_done
                else ""
            )
            typer.echo(
                f"{readable(stage)}{progress_text}, after {time_now - started:,.0f} s{remaining}",
                err=True,
            )

    return progress


def console(width: int | None = None) -> Console:
    """A console on stdout that prints names as they are: their content cannot control it or the terminal."""
    from rich.console import Console
    from rich.segment import Segment

    class Plain(Console):
        def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                yield (
                    segment
                    if segment.control or segment.text.isprintable()
                    else Segment(visible(segment.text), segment.style)
                )

    return Plain(width=width, markup=False, emoji=False, highlight=False)


def say(text: object, *, err: bool = False, **style: Any) -> None:
    """Print a line that may contain names or messages of others; nothing in it commands the terminal."""
    typer.secho(visible(str(text)), err=err, **style)


def print_parts(
    blocks: Iterable[RenderableType], page: Path | None = None, finding: str = ""
) -> None:
    """Tables and lines on stdout, where the report was written, and what was found in one sentence."""
    from rich.table import Table
    from rich.text import Text

    terminal = console()
    closing = [Text(finding, style="bold")] if finding else []
    new = [block for block in blocks if not isinstance(block, str | Text) or not is_remarked(block)]
    for number, block in enumerate(
        [*new, *([] if page is None else [f"report: {page}"]), *closing]
    ):
        if isinstance(block, Table):
            if number:
                terminal.print()
            # Title and note would break at the width of a narrow table; its edges are two columns of blanks.
            title = block.title
            note = block.caption
            block.title = None
            block.caption = None
            block.show_edge = False
            if title is not None:
                terminal.print(title, style="bold")
            terminal.print(block)
            if note is not None:
                terminal.print(note, style="italic dim")
        else:
            # A path or a command is to be copied whole; a sentence is to be read.
            terminal.print(block, soft_wrap=isinstance(block, str) and not block.endswith("."))


def show_report(
    store: Store,
    json: bool,
    written: Mapping[str, str | None] | None = None,
    notes: Sequence[str] | None = None,
    forms: tuple[str, ...] = (),
) -> list[Gap]:
    """Write the report of a run of any task; print its closing tables, or one JSON object. Returns what is missing.

    ``written`` has what the command wrote besides, by name, None where it was not asked for; ``notes`` what a
    reader must know besides, ``forms`` are those of figures beside SVG.
    """
    from ravenbench.reports.report import gaps_json, report_of, terminal, write

    report = report_of(store)
    report.forms = forms
    page = write(report)
    if json:
        extra = {"incomplete": gaps_json(report.gaps)} | (
            {} if notes is None else {"notes": list(notes)}
        )
        print_json({**report.to_json(), "programs": report.programs, **(written or {}), **extra})
    else:
        lines = [f"{name}: {path}" for name, path in (written or {}).items() if path is not None]
        print_parts([*terminal(report), *(notes or ()), *lines], page, report.finding())
    return report.gaps


def show_seeds(stores: Sequence[Store], out: Path | None, json: bool) -> None:
    """Pool finished runs that differ in their seeds; write ``OUT/report``, by default beside the first run, and print
    it, or one JSON object."""
    from ravenbench.reports.report import pooled_place, report_place
    from ravenbench.reports.seeds import pooled_stores
    from ravenbench.reports.view import for_terminal

    result = pooled_stores(stores)
    tables = [table for table in result.tables() if table.terminal]
    page = result.write(pooled_place(stores[0].path) if out is None else report_place(out))
    if json:
        print_json(result.to_json())
    else:
        print_parts([for_terminal(table) for table in tables[:MOST_TABLES]], page, result.finding())


MOST_TABLES = 4
"""Tables of several pooled runs that a terminal shows; the page has all."""


def show_answer(answer: Ending, json: bool) -> None:
    """Print what a command ends with, or one JSON object."""
    if json:
        for note in answer.notes:
            say(f"note: {note}", err=True)
        print_json(answer.json)
    else:
        print_parts(answer.parts, answer.page, answer.finding)


def show_preview(preview: Any, json: bool, parts: Iterable[RenderableType] | None = None) -> None:
    """Print what a task would do, or one JSON object."""
    if json:
        print_json(preview.to_json())
        return
    if parts is not None:
        print_parts(parts)
        return
    for note in preview.notes:
        if not is_remarked(note):
            say(note)
    for name, count in preview.problems.items():
        say(f"{name}: {counted(count, 'problem')}")
    if preview.cells:
        typer.echo(
            f"cells: {preview.cells:,}, {preview.done:,} of them done; fits to do: {preview.fits:,}"
        )
        print_parts(
            [
                (
                    "A cell is the answers of one method to one set of problems; a fit is one"
                    " training of one method."
                )
            ]
        )
    say(f"folder: {preview.folder}")


def readable(value: Any) -> Any:
    """Names from data without control characters, which a terminal would obey; dictionaries and lists throughout."""
    if isinstance(value, str):
        return "".join(character if character.isprintable() else " " for character in value)
    if isinstance(value, dict):
        return {readable(key): readable(inner) for key, inner in value.items()}
    return [readable(inner) for inner in value] if isinstance(value, list | tuple) else value


def print_json(value: Any) -> None:
    """One object on stdout; characters that a terminal may obey are written as JSON's escapes."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    escaped = escaped_json(text)
    # What stands for a character elsewhere would be another value here.
    typer.echo(escaped if writes_all(sys.stdout) else json.dumps(value, indent=2, allow_nan=False))


RUNS = "Folder or URL of a run; Raven pools several runs that differ only in their seeds."
MOST_DIFFERENCES = 40
"""Values that differ, as a terminal shows them; JSON has all."""


def report(
    run: Annotated[list[str] | None, typer.Argument(help=RUNS)] = None,
    answers: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FOLDER",
            help=(
                "Answers of a system that Raven did not run: FOLDER/<fold>/answers.jsonl or"
                " .txt; can be repeated."
            ),
        ),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=A,B,…", help="Verifiers that are runs of one method, as in raven run."
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="METHOD", help="Method to compare the others with, as in raven run."),
    ] = None,
    figures: Annotated[
        str, typer.Option(help="Formats of the figures in addition to SVG: pdf, png, or both.")
    ] = "",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the report on several runs.")
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help=(
                "Write no report, but compare a result of raven export --result with the run;"
                " without RUN check its signature."
            ),
        ),
    ] = None,
    public: Annotated[
        Path | None,
        typer.Option(help="Public key (PEM) with which the result of --check must be signed."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Rebuild a run's tables and page from its store; nothing is fitted again.

    With --answers the report also judges systems that answered what raven export wrote: each is one more verifier.
    Folds it did not answer are named; the run's own cells stay as they are.

    Where cells are missing, damaged or failed, the report is made of the others, the missing ones are named on stderr,
    and the exit code is 1, as that of the run was.

    With --check Raven computes every figure of a result file again from the cells, and shows each value that differs;
    the exit code is 1 if one does.

        raven report raven-runs/newsgroups-1234

        raven report raven-runs/newsgroups-1234 --answers theirs=answers/

        raven report raven-runs/newsgroups-1234 --figures pdf,png

        raven report raven-runs/mine --check result.json --public key.pem

        raven report raven-runs/mine-1 raven-runs/mine-2    two seeds, pooled; or the folder that --seed 0,1 filled
    """
    from ravenbench import files
    from ravenbench.reports.outside import parse_given, with_answers
    from ravenbench.reports.report import forms_of
    from ravenbench.reports.seeds import runs_of_seeds
    from ravenbench.store.store import Store

    forms = forms_of(figures)
    run = [
        run_path
        for path in run or ()
        for run_path in [*map(str, runs_of_seeds(files.location(path)))] or [path]
    ]
    if check is not None:
        if answers or group or against or forms or out is not None or len(run) > 1:
            raise InputError(
                "--check is for one run, without other options of a report",
                expected="raven report RUN --check FILE --public KEY.pem",
            )
        check_result(check, Store.open(run[0]) if run else None, public, json)
        return
    if public is not None:
        raise SpecError("--public is the key of a result", fix="give --check FILE too")
    if not run:
        raise SpecError(
            "RUN is missing", expected=RUNS, fix="raven report --help shows all options"
        )
    if len(run) > 1 or out is not None:
        if answers or group or against or forms or len(run) < 2:
            raise InputError(
                "--out is for several runs, without --answers, --group, --against or --figures",
                expected="raven report RUN RUN … --out FOLDER",
            )
        show_seeds([Store.open(path) for path in run], out, json)
        return
    store = Store.open(run[0])
    extra = with_answers(store, parse_given(answers)) if answers else None
    if split_by := {
        key: value for key, value in {"group": group, "against": against}.items() if value
    }:
        if store.kind != "run":
            raise InputError("only the report of raven run compares methods", file=store.path)
        (extra or store).run = replace(store.run, spec={**store.run.spec, **split_by})
        store.keeps_answer = False
    if extra is None:
        missing = show_report(store, json, forms=forms)
    else:
        notes = [note for system in extra.systems for note in system.notes]
        every = show_report(extra, json, notes=notes, forms=forms)
        missing = [gap for gap in every if gap.method not in extra.outside]
    if missing:
        for line in _gap_lines(store, missing):
            say(line, fg="red", err=True)
        raise typer.Exit(1)


def check_result(file: Path, store: Store | None, public: Path | None, json: bool) -> None:
    """Check a result file, and print what differs from a run's folder; the exit code is 1 if something does."""
    from ravenbench.reports.envelope import described
    from ravenbench.reports.statement import check

    checked = check(file, store, public)
    different = checked.differences or ()
    if json:
        values = [each._asdict() for each in different]
        print_json(
            {"signers": checked.signers, "compared": store is not None, "differences": values}
        )
    else:
        for each in different[:MOST_DIFFERENCES]:
            say(readable(str(each)))
        if store is not None:
            say(f"values that differ from the folder: {len(different):,} (--json lists all)")
        say(described(checked.signers))
    if different:
        raise typer.Exit(1)


def _gap_lines(store: Store, missing: Sequence[Gap]) -> Iterator[str]:
    """What a run lacks, a line for each verifier or method with its folds."""
    count = sum(len(gap.folds) for gap in missing)
    planned = len(store.plan.cells) or missing[0].planned
    yield f"{count} of {planned} cells have no result; every figure leaves them out:"
    for gap in missing:
        yield f"  {gap.method} on {first_names(gap.folds, 6, ', ')}: {gap.reason}"
    yield f"repeat raven {store.kind} to compute them"
