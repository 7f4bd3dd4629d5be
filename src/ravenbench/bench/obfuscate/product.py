"""The new texts, written where the user wants them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from ravenbench.bench.obfuscate.source import Source
from ravenbench.errors import InputError
from ravenbench.formats.output import check_fresh, fresh_folder, whole_file
from ravenbench.formats.pan_obfuscation import parts_file, write_parts
from ravenbench.formats.pan_problems import write_pan_problems
from ravenbench.obfuscation.apply import with_questioned
from ravenbench.obfuscation.base import Rewriting


def check_out(out: Path, single: bool) -> None:
    """Refuse a place that is taken, before any long work.

    Raises
    ------
    InputError
        If something is there, or nothing can be written there.
    """
    if not single:
        check_fresh(out)
        return
    for place in (out, parts_file(out)):
        if place.exists():
            raise InputError("the output exists", file=place, fix="give a new name, or remove it")


def write_product(out: Path, source: Source, done: Sequence[Rewriting]) -> None:
    """Write the new texts, each with its parts beside it; a folder appears when it is complete.

    A single text becomes a file, a folder of texts a folder with the same names, a problem set a PAN13–15 problem set.
    """
    if source.single:
        with whole_file(out) as file:
            file.write(done[0].text.encode())
        write_parts(parts_file(out), done[0].parts)
        return
    with fresh_folder(out) as folder:
        if source.problems is None:
            for task, rewriting in zip(source.tasks, done, strict=True):
                place = folder / PurePosixPath(task.id)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(rewriting.text.encode())
                write_parts(parts_file(place), rewriting.parts)
            return
        found = source.problems
        problems = with_questioned(found.problems, source.rows, [r.text for r in done])
        write_pan_problems(folder, problems, found.same, found.language or "unknown", found.genre or "unknown")
        for task, rewriting in zip(source.tasks, done, strict=True):
            write_parts(folder / task.id / "obfuscation.json", rewriting.parts)
