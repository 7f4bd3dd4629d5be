"""Stores notes and faults about what was read, each as a code with places and values.

In: a code of ``account.toml``, places (ids, files or names concerned) and values for its sentence.
Out: ``Note``, whose effect, sentence and fix are in its row of the table; ``noted``: a list with one note, or an empty
list if there is nothing to say; ``fault``: the error of a code, for readers to raise. ``notes_in`` reads stored notes.

To add a doubt, write one function that gives notes (``remarks.check``) and one row of the table, which has all words.
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
"""Key of a corpus' notes: all notes on how Raven read the corpus."""
EFFECTS = (*SAID_AT_ONCE, "doubt", "fact")
"""What a note says was done, the most important first."""
MOST_PLACES = 1_000
"""Number of places that a note keeps (the first ones); its count includes all."""
_SHOWN = 5
Value = int | str | tuple[str, ...]


class CodeRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A note's row of the table: one of ``EFFECTS``, a sentence with names of values in braces, and what to do."""

    effect: str
    says: str
    fix: str = ""


class FaultRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fault's row of the table: the class of its error, the problem, what was expected, and what to do."""

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
    """Return the rows of all notes, by code."""
    return _rows().note


def faults() -> dict[str, FaultRow]:
    """Return the rows of all faults, by code."""
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
    """Return the error of a code, with these values in its sentences.

    ``expected`` and ``fix`` replace those of the table. The error is of the class that its row names: a FormatError or
    another InputError."""
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
    """One note about what was read.

    Attributes
    ----------
    code : str
        The key of its row in the table.
    count : int
        The number of texts, rows, files or names it is about.
    places : tuple of str
        Their ids or names, at most ``MOST_PLACES``.
    values : dict
        Further values in its sentence.
    """

    code: str
    count: int = 1
    places: tuple[str, ...] = ()
    values: dict[str, Value] = {}

    @property
    def effect(self) -> str:
        """Return what was done: one of ``EFFECTS``."""
        return self._row.effect

    @property
    def sentence(self) -> str:
        """Return what was found, as a sentence."""
        return self._filled(self._row.says)

    @property
    def fix(self) -> str:
        """Return what to do, with the flags and keys of the current command; "" if there is nothing to do."""
        return with_keys(offered(self._filled(self._row.fix)))

    def __str__(self) -> str:
        return "; ".join(filter(None, (self.sentence, self.fix)))

    def record(self) -> dict[str, Any]:
        """Return the note as a dict for JSON."""
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
        shown["texts"] = f"{total}, such as {self.places[0]}: " if self.places else ""
        return words.format_map(defaultdict(str, shown))


def _in_words(value: Value) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return value if isinstance(value, str) else first_names(value, _SHOWN, ", ")


def noted(
    code: str, places: Iterable[str] = (), count: int | None = None, **values: Value
) -> list[Note]:
    """Return the note of a code in a list, or an empty list if it is about nothing.

    By default, the count is the number of places."""
    all_places = tuple(places)
    number = len(all_places) if count is None else count
    return [Note(code, number, all_places[:MOST_PLACES], values)] if number else []


def in_words(notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the notes of a corpus as records of runs store them, with the account as sentences."""
    return {key: list(map(str, value)) if key == ACCOUNT else value for key, value in notes.items()}


def notes_in(stored: Iterable[Any]) -> list[Note]:
    """Return stored notes: records, or sentences of an earlier version of Raven."""
    return [
        Note("earlier", values={"sentence": note})
        if isinstance(note, str)
        else msgspec.convert(note, Note)
        for note in stored
    ]
