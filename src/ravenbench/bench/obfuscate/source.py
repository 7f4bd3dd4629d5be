"""What is to be rewritten: a text, a folder of texts or a problem set, as tasks."""

from __future__ import annotations

from dataclasses import dataclass

from ravenbench import files
from ravenbench.bench.obfuscate.spec import ObfuscateSpec
from ravenbench.errors import InputError
from ravenbench.formats.archive import Archive, read_whole, whole
from ravenbench.formats.decoding import Faults
from ravenbench.formats.problems import ProblemSet, problem_roots, read_problems
from ravenbench.formats.tabular import is_lines
from ravenbench.obfuscation.base import ObfuscationTask, tasks_of


@dataclass(frozen=True)
class Source:
    """The texts as tasks; of a problem set also the set and the rows of the problems that the tasks stand for.

    ``single`` says that the source is one text and no folder.
    """

    tasks: tuple[ObfuscationTask, ...]
    rows: tuple[int, ...]
    problems: ProblemSet | None
    single: bool


def read_source(spec: ObfuscateSpec) -> Source:
    """Read what is to be rewritten.

    Of a problem set these are the questioned texts of same-author problems, or with ``every`` of all.

    Raises
    ------
    InputError
        If there is nothing to rewrite, or a problem set has no truth and ``every`` is not asked for.
    """
    path = files.local_copy(spec.source)
    with Archive(path, spec.encoding) as archive:
        if problem_roots(archive) or any(is_lines(name) for name in archive.names):
            found = read_problems(path, spec.split, spec.encoding)
            if found.same is None and not spec.every:
                raise InputError(
                    "these problems have no truth", file=spec.source, fix="--all rewrites every questioned text"
                )
            rows = tuple(i for i in range(len(found)) if spec.every or found.truth()[i])
            tasks = tasks_of(found.problems, rows, spec.language or found.language)
            return Source(tuple(tasks), rows, found, False)
        faults = Faults()
        known: list[str] = []
        texts: list[str] = []
        for place in spec.known:
            with faults.gathered():
                known.append(read_whole(files.local_copy(place), spec.encoding))
        names = archive.names if archive.single else [n for n in archive.names if n.lower().endswith(".txt")]
        if not names:
            raise InputError("there is no text here", file=spec.source, expected="a text, .txt files, or a problem set")
        for name in names:
            with faults.gathered():
                texts.append(whole(archive.read(name), archive.label(name), spec.encoding))
        faults.check()
        tasks = [
            ObfuscationTask(name, text, tuple(known), spec.language) for name, text in zip(names, texts, strict=True)
        ]
        return Source(tuple(tasks), tuple(range(len(tasks))), None, archive.single)
