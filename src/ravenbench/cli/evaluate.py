"""``raven evaluate``: PAN's metrics with intervals, tests, hull, meta-classifiers and a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ravenbench.bench.options import ENCODING

if TYPE_CHECKING:
    from ravenbench.reports.evaluate.evaluation import Evaluation


def command(
    truth: Annotated[
        str | None, typer.Argument(help="truth.jsonl or truth.txt, its folder or zip; or a folder of raven run.")
    ] = None,
    answers: Annotated[
        list[str] | None, typer.Argument(help="Answers of systems: files, folders, zips, folders of raven run.")
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", help="Folder or URL for page, CSV, LaTeX, figures and meta-answers.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
    lenient: Annotated[bool, typer.Option("--lenient", help="Take the number out of values such as [0.5].")] = False,
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
    """Evaluate answers as PAN does, and say what the differences are worth.

    raven evaluate truth.jsonl systems/ --out evaluation

    raven evaluate truth.txt a/answers.txt b/answers.txt --metrics final,c@1

    raven evaluate raven-runs/mine                the verifiers of a run

    raven evaluate -i TRUTH -a ANSWERS -o OUT     out.json and evaluation.prototext, as PAN 2022/23
    """
    from ravenbench.engine.pool import usable_cores
    from ravenbench.errors import InputError
    from ravenbench.formats.output import check_folder
    from ravenbench.reports.evaluate.api import evaluate
    from ravenbench.reports.evaluate.report import write_evaluation

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
    found = evaluate(
        truth,
        answers or [],
        lenient=lenient,
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
    page = None if out is None else write_evaluation(found, out)
    _print(found, page, json)


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
    known, given = read_truth(truth, split="test"), read_answers(answers, lenient)
    measures = pan_measures(known, align(known, given), f05u_2020)
    written = write_pan_output(out, measures)
    for note in given.notes:
        say(f"note: {given.system}: {note}", err=True)
    if json:
        print_json(measures)
        return
    typer.echo(f"{len(known):,} problems, {len(given.ids):,} answers")
    for name, value in measures.items():
        typer.echo(f"{name:<8} {'n/a' if value is None else f'{value:.3f}'}")
    typer.echo("wrote " + " and ".join(map(str, written)))


def _print(found: Evaluation, page: Path | None, json: bool) -> None:
    if json:
        from ravenbench.cli.show import print_json, say

        for note in found.notes:
            say(f"note: {note}", err=True)
        print_json(found.to_json())
        return
    from ravenbench.cli.show import console
    from ravenbench.reports.evaluate.report import shown

    out = console(None if console().is_terminal else 80)
    for part in shown(found):
        out.print(part)
        out.print()
    if page is not None:
        out.print(f"page: {page}", soft_wrap=True)
