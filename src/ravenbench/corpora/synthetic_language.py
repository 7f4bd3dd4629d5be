"""The language of the synthetic corpus: English function words around pronounceable invented content words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ravenbench.randomness import stream

Words = NDArray[np.str_]

_FREQUENT = """
the of and to in is that it for was on are as with they be at have from or had by but not what all were we when your
can there use an each which she do how their if will up other about out many then them these so some her would make
like him into has two more very after than over also back only most since where just may still while both always yet
"""
FUNCTION_WORDS: Words = np.array(_FREQUENT.split())
"""Frequent words every author uses; what differs is how often. One-letter words are left out, since no mask of
frequent words hides them."""

HABITS: tuple[tuple[str, str], ...] = (
    ("though", "tho"),
    ("because", "becos"),
    ("through", "thru"),
    ("toward", "towards"),
    ("among", "amongst"),
    ("until", "till"),
    ("perhaps", "maybe"),
    ("however", "howeva"),
    ("enough", "enuff"),
    ("cannot", "cant"),
    ("really", "realy"),
    ("again", "agen"),
)
"""Two spellings of one frequent word: habits at the level of characters. They stay in function words, so that
content words carry no style."""

_ONSETS = (
    "b",
    "br",
    "d",
    "dr",
    "f",
    "g",
    "gl",
    "k",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "r",
    "s",
    "sk",
    "st",
    "t",
    "tr",
    "v",
    "z",
)
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "ou")
_CODAS = ("", "", "", "", "", "n", "l", "r", "s", "t", "m", "nd")


def invented_words(seed: int) -> Iterator[str]:
    """Distinct pseudo-words of two or three syllables without end, none of them a function word."""
    rng = stream(seed, "synthetic-words")
    seen = {str(w) for w in FUNCTION_WORDS} | {w for pair in HABITS for w in pair}
    while True:
        draws = rng.random((512, 10))
        for row in draws:
            syllables = [
                _pick(_ONSETS, row[3 * s]) + _pick(_VOWELS, row[3 * s + 1]) + _pick(_CODAS, row[3 * s + 2])
                for s in range(2 if row[9] < 0.7 else 3)
            ]
            word = "".join(syllables)
            if word not in seen:
                seen.add(word)
                yield word


def _pick(items: tuple[str, ...], draw: float) -> str:
    return items[int(draw * len(items))]
