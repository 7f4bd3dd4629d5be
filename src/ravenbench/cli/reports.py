"""Commands that read what was computed: ``report``, ``evaluate`` and ``export``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace

from ravenbench.engine.options import ENCODING
from ravenbench.errors import InputError

if TYPE_CHECKING:
    from ravenbench.reports.report import Gap
    from ravenbench.store.store import Store
    from ravenbench.tasks.evaluate.evaluation import Evaluation


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
        yield f"  {gap.method} on {_listed(gap.folds)}: {gap.reason}"
    yield f"repeat raven {store.kind} to compute them"


def _listed(folds: Sequence[str], most: int = 6) -> str:
    more = f" and {len(folds) - most} more" if len(folds) > most else ""
    return ", ".join(folds[:most]) + more


def evaluate(
    truth: Annotated[
        str | None, typer.Argument(help="truth.jsonl or truth.txt, its folder or zip; or a folder of raven run.")
    ] = None,
    answers: Annotated[
        list[str] | None, typer.Argument(help="Answers of systems: files, folders, zips, folders of raven run.")
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", help="Folder or URL for page, CSV, LaTeX, figures and meta-answers.")
    ] = None,
    title: Annotated[str, typer.Option(help="Heading of the page, and of the leaderboard in a site.")] = "",
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Keep truth and answers in --out (not to publish), for raven site --submit later."),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
    lenient: Annotated[bool, typer.Option("--lenient", help="Read values such as [0.5] as numbers.")] = False,
    skip_faulty: Annotated[
        bool,
        typer.Option("--skip-faulty", help="Leave out submissions with faults, list them, evaluate the rest."),
    ] = False,
    f05u_2020: Annotated[
        bool, typer.Option("--f05u-2020", help="F0.5u and overall as published in 2020 (0.5 counts as 'same').")
    ] = False,
    metrics: Annotated[
        str, typer.Option(help="Metrics to test all pairs in; ties by the first. Also auc, overall, final …")
    ] = "c@1,accuracy",
    trials: Annotated[
        int | None,
        typer.Option(min=1, help="Trials of each randomization test; default 10,000, more where *** needs them."),
    ] = None,
    replicates: Annotated[int, typer.Option(min=1, help="Bootstrap replicates.")] = 10_000,
    by: Annotated[
        list[str] | None, typer.Option(help="Break down by 'group' or FILE:COLUMN[:PARTS]; may be repeated.")
    ] = None,
    encoding: Annotated[str | None, typer.Option(help=ENCODING)] = None,
    training_truth: Annotated[str | None, typer.Option(help="Truth of a training set, for band and stacking.")] = None,
    training_answers: Annotated[
        list[str] | None, typer.Option(help="The same systems' answers there; may be repeated.")
    ] = None,
    cost_same: Annotated[float, typer.Option(help="Cost of a false 'same author', for the operating point.")] = 1.0,
    cost_different: Annotated[float, typer.Option(help="Cost of a false 'different authors'.")] = 1.0,
    same_share: Annotated[
        float | None, typer.Option(help="Share of same-author problems in use; default: as in truth.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Threads; default: all cores.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of every draw.")] = 0,
    pan_truth: Annotated[Path | None, typer.Option("-i", help="PAN's form, -i TRUTH -a ANSWERS -o OUT: truth.")] = None,
    pan_answers: Annotated[Path | None, typer.Option("-a", help="PAN's form: the answers of one system.")] = None,
) -> None:
    """Evaluate answers as PAN does, with intervals and significance tests.

    raven evaluate truth.jsonl systems/ --out evaluation

    raven evaluate truth.txt a/answers.txt b/answers.txt --metrics final,c@1

    raven evaluate raven-runs/mine                the verifiers of a run

    raven evaluate -i TRUTH -a ANSWERS -o OUT     out.json and evaluation.prototext, as PAN 2022/23
    """
    from ravenbench.engine.pool import usable_cores
    from ravenbench.errors import InputError
    from ravenbench.formats.output import check_folder
    from ravenbench.tasks.evaluate.api import evaluate
    from ravenbench.tasks.evaluate.report import write_evaluation

    if pan_truth is not None or pan_answers is not None:
        if pan_truth is None or pan_answers is None or out is None or truth is not None:
            raise InputError("PAN's form takes three options", expected="-i TRUTH -a ANSWERS -o OUT and no other path")
        _as_pan(pan_truth, pan_answers, Path(out), lenient, f05u_2020, json)
        return
    if truth is None:
        raise InputError("no truth is given", expected="raven evaluate TRUTH ANSWERS…")
    if out is not None:
        read = [truth, *(answers or []), training_truth, *(training_answers or [])]
        read += [one.partition(":")[0] for one in by or []]
        check_folder(out, inputs=[place for place in read if place is not None], kind="evaluate")
    evaluation = evaluate(
        truth,
        answers or [],
        lenient=lenient,
        skip_faulty=skip_faulty,
        by=by or None,
        encoding=encoding,
        training_truth=training_truth,
        training_answers=training_answers or [],
        f05u_2020=f05u_2020,
        metrics=metrics,
        costs=(cost_same, cost_different),
        same_share=same_share,
        trials=trials,
        replicates=replicates,
        seed=seed,
        workers=workers or usable_cores(),
    )
    page = None if out is None else write_evaluation(evaluation, out, title, keep_answers=keep)
    _print(evaluation, page, json)


def _as_pan(truth: Path, answers: Path, out: Path, lenient: bool, f05u_2020: bool, json: bool) -> None:
    from ravenbench.cli.show import print_json, say
    from ravenbench.formats.answers import (
        align,
        check_pan_output,
        pan_measures,
        read_answers,
        read_truth,
        write_pan_output,
    )

    check_pan_output(out, [truth, answers])
    known, answered = read_truth(truth, split="test"), read_answers(answers, lenient)
    measures = pan_measures(known, align(known, answered), f05u_2020)
    written = write_pan_output(out, measures)
    for note in answered.notes:
        say(f"note: {answered.system}: {note}", err=True)
    if json:
        print_json(measures)
        return
    say(f"{len(known):,} problems, {len(answered.ids):,} answers")
    for name, value in measures.items():
        say(f"{name:<8} {'n/a' if value is None else f'{value:.3f}'}")
    say("wrote " + " and ".join(map(str, written)))


def _print(evaluation: Evaluation, page: Path | None, json: bool) -> None:
    if json:
        from ravenbench.cli.show import print_json, say

        for note in evaluation.notes:
            say(f"note: {note}", err=True)
        print_json(evaluation.to_json())
        return
    from ravenbench.cli.show import console
    from ravenbench.tasks.evaluate.report import closing

    out = console()
    for part in closing(evaluation):
        out.print(part)
        out.print()
    if page is not None:
        out.print(f"page: {page}", soft_wrap=True)
    out.print(evaluation._view().finding(), style="bold")


def export(
    run: Annotated[str, typer.Argument(help="A run's folder or URL.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="A new folder.")],
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Write every fold of a run as PAN problems: OUT/<fold>/train and OUT/<fold>/test, problems and truth.

    Any outside system can then be trained and tested on the benchmark. OUT/folds.json tells which folds are the
    transplant probe's: their test set is that of another fold (source) with other content (version), their training set
    is the same, so that a system trained on the source answers them as it is. Write its answers to
    ANSWERS/<fold>/answers.jsonl, and it is judged as one more verifier by raven report RUN --answers NAME=ANSWERS; one
    fold alone by raven evaluate OUT/<fold>/test ANSWERS/<fold>.

    Of a search: queries.jsonl, those with other content as VERSION/ID, and candidates.jsonl, to be ranked for raven
    report SEARCH --answers NAME=RANKING.
    """
    from ravenbench.cli.show import print_json, say
    from ravenbench.store.store import Store
    from ravenbench.tasks.run.export import export

    folds = export(Store.open(run), out)
    if json:
        print_json({"folder": str(out), "folds": folds})
    else:
        say(f"{len(folds)} {'files' if folds[0].endswith('.jsonl') else 'folds'} in {out}")
