"""Cuts a text into sentences and into parts of at most 50 words, and makes parts of edits.

In: a text; for ``pack`` also spans (by default the sentences) and the most words of a part (by default 50); for
``from_edits`` ``Edit``s (span, new text, operation).
Out: ``sentences`` and ``pack`` give half-open spans of characters (code points from 0) that cover the text without
gaps, none for an empty text; ``from_edits`` gives ``Part``s (span, old text, new text, operations), longer than 50
words only where an edit crosses a cut. ValueError if two edits overlap.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ravenbench.reading.pan_obfuscation import Part
from ravenbench.text.tokens import WORD

Span = tuple[int, int]

PART_WORDS = 50
"""PAN16 wants parts of at most about this many words."""

_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s)|[。！？]+[”’」』）]*|\n[^\S\n]*\n")
_ABBREVIATED = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|vs|etc|cf|No|Fig|e\.g|i\.e|al)|\b[A-Z])\.\Z"
)


@dataclass(frozen=True)
class Edit:
    """An edit: ``new`` replaces ``[start, end)`` of the original (in characters)."""

    start: int
    end: int
    new: str
    operation: str


def sentences(text: str) -> list[Span]:
    """Return half-open spans that together are the text: one sentence each, with the white space after it.

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
        if end <= start or (
            "\n" not in gap and _ABBREVIATED.search(text, max(start, match.end() - 8), match.end())
        ):
            continue
        if not WORD.search(text, start, end) and spans:
            start = spans.pop()[0]
        spans.append((start, end))
        start = end
    if start < len(text):
        spans.append((start, len(text)))
    return spans


def pack(text: str, spans: Sequence[Span] | None = None, limit: int = PART_WORDS) -> list[Span]:
    """Pack sentences greedily into parts of at most ``limit`` words; cut longer sentences between words."""
    parts: list[Span] = []
    start = count = 0
    for low, high in sentences(text) if spans is None else spans:
        words = [match.start() for match in WORD.finditer(text, low, high)]
        if count and count + len(words) > limit:
            parts.append((start, low))
            start = low
            count = 0
        first_word = 0
        while count + len(words) - first_word > limit:
            stop = _word_start(text, words[first_word + limit], start)
            if stop <= start:
                break
            parts.append((start, stop))
            start = stop
            first_word = bisect_left(words, stop)
        count += len(words) - first_word
    if start < len(text):
        parts.append((start, len(text)))
    return parts


def from_edits(text: str, edits: Iterable[Edit]) -> tuple[Part, ...]:
    """Return parts of at most ``PART_WORDS`` words with these edits; there is no cut inside an edit.

    ValueError if two edits overlap.
    """
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    parts: list[Part] = []
    edits_written = 0
    position = 0
    for _, end in pack(text):
        first_edit = edits_written
        while first_edit < len(ordered) and ordered[first_edit].start < end:
            first_edit += 1
        if first_edit > edits_written and ordered[first_edit - 1].end > end:
            continue
        rewritten = []
        at = position
        for edit in ordered[edits_written:first_edit]:
            if edit.start < at:
                raise ValueError(f"edits overlap at {edit.start}")
            rewritten += [text[at : edit.start], edit.new]
            at = edit.end
        rewritten.append(text[at:end])
        names = tuple(edit.operation for edit in ordered[edits_written:first_edit])
        parts.append(Part(position, end, text[position:end], "".join(rewritten), names))
        position = end
        edits_written = first_edit
    if edits_written < len(ordered) and parts:
        last_part = parts[-1]
        parts[-1] = Part(
            last_part.start,
            last_part.end,
            last_part.original,
            last_part.obfuscation + "".join(edit.new for edit in ordered[edits_written:]),
            (*last_part.operations, *(edit.operation for edit in ordered[edits_written:])),
        )
    return tuple(parts)


def _word_start(text: str, start: int, lowest: int) -> int:
    """The nearest white space at or before a word, so that no part begins inside a hyphenated or quoted word."""
    while start > lowest and not text[start - 1].isspace():
        start -= 1
    return start
