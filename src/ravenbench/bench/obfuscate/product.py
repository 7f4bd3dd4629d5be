"""The new texts, written where the user wants them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from pathlib import Path, PurePosixPath

from ravenbench.bench.obfuscate.source import Source
from ravenbench.formats.output import check_file, check_folder, digest, fresh_folder, whole_file
from ravenbench.formats.pan_obfuscation import parts_bytes, parts_file, write_parts
from ravenbench.formats.problems import write_pan_problems
from ravenbench.obfuscation.base import Rewriting, with_questioned


def check_out(out: Path, single: bool, inputs: Sequence[str], known: Collection[str]) -> None:
    """Refuse a place that is taken, before any long work; ``known`` are the hashes of what this run wrote earlier.

    Raises
    ------
    InputError
        If something else is there, or nothing can be written there.
    """
    if not single:
        check_folder(out, inputs=inputs, known=known)
        return
    for place in (out, parts_file(out)):
        check_file(place, inputs=inputs, known=known)


def write_product(
    out: Path, source: Source, done: Sequence[Rewriting], known: Collection[str], note: Callable[[str], None]
) -> None:
    """Write the new texts, each with its parts beside it; a folder appears when it is complete.

    A single text becomes a file, a folder of texts a folder with the same names, a problem set a PAN13–15 problem set.

    Parameters
    ----------
    known : collection of str
        Hashes of what this run wrote earlier, which may be replaced.
    note : callable
        Told the hash of everything before it takes its place.
    """
    if source.single:
        made = {out: done[0].text.encode(), parts_file(out): parts_bytes(done[0].parts)}
        for data in made.values():
            note(hashlib.sha256(data).hexdigest())
        for place, data in made.items():
            with whole_file(place) as file:
                file.write(data)
        return
    with fresh_folder(out, known=known) as folder:
        _fill(folder, source, done)
        note(digest(folder))


def _fill(folder: Path, source: Source, done: Sequence[Rewriting]) -> None:
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
