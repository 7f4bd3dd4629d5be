"""Defines sets of verification problems as read, and what a format of problems is.

In: texts for ``ProblemBuilder``; of a ``ProblemFormat`` an open ``Archive``.
Out: ``ProblemSet`` (n readable ``Problems``, their truth ``same`` (n,) bool, True = same author, or None, and by id the
reasons why others cannot be read). FormatError for a problem without texts. ``corpus_name`` and ``is_truth`` read names;
``WORDINGS`` has the words for what truth is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import numpy as np

from ravenbench.errors import (
    FormatError,
)
from ravenbench.reading.account import Note, fault, noted
from ravenbench.reading.archive import Archive, Split, split_of
from ravenbench.reading.collector import TextCollector, same_document
from ravenbench.reading.tabular import (
    stem_of,
)
from ravenbench.types import Bools, Problems, name_array


@dataclass(frozen=True, eq=False)
class ProblemSet:
    """The problems of one corpus and split, as read: n problems and their truth, shape (n,).

    Attributes
    ----------
    name : str
        The corpus (``en_essays``), without its split.
    split : 'train', 'test' or None
        Which part it is, if the source says so.
    problems : Problems
        The readable problems, sorted by id (PAN13–15) or in file order (PAN20–23), with authors and topics
        if the files give them.
    same : (n,) bool, or None
        Truth of ``problems``, True = same author; None without a truth file.
    faults : mapping of id to reason
        Problems that Raven could not read: each counts as unanswered.
    fault_truth : mapping of id to bool
        Truth of these problems, if the truth file contains it.
    language, genre : str or None
    notes : tuple of Note
        Further findings: empty documents left out, identical known and questioned texts, files that were not read.
    place : str
        Its place below the path that was read.
    """

    name: str
    problems: Problems
    same: Bools | None
    split: Split | None = None
    faults: Mapping[str, str] = field(default_factory=dict)
    fault_truth: Mapping[str, bool] = field(default_factory=dict)
    language: str | None = None
    genre: str | None = None
    notes: tuple[Note, ...] = ()
    place: str = ""

    def __len__(self) -> int:
        return len(self.problems)

    def truth(self) -> Bools:
        """Return the truth of the problems, (n,) bool, True = same author. FormatError if no truth file was found."""
        if self.same is None:
            raise fault("no-truth", name=self.name)
        return self.same


class ProblemBuilder:
    """Collects problems one by one into ``Problems``; stores each distinct document once."""

    def __init__(self) -> None:
        self.texts = TextCollector()
        self.ids: list[str] = []
        self._sizes: list[int] = []
        self._known: list[int] = []
        self._questioned: list[int] = []
        self.notes: list[Note] = []
        self._empty: list[str] = []
        self.identical: list[str] = []

    def add(self, name: str, known: Sequence[str], questioned: str) -> tuple[list[int], int]:
        """Add one problem; return the rows of its known documents (list) and the row of its questioned document.

        FormatError if it has no usable known or questioned document; the message is the reason.
        """
        if not questioned.strip():
            raise fault(
                "questioned-document-empty",
            )
        usable = [text for text in known if text.strip()]
        if not usable:
            raise FormatError("every known document is empty" if known else "no known document")
        if len(usable) < len(known):
            self._empty += [name] * (len(known) - len(usable))
        rows = [self.texts.add(text) for text in usable]
        row = self.texts.add(questioned)
        if row in rows or any(same_document(text, questioned) for text in usable):
            self.identical.append(name)
        self.ids.append(name)
        self._sizes.append(len(rows))
        self._known += rows
        self._questioned.append(row)
        return rows, row

    def finish(self, **labels: Any) -> Problems:
        """Return all problems added as ``Problems``; labels are columns of ``Problems`` (author, topic, language)."""
        self.notes += noted("empty-known", self._empty)
        self.notes += noted("identical", self.identical)
        return Problems(
            self.texts.table(),
            name_array(self.ids),
            np.concatenate([[0], np.cumsum(self._sizes)]).astype(np.int64),
            np.asarray(self._known, dtype=np.int64),
            np.asarray(self._questioned, dtype=np.int64),
            **labels,
        )


OF_TRUTH = "unusable lines of truth"


ID_TWICE = "duplicate id"


NOT_TRUTH = "this is an answer, not truth"


SWAPPED = "are truth and answers swapped?"


def corpus_name(archive: Archive, root: str) -> tuple[str, Split | None]:
    """Return the name and the split of the corpus at a place inside an archive."""
    base, split = split_of(root)
    if split is None and not root:
        # The path itself may be a corpus's train/ or test/ folder.
        path = archive.path.resolve()
        outer, split = split_of(path.name) if path.is_dir() else ("", None)
        return (path.parent.name if split and not outer else archive.stem), split
    return (PurePosixPath(base).name or archive.stem), split


def truth_of_faults(truth: Mapping[str, bool] | None, faults: Mapping[str, str]) -> dict[str, bool]:
    return {name: truth[name] for name in faults if name in truth} if truth else {}


_TRUTH = re.compile(r"(?:.*[-_.])?truth\Z", re.IGNORECASE)


class Wording(NamedTuple):
    """The words that pages use for a truth: ``yes`` and ``no``; problems of either kind (many, one, and one set
    against it); what all of them are; what problems are; and a sentence of counts (of yes, of no).
    """

    yes: str
    no: str
    many: str
    one: str
    other: str
    all_yes: str
    all_no: str
    title: str
    lead: str


WORDINGS = {
    "authors": Wording(
        "same author",
        "different authors",
        "same-author problems",
        "a same-author problem",
        "a different-author problem",
        "by the same author",
        "by different authors",
        "verification problems",
        "{:,} problems are by the same author, {:,} by different authors.",
    ),
    "machines": Wording(
        "machine",
        "person",
        "machines' texts",
        "a machine's text",
        "a person's",
        "by a machine",
        "by a person",
        "texts by persons and machines",
        "{:,} texts are by a machine, {:,} by a person.",
    ),
    "machine pairs": Wording(
        "first text by a machine",
        "second text by a machine",
        "pairs with the machine's text first",
        "a pair with the machine's text first",
        "a pair with it second",
        "with the machine's text first",
        "with the machine's text second",
        "pairs of a person's and a machine's text",
        "The machine's text is first in {:,} pairs and second in {:,}.",
    ),
}
"""The words for each kind of truth, by key."""


def is_truth(name: str) -> bool:
    """Return whether a file contains truth, by its name."""
    return _TRUTH.match(stem_of(name)) is not None


class ProblemFormat(NamedTuple):
    """A format of problems: ``find`` returns the files of this format in an archive (false if none), ``read`` the sets.

    A set has at least one problem: if none can be read, ``read`` raises FormatError. Raven tries formats in order of
    ``turn``, and the first that finds something reads it; a table with two columns of texts, the loosest, is last.
    Problems of ``signed`` formats may name authors, so they also make a corpus.
    """

    turn: int
    find: Callable[[Archive], Any]
    read: Callable[[Archive, Any, Split | None, bool], list[ProblemSet]]
    signed: bool = True
