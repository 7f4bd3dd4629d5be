"""An evaluation's folder: page, JSON, tables, figures, answers of the meta-classifiers."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from ravenbench.errors import InputError
from ravenbench.files import write_json, write_text
from ravenbench.formats.answers import write_answers
from ravenbench.formats.output import check_fresh
from ravenbench.reports.evaluate.records import Evaluation
from ravenbench.reports.shared.folder import replace_folder
from ravenbench.reports.shared.tables import to_csv, to_latex
from ravenbench.types import Answers

CONTENTS = {"index.html", "evaluation.json", "tables", "figures", "meta"}


def check_place(folder: str | Path) -> None:
    """Whether an evaluation can be written here, before any long work; an earlier one may be replaced.

    Raises
    ------
    InputError
        If something else lies there, or the place cannot be written.
    """
    folder = Path(folder)
    if folder.is_dir() and (folder / "evaluation.json").is_file() and {p.name for p in folder.iterdir()} <= CONTENTS:
        folder = folder.parent / f".{folder.name}.new"
    check_fresh(folder)


def write_evaluation(evaluation: Evaluation, folder: str | Path) -> Path:
    """Write everything and return the page's path; an earlier evaluation goes only when the new one is complete.

    ``index.html``, ``evaluation.json``, ``tables/*.csv`` and ``.tex``, ``figures/*.svg``, ``.pdf`` and ``.png``,
    ``meta/NAME/answers.jsonl``.

    Raises
    ------
    InputError
        If something other than an earlier evaluation lies there, or the place cannot be written.
    """
    folder = Path(folder)
    check_place(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            _write(evaluation, new)
            new.chmod(0o755)
            replace_folder(new, folder)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise InputError(f"the evaluation cannot be written ({error.strerror})", file=folder) from error
    return folder / "index.html"


def _write(evaluation: Evaluation, folder: Path) -> None:
    from ravenbench.reports.evaluate.figures import draw
    from ravenbench.reports.evaluate.page import evaluation_page
    from ravenbench.reports.shared.figures import save

    figures = draw(evaluation)
    for name in ("tables", "figures"):
        (folder / name).mkdir()
    for table in evaluation.tables():
        write_text(folder / "tables" / f"{table.key}.csv", to_csv(table))
        write_text(folder / "tables" / f"{table.key}.tex", to_latex(table))
    for name, figure in figures.items():
        for suffix in ("svg", "pdf", "png"):
            save(figure, folder / "figures" / f"{name}.{suffix}")
    for s in evaluation.meta:
        write_answers(folder / "meta" / s.name / "answers.jsonl", Answers(evaluation.truth.ids, s.value))
    write_json(folder / "evaluation.json", evaluation.to_json())
    write_text(folder / "index.html", evaluation_page(evaluation, figures))
