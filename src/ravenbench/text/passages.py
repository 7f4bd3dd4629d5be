"""Finds passages that texts by several authors have in common: licences, headers, forms (no author's style).

In: ``SharedPassages.among``, ``cleaner`` and ``shared_by_authors``: texts and their authors, in the same order; the
methods of ``SharedPassages``, and what ``cleaner`` gives: one text.
Out: ``SharedPassages``: ``without`` the text without shared passages and what Project Gutenberg adds, ``stretches``
half-open spans of code points (from 0), ``line_of`` the first shared line or None; ``cleaner`` a function from text to
text; ``shared_by_authors`` a ``SharedSign`` or None; ``units`` lines. ValueError for fewer authors than texts.
*Shared*: by ``FEWEST_AUTHORS`` (3) authors or more.

A passage is a whole line of 40 characters or more (of one above 400 a sentence), or a dozen or more words in one order,
with any line breaks and a few other words (a title, a date, a name) between them: three in a row, two such runs near
each other, two of these pairs near each other, each in texts of several authors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ravenbench.types import Bools, Ints

FEWEST_AUTHORS = 3
"""Fewest authors with a line for it to count as shared: two authors may quote each other."""
SHORTEST = 40
LONGEST = 400
"""Fewest and most characters of an examined line; of longer lines, the sentences are examined."""
IN_A_ROW = 3
BETWEEN = 12
LEVELS = 3
"""Consecutive words in a part of a passage, words that may differ between two parts, and how often parts are joined."""
EDGE = 8_000
"""Number of characters at the beginning and at the end of a text in which passages with differing words are
searched."""
MOST_CHARACTERS = 2**26
"""Total number of characters (the first) that are examined in this way."""
SAMPLE = 150
"""Number of texts of a set that are searched for these passages before all others."""
MOST_OF_LINE = 2 / 3
"""Smallest proportion of a line's words for which the line is removed together with the differing words."""
GUTENBERG = re.compile(r"\bproject gutenberg(?:'s|\(?tm\)?|-tm|™)?\b", re.IGNORECASE)
_START = re.compile(
    r"^.*\*\*\* ?START OF (?:THE|THIS) PROJECT GUTENBERG[^\n]*\n?|^\*END(?:\*| THE SMALL"
    r" PRINT)[^\n]*\n",
    re.M | re.I,
)
_END = re.compile(
    r"^[^\n]*\*\*\* ?END OF (?:THE|THIS) PROJECT GUTENBERG|^End of (?:the |this )?Project Gutenberg"
    r"|^\*\*\* ?START: FULL LICEN[SC]E|^(?:THE )?FULL PROJECT GUTENBERG(?:-tm|™)? LICEN[SC]E",
    re.M | re.I,
)
_HEADER = re.compile(
    r"\s*+(?:(?:[^\n]+\n){0,5}?[^\n]*\bproject gutenberg(?:'s [^\n]*, by |[^\n]*"
    r" (?:e-?book|e-?text|licen[sc]e)\b)"
    r"|(?:title|author|editor|translator|illustrator|language|(?:release|posting) date|character"
    r" set encoding|credits):"
    r"|produced by\b|e-?text prepared by\b|\[e-?(?:book|text))[^\n]*(?:\n[^\n]+)*",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"\S+")
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)
Keys = NDArray[np.uint64]


def units(text: str) -> Iterator[str]:
    """Return the examined lines of a text, and the sentences of longer lines."""
    for line in text.split("\n"):
        line = line.strip()
        if len(line) > LONGEST:
            yield from (part for part in _SENTENCE.split(line) if len(part) >= SHORTEST)
        elif len(line) >= SHORTEST:
            yield line


class _WordSequences(NamedTuple):
    """Parts of texts, in order: half-open places (n,) of their words, and a number that is equal for equal words."""

    start: Ints
    end: Ints
    key: Keys

    @classmethod
    def of(cls, words: Keys, positions: Ints) -> Self:
        """All words in a row."""
        count = max(0, len(words) - IN_A_ROW + 1)
        key = np.zeros(count, dtype=np.uint64)
        for i in range(IN_A_ROW):
            key = (key ^ words[i : i + count]) * _FACTORS[0]
            key ^= key >> np.uint64(29)
        is_unbroken = positions[len(positions) - count :] - positions[:count] == IN_A_ROW - 1
        return cls(positions[:count], positions[:count] + IN_A_ROW, key).take(is_unbroken)

    def take(self, chosen: Bools | Ints) -> Self:
        """These of them."""
        return type(self)(self.start[chosen], self.end[chosen], self.key[chosen])

    def joined(self) -> Self:
        """Each with the first one after it, where that is near."""
        next_part = np.searchsorted(self.start, self.end)
        first = np.flatnonzero(next_part < len(next_part))
        first = first[self.start[next_part[first]] - self.end[first] <= BETWEEN]
        second = next_part[first]
        key = (self.key[first] * _FACTORS[1] ^ self.key[second]) * _FACTORS[2]
        return type(self)(self.start[first], self.end[second], key ^ (key >> np.uint64(31)))


def _hashes(text: str) -> Keys:
    words = text.split()
    return np.fromiter(map(hash, words), np.int64, len(words)).view(np.uint64)


def _of_several(key: Keys, owner: Ints) -> Bools:
    """Which of these stand in texts of several authors."""
    # Most keys are rare: few are left after counting them by some of their digits.
    digits = (key >> np.uint64(64 - max(8, len(key).bit_length()))).astype(np.int64)
    often = np.flatnonzero((np.bincount(digits) >= FEWEST_AUTHORS)[digits])
    order = often[np.lexsort((owner[often], key[often]))]
    by_author = (np.diff(key[order], prepend=key[order][:1]) != 0) | (
        np.diff(owner[order], prepend=-1) != 0
    )
    keys, authors = np.unique(key[order][by_author], return_counts=True)
    several = np.zeros(len(key), dtype=np.bool_)
    several[often] = np.isin(key[often], keys[authors >= FEWEST_AUTHORS])
    return several


def _shared_levels(
    pieces: Sequence[tuple[int, int, Keys]],
) -> tuple[tuple[Keys, ...], frozenset[int]]:
    """Keys of words in one order by level, and rows of the texts that hold such a passage. A piece is a text's row, the
    number of its author, and words."""
    sizes = np.array([len(words) + BETWEEN + 1 for _, _, words in pieces])
    begins = np.cumsum(sizes) - sizes
    piece_at = np.repeat(np.arange(len(pieces)), sizes)
    rows, authors = (np.array([piece[i] for piece in pieces], dtype=np.int64) for i in (0, 1))
    positions = [
        np.arange(begin, begin + len(piece[2])) for begin, piece in zip(begins, pieces, strict=True)
    ]
    sequences = _WordSequences.of(
        np.concatenate([piece[2] for piece in pieces]), np.concatenate(positions)
    )
    levels = list[Keys]()
    for level in range(LEVELS):
        sequences = sequences if level == 0 else sequences.joined()
        sequences = sequences.take(_of_several(sequences.key, authors[piece_at[sequences.start]]))
        if not len(sequences.key):
            return (), frozenset()
        levels.append(np.unique(sequences.key))
    return tuple(levels), frozenset(rows[piece_at[sequences.start]].tolist())


@dataclass(frozen=True)
class SharedPassages:
    """What texts by several authors have in common: ``lines`` (or sentences of long ones), ``levels``, sorted keys of
    words in one order by level, and the ``rows`` of texts with such words."""

    lines: frozenset[str] = frozenset()
    levels: tuple[Keys, ...] = ()
    rows: frozenset[int] = frozenset()

    @classmethod
    def among(cls, texts: Iterable[str], authors: Iterable[object], words: bool = True) -> Self:
        """Find passages in texts by at least ``FEWEST_AUTHORS`` authors; without ``words``, only lines."""
        first_author: dict[int, object] = {}
        several: dict[str, set[object]] = {}
        codes: dict[object, int] = {}
        pieces: list[tuple[int, int, Keys]] = []
        characters_left = MOST_CHARACTERS * words
        for row, (text, author) in enumerate(zip(texts, authors, strict=True)):
            for unit in set(units(text)):
                earlier_author = first_author.setdefault(hash(unit), author)
                if earlier_author != author:
                    several.setdefault(unit, {earlier_author}).add(author)
            code = codes.setdefault(author, len(codes))
            for piece in (
                ((text,) if len(text) <= 2 * EDGE else (text[:EDGE], text[-EDGE:]))
                if characters_left > 0
                else ()
            ):
                pieces.append((row, code, _hashes(piece)))
                characters_left -= len(piece)
        lines = frozenset(
            unit for unit, unit_authors in several.items() if len(unit_authors) >= FEWEST_AUTHORS
        )
        return cls(
            lines, *(_shared_levels(pieces) if pieces and len(codes) >= FEWEST_AUTHORS else ())
        )

    def line_of(self, text: str) -> str | None:
        """Return the first of these lines in a text."""
        return (
            next((unit for unit in units(text) if unit in self.lines), None) if self.lines else None
        )

    def stretches(self, text: str) -> list[tuple[int, int]]:
        """Return half-open spans (characters) of words that other texts have in the same order, with the words between
        them."""
        if not self.levels:
            return []
        words = _hashes(text)
        sequences = _WordSequences.of(words, np.arange(len(words)))
        for level, keys in enumerate(self.levels):
            sequences = sequences if level == 0 else sequences.joined()
            sequences = sequences.take(
                keys[np.minimum(np.searchsorted(keys, sequences.key), len(keys) - 1)]
                == sequences.key
            )
        if not len(sequences.key):
            return []
        word_spans = [word.span() for word in _WORD.finditer(text)]
        joined_stretches: list[tuple[int, int]] = []
        for start, end in zip(sequences.start.tolist(), sequences.end.tolist(), strict=True):
            begin = word_spans[start][0]
            stop = word_spans[end - 1][1]
            if joined_stretches and begin <= joined_stretches[-1][1]:
                begin, earlier_stop = joined_stretches.pop()
                stop = max(stop, earlier_stop)
            joined_stretches.append((begin, stop))
        return joined_stretches

    def without(self, text: str) -> str:
        """Return a text without these passages, and without Project Gutenberg's header and footer."""
        text = _without_gutenberg(text) if "GUTENBERG" in text.upper() else text
        remaining = list[str]()
        end = 0
        for start, stop in self.stretches(text):
            start, stop = _with_line(text, start, stop)
            remaining.append(text[end:start])
            end = max(end, stop)
        text = "".join([*remaining, text[end:]])
        if not self.lines:
            return text
        return "\n".join(
            line
            for text_line in text.split("\n")
            if (line := self._without_lines(text_line)) is not None
        )

    def _without_lines(self, line: str) -> str | None:
        plain = line.strip()
        if len(plain) <= LONGEST:
            return None if plain in self.lines else line
        sentences = _SENTENCE.split(line)
        remaining = [part for part in sentences if part.strip() not in self.lines]
        return line if len(remaining) == len(sentences) else " ".join(remaining)


def _with_line(text: str, start: int, stop: int) -> tuple[int, int]:
    """A stretch of a text with the rest of the lines that it begins and ends in, where it is most of them."""
    low = max(0, start - (stop - start))
    high = min(len(text), 2 * stop - start)
    line_start = max(low, text.rfind("\n", low, start) + 1)
    begins = max(start, text.rfind("\n", start, stop) + 1)
    line_stop, ends = (
        end if line_break < 0 else line_break
        for end, line_break in (
            (high, text.find("\n", stop, high)),
            (stop, text.find("\n", start, stop)),
        )
    )
    return (
        line_start if ends - start >= MOST_OF_LINE * (ends - line_start) else start,
        line_stop if stop - begins >= MOST_OF_LINE * (line_stop - begins) else stop,
    )


def _without_gutenberg(text: str) -> str:
    """A text without what Project Gutenberg puts before and after it."""
    start = _START.search(text)
    begin = 0 if start is None else start.end()
    headed = start is not None or GUTENBERG.search(text, 0, LONGEST) is not None
    while headed and (head := _HEADER.match(text, begin, begin + 10 * LONGEST)) is not None:
        begin = head.end()
    end = _END.search(text, begin)
    return text[begin:] if end is None else text[begin : end.start()]


def cleaner(
    texts: Iterable[str], authors: Iterable[object], empty: bool = True
) -> Callable[[str], str]:
    """Return a function that removes from a text the passages that these texts have in common; a text with nothing else
    stays unless it may be ``empty``."""
    shared_passages = SharedPassages.among(texts, authors)
    return lambda text: plain if (plain := shared_passages.without(text)).strip() or empty else text


class SharedSign(NamedTuple):
    """A sign that texts have passages in common: their rows, the beginning of the first passage, and whether Project
    Gutenberg's licence is among the passages."""

    rows: list[int]
    begin: str
    is_licence: bool


def shared_by_authors(texts: Sequence[str], authors: Sequence[object]) -> SharedSign | None:
    """Return the sign that several authors have passages in common, if these are in a few texts and in at least one of
    fifty; otherwise None."""
    step = -(-len(texts) // SAMPLE) or 1
    shared_passages = SharedPassages.among(texts[::step], authors[: len(texts) : step])
    if step > 1:
        other_texts = texts[1::step] if shared_passages.levels else ()
        marked = len(shared_passages.rows) + sum(
            bool(shared_passages.stretches(text)) for text in other_texts
        )
        shared_passages = SharedPassages.among(
            texts, authors[: len(texts)], 25 * marked >= len(other_texts) > 0
        )
    begins = {
        row: line
        for row, text in enumerate(texts)
        if (line := shared_passages.line_of(text)) is not None
    }
    several = sorted({*begins, *shared_passages.rows})
    if len(several) < max(FEWEST_AUTHORS, len(texts) // 50):
        return None
    text = texts[several[0]]
    begin = begins.get(several[0]) or next(
        (text[slice(*stretch)] for stretch in shared_passages.stretches(text)), ""
    )
    is_licence = any(GUTENBERG.search(unit) for unit in (begin, *shared_passages.lines))
    return SharedSign(several, " ".join(begin.split())[:60], is_licence)
