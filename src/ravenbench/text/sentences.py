"""Sentences as numbers: what a grammar model learns from and is asked about.

A sentence ends with ``.``, ``?``, ``!`` or a line break, tokens stand between white space; masked texts (``posnoise``)
keep both. This is how the authors of LambdaG divide texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ravenbench.types import Ints

START, END = 1, 2
"""Numbers of the marks before and after each sentence; words begin at 3, and 0 is no word."""
_SENTENCE = re.compile(r".+?(?:[.?!\n]+|$)")
_TOKEN = re.compile(r"\S+")


def sentences(text: str, lowercase: bool = True) -> list[list[str]]:
    """The tokens of each sentence; none of the sentences is empty."""
    found = _SENTENCE.findall(text.lower() if lowercase else text)
    return [tokens for sentence in found if (tokens := sentence.split())]


def divided(text: str) -> list[str]:
    """The sentences of a text as they stand, white space collapsed; none of them is empty."""
    return [one for match in _SENTENCE.finditer(text) if (one := " ".join(match[0].split()))]


def spans(text: str) -> list[list[tuple[int, int]]]:
    """Where the tokens that ``sentences`` finds begin and end in the text."""
    found = []
    for sentence in _SENTENCE.finditer(text):
        tokens = [m.span() for m in _TOKEN.finditer(text, *sentence.span())]
        if tokens:
            found.append(tokens)
    return found


class Vocabulary:
    """Numbers of words, given out as words come."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        self.number = {word: i for i, word in enumerate(words, start=END + 1)}

    def __len__(self) -> int:
        """One more than the highest number given."""
        return len(self.number) + END + 1

    def encode(self, sentences: Iterable[Sequence[str]]) -> Sentences:
        """The sentences as numbers; words that were not seen before get the next ones."""
        number = self.number
        ids: list[int] = []
        bounds = [0]
        for tokens in sentences:
            ids.append(START)
            ids.extend(number.setdefault(token, len(number) + END + 1) for token in tokens)
            ids.append(END)
            bounds.append(len(ids))
        return Sentences(np.array(ids, dtype=np.int64), np.array(bounds, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Sentences:
    """Sentences one after another.

    Attributes
    ----------
    ids : (tokens,) int64
        Each sentence with its marks: START, words, END.
    bounds : (sentences + 1,) int64
        Where each begins and ends.
    """

    ids: Ints
    bounds: Ints

    def __len__(self) -> int:
        return len(self.bounds) - 1
