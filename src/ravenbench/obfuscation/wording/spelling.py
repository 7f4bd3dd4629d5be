"""Spelling correction: the most frequent word within two edits, against Brown's vocabulary."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.obfuscation.wording.resources import language_model

_WIDTH = 24
_FREQUENT = 20_000


@lru_cache(1 << 16)
def correct(word: str) -> str:
    """The nearest lower-case word of Brown's most frequent (insertions, deletions, substitutions), or the word.

    One edit wins over two, then frequency decides. Raises MissingPart without Brown.
    """
    if len(word) >= _WIDTH:
        return word
    names, letters, lengths = _vocabulary()
    code = np.array([ord(c) for c in word], dtype=np.int32)
    distance = distances(code, letters, lengths)
    for wanted in (1, 2):
        found = np.flatnonzero(distance == wanted)
        if len(found):
            return names[int(found[0])]
    return word


@cache
def _vocabulary() -> tuple[list[str], NDArray[np.int32], NDArray[np.int64]]:
    # Ids ascend as frequency falls.
    names = [w for w in language_model().vocabulary[3:] if w.isalpha() and w.islower() and 2 < len(w) < _WIDTH]
    names = names[:_FREQUENT]
    letters = np.zeros((len(names), _WIDTH), dtype=np.int32)
    for row, name in enumerate(names):
        letters[row, : len(name)] = [ord(c) for c in name]
    return names, letters, np.array([len(name) for name in names])


@njit(cache=True)
def distances(word, letters, lengths):  # type: ignore[no-untyped-def]
    """Levenshtein distance of a word to each row of letters; 3 where the lengths differ by more than 2."""
    n = len(word)
    out = np.full(len(lengths), 3, np.int64)
    last = np.empty(n + 1, np.int64)
    for row in range(len(lengths)):
        m = lengths[row]
        if abs(m - n) > 2:
            continue
        for j in range(n + 1):
            last[j] = j
        for i in range(m):
            diagonal = last[0]
            last[0] = i + 1
            for j in range(n):
                cost = diagonal + (word[j] != letters[row, i])
                diagonal = last[j + 1]
                last[j + 1] = min(cost, last[j] + 1, last[j + 1] + 1)
        out[row] = min(last[n], 3)
    return out
