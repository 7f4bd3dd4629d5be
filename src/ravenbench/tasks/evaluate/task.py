"""Runs ``raven evaluate``, which judges answers as PAN does, and PAN's form of the command (-i, -a, -o).

In: the values of the command's options by name, of which an ``EvaluateSpec`` is made (truth, and answers from 0 to 1,
higher = same author, 0.5 = unanswered).
Out: an ``Evaluation``, and for the command an ``Ending`` that shows it; InputError if truth or an option is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ravenbench.engine.options import PATH, Option, checked
from ravenbench.engine.pool import Progress, usable_cores
from ravenbench.engine.task import Ending, Work
from ravenbench.errors import InputError
from ravenbench.outputs import check_folder
from ravenbench.tasks.evaluate.spec import EvaluateSpec

if TYPE_CHECKING:
    from ravenbench.tasks.evaluate.evaluation import Evaluation


def _task_option(
    name: str, text: str, *flags: str, kind: type = str, default: Any = None
) -> Option:
    return Option(name, text, kind, flags=flags, function=False, default=default)


class Evaluate(Work):
    """Evaluate answers as PAN does, with intervals and significance tests.

    raven evaluate truth.jsonl systems/ --out evaluation

    raven evaluate truth.txt a/answers.txt b/answers.txt --metrics final,c@1

    raven evaluate raven-runs/mine                the verifiers of a run

    raven evaluate -i TRUTH -a ANSWERS -o OUT     out.json and evaluation.prototext, as PAN 2022/23
    """

    name = "evaluate"
    in_spec = "title f05u_2020 trials replicates cost_same cost_different same_share"
    first = "out metrics by training_truth training_answers"
    Spec = EvaluateSpec
    own = (
        Option(
            "out",
            "Folder or URL for page, CSV, LaTeX, figures and meta-answers.",
            takes=PATH,
            flags=("--out", "-o"),
        ),
        _task_option("title", "Heading of the page, and of the leaderboard on a site."),
        _task_option(
            "keep",
            "Keep truth and answers in --out (do not publish them), for raven site --submit later.",
            kind=bool,
        ),
        _task_option(
            "cost_same",
            "Cost of a false 'same author', for the operating point.",
            kind=float,
            default=1.0,
        ),
        _task_option(
            "cost_different", "Cost of a false 'different authors'.", kind=float, default=1.0
        ),
        _task_option("pan_truth", "Truth, in PAN's form -i TRUTH -a ANSWERS -o OUT.", "-i"),
        _task_option("pan_answers", "Answers of one system, in PAN's form.", "-a"),
    )
    arguments = ("truth", "answers")
    spared = ("truth",)
    reports_progress = False
    order = (
        "truth answers out title keep lenient skip_faulty f05u_2020 metrics trials replicates by"
        " encoding training_truth training_answers cost_same cost_different same_share workers seed"
    )
    note = (
        "``answers`` may also map each system to a file, or to its values in the order of"
        " truth. Without ``by``, results are also shown by group (language and genre, or the"
        " setup of a run) if truth has several. The first of ``metrics``, which may be"
        " metrics of your own, decides ties."
    )
    result = "Evaluation"

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> EvaluateSpec:
        # Answers and truth may be what other functions returned.
        return checked(
            {name: value for name, value in values.items() if value is not None}, EvaluateSpec
        )

    @classmethod
    def work(cls, spec: EvaluateSpec, out: str | Path | None = None, **own: Any) -> Evaluation:
        from ravenbench.tasks.evaluate.api import evaluate

        evaluation = evaluate(replace(spec, workers=spec.workers or usable_cores()))
        if out is not None:
            evaluation.write(out)
        return evaluation

    @classmethod
    def ending(cls, values: Mapping[str, Any], progress: Progress) -> Ending:
        from ravenbench.tasks.evaluate.report import closing, write_evaluation

        given = dict(values)
        own = {option.name: given.pop(option.name, None) for option in cls.own}
        truth = given.get("truth")
        out = own["out"]
        if own["pan_truth"] is not None or own["pan_answers"] is not None:
            if (
                own["pan_truth"] is None
                or own["pan_answers"] is None
                or out is None
                or truth is not None
            ):
                expected = "-i TRUTH -a ANSWERS -o OUT and no other path"
                raise InputError("PAN's form takes three options", expected=expected)
            pan = Path(own["pan_truth"]), Path(own["pan_answers"])
            return _as_pan(*pan, Path(out), given["lenient"], given["f05u_2020"])
        if truth is None:
            raise InputError("no truth is given", expected="raven evaluate TRUTH ANSWERS…")
        if out is not None:
            read = [
                truth,
                *given.get("answers", ()),
                given.get("training_truth"),
                *given.get("training_answers", ()),
            ]
            read += [one.partition(":")[0] for one in given.get("by", ())]
            check_folder(
                out, inputs=[place for place in read if place is not None], kind="evaluate"
            )
        evaluation = cls.call({**given, "costs": (own["cost_same"], own["cost_different"])})
        page = None
        if out is not None:
            page = write_evaluation(evaluation, out, own["title"] or "", keep_answers=own["keep"])
        parts = [line for part in closing(evaluation) for line in (part, "")]
        return Ending(
            evaluation.to_json(),
            parts if page is None else [*parts, f"page: {page}"],
            finding=evaluation._view().finding(),
            notes=evaluation.notes,
        )


def _as_pan(truth: Path, answers: Path, out: Path, lenient: bool, f05u_2020: bool) -> Ending:
    from ravenbench.reading.answers import (
        align,
        check_pan_output,
        pan_measures,
        read_answers,
        read_truth,
        write_pan_output,
    )

    check_pan_output(out, [truth, answers])
    known = read_truth(truth, split="test")
    answered = read_answers(answers, lenient)
    measures = pan_measures(known, align(known, answered), f05u_2020)
    written = write_pan_output(out, measures)
    lines = [f"{len(known):,} problems, {len(answered.ids):,} answers"]
    lines += [
        f"{name:<8} {'n/a' if value is None else f'{value:.3f}'}"
        for name, value in measures.items()
    ]
    lines.append("wrote " + " and ".join(map(str, written)))
    return Ending(measures, lines, notes=[f"{answered.system}: {note}" for note in answered.notes])
