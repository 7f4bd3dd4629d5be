"""An evaluation's folder: page, JSON, tables, figures, answers of the meta-classifiers."""

from __future__ import annotations

from pathlib import Path

from ravenbench.files import location
from ravenbench.formats.answers import write_answers
from ravenbench.reports.evaluate.evaluation import Evaluation
from ravenbench.reports.report import write_parts, write_whole
from ravenbench.types import Answers


def write_evaluation(evaluation: Evaluation, folder: str | Path) -> Path:
    """Write everything and return the page's path; an earlier evaluation goes only when the new one is complete.

    ``index.html``, ``report.json``, ``tables/*.csv`` and ``.tex``, ``figures/*.svg``, ``.pdf`` and ``.png``,
    ``meta/NAME/answers.jsonl``.

    Parameters
    ----------
    folder : path or URL
        Its place; one in an object store is filled when all files are made.

    Raises
    ------
    InputError
        If something other than an earlier evaluation lies there, or the place cannot be written.
    """
    return write_whole(location(folder), lambda place: _write(evaluation, place), "evaluate")


def _write(evaluation: Evaluation, folder: Path) -> None:
    from ravenbench.reports.evaluate.figures import draw
    from ravenbench.reports.evaluate.page import evaluation_page
    from ravenbench.reports.page import save

    figures = draw(evaluation)
    for s in evaluation.meta:
        write_answers(folder / "meta" / s.name / "answers.jsonl", Answers(evaluation.truth.ids, s.value))
    write_parts(
        folder,
        kind="evaluate",
        page=evaluation_page(evaluation, figures),
        json=evaluation.to_json(),
        tables=evaluation.tables(),
        figures=figures,
    )
    for name, figure in figures.items():
        for suffix in ("pdf", "png"):
            save(figure, folder / "figures" / f"{name}.{suffix}")
