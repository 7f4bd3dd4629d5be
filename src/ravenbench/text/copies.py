"""Finds texts that repeat one another even if letter case, marks, HTML entities, an end, or added lines differ.

In: ``Copies.among``: ``Sketch``es of texts (hashes of their letters, by ``Sketch.of(text)``); ``repeating``: texts, and
earlier ones; ``unescaped``, ``letters`` and ``runs``: a text.
Out: a ``Copies``: ``sources()`` gives for each text the index (from 0) of the first that it repeats (its own if none),
``repeated()`` pairs of indices, the earlier first, a call with two indices bool; ``repeating`` for each text the index
of an earlier one that it repeats, or None; ``unescaped`` a text, ``letters`` bytes (UTF-8), ``runs`` a set
of runs of words; ``is_copy`` and ``share_passages``: bool for two of these.

Of a text's letters and figures, those near its beginning and its end are looked at: runs of ``SPAN``, of which one in
``SAMPLED`` is taken by how it begins, so that a copy gives the same runs at any position.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ravenbench.text.lookalikes import twins
from ravenbench.text.tokens import WORD
from ravenbench.texts import composed

EDGE = 1_600
"""Number of letters read at the beginning and at the end of a long text."""
SPAN = 32
SAMPLED = 16
FEWEST = 4
SHARE = 0.5
"""Number of runs that two texts must have in common, and their proportion of the runs of the text with fewer."""
MOST_OWNERS = 8
"""Number of texts from which a common run is a shared passage and does not count."""
_ASCII_MARKS = bytes(code for code in range(128) if not chr(code).isalnum())
_MARKS = re.compile(
    rb"\xc2[\x80-\xbf]|\xe2[\x80\x81].|\xe3\x80[\x80-\x84\x88-\x9f]|\xef\xbb\xbf", re.DOTALL
)
_NO_CHARACTER = re.compile(r"&#(?=0*+[1-9]\d{7})|&#(?=0{8})")
_OTHERS = re.compile("[\u0370-\u052f]")
_TWINS = str.maketrans(twins("Latin"))
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_KEPT = np.uint64(2**64 // SAMPLED)


def unescaped(text: str) -> str:
    """Return the text with HTML entities replaced by their characters; numbers of eight or more digits, which are not
    entities, stay."""
    return html.unescape(_NO_CHARACTER.sub("&amp;#", text)) if "&" in text else text


def letters(text: str) -> bytes:
    """Return the letters and digits of a text in UTF-8, without case; entities become their characters, and letters of
    other alphabets become the Latin letters that look the same."""
    text = unescaped(text)
    text = text.translate(_TWINS) if _OTHERS.search(text) else text
    plain = composed(text).casefold().encode("utf-8", "surrogatepass").translate(None, _ASCII_MARKS)
    return plain if plain.isascii() else _MARKS.sub(b"", plain)


def _runs(plain: bytes) -> NDArray[np.uint32]:
    """The sampled runs of some letters."""
    count = len(plain) - SPAN + 1
    if count < 1:
        return np.zeros(0, dtype=np.uint32)
    eight = np.ndarray((len(plain) - 7,), "<u8", plain, strides=(1,))
    at = np.flatnonzero(eight[:count] * _FACTOR < _KEPT)
    key = eight[at]
    for i in range(8, SPAN, 8):
        key = (key ^ key >> np.uint64(29) ^ eight[at + i]) * _FACTOR
    return (key >> np.uint64(32)).astype(np.uint32)


class Sketch(NamedTuple):
    """The compared features of a text: a hash of its letters, and sampled runs of its parts."""

    whole: str
    parts: tuple[NDArray[np.uint32], ...]

    @classmethod
    def of(cls, text: str) -> Self:
        """Make it from a text; from a long text, its beginning and end."""
        text_parts = (text,) if len(text) <= 4 * EDGE else (text[: 2 * EDGE], text[-2 * EDGE :])
        plain = list(map(letters, text_parts))
        if len(plain) > 1:
            plain = [plain[0][:EDGE], plain[1][-EDGE:]]
        return cls(
            hashlib.blake2b(b"\n".join(plain), digest_size=12).hexdigest(), tuple(map(_runs, plain))
        )


@dataclass(frozen=True)
class Copies:
    """Which texts repeat one another: ``first`` (n,) is the first text with the same letters, and ``pairs`` are pairs
    of first texts, in order, with most of their runs in common."""

    first: Sequence[int]
    pairs: frozenset[tuple[int, int]]

    @classmethod
    def among(cls, sketches: Sequence[Sketch]) -> Self:
        """Find copies among texts by their sketches."""
        first_of_hash: dict[str, int] = {}
        first_equal = [
            first_of_hash.setdefault(sketch.whole, i) for i, sketch in enumerate(sketches)
        ]
        sketch_parts = [
            (i, part)
            for i, sketch in enumerate(sketches)
            if first_equal[i] == i
            for part in sketch.parts
        ]
        if len(sketch_parts) < 2:
            return cls(first_equal, frozenset())
        owner = np.array([i for i, _ in sketch_parts])
        sizes = [len(part) for _, part in sketch_parts]
        key = np.concatenate([part for _, part in sketch_parts])
        part_numbers = np.repeat(np.arange(len(sketch_parts)), sizes)
        order = np.argsort(key, kind="stable")
        key = key[order]
        part_numbers = part_numbers[order]
        once = (np.diff(key, prepend=key[:1]) != 0) | (np.diff(part_numbers, prepend=-1) != 0)
        key = key[once]
        part_numbers = part_numbers[once]
        begins = np.flatnonzero(np.diff(key, prepend=~key[:1]) != 0)
        counts = np.diff(begins, append=len(key))
        counts = np.repeat(counts, counts)
        several = counts > 1
        rare = counts <= MOST_OWNERS
        size = np.bincount(part_numbers[rare], minlength=len(sketch_parts))
        key = key[several & rare]
        part_numbers = part_numbers[several & rare]
        pairs = [
            part_numbers[:-i][same] * len(sketch_parts) + part_numbers[i:][same]
            for i in range(1, MOST_OWNERS)
            if (same := key[:-i] == key[i:]).any()
        ]
        if not pairs:
            return cls(first_equal, frozenset())
        pair, counts = np.unique(np.concatenate(pairs), return_counts=True)
        first_part = pair // len(sketch_parts)
        second_part = pair % len(sketch_parts)
        alike = (counts >= FEWEST) & (
            counts >= SHARE * np.minimum(size[first_part], size[second_part])
        )
        alike &= owner[first_part] != owner[second_part]
        return cls(
            first_equal,
            frozenset(
                zip(
                    owner[first_part[alike]].tolist(),
                    owner[second_part[alike]].tolist(),
                    strict=True,
                )
            ),
        )

    def repeated(self) -> list[tuple[int, int]]:
        """Return pairs of texts that repeat each other; of several equal texts, each with the first."""
        return sorted(
            {
                *self.pairs,
                *((first_equal, i) for i, first_equal in enumerate(self.first) if first_equal != i),
            }
        )

    def __call__(self, one: int, other: int) -> bool:
        """Whether two of the texts repeat each other."""
        a, b = sorted((self.first[one], self.first[other]))
        return a == b or (a, b) in self.pairs

    def sources(self) -> list[int]:
        """Return for each text the first text that it repeats, directly or through others."""
        sources = list(range(len(self.first)))
        for earlier, later in self.repeated():
            sources[later] = min(sources[later], sources[earlier])
        return sources


def repeating(texts: Iterable[str], earlier: Iterable[str]) -> list[int | None]:
    """Return for each text the number of an ``earlier`` text that it repeats, or None."""
    earlier_sketches = list(map(Sketch.of, earlier))
    sources = Copies.among([*earlier_sketches, *map(Sketch.of, texts)]).sources()[
        len(earlier_sketches) :
    ]
    return [source if source < len(earlier_sketches) else None for source in sources]


RUN = 8
"""Number of consecutive words that count as copied if two texts contain them."""
FEWEST_RUNS = 3
Runs = frozenset[tuple[str, ...]]


def runs(text: str) -> Runs:
    """Return all runs of ``RUN`` lowercase words of a text, as a set."""
    words = [word.lower() for word in WORD.findall(text)]
    return frozenset(zip(*(words[i:] for i in range(RUN)), strict=False))


def is_copy(one: Runs, other: Runs, share: float) -> bool:
    """Return whether at least a proportion ``share`` (0 to 1) of the first text's runs is in the second."""
    common = len(one & other)
    return common >= FEWEST_RUNS and common >= share * len(one)


def share_passages(one: Runs, other: Runs, share: float) -> bool:
    """Return whether at least a proportion ``share`` (0 to 1) of one text's runs is in the other."""
    common = len(one & other)
    return common >= FEWEST_RUNS and common >= share * min(len(one), len(other))
