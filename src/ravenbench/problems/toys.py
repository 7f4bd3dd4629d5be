"""Makes problems of made-up words: for checks of methods, and for a quick trial whether a method works at all.

In: ``toy_problems`` takes numbers of problems (n), of known texts of each, of words of a text; a seed; syllables to
make words of. All have defaults.
Out: ``Problems`` (n) and their truth (n,) bool, True = same author (every second one).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ravenbench.randomness import stream
from ravenbench.types import Bools, Problems

_SYLLABLES = (
    "ka",
    "re",
    "mi",
    "to",
    "su",
    "no",
    "la",
    "vi",
    "po",
    "de",
    "ha",
    "gu",
    "ti",
    "ro",
    "ma",
    "se",
)


def toy_problems(
    n: int = 40,
    known: int = 1,
    words: int = 120,
    seed: int = 0,
    alphabet: Sequence[str] = _SYLLABLES,
) -> tuple[Problems, Bools]:
    """Return n ``Problems`` and their truth (n,); the authors differ in word habits, which is enough for any method to run
    without a corpus."""
    rng = stream(seed, "toy-problems", n, known)
    vocabulary = ["".join(rng.choice(alphabet, size=rng.integers(1, 4))) for _ in range(300)]
    marks = [".", ",", ";", "!", "?"]

    def write(author: int, document: int) -> str:
        habit = stream(seed, "toy-habit", author).dirichlet(np.full(len(vocabulary), 0.15))
        draw = stream(seed, "toy-document", author, document)
        tokens = [str(vocabulary[i]) for i in draw.choice(len(vocabulary), size=words, p=habit)]
        for position in range(7, len(tokens), 7 + author % 5):
            tokens[position] += marks[author % len(marks)]
        return " ".join(tokens).capitalize()

    rows = []
    truths = []
    for i in range(n):
        author = 2 * i
        truth = i % 2 == 0
        questioned_author = author if truth else author + 1
        rows.append(
            (
                f"toy{i:03d}",
                [write(author, text_number) for text_number in range(known)],
                write(questioned_author, 99),
            )
        )
        truths.append(truth)
    return Problems.of(rows), np.array(truths)
