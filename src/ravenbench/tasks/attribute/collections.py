"""Answers PAN18/19 attribution problems with every method, and scores them where truth is there.

In: the path of a collection (folder or zip), methods, a lead below which a text is ``<UNK>`` (``reject``, [0, 1)).
Out: a ``CollectionScores``: macro F1 (0 to 1, None without truth) by method and problem, and counts of unanswered
texts; files of answers where a folder is given; ``collection_preview`` a ``Preview`` (writes nothing),
``is_collection`` bool. InputError if a problem cannot be read or a method cannot be used.

A collection's answers are files of PAN's, one a problem; it has no run folder, and is answered again each time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ravenbench.attribution.protocols import answer_problem
from ravenbench.engine.guard import one_thread
from ravenbench.engine.pool import Progress, silent
from ravenbench.engine.task import Preview
from ravenbench.errors import counted
from ravenbench.outputs import check_folder, fresh_folder
from ravenbench.reading.archive import is_there
from ravenbench.reading.decoding import UTF8
from ravenbench.reading.pan_attribution import (
    UNKNOWN,
    AttributionProblem,
    is_attribution,
    macro_f1,
    read_attribution,
    write_attribution_answers,
)
from ravenbench.tasks.attribute.answers import name_methods
from ravenbench.tasks.attribute.spec import METHODS


@dataclass(frozen=True, eq=False)
class CollectionScores:
    """Macro F1 (0 to 1) by method and problem (None without truth); ``reject`` is as in ``answer_collection``.

    ``left_out`` has the problems that could not be read, by name, with the reason.
    """

    problems: tuple[AttributionProblem, ...]
    scores: dict[str, dict[str, float | None]]
    reject: float
    left_out: dict[str, str] = field(default_factory=dict)
    unanswered: dict[str, int] = field(default_factory=dict)
    """Texts by method for which nobody was named."""

    @property
    def notes(self) -> list[str]:
        """Notes on oddities in the files of the problems, and on problems that were left out."""
        odd = [str(note) for problem in self.problems for note in problem.notes]
        nobody = [
            f"{method} named no author ({UNKNOWN}) for {counted(count, 'text')}"
            for method, count in self.unanswered.items()
            if count
        ]
        return [
            *odd,
            *nobody,
            *(f"Raven left out {name}: {why}" for name, why in self.left_out.items()),
        ]

    def mean(self, method: str) -> float | None:
        """Return the mean macro F1 (0 to 1) over problems, None if a problem has no truth."""
        known = [value for value in self.scores[method].values() if value is not None]
        return sum(known) / len(known) if known and len(known) == len(self.scores[method]) else None


def is_collection(path: str | Path) -> bool:
    """Say whether an existing path contains PAN attribution problems."""
    return is_there(Path(path)) and is_attribution(path)


def answer_collection(
    path: str | Path,
    *,
    methods: str | Sequence[Any] | None = None,
    reject: float = 0.0,
    out: str | Path | None = None,
    lenient: bool = False,
    encoding: str | None = UTF8,
    strip_shared: bool = False,
    progress: Progress = silent,
) -> CollectionScores:
    """The ``CollectionScores`` of PAN problems, a folder or zip, answered by each method.

    A text is ``<UNK>`` if *none of them* is its most probable author, or the most probable leads the
    second by less than ``reject`` (.1 in PAN19's baseline); 0 answers everything, as closed sets want.
    ``answers-PROBLEM.json`` go to ``out``; with several methods each has a folder there. ``lenient`` leaves out
    problems that cannot be read, and says so.

    Raises InputError if a problem cannot be read, a method cannot be used, or answers cannot be written.
    """
    left_out: dict[str, str] = {}
    problems = tuple(
        read_attribution(
            path, lenient=lenient, left_out=left_out, encoding=encoding, strip_shared=strip_shared
        )
    )
    named = name_methods(METHODS if methods is None else methods)
    scores: dict[str, dict[str, float | None]] = {}
    with ExitStack() as stack:
        progress_file = None
        if out is not None:
            check_folder(out, inputs=[path], kind="attribute")
            progress_file = stack.enter_context(fresh_folder(out, kind="attribute", private=False))
        unanswered = _answer(problems, named, reject, progress_file, scores, progress)
    return CollectionScores(problems, scores, reject, left_out, unanswered)


def _answer(
    problems: Sequence[AttributionProblem],
    named: Mapping[str, Any],
    reject: float,
    progress_file: Path | None,
    scores: dict[str, dict[str, float | None]],
    progress: Progress,
) -> dict[str, int]:
    """Answer every problem with every method, write the answers where there is a place, and fill ``scores``; for how
    many texts each method named nobody."""
    unanswered = dict.fromkeys(named, 0)
    for number, (name, method) in enumerate(named.items()):
        scores[name] = {}
        folder = progress_file
        if progress_file is not None and len(named) > 1:
            folder = progress_file / f"{number + 1:02d}-{type(method).__name__}"
        for done, problem in enumerate(problems):
            progress("answering", number * len(problems) + done, len(named) * len(problems))
            with one_thread():
                predicted = answer_problem(problem, method, reject)
            unanswered[name] += sum(author == UNKNOWN for author in predicted.values())
            if folder is not None:
                write_attribution_answers(folder, problem.name, predicted)
            known = problem.truth
            scores[name][problem.name] = (
                None if known is None else macro_f1(known, predicted, [*problem.candidates])
            )
    return unanswered


def collection_preview(
    path: str | Path,
    *,
    methods: str | Sequence[Any] | None = None,
    out: str | Path | None = None,
    lenient: bool = False,
    encoding: str | None = UTF8,
    strip_shared: bool = False,
) -> Preview:
    """Return what ``answer_collection`` would do, without writing anything. Raises InputError if a problem cannot be
    read or a method cannot be used."""
    problems = read_attribution(path, lenient=lenient, encoding=encoding, strip_shared=strip_shared)
    named = name_methods(METHODS if methods is None else methods)
    cells = len(problems) * len(named)
    unknown = {problem.name: len(problem.unknown) for problem in problems}
    return Preview("attribute", "" if out is None else str(out), unknown, cells, 0, cells)
