"""The pieces of texts: words (runs of letters and digits) and what stands between them, numbered as they are met."""

from __future__ import annotations

import re
from array import array

import numpy as np

from ravenbench.types import Bools, Int32s, Ints

CUT = re.compile(r"([^\W_]+)")
LOWER, CAPITAL, UPPER = range(3)


def case_of(word: str) -> int:
    """LOWER, CAPITAL or UPPER; a single letter is never UPPER, what is mixed goes by its first letter."""
    if len(word) > 1 and word.isupper():
        return UPPER
    return CAPITAL if word[:1].isupper() else LOWER


class Pieces(dict[str, int]):
    """The number of each piece; a new one gets the next when it is asked for.

    Attributes
    ----------
    words : dict of str to int
        The number of each lowercase word. A word with a digit in it is a piece but no word.
    """

    def __init__(self) -> None:
        super().__init__()
        self.words: dict[str, int] = {}
        # Of each piece its word (−1: none), its case, and where its UTF-8 ends; of each word three pieces by case, and
        # its characters.
        self._word, self._case, self._ends, self._data = array("i"), array("b"), array("q", [0]), bytearray()
        self._forms, self._size = array("i"), array("i")

    def cut(self, text: str) -> Int32s:
        """The pieces of a text, (p,)."""
        return np.array(list(map(self.__getitem__, filter(None, CUT.split(text)))), dtype=np.int32)

    def word_of(self, pieces: Int32s) -> Int32s:
        """The numbers of these pieces' words, −1 for those that are none."""
        found: Int32s = np.frombuffer(self._word, np.int32)[pieces]
        return found

    def sizes(self, words: Int32s) -> Int32s:
        """Characters of these words."""
        found: Int32s = np.frombuffer(self._size, np.int32)[words]
        return found

    def splice(self, pieces: Int32s, bounds: Ints, stays: Bools, words: Int32s) -> list[bytes]:
        """Texts in UTF-8, of ``pieces`` from each of the bounds to the next (which are overwritten): every word that
        does not stay (``stays`` by word number, the last entry for those numbered later) becomes the next of
        ``words``."""
        from ravenbench.text.splicing_kernel import spliced  # a report splices nothing, and numba takes a while

        word = np.frombuffer(self._word, np.int32)
        moves = (word >= 0) & ~stays[np.minimum(word, len(stays) - 1)]
        case = np.where(moves, np.frombuffer(self._case, np.int8), np.int8(-1))
        forms, ends = np.frombuffer(self._forms, np.int32).reshape(-1, 3), np.frombuffer(self._ends, np.int64)
        stops = np.zeros(len(bounds), np.int64)
        data = spliced(pieces, bounds, words, case, forms, np.frombuffer(self._data, np.uint8), ends, stops)
        return [data[stops[i] : stops[i + 1]].tobytes() for i in range(len(bounds) - 1)]

    def __missing__(self, piece: str) -> int:
        number = self._add(piece, -1, LOWER)
        if CUT.fullmatch(piece) and not any(c.isdigit() for c in piece):
            self._word[number] = self._lowercase(piece.lower())
            self._case[number] = case_of(piece)
        return number

    def _lowercase(self, lower: str) -> int:
        """The number of a lowercase word, with pieces for its three forms."""
        word = self.words.get(lower)
        if word is None:
            word = self.words[lower] = len(self.words)
            self._size.append(len(lower))
            for case, form in enumerate((lower, lower[:1].upper() + lower[1:], lower.upper())):
                self._forms.append(self[form] if form in self else self._add(form, word, case))
        return word

    def _add(self, piece: str, word: int, case: int) -> int:
        number = self[piece] = len(self)
        self._word.append(word)
        self._case.append(case)
        self._data += piece.encode()
        self._ends.append(len(self._data))
        return number
