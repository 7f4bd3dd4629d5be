"""Character n-grams of many texts as integer ids, exact over all of Unicode.

Characters are numbered as they are met. Four numbers of 16 bits fit a 64-bit key; texts of more than 65,535 distinct
characters take 21 bits each, of which three fit. A longer n-gram is the id of its first n − 1 characters with the next
one appended, level by level, so nothing is ever hashed with loss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.text.interning import Interner, Keys
from ravenbench.text.tokens import collapse
from ravenbench.types import Bools, Int32s, Ints

Points = NDArray[np.uint32]

_UNICODE = 0x110000
_SPACES = np.zeros(_UNICODE, np.bool_)
_SPACES[:0x3001] = [chr(point).isspace() for point in range(0x3001)]
_NO_SPACES = np.zeros(_UNICODE, np.bool_)
_NARROW, _WIDE = 16, 21
"""Bits of a character's number; a lexicon is narrow until it has met too many characters."""
_1 = np.uint64(1)


@dataclass(frozen=True)
class CharNgrams:
    """A kind of unit: character n-grams of (lowercased) texts with white-space runs collapsed."""

    n: int = 4
    lowercase: bool = True

    def lexicon(self) -> NgramLexicon:
        """An empty lexicon of these units."""
        return NgramLexicon(self)

    def reference(self, text: str) -> Counter[str]:
        """The counts of a text, made by plain slicing."""
        text = collapse(text.lower() if self.lowercase else text)
        return Counter(text[i : i + self.n] for i in range(len(text) - self.n + 1))


class NgramLexicon:
    """The n-grams met so far and their ids.

    ``fold`` is None: every n-gram is a unit of its own.
    """

    fold: Ints | None = None

    def __init__(self, units: CharNgrams) -> None:
        self.units = units
        self._number, self._points = np.zeros(128, np.uint32), np.zeros(129, np.uint32)
        self._met = 0
        self._start(_NARROW)

    def _start(self, bits: int) -> None:
        self._bits = bits
        self._direct = min(self.units.n, 64 // bits)
        self._levels = [Interner() for _ in range(self.units.n - self._direct + 1)]

    def __len__(self) -> int:
        return self._levels[-1].size

    def count(self, texts: Sequence[str]) -> tuple[Ints, Int32s, Int32s]:
        """Counts of each text: text i has n-grams ``ids[bounds[i]:bounds[i + 1]]``, as often as ``counts`` say.

        Every id stands once a text. ``bounds`` has shape (len(texts) + 1,).
        """
        if self.units.lowercase:
            texts = [text.lower() for text in texts]
        packed, limits = self._keys(texts, _SPACES)
        return self._levels[-1].count(packed, limits)

    def ids(self, names: Sequence[str]) -> Ints:
        """Ids of n-grams as ``names`` gives them; new ones are added."""
        packed, _ = self._keys(names, _NO_SPACES)
        return self._levels[-1].ids(packed).astype(np.int64)

    def names(self, ids: Ints) -> list[str]:
        """The n-grams with these ids."""
        n, shift = self.units.n, np.uint64(self._bits)
        numbers = np.empty((len(ids), n), np.uint64)
        place, known = n, np.asarray(ids, dtype=np.int64)
        for level in range(len(self._levels) - 1, -1, -1):
            key = self._levels[level].keys[known]
            for _ in range(1 if level else self._direct):
                place -= 1
                numbers[:, place] = key & ((_1 << shift) - _1)
                key = key >> shift
            known = key.astype(np.int64)
        joined = self._points[numbers].astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        return [joined[i : i + n] for i in range(0, len(joined), n)]

    def _keys(self, texts: Sequence[str], spaces: Bools) -> tuple[Keys, Ints]:
        points, bounds = points_of(texts)
        highest = int(points.max(initial=0))
        if highest >= len(self._number):
            self._number = np.concatenate([self._number, np.zeros(highest, np.uint32)])
            self._points = np.concatenate([self._points, np.zeros(highest, np.uint32)])
        codes, packed = np.empty(len(points), np.uint32), np.empty(len(points) + 1, np.uint64)
        ends, limits = np.zeros((2, len(bounds)), np.int64)
        self._met = windows(
            points, bounds, spaces, self._number, self._points, self._met, self._direct, self._bits,
            codes, ends, packed, limits,
        )  # fmt: skip
        packed = packed[: limits[-1]]
        if self._bits == _NARROW and self._met >= 1 << _NARROW:
            known = self.names(np.arange(len(self)))
            self._start(_WIDE)
            # Ids are given in order of first occurrence, so all n-grams keep theirs.
            self.ids(known)
            return self._keys(texts, spaces)
        for level, interner in enumerate(self._levels[:-1]):
            packed, limits = extend(interner.ids(packed), limits, codes, ends, self._direct + level, self._bits)
        return packed, limits


def points_of(texts: Sequence[str]) -> tuple[Points, Ints]:
    """The code points of texts, one after another, and their bounds by text."""
    bounds = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(list(map(len, texts)), out=bounds[1:])
    return np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<u4"), bounds


@njit(cache=True)
def windows(
    points: Points, bounds: Ints, spaces: Bools, number: Points, known: Points, met: int, n: int, bits: int,
    codes: Points, ends: Ints, packed: Keys, limits: Ints,
) -> int:  # fmt: skip
    """Numbers of characters, runs of ``spaces`` made one blank, and keys of all windows of ``n`` of them.

    Parameters
    ----------
    number : (at least the highest code point + 1,) uint32
        By code point, from 1 on (a key of 0 marks an empty slot); 0 for one not met. New ones are numbered.
    known : uint32, as long
        Code points by number.
    met : int
        How many there are.
    bits : int
        Of a key, for one character.
    codes, ends, packed, limits : (len(points),), as bounds, (len(points) + 1,), as bounds; bounds begin with 0
        Filled with numbers and their bounds by text, keys and theirs.

    Returns
    -------
    int
        How many characters are met by now.
    """
    shift, away = np.uint64(bits), np.uint64(64 - bits * n)
    filled = keys = np.uint64(0)
    for d in range(len(bounds) - 1):
        i, stop = np.uint64(bounds[d]), np.uint64(bounds[d + 1])
        key, full = np.uint64(0), filled + np.uint64(n - 1)
        while i < stop:
            point = points[i]
            i += _1
            if spaces[point] and i < stop and spaces[points[i]]:
                point = np.uint32(32)
                while i < stop and spaces[points[i]]:
                    i += _1
            code = number[point]
            if code == 0:
                met += 1
                number[point] = code = np.uint32(met)
                known[met] = point
            codes[filled] = code
            # What left the window is shifted out at the top.
            key = (((key << shift) | np.uint64(code)) << away) >> away
            packed[keys] = key
            keys += np.uint64(filled >= full)
            filled += _1
        ends[d + 1], limits[d + 1] = filled, keys
    return met


@njit(cache=True)
def extend(ids: Int32s, limits: Ints, codes: Points, bounds: Ints, n: int, bits: int) -> tuple[Keys, Ints]:
    """Keys of (n + 1)-grams: the id of the n-gram at each place with the number of the character that follows it."""
    packed = np.empty(len(ids), np.uint64)
    ends = np.zeros(len(limits), np.int64)
    filled = 0
    for d in range(len(limits) - 1):
        for j in range(limits[d + 1] - limits[d] - 1):
            following = np.uint64(codes[bounds[d] + n + j])
            packed[filled] = (np.uint64(ids[limits[d] + j]) << np.uint64(bits)) | following
            filled += 1
        ends[d + 1] = filled
    return packed[:filled], ends
