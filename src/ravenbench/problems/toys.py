"""Problems of made-up words: for checks of methods, and to see before any work whether one can work at all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ravenbench.randomness import stream
from ravenbench.types import Bools, Problems

_SYLLABLES = ("ka", "re", "mi", "to", "su", "no", "la", "vi", "po", "de", "ha", "gu", "ti", "ro", "ma", "se")


def toy_problems(
    n: int = 40, known: int = 1, words: int = 120, seed: int = 0, alphabet: Sequence[str] = _SYLLABLES
) -> tuple[Problems, Bools]:
    """Problems whose authors differ in word habits: enough for any method to run on, no corpus needed."""
    rng = stream(seed, "toy-problems", n, known)
    vocabulary = ["".join(rng.choice(alphabet, size=rng.integers(1, 4))) for _ in range(300)]
    marks = [".", ",", ";", "!", "?"]

    def write(author: int, document: int) -> str:
        habit = stream(seed, "toy-habit", author).dirichlet(np.full(len(vocabulary), 0.15))
        draw = stream(seed, "toy-document", author, document)
        tokens = [str(vocabulary[i]) for i in draw.choice(len(vocabulary), size=words, p=habit)]
        for place in range(7, len(tokens), 7 + author % 5):
            tokens[place] += marks[author % len(marks)]
        return " ".join(tokens).capitalize()

    rows, same = [], []
    for i in range(n):
        author, truth = 2 * i, i % 2 == 0
        other = author if truth else author + 1
        rows.append((f"toy{i:03d}", [write(author, d) for d in range(known)], write(other, 99)))
        same.append(truth)
    return Problems.of(rows), np.array(same)
