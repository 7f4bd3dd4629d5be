"""Texts as AdHominem reads them: tokens in overlapping windows, each distinct token spelt once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ravenbench.text.tokens import frequent, tokens
from ravenbench.types import Ints

WINDOW, HOP, SPELLING = 30, 26, 15
PAD, UNKNOWN, FIRST = 0, 1, 2
"""Numbers of words and characters below ``FIRST`` stand for none and for any other."""

_QUOTES = str.maketrans({**dict.fromkeys("“”„«»‟", '"'), **dict.fromkeys("‘’‚‛`´", "'")})
_RUN = re.compile(r"([^\d\s])\1{3,}")


def units(text: str) -> list[str]:
    """Tokens, case intact: quotes made alike, a character repeated more than three times only three times."""
    return tokens(_RUN.sub(r"\1\1\1", text.translate(_QUOTES).replace("\ufeff", "")))


@dataclass(frozen=True)
class Vocabulary:
    """Frequent words and characters; their numbers begin at ``FIRST``."""

    words: list[str]
    characters: list[str]

    @classmethod
    def of(cls, documents: Iterable[Sequence[str]], words: int, characters: int) -> Vocabulary:
        """The most frequent words and characters of the training documents, ties by code point."""
        counts: Counter[str] = Counter()
        for document in documents:
            counts.update(document)
        letters: Counter[str] = Counter()
        for word, count in counts.items():
            for letter in word:
                letters[letter] += count
        return cls(frequent(counts, words), frequent(letters, characters))


@dataclass(frozen=True)
class Reading:
    """Documents in numbers.

    Attributes
    ----------
    word : (types,) int64
        Word number of each distinct token; type 0 is padding.
    spelling : (types, 15) int64
        Its characters.
    windows : list of (windows, 30) int64
        Types of each document, in windows that begin 26 tokens apart.
    lengths : list of (windows,) int64
        Tokens in each window: 30 but in a document's last. Never 0: an empty text has one unknown token.
    tokens : (documents,) int64
    """

    word: Ints
    spelling: Ints
    windows: list[Ints]
    lengths: list[Ints]
    tokens: Ints


def read(documents: Sequence[Sequence[str]], vocabulary: Vocabulary, most: int | None = None) -> Reading:
    """Number the tokens of documents; the first ``most`` windows of each, or all."""
    word = {w: FIRST + i for i, w in enumerate(vocabulary.words)}
    letter = {c: FIRST + i for i, c in enumerate(vocabulary.characters)}
    types: dict[str, int] = {}
    windows, lengths = [], []
    for document in documents:
        cut = document if most is None else document[: WINDOW + (most - 1) * HOP]
        numbers = np.array([types.setdefault(token, 1 + len(types)) for token in cut or [""]], dtype=np.int64)
        count = 1 + max(0, -(-(len(numbers) - WINDOW) // HOP))
        place = HOP * np.arange(count)[:, None] + np.arange(WINDOW)
        padded = np.concatenate([numbers, np.zeros(WINDOW, dtype=np.int64)])
        inside = place < len(numbers)
        windows.append(np.where(inside, padded[np.minimum(place, len(numbers))], PAD))
        lengths.append(inside.sum(axis=1).astype(np.int64))
    spelling = np.zeros((1 + len(types), SPELLING), dtype=np.int64)
    for token, row in types.items():
        codes = [letter.get(c, UNKNOWN) for c in token[:SPELLING]]
        spelling[row, : len(codes)] = codes
    known = np.array([PAD, *(word.get(token, UNKNOWN) for token in types)], dtype=np.int64)
    return Reading(known, spelling, windows, lengths, np.array([len(d) for d in documents], dtype=np.int64))
