"""What an obfuscation's folder says of itself: its plan, and a record for each rewriting."""

from __future__ import annotations

from typing import Any

from ravenbench.formats.pan_obfuscation import Part
from ravenbench.store.records import Plan, Record


class RewritingRecord(Record, frozen=True, kw_only=True):
    """``rewritings/KEY.json``: one text rewritten by one obfuscator with one seed.

    ``parts`` is None and ``error`` says why where the obfuscator failed on this text.
    """

    key: str
    id: str
    obfuscator: str
    seed: int
    parts: tuple[Part, ...] | None
    notes: tuple[str, ...]
    counts: dict[str, int]
    seconds: float
    error: str | None


class TextRecord(Record, frozen=True, kw_only=True):
    """A text to be rewritten: its name (or its problem's id), its length in words, and its rewriting's key."""

    id: str
    words: int
    key: str


class ObfuscatePlan(Plan, frozen=True, kw_only=True):
    """The manifest of ``raven obfuscate``: the obfuscator, and every text with the key of its rewriting.

    ``rewritings`` is the folder where rewritings are kept, relative to the run's folder where it lies within.
    """

    obfuscator: str
    identity: Any
    version: int
    provenance: str
    sends_text: bool
    source: str
    language: str | None
    texts: list[TextRecord]
    rewritings: str
