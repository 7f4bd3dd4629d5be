"""Holds what is to be known of what was read: notes and faults, each a code with places and values.

In: a code of ``account.toml``, places (ids, files or names concerned) and values for its sentence.
Out: ``Note``, whose effect, sentence and fix are its row of the table; ``noted`` a list of one note, or of none where
there is nothing to say; ``fault`` the error of a code, for whoever reads to raise. ``notes_in`` reads what was stored.

A doubt is added by one function that yields notes (``remarks.check``) and one row of the table, which has all words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from ravenbench import errors
from ravenbench.errors import SAID_AT_ONCE, FormatError, first_names, offered, with_keys

ACCOUNT = "what was left out"
"""The note of a corpus that holds all notes on how it was read."""
EFFECTS = (*SAID_AT_ONCE, "doubt", "fact")
"""What a note may say was done, the most important first."""
MOST_PLACES = 1_000
"""Places that a note keeps, the first ones; its count is of all."""
_SHOWN = 5
Value = int | str | tuple[str, ...]


class CodeRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the table says of a code: one of ``EFFECTS``, a sentence with places for values, and what mends it."""

    effect: str
    says: str
    fix: str = ""


class FaultRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the table says of a fault: the class of its error, the problem, what was expected, and what mends it."""

    problem: str
    kind: str = "FormatError"
    expected: str | None = None
    fix: str | None = None


class _Table(msgspec.Struct):
    note: dict[str, CodeRow]
    fault: dict[str, FaultRow]


@cache
def _rows() -> _Table:
    content = (files("ravenbench.reading") / "account.toml").read_bytes()
    return msgspec.toml.decode(content, type=_Table)


def table() -> dict[str, CodeRow]:
    """The rows of all notes, by code."""
    return _rows().note


def faults() -> dict[str, FaultRow]:
    """The rows of all faults, by code."""
    return _rows().fault


def fault(
    code: str,
    *,
    file: str | Path | None = None,
    line: int | None = None,
    found: object = None,
    expected: str | None = None,
    fix: str | None = None,
    **values: object,
) -> FormatError:
    """The error of a code, its sentences filled with these values; ``expected`` and ``fix`` where they follow from what
    was read. It is of the class that its row names, a FormatError or another InputError."""
    row = faults()[code]
    filled = [words and words.format(**values) for words in (row.problem, row.expected, row.fix)]
    error: type[FormatError] = getattr(errors, row.kind)
    return error(
        filled[0] or "",
        file=file,
        line=line,
        found=found,
        expected=expected or filled[1],
        fix=fix or filled[2],
        code=code,
    )


class Note(msgspec.Struct, frozen=True):
    """One thing that is to be known of what was read.

    Attributes
    ----------
    code : str
        Its row of the table.
    count : int
        How many texts, rows, files or names it is about.
    places : tuple of str
        Their ids or names, at most ``MOST_PLACES``.
    values : dict
        What else its sentence says.
    """

    code: str
    count: int = 1
    places: tuple[str, ...] = ()
    values: dict[str, Value] = {}

    @property
    def effect(self) -> str:
        """Whether it refused, left out, joined, doubts or tells a fact."""
        return self._row.effect

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        return self._filled(self._row.says)

    @property
    def fix(self) -> str:
        """What mends it, by flags and keys that the command at hand has; "" where nothing does."""
        return with_keys(offered(self._filled(self._row.fix)))

    def __str__(self) -> str:
        return "; ".join(filter(None, (self.sentence, self.fix)))

    def record(self) -> dict[str, Any]:
        """What JSON says of it."""
        words = {"effect": self.effect, "sentence": self.sentence, "fix": self.fix}
        return {**msgspec.structs.asdict(self), **words}

    @property
    def _row(self) -> CodeRow:
        return table().get(self.code, CodeRow("doubt", f"{self.code}: {{places}}"))

    def _filled(self, words: str) -> str:
        shown = {key: _in_words(value) for key, value in self.values.items()}
        further = self.count if len(self.places) == MOST_PLACES else len(self.places)
        more = f" and {further - _SHOWN:,} more" if further > _SHOWN else ""
        shown["places"] = "; ".join(self.places[:_SHOWN]) + more
        shown["count"] = f"{self.count:,}"
        shown["s"] = "s" * (self.count != 1)
        total = f"{shown['count']} of {shown.get('total', '')} texts"
        shown["texts"] = f"{total}, as {self.places[0]}: " if self.places else ""
        return words.format_map(defaultdict(str, shown))


def _in_words(value: Value) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return value if isinstance(value, str) else first_names(value, _SHOWN, ", ")


def noted(
    code: str, places: Iterable[str] = (), count: int | None = None, **values: Value
) -> list[Note]:
    """The note of a code in a list, which is empty where it is about nothing; the count is that of its places unless it
    is given."""
    all_places = tuple(places)
    number = len(all_places) if count is None else count
    return [Note(code, number, all_places[:MOST_PLACES], values)] if number else []


def in_words(notes: Mapping[str, Any]) -> dict[str, Any]:
    """The notes of a corpus as records of runs have them, its account in sentences."""
    return {key: list(map(str, value)) if key == ACCOUNT else value for key, value in notes.items()}


def notes_in(stored: Iterable[Any]) -> list[Note]:
    """Notes as they were stored: records, or the sentences of an earlier Raven."""
    return [
        Note("earlier", values={"sentence": note})
        if isinstance(note, str)
        else msgspec.convert(note, Note)
        for note in stored
    ]
