"""An evaluation's folder: page, JSON, tables, figures, answers of the meta-classifiers."""

from __future__ import annotations

import json
from pathlib import Path

from ravenbench.errors import InputError
from ravenbench.files import check_reachable, is_remote, location
from ravenbench.formats.answers import write_answers
from ravenbench.formats.output import check_fresh
from ravenbench.reports.evaluate.evaluation import Evaluation
from ravenbench.reports.shared.folder import write_parts, write_whole
from ravenbench.types import Answers

CONTENTS = {"index.html", "report.json", "tables", "figures", "meta"}


def check_place(folder: str | Path) -> Path:
    """The place of an evaluation, a path or URL, once it is sure before any long work that it can be written.

    An earlier evaluation may be replaced.

    Raises
    ------
    InputError
        If something else lies there, or the place cannot be written.
    """
    place = location(folder)
    if _is_evaluation(place):
        if not is_remote(place):
            check_fresh(place.parent / f".{place.name}.new")
    elif is_remote(place):
        check_reachable(place)
        if place.exists() and any(place.iterdir()):
            raise InputError("the output folder is not empty", file=place, fix="give a new one, or remove it")
    else:
        check_fresh(place)
    return place


def _is_evaluation(place: Path) -> bool:
    """Whether an earlier evaluation lies here, and nothing else."""
    if not (place / "report.json").is_file() or not {p.name for p in place.iterdir()} <= CONTENTS:
        return False
    try:
        found = json.loads((place / "report.json").read_bytes())
    except ValueError:
        return False
    return isinstance(found, dict) and found.get("kind") == "evaluate"


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
    return write_whole(check_place(folder), lambda place: _write(evaluation, place))


def _write(evaluation: Evaluation, folder: Path) -> None:
    from ravenbench.reports.evaluate.figures import draw
    from ravenbench.reports.evaluate.page import evaluation_page
    from ravenbench.reports.shared.figures import save

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
