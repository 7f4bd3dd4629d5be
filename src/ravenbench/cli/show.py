"""What commands share: what they print, the progress bar on stderr, one JSON object on stdout; and ``raven report``,
which shows again what was computed.
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
from ravenbench.errors import InputError, counted, first_names, is_remarked, visible
from ravenbench.files import escaped_json

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from ravenbench.engine.task import Ending
    from ravenbench.reports.report import Gap
    from ravenbench.store.store import Store


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """A progress callback (stage, done, total) drawn on stderr; a line every half minute where that is no terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines()
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

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
                for other in tasks.values():
                    bar.update(other, visible=False)
                tasks[stage] = bar.add_task(stage, total=total or None)
            bar.update(tasks[stage], completed=done, total=total or None)

        yield progress


def _lines(every: float = 30) -> Callable[[str, int, int], None]:
    """A progress callback for logs: where the work is, at most once in so many seconds; short work says nothing."""
    started = last = time.monotonic()

    def progress(stage: str, done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= every:
            last = now
            place = f": {done:,} of {total:,}" if total else ""
            typer.echo(f"{readable(stage)}{place}, after {now - started:,.0f} s", err=True)

    return progress


def console(width: int | None = None) -> Console:
    """A console on stdout that prints names as they are: what stands in them commands neither it nor the terminal."""
    from rich.console import Console
    from rich.segment import Segment

    class Plain(Console):
        def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
            for part in super().render(renderable, options):
                yield part if part.control or part.text.isprintable() else Segment(visible(part.text), part.style)

    return Plain(width=width, markup=False, emoji=False, highlight=False)


def say(text: object, *, err: bool = False, **style: Any) -> None:
    """Print a line that may hold names or messages of others; nothing in it commands the terminal."""
    typer.secho(visible(str(text)), err=err, **style)


def print_parts(parts: Iterable[RenderableType], page: Path | None = None, finding: str = "") -> None:
    """Tables and lines on stdout, where the report was written, and what was found in one sentence."""
    from rich.table import Table
    from rich.text import Text

    out = console()
    last = [Text(finding, style="bold")] if finding else []
    new = [part for part in parts if not isinstance(part, str | Text) or not is_remarked(part)]
    for number, part in enumerate([*new, *([] if page is None else [f"report: {page}"]), *last]):
        if isinstance(part, Table):
            if number:
                out.print()
            # Title and note would break at the width of a narrow table; its edges are two columns of blanks.
            title, note = part.title, part.caption
            part.title, part.caption, part.show_edge = None, None, False
            if title is not None:
                out.print(title, style="bold")
            out.print(part)
            if note is not None:
                out.print(note, style="italic dim")
        else:
            # A path or a command is to be copied whole; a sentence is to be read.
            out.print(part, soft_wrap=isinstance(part, str) and not part.endswith("."))


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
        more = {"incomplete": gaps_json(report.gaps)} | ({} if notes is None else {"notes": list(notes)})
        print_json({**report.to_json(), "programs": report.programs, **(written or {}), **more})
    else:
        lines = [f"{name}: {place}" for name, place in (written or {}).items() if place is not None]
        print_parts([*terminal(report), *(notes or ()), *lines], page, report.finding())
    return report.gaps


def show_seeds(stores: Sequence[Store], out: Path | None, json: bool) -> None:
    """Pool finished runs that differ in their seeds; write ``OUT/report``, by default beside the first run, and print
    it, or one JSON object."""
    from ravenbench.reports.report import pooled_place, report_place
    from ravenbench.reports.seeds import pooled_stores
    from ravenbench.reports.view import for_terminal

    result = pooled_stores(stores)
    page = result.write(pooled_place(stores[0].path) if out is None else report_place(out))
    if json:
        print_json(result.to_json())
    else:
        print_parts([for_terminal(table) for table in result.tables()[:MOST_TABLES]], page, result.finding())


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
        typer.echo(f"cells: {preview.cells:,}, {preview.done:,} of them done; fits to do: {preview.fits:,}")
        print_parts(["A cell is one method's answers to one set of problems; a fit is one training of one method."])
    if preview.cpu_seconds is not None:
        say(f"time: about {about(preview.cpu_seconds)} of one processor core, on another machine perhaps twice or half")
    if preview.untimed:
        say(f"not counted, for nothing tells their time: {', '.join(preview.untimed)}")
    if preview.megabytes is not None:
        say(f"memory: about {preview.megabytes:,.0f} MB a worker")
    say(f"folder: {preview.folder}")


def about(seconds: float) -> str:
    """A rough length of time in words."""
    return counted(max(1, round(seconds)), "second") if seconds < 90 else f"{seconds / 60:.0f} minutes"


def readable(value: Any) -> Any:
    """Names from data without control characters, which a terminal would obey; dictionaries and lists throughout."""
    if isinstance(value, str):
        return "".join(c if c.isprintable() else " " for c in value)
    if isinstance(value, dict):
        return {readable(key): readable(inner) for key, inner in value.items()}
    return [readable(inner) for inner in value] if isinstance(value, list | tuple) else value


def print_json(value: Any) -> None:
    """One object on stdout; characters that a terminal may obey are written as JSON's escapes."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    escaped = escaped_json(text)
    # What stands for a character elsewhere would be another value here.
    typer.echo(escaped if writes_all(sys.stdout) else json.dumps(value, indent=2, allow_nan=False))


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

        raven report raven-runs/mine-1 raven-runs/mine-2    two seeds, pooled; or the folder that --seed 0,1 filled
    """
    from ravenbench import files
    from ravenbench.reports.outside import parse_given, with_answers
    from ravenbench.reports.report import forms_of
    from ravenbench.reports.seeds import runs_of_seeds
    from ravenbench.store.store import Store

    forms = forms_of(figures)
    run = [one for place in run for one in [*map(str, runs_of_seeds(files.location(place)))] or [place]]
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
