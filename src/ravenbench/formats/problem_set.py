"""The record that every reader of verification problems returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ravenbench.errors import FormatError
from ravenbench.formats.archive import Split
from ravenbench.formats.collector import TextCollector, same_document
from ravenbench.types import Bools, Problems, name_array


@dataclass(frozen=True, eq=False)
class ProblemSet:
    """The problems of one corpus and split, as read.

    Attributes
    ----------
    name : str
        The corpus (``en_essays``), without its split.
    split : 'train', 'test' or None
        Which part it was, where the source says so.
    problems : Problems
        The readable ones, sorted by id (PAN13–15) or in file order (PAN20–23). Authors and topics are there
        where the files give them.
    same : (n,) bool, or None
        Truth of ``problems``; None where there is no truth file.
    faults : mapping of id to reason
        Problems that could not be read: each counts as a non-answer.
    fault_truth : mapping of id to bool
        Truth of those among them that the truth file names.
    language, genre : str or None
    notes : tuple of str
        What else was found: dropped empty documents, identical known and questioned texts.
    """

    name: str
    problems: Problems
    same: Bools | None
    split: Split | None = None
    faults: Mapping[str, str] = field(default_factory=dict)
    fault_truth: Mapping[str, bool] = field(default_factory=dict)
    language: str | None = None
    genre: str | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.problems)

    def truth(self) -> Bools:
        """The truth of the problems.

        Raises
        ------
        FormatError
            If no truth file was found.
        """
        if self.same is None:
            raise FormatError(
                f"{self.name} has no truth file", expected="truth.txt or truth.jsonl beside the problems",
                fix="training needs truth: add the file, or use these problems as --test",
            )  # fmt: skip
        return self.same


class ProblemBuilder:
    """Gathers problems one by one; each distinct document is kept once."""

    def __init__(self) -> None:
        self.texts = TextCollector()
        self.ids: list[str] = []
        self._sizes: list[int] = []
        self._known: list[int] = []
        self._questioned: list[int] = []
        self.notes: list[str] = []

    def add(self, name: str, known: Sequence[str], questioned: str) -> tuple[list[int], int]:
        """Add one problem and return the rows of its documents.

        Raises
        ------
        FormatError
            If there is no usable document on one side; the message is the reason.
        """
        if not questioned.strip():
            raise FormatError("the questioned document is empty")
        usable = [text for text in known if text.strip()]
        if not usable:
            raise FormatError("every known document is empty" if known else "there is no known document")
        if len(usable) < len(known):
            self.notes.append(f"{name}: {len(known) - len(usable)} empty known documents left out")
        rows = [self.texts.add(text) for text in usable]
        row = self.texts.add(questioned)
        if row in rows or any(same_document(text, questioned) for text in usable):
            self.notes.append(f"{name}: the questioned text is identical with a known one")
        self.ids.append(name)
        self._sizes.append(len(rows))
        self._known += rows
        self._questioned.append(row)
        return rows, row

    def finish(self, **labels: Any) -> Problems:
        """All problems added; labels are columns of ``Problems`` (author, topic, language)."""
        return Problems(
            self.texts.table(),
            name_array(self.ids),
            np.concatenate([[0], np.cumsum(self._sizes)]).astype(np.int64),
            np.asarray(self._known, dtype=np.int64),
            np.asarray(self._questioned, dtype=np.int64),
            **labels,
        )
