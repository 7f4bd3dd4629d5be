"""Adds the answers of a system that Raven did not run to the store of a run, as a further verifier of every report.

In: a ``Store``, and by name of the system a folder of answers from 0 to 1 (higher = same author, 0.5 = unanswered);
for ``parse_given`` texts ``NAME=FOLDER``.
Out: ``with_answers`` gives a ``WithAnswers``, the same store with one more cell (result) a fold and system;
``read_outside`` the ``Outside`` systems, ``takes_answers`` bool. InputError for wrong answers or a wrong folder,
SpecError for a bad name.

The system was given the folds that ``raven export`` wrote and answered their test sets: ``FOLDER/<fold>/answers.jsonl``
or ``answers.txt``. Nothing is written: the run's own cells stay what they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from ravenbench.errors import InputError, SpecError, did_you_mean, first_names
from ravenbench.reading.answers import Truth, align, answer_faults, read_answers
from ravenbench.reading.decoding import Faults, checked_name
from ravenbench.reports.report import report_class
from ravenbench.store.records import CellPlace, CellRecord, Plan, Seconds, VerifierRecord
from ravenbench.store.store import Cell, Store
from ravenbench.types import Arrays

P = TypeVar("P", bound=Plan)
FILES = ("answers.jsonl", "answers.txt")
SHOWN = 5
"""Folds named in a sentence; more are counted."""


@dataclass(frozen=True, eq=False)
class Outside:
    """An outside system: its name, the place of its answers, a cell for each fold, and the folds it did not answer.

    Cells of those folds have an error. ``notes`` say what a reader must know: folds and problems without an answer.
    """

    name: str
    folder: str
    cells: Mapping[str, Cell]
    missing: tuple[str, ...]
    notes: tuple[str, ...]

    def key(self, fold: str) -> str:
        """The key of its cell on a fold."""
        return hashlib.sha256(f"answers\n{self.name}\n{fold}".encode()).hexdigest()[:32]


class WithAnswers(Store):
    """The store of a run whose plan also has outside systems as verifiers, each with a cell on every fold."""

    def __init__(self, store: Store, systems: Sequence[Outside]) -> None:
        super().__init__(store.path)
        self.systems = tuple(systems)
        self.outside = tuple(system.name for system in systems)
        self._cells = {
            system.key(fold): cell for system in systems for fold, cell in system.cells.items()
        }

    def plan_as(self, shape: type[P]) -> P:
        """Return the manifest of a task, with the outside systems."""
        plan = super().plan_as(shape)
        verifiers = [
            VerifierRecord(
                name=system.name,
                spec=f"answers of {system.folder}",
                identity=["answers", system.name],
                version=0,
            )
            for system in self.systems
        ]
        cells = [
            CellPlace(key=system.key(cell), verifier=system.name, fold=cell)
            for system in self.systems
            for cell in system.cells
        ]
        return msgspec.structs.replace(
            plan, verifiers=[*plan.verifiers, *verifiers], cells=[*plan.cells, *cells]
        )

    def _cell(self, key: str) -> Cell | None:
        """A cell of the run or of an outside system."""
        return self._cells.get(key) or super()._cell(key)


def with_answers(store: Store, folders: Mapping[str, str | Path]) -> WithAnswers:
    """Return the store of a run with the answers of outside systems (name → folder) in addition to its cells, for any
    of its reports.

    Answers are checked as ``raven evaluate`` checks them: a number in [0, 1], only for problems of the test set of the
    fold; a problem without a number counts as unanswered. InputError if this task has no place for them, a name is
    taken, a folder has answers to no fold, or answers are not valid.
    """
    return WithAnswers(store, read_outside(store, folders))


def takes_answers(kind: str) -> bool:
    """Say whether the report of a task can include these answers."""
    report = report_class(kind)
    return report is not None and report.takes_answers


def read_outside(store: Store, folders: Mapping[str, str | Path]) -> list[Outside]:
    """Return the answers of outside systems by name, from the folder of each (see ``with_answers``)."""
    if not takes_answers(store.kind):
        raise InputError(
            f"the report of raven {store.kind} cannot include answers of other systems",
            file=store.path,
        )
    names = [verifier.name for verifier in store.plan.verifiers]
    for name in folders:
        if not name.strip() or name in names:
            raise SpecError(
                "give the outside system a name that no verifier of the run has",
                found=name,
                expected="NAME=FOLDER",
            )
    faults = answer_faults()
    systems = []
    read = getattr(report_class(store.kind), "read_answers", _read_answers)
    for name, folder in folders.items():
        with faults.gathered():
            systems.append(read(store, name, Path(folder), faults))
    faults.check()
    return systems


def parse_given(values: Sequence[str]) -> dict[str, str]:
    """``NAME=FOLDER`` of each; SpecError if one is not such a pair, or repeats a name."""
    folders: dict[str, str] = {}
    for value in values:
        name, equals, folder = value.partition("=")
        if not equals or not name or not folder:
            raise SpecError(
                "write answers as NAME=FOLDER", found=value, fix=f"theirs={value.strip('=')}"
            )
        if name in folders:
            raise SpecError(
                "two submissions have the same name",
                found=value,
                fix="give each submission another name",
            )
        if not name.isprintable():
            raise SpecError("a name is one line without control characters", found=value)
        checked_name(name, "the name of a submission", limit=100)
        folders[name] = folder
    return folders


def _read_answers(store: Store, name: str, folder: Path, faults: Faults) -> Outside:
    folds = list(store.plan.folds)
    if not folder.is_dir():
        raise InputError(
            "folder of answers not found",
            file=folder,
            expected="FOLDER/<fold>/answers.jsonl",
        )
    for inner in sorted(path.name for path in folder.iterdir() if path.is_dir()):
        if inner not in folds and any((folder / inner / file).is_file() for file in FILES):
            with faults.gathered():
                raise InputError(
                    "these answers are not for any fold of the run",
                    file=folder / inner,
                    fix=did_you_mean(inner, folds),
                )
    cells: dict[str, Cell] = {}
    missing: list[str] = []
    notes: list[str] = []
    for fold in folds:
        file_path = next((path for file in FILES if (path := folder / fold / file).is_file()), None)
        if file_path is None:
            missing.append(fold)
            cells[fold] = outside_cell(
                store,
                name,
                fold,
                {},
                f"file of answers not found: {folder / fold / FILES[0]}",
            )
            continue
        problems = store.fold(fold)
        with faults.gathered():
            answers = align(
                Truth(problems.test.ids, problems.test_same), read_answers(file_path, faults=faults)
            )
        if faults:
            continue
        if answers.missing.any():
            notes.append(
                f"{name} leaves {int(answers.missing.sum())} of {len(problems.test)} problems"
                f" of {fold} unanswered"
            )
        arrays = {"answers": answers.value, "scores": answers.value, "missing": answers.missing}
        cells[fold] = outside_cell(store, name, fold, arrays)
    if len(missing) == len(folds):
        raise InputError(
            "no answers to any fold of the run",
            file=folder,
            expected=f"{folds[0]}/answers.jsonl or answers.txt",
            fix="raven export RUN writes the folds to answer",
        )
    if missing:
        notes.append(
            f"{name} has no answers to {len(missing)} folds: {first_names(missing, SHOWN, ', ')}"
        )
    return Outside(name, str(folder), cells, tuple(missing), tuple(notes))


def outside_cell(
    store: Store, name: str, fold: str, arrays: Arrays, error: str | None = None
) -> Cell:
    """The cell of an outside system on a fold: its arrays (answers from 0 to 1), or its error."""
    record = store.plan.folds[fold]
    n = len(arrays.get("answers", ()))
    cell_record = CellRecord(
        key="",
        verifier=name,
        identity=["answers", name],
        train_digest=record.train_digest,
        test_digest=record.test_digest,
        n=n,
        seconds=Seconds(fit=0.0, score=0.0),
        error=error,
        exposed="its answers were made outside Raven, with access to all test sets",
    )
    return Cell(cell_record, arrays)
