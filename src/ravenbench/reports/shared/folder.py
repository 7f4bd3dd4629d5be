"""A report's folder: page, tables, figures and ``report.json``; an earlier one is replaced when the new is whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ravenbench.errors import InputError, remedy
from ravenbench.files import is_remote, write_json, write_text
from ravenbench.formats.output import fresh_folder
from ravenbench.reports.shared import tables as forms
from ravenbench.reports.shared.public import public_json

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def replace_report(place: Path, write: Callable[[Path], None], kind: str) -> Path:
    """Write ``PLACE/report`` and return the path of its page.

    Parameters
    ----------
    place : Path
        A run's folder; the report of a run in an object store is written to ``raven-runs`` here.
    write : callable
        Fills the folder it is given; when it fails, the earlier report stays.
    kind : str
        The task, whose earlier report alone is replaced.

    Raises
    ------
    InputError
        If the folder cannot be written, or holds something else.
    """
    if is_remote(place):
        place = Path("raven-runs") / place.name
    return write_whole(place / "report", write, kind)


def write_whole(target: Path, write: Callable[[Path], None], kind: str) -> Path:
    """Fill a folder out of sight, put it in the place of an earlier one when it is whole, and return its page's path.

    Parameters
    ----------
    target : Path
        The folder's place (``formats.output`` says what may stand there).
    write : callable
        Fills the folder it is given; when it fails, the earlier one stays.
    kind : str
        The command, whose earlier product alone is replaced.

    Raises
    ------
    InputError
        If the folder cannot be written, or holds something else.
    """
    try:
        with fresh_folder(target, kind=kind, private=False) as folder:
            write(folder)
    except OSError as error:
        raise InputError(
            f"the report cannot be written ({error.strerror or error})", file=target, fix=remedy(error)
        ) from error
    return target / "index.html"


def write_parts(
    folder: Path,
    *,
    kind: str,
    page: str,
    json: Mapping[str, Any],
    tables: Iterable[forms.Table] = (),
    figures: Mapping[str, Figure] | None = None,
) -> None:
    """Write what every report has: ``index.html``, ``report.json``, ``tables/*.csv`` and ``.tex``, ``figures/*.svg``.

    ``report.json`` names its ``kind`` and the ``format`` of run folders it was made with, beside the report's values.
    """
    from ravenbench.reports.shared.figures import svg
    from ravenbench.store.records import FORMAT

    for inner in ("tables", "figures"):
        (folder / inner).mkdir()
    for table in tables:
        write_text(folder / "tables" / f"{table.key}.csv", forms.to_csv(table))
        write_text(folder / "tables" / f"{table.key}.tex", forms.to_latex(table))
    for name, figure in (figures or {}).items():
        write_text(folder / "figures" / f"{name}.svg", svg(figure, name))
    write_json(folder / "report.json", {"format": FORMAT, "kind": kind, **public_json(json)})
    write_text(folder / "index.html", page)
