"""Reads the texts to rewrite (a text, a folder of texts or a problem set), and writes the new texts.

In: an ``ObfuscateSpec`` (paths of texts and of further texts by the same author); later the rewritings, a place, and
hashes of what may be replaced.
Out: ``TextsToRewrite``, one ``ObfuscationTask`` a text (``read_source``); the new texts as files under the names they
had (``write_product`` returns nothing). InputError if there is no text, truth is missing or the place is taken.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ravenbench import files
from ravenbench.errors import InputError, remark
from ravenbench.obfuscation.base import ObfuscationTask, Rewriting, tasks_of, with_questioned
from ravenbench.outputs import check_file, check_folder, digest, fresh_folder, whole_file
from ravenbench.reading.decoding import Faults
from ravenbench.reading.pan_obfuscation import parts_bytes, parts_file, write_parts
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.reading.problem_sets import ProblemSet
from ravenbench.reading.problems import problems_at, read_problems
from ravenbench.reading.remarks import Seen, odd_texts
from ravenbench.reading.texts import plain_texts
from ravenbench.tasks.obfuscate.spec import ObfuscateSpec
from ravenbench.types import Labels


@dataclass(frozen=True)
class TextsToRewrite:
    """The texts as tasks; for a problem set, also the set and the rows of its problems.

    ``single`` says that the source is one text, not a folder.
    """

    tasks: tuple[ObfuscationTask, ...]
    rows: tuple[int, ...]
    problems: ProblemSet | None
    single: bool


def read_source(spec: ObfuscateSpec) -> TextsToRewrite:
    """Read the ``TextsToRewrite`` of a spec.

    In a problem set, these are the questioned texts of same-author problems, or of all problems with ``every``. Raises
    InputError if there is nothing to rewrite, or if a problem set has no truth and ``every`` is not requested.
    """
    path = files.local_copy(spec.source)
    if problems_at(path):
        sets = read_problems(path, spec.split, spec.encoding)
        if sets.same is None and not spec.every:
            raise InputError(
                "these problems have no truth",
                file=spec.source,
                fix="rewrite every questioned text with --all",
            )
        rows = tuple(i for i in range(len(sets)) if spec.every or sets.truth()[i])
        tasks = tasks_of(sets.problems, rows, spec.language or sets.language)
        return TextsToRewrite(tuple(tasks), rows, sets, False)
    faults = Faults()
    known = [
        text
        for place in spec.known
        for text in plain_texts(files.local_copy(place), spec.encoding, faults).values()
    ]
    texts = plain_texts(path, spec.encoding, faults)
    faults.check()
    remark(odd_texts(Seen([*texts.values()], Labels.of(()), [*texts])), path)
    tasks = [
        ObfuscationTask(name, text, tuple(known), spec.language) for name, text in texts.items()
    ]
    return TextsToRewrite(tuple(tasks), tuple(range(len(tasks))), None, [*texts] == [path.name])


def check_out(out: Path, single: bool, inputs: Sequence[str], known: Collection[str]) -> None:
    """Refuse a place that is taken, before any long work; ``known`` are the hashes of what this run wrote earlier.
    Raises InputError if something else is there, or nothing can be written there."""
    if not single:
        check_folder(out, inputs=inputs, known=known)
        return
    for path in (out, parts_file(out)):
        check_file(path, inputs=inputs, known=known)


def write_product(
    out: Path,
    source: TextsToRewrite,
    done: Sequence[Rewriting],
    known: Collection[str],
    note: Callable[[str], None],
) -> None:
    """Write the new texts, each with its parts beside it; a folder appears when it is complete.

    A single text becomes a file, a folder of texts a folder with the same names, a problem set a PAN13–15 problem set.

    ``known`` are hashes of what this run wrote earlier, which may be replaced; ``note`` gets the hash of everything
    before it takes its place.
    """
    if source.single:
        contents = {out: done[0].text.encode(), parts_file(out): parts_bytes(done[0].parts)}
        for data in contents.values():
            note(hashlib.sha256(data).hexdigest())
        for path, data in contents.items():
            with whole_file(path) as file:
                file.write(data)
        return
    with fresh_folder(out, known=known) as folder:
        _write_texts(folder, source, done)
        note(digest(folder))


def _write_texts(folder: Path, source: TextsToRewrite, done: Sequence[Rewriting]) -> None:
    if source.problems is None:
        for task, rewriting in zip(source.tasks, done, strict=True):
            file = folder / PurePosixPath(task.id)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(rewriting.text.encode())
            write_parts(parts_file(file), rewriting.parts)
        return
    sources = source.problems
    problems = with_questioned(
        sources.problems, source.rows, [rewriting.text for rewriting in done]
    )
    write_pan_problems(
        folder, problems, sources.same, sources.language or "unknown", sources.genre or "unknown"
    )
    for task, rewriting in zip(source.tasks, done, strict=True):
        write_parts(folder / task.id / "obfuscation.json", rewriting.parts)
