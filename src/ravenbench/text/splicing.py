"""Texts cut into pieces, so that the content words of one can be put in the place of another's (ours).

A text is a sequence of pieces: words (runs of letters and digits) and what stands between them. A word with a digit in
it is never touched. The others are *function words* where their lowercase form is among the most frequent of the
corpus, else *content words*. A word in a new place takes the case of the word that stood there: lowercase, capitalised
or upper case; of what is mixed only the first letter counts.

Every distinct text is cut once and kept as piece numbers; new texts are then put together by a kernel, many at a time.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ravenbench.randomness import stream
from ravenbench.text.pieces import CAPITAL, CUT, UPPER, Pieces, case_of
from ravenbench.text.tokens import frequent
from ravenbench.texts import TextTable
from ravenbench.types import Int32s, Ints

FUNCTION_WORDS = 200
"""Most frequent words that count as function words."""
SAMPLE = 20_000
"""Texts the most frequent words are counted in; of more a seeded sample."""
MOST_PIECES = 60_000_000
"""Pieces kept at a time (a quarter of a gigabyte)."""
LEAST_SPACE = 0.05
"""Share of white space among characters below which a corpus has no words to be told apart: English has .17, Thai .03,
Chinese and Japanese next to none."""


class Cut(NamedTuple):
    """A text: ``pieces`` (p,) numbers, ``words`` (c,) numbers of the lowercase forms of its content words, ``size``
    (c + 1,) characters of the first 0 … c of these, ``functions`` how many function words there are."""

    pieces: Int32s
    words: Int32s
    size: array[int]
    functions: int

    @property
    def contents(self) -> int:
        """How many content words there are."""
        return len(self.size) - 1

    def characters(self, count: int) -> int:
        """Characters of the first ``count`` content words, read again from the start where there are fewer."""
        size = self.size
        if count < len(size):
            return size[count]
        if len(size) == 1:
            return 0
        rounds, rest = divmod(count, len(size) - 1)
        return rounds * size[-1] + size[rest]


class Splicer:
    """Cuts the texts of a table and puts content words of one in the place of another's.

    Parameters
    ----------
    texts : TextTable
    function_words : int
        Most frequent words of the corpus, cases folded, that stay where they are; equals in the order of code points.

    Attributes
    ----------
    functions : frozenset of str
        Lowercase function words.
    space : float
        Share of white space among the characters of the texts counted.
    """

    def __init__(self, texts: TextTable, function_words: int = FUNCTION_WORDS) -> None:
        self.texts = texts
        self._pieces = Pieces()
        self._raw: dict[int, Int32s] = {}
        self._cuts: dict[int, Cut] = {}
        self._kept = 0
        self.functions, self.space = self._count(function_words)
        for word in self.functions:
            self._pieces.stay(word)

    def cut(self, row: int) -> Cut:
        """The pieces of one text, made once."""
        found = self._cuts.get(row)
        if found is None:
            pieces = self._cut(row)
            words = self._pieces.word_of(pieces)
            words = words[words >= 0]
            sizes = self._pieces.sizes(words)
            size = array("i", [0])
            size.frombytes(np.cumsum(sizes[sizes > 0], dtype=np.int32).tobytes())
            found = self._cuts[row] = Cut(pieces, words[sizes > 0], size, int((sizes == 0).sum()))
        return found

    def cuts(self, rows: list[int]) -> list[Cut]:
        """The pieces of several texts."""
        found = [cut for cut in map(self._cuts.get, rows) if cut is not None]
        return found if len(found) == len(rows) else [self.cut(row) for row in rows]

    def splice(self, pairs: Sequence[tuple[Cut, Cut]]) -> list[bytes]:
        """For each pair the first text with the content words of the second, its donor, in order, from the start again
        where it is short; in UTF-8.

        Raises
        ------
        ValueError
            If a donor has no content word and one is needed.
        """
        if any(into.contents and not donor.contents for into, donor in pairs):
            raise ValueError("a donor without content words cannot give any")
        return self._pieces.splice(*_flat([into.pieces for into, _ in pairs]), *_flat([d.words for _, d in pairs]))

    def content_counts(self, rows: Iterable[int]) -> tuple[Ints, Int32s, int]:
        """Content words of some texts: bounds (n + 1,), word numbers in order of the texts, and how many there are."""
        flat, bounds = _flat([self.cut(row).words for row in rows])
        return bounds, flat, len(self._pieces.words)

    def _count(self, function_words: int) -> tuple[frozenset[str], float]:
        rows = np.arange(len(self.texts))
        if len(rows) > SAMPLE:
            rows = np.sort(stream(0, "splicing-sample").choice(len(rows), SAMPLE, replace=False))
        counts = np.zeros(0, np.int64)
        for row in rows.tolist():
            pieces = self._cut(row)
            if len(counts) < len(self._pieces):
                counts = np.concatenate([counts, np.zeros(len(self._pieces), np.int64)])
            np.add.at(counts, pieces, 1)
        counts = counts[: len(self._pieces)]
        word = self._pieces.word_of(np.arange(len(counts), dtype=np.int32))
        words = self._pieces.words
        folded = np.bincount(word[word >= 0], weights=counts[word >= 0], minlength=len(words))
        names = {name: int(folded[w]) for name, w in words.items() if folded[w]}
        often = [(piece, count) for piece, count in zip(self._pieces, counts.tolist(), strict=True) if count]
        characters = sum(count * len(piece) for piece, count in often)
        visible = sum(count * len("".join(piece.split())) for piece, count in often)
        space = (characters - visible) / characters if characters else 0.0
        return frozenset(frequent(Counter(names), function_words)), space

    def _cut(self, row: int) -> Int32s:
        found = self._raw.get(row)
        if found is None:
            found = self._pieces.cut(self.texts[row])
            if self._kept + len(found) > MOST_PIECES:
                self._raw.clear()
                self._cuts.clear()
                self._kept = 0
            self._raw[row] = found
            self._kept += len(found)
        return found


def _flat(parts: Sequence[Int32s]) -> tuple[Int32s, Ints]:
    """Arrays one after the other, and where each begins and the last ends."""
    bounds = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(part) for part in parts], out=bounds[1:])
    return np.concatenate([np.empty(0, np.int32), *parts]), bounds


def splice_reference(into: str, donor: str, functions: frozenset[str]) -> str:
    """What ``Splicer.splice`` does, plainly: one word after the other."""

    def is_content(word: str) -> bool:
        return not any(c.isdigit() for c in word) and word.lower() not in functions

    given: list[str] = [word.lower() for word in CUT.findall(donor) if is_content(word)]
    taken = 0

    def stand_in(match: re.Match[str]) -> str:
        nonlocal taken
        word = match[0]
        if not is_content(word):
            return word
        new = given[taken % len(given)]
        taken += 1
        case = case_of(word)
        return new.upper() if case == UPPER else new[:1].upper() + new[1:] if case == CAPITAL else new

    return CUT.sub(stand_in, into)
