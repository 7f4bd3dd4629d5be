"""Five verifiers that go by topic without reading a content word as a word: none of them may be cleared.

``raven run newsgroups --samplers random --probe transplant --pools 1 --seed 31 --verifiers "LIST"`` with the list that
``python -m benchmarks.hidden_builds`` prints, run where this repository's root is the current folder.

``Shape`` reads the length and capital of the words that are in no closed class, ``Digits`` words with digits,
``Addresses`` mail addresses and hosts, ``Names`` capitalised words inside sentences. ``WhatStays`` guesses topic from
all that stays when content words are replaced. Scores are higher for the same author.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import Self

import numpy as np

from benchmarks.honest_builds import CLOSED
from ravenbench import FoldFree, Scorer
from ravenbench.problems.references import FromWhatStays
from ravenbench.text.splicing import Splicer
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Ints, Problems

WORD = re.compile(r"[^\W\d_]+")
INSIDE = re.compile(r"(?<=[a-z,;:] )[A-Z][^\W\d_]{2,}")
WITH_DIGIT = re.compile(r"\w*\d\w*")
ADDRESS = re.compile(r"[\w.]+@[\w.]*\w|\w+\.(?:edu|com|org|net|gov)\b")


class Counted(FoldFree):
    """Cosine of square roots of counts of what ``read`` finds in a text; nothing is learned."""

    def pair_features(self, texts: TextTable, known: Ints, questioned: Ints) -> Floats:
        made = {
            row: Counter(self.read(texts[row])) for row in {*known.tolist(), *questioned.tolist()}
        }

        def cosine(a: Counter[str], b: Counter[str]) -> float:
            size = float(np.sqrt(a.total() * b.total()))
            return sum(float(np.sqrt(n * b[unit])) for unit, n in a.items()) / size if size else 0.0

        pairs = zip(known.tolist(), questioned.tolist(), strict=True)
        return np.array([cosine(made[a], made[b]) for a, b in pairs], dtype=np.float64)

    def read(self, text: str) -> list[str]:
        """Units of a text."""
        raise NotImplementedError


class Shape(Counted):
    """Length and capital of every word in no closed class, and of two in a row."""

    def read(self, text: str) -> list[str]:
        words = [word for word in WORD.findall(text) if word.lower() not in CLOSED]
        shapes = [f"{min(len(word), 12)}{'C' * word[0].isupper()}" for word in words]
        return [*shapes, *map(" ".join, pairwise(shapes))]


class Digits(Counted):
    """Words with digits."""

    def read(self, text: str) -> list[str]:
        return WITH_DIGIT.findall(text.lower())


class Addresses(Counted):
    """Mail addresses and hosts."""

    def read(self, text: str) -> list[str]:
        return ADDRESS.findall(text.lower())


class Names(Counted):
    """Capitalised words inside sentences."""

    def read(self, text: str) -> list[str]:
        return INSIDE.findall(text)


class WhatStays(Scorer):
    """Topic guessed from what stays when content words are replaced."""

    reads = "words"

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.guess_ = FromWhatStays(Splicer(problems.texts), problems)
        return self

    def score(self, problems: Problems) -> Floats:
        return self.guess_.score(problems)


BUILDS = (Shape, Digits, Addresses, Names, WhatStays)

if __name__ == "__main__":
    print(", ".join(f"benchmarks.hidden_builds:{build.__name__}" for build in BUILDS))
