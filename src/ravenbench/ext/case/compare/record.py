"""Defines what a comparison's folder says of itself: texts, cases, background, shapes, and what each problem asks.

In: what ``plan`` computes, or the JSON of a folder; for the functions a name (text), a number or a row.
Out: a ``ComparePlan`` of records, a ``FileNote``, a ``Reason`` (a sentence with its kind ``Why``); lengths are counts
of words, ``coverage`` is a share from 0 to 1, ``content`` a cosine from 0 to 1, rows count from 0. ``part_of``,
``under``, ``part_under`` and ``pairs_array`` give names of folds, arrays and texts (text).
"""

from __future__ import annotations

import re
from enum import IntEnum, StrEnum
from typing import Any, Literal

from msgspec import Struct

from ravenbench.ext.case.compare.dossier import Cited
from ravenbench.ext.case.sentences import say
from ravenbench.store.records import Plan, Record

Asks = Literal["plain", "off", "known"]
"""What a problem of a case asks: the case itself; the case with content replaced; one known text against the others."""


class FoldRole(StrEnum):
    """The content of a fold of one part of the authors; its name is that of the part and this suffix: pairs of
    background texts, the same with content words replaced, known texts of one author against one another, problems of
    cases."""

    PAIRS = ""
    TRANSPLANTED = "-off"
    SETS = "-known"
    CASES = "-case"

    def of(self, part: str) -> str:
        """Return the name of the fold of a part (``sN-fM``) in this role."""
        return f"{part}{self}"


def part_of(shape: str, number: int) -> str:
    """Return the name of a part of a shape's authors, with which their folds' names begin."""
    return f"{shape}-f{number}"


def under(name: str, condition: int) -> str:
    """Return the name of a part, or a shape, under one condition of a dossier."""
    return f"{name}-c{condition}"


def part_under(name: str) -> str:
    """Return the part with which a name under a condition begins."""
    return name.partition("-c")[0]


def pairs_array(fold: str) -> str:
    """Return the name of the array with properties of a fold's pairs."""
    return f"{fold}-pairs"


class PairColumn(IntEnum):
    """Columns of properties of background pairs: authors of both sides (in sets of known texts the author, and the
    number of the author's set), content similarity (cosine)."""

    KNOWN, QUESTIONED, CONTENT = range(3)


class Why(StrEnum):
    """Reasons not to answer a case; the last two concern a text whose author is unknown."""

    COPIED = "copied"
    NO_BLANKS = "no blanks"
    SHORT = "short"
    UNLIKE = "unlike the background"
    OTHER_KIND = "another kind"
    PASSAGES = "neighbouring passages"
    FEW_LIKE = "few like it"
    FEW_AUTHORS = "few authors"
    UNSCORED = "unscored"
    GUESSING = "guessing"
    DISAGREEING = "disagreeing"
    NOT_VALIDATED = "not validated"
    UNTOLD = "not distinguished"
    UNFINISHED = "no method"


class Reason(Struct, frozen=True):
    """A reason not to answer a case: its kind (``why``), and a sentence without its full stop."""

    why: Why
    sentence: str

    @classmethod
    def of(cls, why: Why, **values: Any) -> Reason:
        """Return a reason with the sentence of its kind and these values."""
        return cls(why, say(why, **values))

    def __str__(self) -> str:
        return self.sentence

    @property
    def short(self) -> str:
        """Return the sentence up to its first detail."""
        return re.split(r" \(|[,:;] ", self.sentence)[0]


class CaseTextRecord(Record, frozen=True, kw_only=True):
    """A text of the case: its file's name, its row in the table of texts, its number of words, the SHA-256 of the
    file's bytes, ``coverage``, the proportion (0 to 1) of its words that are among the background's most frequent
    words, and the parts of a document that were left out."""

    name: str
    row: int
    words: int
    sha256: str
    coverage: float
    left_out: str = ""


class CaseProblem(Record, frozen=True, kw_only=True):
    """A problem of a shape's ``case`` fold: what it asks, its case, the number of the version or known text, and the
    content similarity of its two sides, cut to the shape."""

    asks: Asks
    case: str
    number: int
    content: float


class ShapeRecord(Record, frozen=True, kw_only=True):
    """A shape: numbers of words of known and questioned texts, and the folds of background pairs.

    ``wanted`` is the shape of the cases, if the background could not provide it. ``authors`` are those with same-author
    pairs. ``case_folds`` are the folds of the problems, in their order. Each asks about every case; those of a class
    ask about the cases of their part. ``strangers`` are a hundred content similarities, ascending, with the
    distribution of all different-author pairs of these authors; empty if there are too few authors.
    """

    name: str
    known: list[int]
    questioned: int
    wanted: list[int] | None
    authors: list[int]
    folds: list[str]
    strangers: list[float]
    problems: list[CaseProblem]
    case_folds: list[str] = []


class CaseRecord(Record, frozen=True, kw_only=True):
    """A case: its texts, its shape, the reasons not to answer it, known before anything is scored (``refusals``), and
    ``notes``. For a member of a class ``part`` is the number of the fold whose verifiers score the case, and ``author``
    the member's number among the background's authors, whose pairs do not judge the case; otherwise both are None.
    ``known_names`` are the names of the known texts as they are compared, including joined texts."""

    id: str
    candidate: str
    questioned: CaseTextRecord
    known: list[CaseTextRecord]
    shape: str | None
    refusals: list[Reason]
    notes: list[str]
    part: int | None = None
    author: int | None = None
    known_names: list[str] = []


class BackgroundRecord(Record, frozen=True, kw_only=True):
    """The background: its source, the authors used by number, what Raven left out and why, and properties of its texts.

    ``coverage`` (proportions, 0 to 1) and ``words`` (counts) are (minimum, median, maximum) over its texts.
    """

    name: str
    notes: dict[str, Any]
    documents: int
    authors: list[str]
    all_authors: int
    left_out: list[str]
    coverage: list[float]
    words: list[int]
    functions: list[str]

    @property
    def described(self) -> str:
        """Return a description of the background in words."""
        count = len(self.authors)
        drawn = f", drawn from {self.all_authors}" if self.all_authors > count else ""
        values = {"name": self.name, "texts": self.documents, "authors": count}
        return say("background", **values, drawn=drawn)


class ComparePlan(Plan, frozen=True, kw_only=True):
    """The manifest of ``raven compare``; ``copies`` are notes on whole texts by two authors of a class, ``validated``
    is the dossier that it cites."""

    background: BackgroundRecord
    shapes: list[ShapeRecord]
    cases: list[CaseRecord]
    notes: list[str]
    copies: list[str] = []
    validated: Cited | None = None


NOTE = "note.json"
"""Name of the file with the note for the page, in a comparison's folder."""


class FileNote(Record, frozen=True, kw_only=True):
    """Details for the page that do not affect the answer: the case's reference, the examiner and the date."""

    case: str | None = None
    examiner: str | None = None
    date: str | None = None
