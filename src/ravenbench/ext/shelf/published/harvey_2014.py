"""Verifies as Harvey 2014 (``Harvey2014``): cross-entropies of sequences of part-of-speech tags under PPM models.

In: ``Problems`` (n); nothing is learned. For ``tag_symbols`` and ``latin`` a text; for ``t_value`` the cross-entropies
of the known text's chunks, and of the questioned text's chunks.
Out: raw scores (n,), minus Student's t (from −10 to 10), higher = same author, NaN if a side has too few tags;
``tag_symbols``: one character for each tag, "" if most letters are not Latin; ``latin``: True if at least half of the
letters are Latin; ``t_value``: t, higher = less alike, NaN if undefined. MissingPart without NLTK or its English
tagger.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, Self

import numpy as np

from ravenbench.ext.shelf.published.one_class import known_and_questioned, sides
from ravenbench.text.nltk_data import TAGGER, find, tagger
from ravenbench.text.ppm import cross_entropies
from ravenbench.text.tokens import tokens
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Problems, Size
from ravenbench.verifiers.calibrators import Logistic, scored
from ravenbench.verifiers.contract.base import Calibrator, Scorer

_FIRST = ord("A")
_LATIN_ENDS = "\u024f"


def tag_symbols(text: str) -> str:
    """Return Penn Treebank tags of a text's tokens, one character for each; none if most letters are not Latin.

    MissingPart, with the install command, if NLTK or its English tagger is not installed.
    """
    return _symbols(text, os.environ.get("NLTK_DATA", ""))


def latin(text: str) -> bool:
    """Return True if at least half of a text's letters are Latin."""
    letters = [c for c in text if c.isalpha()]
    return 2 * sum(c <= _LATIN_ENDS for c in letters) >= len(letters)


@lru_cache(maxsize=4096)
def _symbols(text: str, folders: str) -> str:
    units = tokens(text)
    if not units or not latin(text):
        return ""
    symbol = _alphabet(folders)
    return "".join([symbol[tag] for _, tag in tagger().tag(units)])


@cache
def _alphabet(folders: str) -> dict[str, str]:
    """The symbol of each of the tagger's tags, in alphabetical order."""
    known = {*tagger().classes, *tagger().tagdict.values()}
    return {tag: chr(_FIRST + i) for i, tag in enumerate(sorted(known))}


_LARGEST = 10.0
_LEAST_VARIANCE = 1e-6


@dataclass(eq=False, repr=False)
class Harvey2014(Scorer):
    """Minus Student's t of the questioned text's cross-entropies against the known text's cross-entropies with itself.

    Texts are tagged, tags become symbols, and PPM models their sequence, as the abstract says. The rest is ours: known
    documents are joined and cut in chunks of about 200 tags, at least two; each chunk is coded under the model of the
    others, and the questioned text's chunks of the same length under the model of all of them (PPM-C, order 5); t compares
    the two means with pooled variance, and is clipped to ±10. A logistic regression fitted in training makes it an answer.

    The tagger is NLTK's English tagger, and needs the resource averaged_perceptron_tagger_eng. In other languages in
    Latin script its tags mean less; a problem with texts in another script is left unanswered, as the original left
    every Greek problem.

    Parameters
    ----------
    chunk : int
        Tags of a chunk.
    order : int
        Length of the longest context, 0 … 5.

    References
    ----------
    Harvey 2014 (PAN at CLEF), after Bobicev 2013.
    """

    name = "harvey-2014"
    reads_grammar = True
    reads = "English"
    version = 2
    symmetric = False
    provenance = "reconstructed"

    chunk: Size = 200
    order: Literal[0, 1, 2, 3, 4, 5] = 5

    def require(self) -> None:
        """Check that the tagger is installed. MissingPart if NLTK or its English tagger is not."""
        find(TAGGER)

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Return itself: there is nothing to learn. MissingPart if NLTK or its English tagger is not installed."""
        self.require()
        return self

    def score(self, problems: Problems) -> Floats:
        """Return −t, (n,); NaN if a side has too few tags."""
        models: list[str] = []
        coded: list[str] = []
        counts = np.zeros((len(problems), 2), dtype=np.int64)
        for i, (known, questioned) in enumerate(sides(problems, tag_symbols)):
            joined = "".join(known)
            least = max(2, len(joined) // self.chunk)
            parts, pieces = known_and_questioned([], joined, questioned, least)
            models += ["".join(parts[:j] + parts[j + 1 :]) for j in range(len(parts))] + [
                joined
            ] * len(pieces)
            coded += parts + pieces
            counts[i] = len(parts), len(pieces)
        texts, rows = TextTable.collect([*models, *coded])
        bits = cross_entropies(texts, rows[: len(models)], rows[len(models) :], self.order, "C")[
            :, 0
        ]
        each = np.split(bits, np.cumsum(counts.ravel())[:-1])
        return np.array(
            [-t_value(each[2 * i], each[2 * i + 1]) for i in range(len(problems))], dtype=np.float64
        )

    def default_calibrator(self) -> Calibrator:
        """Return logistic regression without a band of non-answers."""
        return WhereTagged(radius=0.0)


class WhereTagged(Logistic):
    """Logistic regression that leaves every problem unanswered if no training problem has tags."""

    name = ""

    def fit(self, scores: Floats, same: Bools) -> Self:
        if scored(scores).any():
            return super().fit(scores, same)
        self.coef_ = np.zeros(1)
        self.intercept_ = 0.0
        return self


def t_value(known: Floats, questioned: Floats) -> float:
    """Return Student's t of mean(questioned) − mean(known) with pooled variance, within ±10.

    NaN if ``known`` has fewer than two values or ``questioned`` none.
    """
    n = len(known)
    m = len(questioned)
    if n < 2 or m < 1:
        return float("nan")
    squares = ((known - known.mean()) ** 2).sum() + ((questioned - questioned.mean()) ** 2).sum()
    variance = max(float(squares) / (n + m - 2), _LEAST_VARIANCE)
    t = float(questioned.mean() - known.mean()) / np.sqrt(variance * (1 / n + 1 / m))
    return float(np.clip(t, -_LARGEST, _LARGEST))
