"""A report's folder: page, tables, figures and ``report.json``; an earlier one is replaced when the new is whole."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ravenbench.errors import InputError
from ravenbench.files import is_remote, write_json, write_text
from ravenbench.reports.shared import tables as forms

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def replace_report(place: Path, write: Callable[[Path], None], name: str = "report") -> Path:
    """Write ``PLACE/report`` and return the path of its page.

    Parameters
    ----------
    place : Path
        A run's folder; the report of a run in an object store is written to ``raven-runs`` here.
    write : callable
        Fills the folder it is given; when it fails, the earlier report stays.
    name : str
        Name of the folder in ``place``.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    if is_remote(place):
        place = Path("raven-runs") / place.name
    target = place / name
    try:
        place.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=place))
        try:
            write(new)
            new.chmod(0o755)
            replace_folder(new, target)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise InputError(
            f"the report cannot be written ({error.strerror})", file=target, fix="make the run's folder writable"
        ) from error
    return target / "index.html"


def replace_folder(folder: Path, target: Path) -> None:
    """Put a finished folder in the place of an older one."""
    if target.exists():
        aside = Path(tempfile.mkdtemp(prefix=f".{target.name}-old-", dir=target.parent))
        target.replace(aside)
        folder.replace(target)
        shutil.rmtree(aside, ignore_errors=True)
    else:
        folder.replace(target)


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
    from ravenbench.bench.shared.record import FORMAT
    from ravenbench.reports.shared.figures import svg

    for inner in ("tables", "figures"):
        (folder / inner).mkdir()
    for table in tables:
        write_text(folder / "tables" / f"{table.key}.csv", forms.to_csv(table))
        write_text(folder / "tables" / f"{table.key}.tex", forms.to_latex(table))
    for name, figure in (figures or {}).items():
        write_text(folder / "figures" / f"{name}.svg", svg(figure, name))
    write_json(folder / "report.json", {"format": FORMAT, "kind": kind, **json})
    write_text(folder / "index.html", page)
