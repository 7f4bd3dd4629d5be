"""Cutting a text into sentences and parts, and turning edits into parts."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ravenbench.formats.pan_obfuscation import Part
from ravenbench.text.tokens import WORD

Span = tuple[int, int]

PART_WORDS = 50
"""PAN16 wants parts of at most about this many words."""

_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s)|[。！？]+[”’」』）]*|\n[^\S\n]*\n")
_ABBREVIATED = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|vs|etc|cf|No|Fig|e\.g|i\.e|al)|\b[A-Z])\.\Z")


@dataclass(frozen=True)
class Edit:
    """An edit: ``[start, end)`` of the original is replaced by ``new``."""

    start: int
    end: int
    new: str
    operation: str


def sentences(text: str) -> list[Span]:
    """Half-open spans that tile the text: one sentence each, with the white space that follows it.

    A sentence ends after ``.``, ``!``, ``?`` or an ellipsis before white space (common abbreviations and
    initials excepted, unless a line ends there), after ``。``, ``！`` or ``？``, or at an empty line.
    """
    spans: list[Span] = []
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        while end < len(text) and text[end].isspace():
            end += 1
        gap = text[match.end() : end]
        if end <= start or ("\n" not in gap and _ABBREVIATED.search(text, max(start, match.end() - 8), match.end())):
            continue
        if not WORD.search(text, start, end) and spans:
            start = spans.pop()[0]
        spans.append((start, end))
        start = end
    if start < len(text):
        spans.append((start, len(text)))
    return spans


def pack(text: str, spans: Sequence[Span] | None = None, limit: int = PART_WORDS) -> list[Span]:
    """Sentences packed greedily into parts of at most ``limit`` words; a longer sentence is cut between words."""
    parts: list[Span] = []
    start = count = 0
    for low, high in sentences(text) if spans is None else spans:
        words = [m.start() for m in WORD.finditer(text, low, high)]
        if count and count + len(words) > limit:
            parts.append((start, low))
            start, count = low, 0
        first = 0
        while count + len(words) - first > limit:
            cut = _word_start(text, words[first + limit], start)
            if cut <= start:
                break
            parts.append((start, cut))
            start, first = cut, bisect_left(words, cut)
        count += len(words) - first
    if start < len(text):
        parts.append((start, len(text)))
    return parts


def from_edits(text: str, edits: Iterable[Edit]) -> tuple[Part, ...]:
    """Parts of at most ``PART_WORDS`` words with these edits made; a cut that an edit spans is left out.

    ValueError if two edits overlap.
    """
    ordered = sorted(edits, key=lambda e: (e.start, e.end))
    parts: list[Part] = []
    done = 0
    place = 0
    for _, end in pack(text):
        here = done
        while here < len(ordered) and ordered[here].start < end:
            here += 1
        if here > done and ordered[here - 1].end > end:
            continue
        pieces, at = [], place
        for edit in ordered[done:here]:
            if edit.start < at:
                raise ValueError(f"edits overlap at {edit.start}")
            pieces += [text[at : edit.start], edit.new]
            at = edit.end
        pieces.append(text[at:end])
        names = tuple(edit.operation for edit in ordered[done:here])
        parts.append(Part(place, end, text[place:end], "".join(pieces), names))
        place, done = end, here
    if done < len(ordered) and parts:
        last = parts[-1]
        parts[-1] = Part(
            last.start, last.end, last.original, last.obfuscation + "".join(e.new for e in ordered[done:]),
            (*last.operations, *(e.operation for e in ordered[done:])),
        )  # fmt: skip
    return tuple(parts)


def _word_start(text: str, place: int, least: int) -> int:
    """The nearest white space at or before a word, so that no part begins inside a hyphenated or quoted word."""
    while place > least and not text[place - 1].isspace():
        place -= 1
    return place
