"""Answers as read from files, brought into the order of truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ravenbench.errors import InputError
from ravenbench.formats.answers import SystemAnswers, Truth, align
from ravenbench.types import Bools, Floats

Training = tuple[Bools, dict[str, Floats]]
"""Truth of a training set and the systems' answers there, in its order."""


@dataclass(frozen=True, eq=False)
class Aligned:
    """Answers in truth's order: by system its values, decisions where given apart, how many were filled with 0.5.

    ``notes`` say what was mended in the files.
    """

    systems: dict[str, Floats]
    decisions: dict[str, Floats]
    missing: dict[str, int]
    notes: tuple[str, ...]


def aligned(truth: Truth, answers: Sequence[SystemAnswers]) -> Aligned:
    """Answers in the order of truth, missing ones 0.5 and counted.

    Raises
    ------
    InputError
        If two systems share a name, or answers name problems that truth does not have.
    """
    seen: dict[str, SystemAnswers] = {}
    for a in answers:
        if a.system in seen:
            raise InputError(
                f"two systems are named {a.system!r}", found=f"{seen[a.system].file} and {a.file}",
                fix="rename a file or folder: a system is named after it",
            )  # fmt: skip
        seen[a.system] = a
    found = {name: align(truth, a) for name, a in seen.items()}
    return Aligned(
        {name: a.value for name, a in found.items()},
        {name: a.decision for name, a in found.items() if a.decision is not None},
        {name: int(a.missing.sum()) for name, a in found.items()},
        tuple(f"{a.system}: {note}" for a in answers for note in a.notes),
    )
