"""Gives the notes on what was read as tests ask for them: places by code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ravenbench.reading.account import ACCOUNT, Note
from ravenbench.reading.load import load_corpus
from ravenbench.types import Corpus


def places(notes: Iterable[Note]) -> dict[str, tuple[str, ...]]:
    """The places of notes by their codes; those of one code together."""
    by_code: dict[str, tuple[str, ...]] = {}
    for note in notes:
        by_code[note.code] = by_code.get(note.code, ()) + note.places
    return by_code


def account(source: Any, **options: Any) -> dict[str, tuple[str, ...]]:
    """The places of all notes on a corpus, or on one that is read from a path."""
    corpus = source if isinstance(source, Corpus) else load_corpus(source, **options)
    return places(corpus.notes.get(ACCOUNT, ()))
