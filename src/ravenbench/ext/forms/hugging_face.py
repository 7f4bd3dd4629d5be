"""Writes figures of a run or an evaluation as Hugging Face's evaluation results (``ravenbench.hugging_face``).

In: a run of ``raven run`` (folder, ``Store`` or result) or an ``Evaluation``; the id of a dataset's repository; a new
folder.
Out: the folder: ``dataset/eval.yaml`` has a task for each figure, ``models/VERIFIER/.eval_results/DATASET.yaml`` a value
for each task, in the unit of the figure, rounded to 4 digits; the notes of a value have its interval. Figures without an
interval are left out. The files are JSON, which is YAML. InputError if no figure is left, or Raven cannot write the
folder.

References
----------
https://huggingface.co/docs/hub/eval-results (both forms); ``eval_results.yaml`` in https://github.com/huggingface/hub-docs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from ravenbench import __version__
from ravenbench.errors import InputError
from ravenbench.ext.site.boards import slugs
from ravenbench.files import location, write_json
from ravenbench.outputs import check_folder, fresh_folder
from ravenbench.reports.content import interval_in_words, verdicts
from ravenbench.reports.report import analyse
from ravenbench.reports.view import made, named, printable
from ravenbench.store.store import Store
from ravenbench.tasks.evaluate.evaluation import Evaluation
from ravenbench.tasks.run.analysis import Analysis

OF_RUN = {
    "AUC where topic misleads": attrgetter("misleads"),
    "AUC where topic helps": attrgetter("helps"),
    "AUC with other content words": attrgetter("figures.style_left"),
}
"""Figures of a run with intervals, by their names: where they are in a row of its content probe."""
LEVEL = 0.95
"""Level of the intervals of a run."""
REPOSITORY = re.compile(r"\w[\w.-]*/\w[\w.-]*", re.ASCII)


class StatedFigure(NamedTuple):
    """A figure of one verifier, in its unit, with its interval of a level (0 to 1), and what else a reader should know."""

    verifier: str
    figure: str
    value: float
    interval: tuple[float, float]
    level: float
    about: str


def hugging_face(
    result: str | Path | Store | Evaluation | Any,
    out: str | Path,
    *,
    dataset: str,
    source: str | None = None,
    framework: str = "ravenbench",
) -> Path:
    """Write evaluation results for the repositories of a dataset and of verifiers; nothing is uploaded.

    Copy ``dataset/eval.yaml`` into the dataset's repository, and each ``.eval_results`` into that of its verifier.

    Parameters
    ----------
    result : path, Store, RunResult or Evaluation
        A run of ``raven run``: AUCs where topic misleads and helps, and with other content words; or what
        ``ravenbench.evaluate`` returned: every metric.
    out : path
        A new folder, or an earlier one of this function.
    dataset : str
        The dataset's repository, such as ``owner/name``.
    source : str, optional
        An address at which readers can check the figures, such as that of ``raven export RUN --result FILE``.
    framework : str
        The name of the evaluation framework. Hugging Face accepts names in its list (``EVALUATION_FRAMEWORKS`` in
        https://github.com/huggingface/huggingface.js), to which organisers add theirs.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    InputError
        If no figure has an interval, ``dataset`` is not an id, or Raven cannot write the folder.
    """
    check_folder(
        out, inputs=[result] if isinstance(result, str | Path) else [], kind="hugging_face"
    )
    if not REPOSITORY.fullmatch(dataset):
        raise InputError("this is not the id of a repository", found=dataset, expected="owner/name")
    if isinstance(result, Evaluation):
        figures = list(_of_evaluation(result))
    else:
        is_path = isinstance(result, str | Path)
        figures = list(_of_run(Store.open(result) if is_path else getattr(result, "store", result)))
    if not figures:
        raise InputError(
            "no figure of this result has an interval",
            expected="a run of raven run with the transplant probe, or an evaluation",
            fix="give ravenbench.evaluate(RUN) in place of a run without the probe",
        )
    tasks = slugs(list(dict.fromkeys(one.figure for one in figures)))
    models = slugs(list(dict.fromkeys(one.verifier for one in figures)))
    title = dataset.rpartition("/")[2]
    explained = "; ".join(f"{task}: {figure}" for figure, task in tasks.items())
    described = {
        "name": title,
        "description": printable(f"Authorship verification with Raven {__version__}. {explained}."),
        "evaluation_framework": framework,
        "tasks": [{"id": task, "config": "default", "split": "test"} for task in tasks.values()],
    }
    with fresh_folder(out, kind="hugging_face", private=False) as folder:
        (folder / "dataset").mkdir()
        write_json(folder / "dataset" / "eval.yaml", described)
        for verifier, address in models.items():
            place = folder / "models" / address / ".eval_results"
            place.mkdir(parents=True)
            values = [
                {
                    "dataset": {"id": dataset, "task_id": tasks[one.figure]},
                    # Four digits: YAML 1.1 reads 1e-05 as text.
                    "value": round(one.value, 4),
                    **({} if source is None else {"source": {"url": printable(source)}}),
                    "notes": _notes(one),
                }
                for one in figures
                if one.verifier == verifier
            ]
            write_json(place / f"{title}.yaml", values)
    return location(out)


def _of_run(run: Store | Any) -> Iterator[StatedFigure]:
    """The figures of a run's answer; none if another task made it, or nothing could be replaced."""
    analysis = analyse(run)
    content = analysis.content if isinstance(analysis, Analysis) else None
    badges = {verdict["verifier"]: verdict["badge"] for verdict in verdicts(content)}
    methods = {method.name: method for method in run.plan.verifiers}
    for row in content.rows if content is not None and badges else ():
        method = methods[row.verifier]
        about = f"{badges[row.verifier]}; {named(method.spec)}, {made(method)}"
        for figure, of in OF_RUN.items():
            estimate = of(row)
            if estimate is not None and estimate.interval is not None:
                yield StatedFigure(
                    row.verifier, figure, estimate.value, estimate.interval, LEVEL, about
                )


def _of_evaluation(evaluation: Evaluation) -> Iterator[StatedFigure]:
    """Every metric of every system."""
    problems = (
        f"{evaluation.problems:,} problems, {evaluation.same:,} same-author;"
        f" hash of the truth {evaluation.hashes()['truth']}"
    )
    for system in evaluation.systems:
        for metric, interval in system.interval.items():
            value = system.scores[metric]
            order = "" if evaluation.metrics[metric].higher else "; lower is better"
            if value is not None and interval is not None:
                yield StatedFigure(
                    system.name,
                    evaluation.title(metric),
                    value,
                    interval,
                    evaluation.level,
                    f"{problems}{order}",
                )


def _notes(stated: StatedFigure) -> str:
    """The interval of a figure, and what else a reader should know."""
    interval = interval_in_words(stated.interval)
    return printable(
        f"{stated.figure}: {100 * stated.level:.3g} % interval{interval}; {stated.about}; Raven {__version__}"
    )
