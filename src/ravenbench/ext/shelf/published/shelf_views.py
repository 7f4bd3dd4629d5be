"""Reads texts as the feature families that systems of PAN-2014 shared, and counts one batch of texts.

In: for ``units_of`` a normalised text, a family (below) and, for ``stop``, the stop words; for ``count`` sequences of
units and n; for ``Members`` ``Problems``; for ``halves`` a text.
Out: ``units_of`` gives units (text) in order, ``sentence_lengths`` numbers of words; ``count`` ``Profiles`` of n-grams,
``dense`` these as counts (texts, n-grams), ``cosines`` those of all pairs of rows (0 to 1 for counts); ``Members`` has
texts, and rows (from 0) of known and questioned texts; ``halves`` returns two texts; ``numbered`` units as integers,
``symbols`` the units of training, the most frequent first, ``written`` sequences as strings, one character for each
unit. No error of its own.

A family reads a text as a sequence of units: ``char`` (lowercased characters), ``word`` (lowercased words), ``stop``
(words among the training texts' most frequent), ``prefix`` and ``suffix`` (three letters of longer words),
``mark`` (punctuation), ``length`` (of words, at most 15) and ``sentence`` (words up to a mark that ends a sentence, in
bins of about a fifth).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np

from ravenbench.ext.shelf.published.cng_2013 import Profiles, gram_numbers, profiles
from ravenbench.ext.shelf.published.one_class import sides
from ravenbench.text.tokens import SENTENCE_END, TOKEN, frequent, lowered, normalised
from ravenbench.types import Floats, Ints, Problems

Family = Literal["char", "word", "stop", "prefix", "suffix", "mark", "length", "sentence"]
_AFFIX = 3
_LONGEST = 15
_FIRST = 0xF0000
_MOST = 60_000
_KEPT = 1024
"""Texts whose tokens are kept."""


def units_of(text: str, family: Family, stopwords: frozenset[str] = frozenset()) -> Sequence[str]:
    """Return the units of a normalised text, in order."""
    if family == "char":
        return lowered(text)
    words, marks = _read(text)
    if family == "mark":
        return marks
    if family == "sentence":
        # Bins of about a fifth.
        return [str(round(5 * np.log(size))) for size in sentence_lengths(text)]
    if family == "word":
        return words
    if family == "stop":
        return [word for word in words if word in stopwords]
    if family == "length":
        return [str(min(len(word), _LONGEST)) for word in words]
    return _affixes(text)[family == "suffix"]


@lru_cache(maxsize=_KEPT)
def _read(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Lowercased words, and punctuation marks; kept, since families and folds ask for the same texts repeatedly."""
    tokens = [sys.intern(token) for token in TOKEN.findall(lowered(text))]
    return tuple(token for token in tokens if _is_word(token)), tuple(
        token for token in tokens if not _is_word(token)
    )


@lru_cache(maxsize=_KEPT)
def _affixes(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Prefixes and suffixes of words longer than they are."""
    long = [word for word in _read(text)[0] if len(word) > _AFFIX]
    return tuple(sys.intern(word[:_AFFIX]) for word in long), tuple(
        sys.intern(word[-_AFFIX:]) for word in long
    )


@lru_cache(maxsize=_KEPT)
def sentence_lengths(text: str) -> tuple[int, ...]:
    """Return the number of words of each sentence that has words."""
    sizes = [0]
    for token in TOKEN.findall(text):
        if _is_word(token):
            sizes[-1] += 1
        elif token in SENTENCE_END and sizes[-1]:
            sizes.append(0)
    return tuple(size for size in sizes if size)


def count(sequences: Sequence[Sequence[str]], n: int) -> Profiles:
    """Return counts of every text's n-grams; the numbers of n-grams are valid only in this batch."""
    return profiles(gram_numbers(numbered(sequences), n))


def numbered(sequences: Sequence[Sequence[str]]) -> list[Ints]:
    """Return units as integers, in order of the units themselves."""
    number = {
        unit: i for i, unit in enumerate(sorted({unit for units in sequences for unit in units}))
    }
    return [np.array([number[unit] for unit in units], dtype=np.int64) for units in sequences]


def dense(profiles: Profiles) -> Floats:
    """Return counts as a matrix (texts, n-grams of the batch)."""
    names, column = np.unique(profiles.grams, return_inverse=True)
    matrix = np.zeros((len(profiles.bounds) - 1, len(names)))
    matrix[np.repeat(np.arange(len(matrix)), np.diff(profiles.bounds)), column] = profiles.counts
    return matrix


def cosines(rows: Floats) -> Floats:
    """Return cosines of all pairs of rows; 0 if one is zero."""
    length = np.sqrt((rows * rows).sum(axis=1))
    unit = rows / np.where(length > 0, length, 1)[:, None]
    return np.clip(unit @ unit.T, -1.0, 1.0)


def symbols(sequences: Sequence[Sequence[str]]) -> list[str]:
    """Return units of training texts that get a separate character, most frequent first."""
    return frequent(Counter(unit for units in sequences for unit in units), _MOST)


def written(sequences: Sequence[Sequence[str]], known: Sequence[str]) -> list[str]:
    """Return sequences as strings of one private character for each unit, for the n-gram kernel.

    Units that are not among ``known`` share one character; sequences of characters (``known`` empty) stay unchanged.
    """
    if not known:
        return ["".join(units) for units in sequences]
    used = {unit for units in sequences for unit in units}
    code = {symbol: chr(_FIRST + 1 + i) for i, symbol in enumerate(known) if symbol in used}
    code |= dict.fromkeys(used - code.keys(), chr(_FIRST))
    return ["".join([code[unit] for unit in units]) for units in sequences]


class Members:
    """Texts of problems as parts to compare: the known documents, or halves of a single one, and the questioned document.

    Attributes
    ----------
    texts : list of str
        Distinct, normalised.
    known : list of (k or 2,) int64
        Rows of ``texts`` for each problem.
    questioned : (n,) int64
    """

    def __init__(self, problems: Problems) -> None:
        row: dict[str, int] = {}

        def place(text: str) -> int:
            return row.setdefault(text, len(row))

        self.known: list[Ints] = []
        questioned = []
        for texts, other in sides(problems, normalised):
            parts = halves(texts[0]) if len(texts) == 1 else texts
            self.known.append(np.array([place(text) for text in parts], dtype=np.int64))
            questioned.append(place(other))
        self.questioned = np.array(questioned, dtype=np.int64)
        self.texts = list(row)


def halves(text: str) -> list[str]:
    """Return a text cut in two at the last space before its middle."""
    middle = text.rfind(" ", 0, len(text) // 2 + 1)
    middle = middle if middle > 0 else len(text) // 2
    return [text[:middle].strip(), text[middle:].strip()]


def _is_word(token: str) -> bool:
    return token[0].isalnum() or token[0] == "_"
