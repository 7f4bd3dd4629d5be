"""A report's folder: page, tables, figures and ``report.json``; an earlier one is replaced when the new is whole."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ravenbench.errors import InputError, remedy
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
    return write_whole(place / name, write)


def write_whole(target: Path, write: Callable[[Path], None]) -> Path:
    """Fill a folder out of sight, put it in the place of an earlier one when it is whole, and return its page's path.

    Parameters
    ----------
    target : Path
        The folder's place. An object store has no rename: there every file is put when all are made, the page last,
        and what an earlier folder held besides is removed.
    write : callable
        Fills the folder it is given; when it fails, the earlier one stays.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    try:
        if is_remote(target):
            with tempfile.TemporaryDirectory() as scratch:
                write(Path(scratch))
                _upload(Path(scratch), target)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            _sweep(target)
            new = Path(tempfile.mkdtemp(prefix=f".{target.name}-{os.getpid()}-", dir=target.parent))
            try:
                write(new)
                new.chmod(0o755)
                _replace(new, target)
            finally:
                shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise InputError(
            f"the report cannot be written ({error.strerror or error})",
            file=target,
            fix=remedy(error),
        ) from error
    return target / "index.html"


def _sweep(target: Path) -> None:
    """Remove what reports that were killed have left beside this one; an earlier report put aside comes back."""
    for left in target.parent.glob(f".{target.name}-*"):
        found = re.fullmatch(r"(old-)?(\d+)-\w+", left.name.removeprefix(f".{target.name}-"))
        if found is None or _lives(int(found[2])):
            continue
        if found[1] and not target.exists() and any(left.iterdir()):
            left.replace(target)
        else:
            shutil.rmtree(left, ignore_errors=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def _replace(folder: Path, target: Path) -> None:
    if target.exists():
        aside = Path(tempfile.mkdtemp(prefix=f".{target.name}-old-{os.getpid()}-", dir=target.parent))
        target.replace(aside)
        folder.replace(target)
        shutil.rmtree(aside, ignore_errors=True)
    else:
        folder.replace(target)


def _upload(folder: Path, target: Path) -> None:
    names = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    names.sort(key=lambda name: name == "index.html")
    earlier = [p for p in target.rglob("*") if p.is_file()] if target.exists() else []
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes((folder / name).read_bytes())
    written = {str(target / name) for name in names}
    for path in earlier:
        if str(path) not in written:
            path.unlink()


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
