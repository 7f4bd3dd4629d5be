"""Texts cut into pieces, so that the content words of one can be put in the place of another's (ours).

A text is a sequence of pieces: words (runs of letters and digits) and what stands between them. A word with a digit in
it is never touched. The others are *function words* where their lowercase form is among the most frequent of the
corpus, else *content words*. A word in a new place takes the case of the word that stood there: lowercase, capitalised
or upper case; of what is mixed only the first letter counts.

Every distinct text is cut once and kept as piece numbers; a new text is then one lookup and one join.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ravenbench.randomness import stream
from ravenbench.text.tokens import frequent
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Ints

Int32s = NDArray[np.int32]

FUNCTION_WORDS = 200
"""Most frequent words that count as function words."""
SAMPLE = 20_000
"""Texts the most frequent words are counted in; of more a seeded sample."""
MOST_PIECES = 60_000_000
"""Pieces kept at a time (a quarter of a gigabyte)."""
LEAST_SPACE = 0.05
"""Share of white space among characters below which a corpus has no words to be told apart: English has .17, Thai .03,
Chinese and Japanese next to none."""

_CUT = re.compile(r"([^\W_]+)")
LOWER, CAPITAL, UPPER = range(3)


class Cut(NamedTuple):
    """A text: ``pieces`` (p,) numbers, ``slots`` (c,) places of content words among them, ``words`` (c,) their
    lowercase forms' numbers, ``case`` (c,) LOWER, CAPITAL or UPPER, ``size`` (c + 1,) characters of the first 0 … c
    content words, ``functions`` how many function words there are."""

    pieces: Int32s
    slots: Int32s
    words: Int32s
    case: NDArray[np.int8]
    size: Ints
    functions: int

    @property
    def contents(self) -> int:
        """How many content words there are."""
        return len(self.slots)

    def characters(self, count: int) -> int:
        """Characters of the first ``count`` content words, read again from the start where there are fewer."""
        if count < len(self.size):
            return int(self.size[count])
        if not self.contents:
            return 0
        rounds, rest = divmod(count, self.contents)
        return int(rounds * self.size[-1] + self.size[rest])


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
        self._number: dict[str, int] = {}
        self._names: list[str] = []
        self._word: list[int] = []
        self._case: list[int] = []
        self._word_of: dict[str, int] = {}
        self._forms: list[tuple[int, int, int]] = []
        self._frozen = (np.empty(0, object), np.empty(0, np.int32), np.empty(0, np.int8), np.empty((0, 3), np.int32))
        self._sizes = np.empty(0, np.int64)
        self._raw: dict[int, Int32s] = {}
        self._cuts: dict[int, Cut] = {}
        self._kept = 0
        self._content = np.zeros(0, dtype=np.bool_)
        self.functions, self.space = self._count(function_words)

    def cut(self, row: int) -> Cut:
        """The pieces of one text, made once."""
        found = self._cuts.get(row)
        if found is None:
            found = self._cuts[row] = self._classified(self._pieces(row))
        return found

    def splice(self, into: Cut, donor: Cut) -> str:
        """The text of ``into`` with the content words of ``donor`` in order, from the start again where it is short.

        Raises
        ------
        ValueError
            If the donor has no content word and one is needed.
        """
        pieces = into.pieces
        count = into.contents
        if count:
            if not donor.contents:
                raise ValueError("a donor without content words cannot give any")
            words = donor.words[:count] if donor.contents >= count else np.resize(donor.words, count)
            pieces = pieces.copy()
            pieces[into.slots] = self._arrays()[3][words, into.case]
        return "".join(self._arrays()[0][pieces].tolist())

    def content_counts(self, rows: Iterable[int]) -> tuple[Ints, Int32s, int]:
        """Content words of some texts: bounds (n + 1,), word numbers in order of the texts, and how many there are."""
        cuts = [self.cut(row).words for row in rows]
        bounds = np.concatenate([[0], np.cumsum([len(words) for words in cuts])]).astype(np.int64)
        flat = np.concatenate([np.empty(0, np.int32), *cuts]).astype(np.int32)
        return bounds, flat, len(self._forms)

    def _count(self, function_words: int) -> tuple[frozenset[str], float]:
        rows = np.arange(len(self.texts))
        if len(rows) > SAMPLE:
            rows = np.sort(stream(0, "splicing-sample").choice(len(rows), SAMPLE, replace=False))
        characters = blanks = 0
        counts = np.zeros(0, np.int64)
        for row in rows.tolist():
            text = self.texts[row]
            characters += len(text)
            blanks += len(text) - len("".join(text.split()))
            pieces = self._pieces(row, text)
            if len(counts) < len(self._names):
                counts = np.concatenate([counts, np.zeros(len(self._names), np.int64)])
            np.add.at(counts, pieces, 1)
        word = np.array(self._word, dtype=np.int64)
        folded = np.bincount(word[word >= 0], weights=counts[: len(word)][word >= 0], minlength=len(self._forms))
        names = {self._names[forms[LOWER]]: int(folded[w]) for w, forms in enumerate(self._forms) if folded[w]}
        return frozenset(frequent(Counter(names), function_words)), blanks / characters if characters else 0.0

    def _pieces(self, row: int, text: str | None = None) -> Int32s:
        found = self._raw.get(row)
        if found is None:
            parts = _CUT.split(self.texts[row] if text is None else text)
            number, known = self._number, self._piece
            found = np.array([number[p] if p in number else known(p) for p in parts if p], dtype=np.int32)
            if self._kept + len(found) > MOST_PIECES:
                self._raw.clear()
                self._cuts.clear()
                self._kept = 0
            self._raw[row] = found
            self._kept += len(found)
        return found

    def _piece(self, piece: str) -> int:
        number = self._number[piece] = len(self._names)
        self._names.append(piece)
        self._word.append(-1)
        self._case.append(LOWER)
        if _CUT.fullmatch(piece) and not any(c.isdigit() for c in piece):
            word = self._lowercase(piece.lower())
            self._word[number] = word
            self._case[number] = case_of(piece)
        return number

    def _lowercase(self, lower: str) -> int:
        """The number of a lowercase word, with pieces for its three forms."""
        word = self._word_of.get(lower)
        if word is None:
            word = self._word_of[lower] = len(self._forms)
            self._forms.append((0, 0, 0))
            forms = (lower, lower[:1].upper() + lower[1:], lower.upper())
            numbers = [self._number[f] if f in self._number else self._plain(f, word, c) for c, f in enumerate(forms)]
            self._forms[word] = (numbers[0], numbers[1], numbers[2])
        return word

    def _plain(self, form: str, word: int, case: int) -> int:
        number = self._number[form] = len(self._names)
        self._names.append(form)
        self._word.append(word)
        self._case.append(case)
        return number

    def _arrays(self) -> tuple[NDArray[np.object_], Int32s, NDArray[np.int8], Int32s]:
        """Names, words and cases of pieces, and forms of words, as arrays; made anew where there are more."""
        if len(self._frozen[0]) != len(self._names):
            self._frozen = (
                np.array(self._names, dtype=object),
                np.array(self._word, dtype=np.int32),
                np.array(self._case, dtype=np.int8),
                np.array(self._forms, dtype=np.int32).reshape(-1, 3),
            )
            lower = [self._names[forms[LOWER]] for forms in self._forms]
            self._content = np.array([name not in self.functions for name in lower], dtype=np.bool_)
            self._sizes = np.array([len(name) for name in lower], dtype=np.int64)
        return self._frozen

    def _classified(self, pieces: Int32s) -> Cut:
        _, word, case, _ = self._arrays()
        words = word[pieces]
        is_word: Bools = words >= 0
        content = np.zeros(len(pieces), dtype=np.bool_)
        content[is_word] = self._content[words[is_word]]
        slots = np.flatnonzero(content).astype(np.int32)
        size = np.concatenate([[0], np.cumsum(self._sizes[words[slots]])]).astype(np.int64)
        functions = int(is_word.sum()) - len(slots)
        return Cut(pieces, slots, words[slots], case[pieces[slots]], size, functions)


def case_of(word: str) -> int:
    """LOWER, CAPITAL or UPPER; a single letter is never UPPER, what is mixed goes by its first letter."""
    if len(word) > 1 and word.isupper():
        return UPPER
    return CAPITAL if word[:1].isupper() else LOWER


def splice_reference(into: str, donor: str, functions: frozenset[str]) -> str:
    """What ``Splicer.splice`` does, plainly: one word after the other."""

    def is_content(word: str) -> bool:
        return not any(c.isdigit() for c in word) and word.lower() not in functions

    given: list[str] = [word.lower() for word in _CUT.findall(donor) if is_content(word)]
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

    return _CUT.sub(stand_in, into)
