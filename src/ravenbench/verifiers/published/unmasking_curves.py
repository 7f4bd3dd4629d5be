"""Unmasking curves: how fast two texts become indistinguishable when the most telling words are taken away."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ravenbench.text.tokens import frequent
from ravenbench.types import Floats, Ints
from ravenbench.verifiers.published.unmasking_svm import folds_of, unmask

FOLDS = 10
STRENGTH = 1.0
"""C of the SVM that tells chunks apart."""


@dataclass(frozen=True)
class Form:
    """Settings of a publication.

    ``cut``: ``consecutive`` chunks of at least ``words`` words, or ``chunks`` chunks of ``words`` words ``drawn``
    at random with replacement. ``drop`` features are removed for either side in each of ``rounds`` rounds.
    """

    cut: Literal["consecutive", "drawn"]
    words: int
    chunks: int
    features: int
    drop: int
    rounds: int
    runs: int


FORMS = {
    "2007": Form("consecutive", words=500, chunks=0, features=250, drop=3, rounds=10, runs=1),
    "2019": Form("drawn", words=600, chunks=30, features=250, drop=5, rounds=25, runs=2),
}


def curve(known: list[str], questioned: list[str], form: Form, rng: np.random.Generator) -> Floats:
    """Accuracies in cross-validation, averaged over runs, (rounds,).

    NaN where a side has no word, or fewer than two consecutive chunks.
    """
    if not known or not questioned:
        return np.full(form.rounds, np.nan)
    counts = Counter(known), Counter(questioned)
    average: Counter[str] = Counter()
    for count, words in zip(counts, (known, questioned), strict=True):
        for word in sorted(count):
            average[word] += count[word] / len(words)  # type: ignore[assignment]
    column = {word: i for i, word in enumerate(frequent(average, form.features))}
    texts = [
        np.array([column.get(word, len(column)) for word in words], dtype=np.int64) for words in (known, questioned)
    ]
    total = np.zeros(form.rounds)
    for _ in range(form.runs):
        sides = [cut(text, len(column), form, rng) for text in texts]
        if min(len(rows) for rows in sides) < 2:
            return np.full(form.rounds, np.nan)
        side = np.repeat([1.0, -1.0], [len(rows) for rows in sides])
        fold = folds_of(len(sides[0]), len(sides[1]), FOLDS)
        total += unmask(standardised(np.concatenate(sides)), side, fold, STRENGTH, form.rounds, form.drop)
    return total / form.runs


def cut(text: Ints, width: int, form: Form, rng: np.random.Generator) -> Floats:
    """Relative frequencies of words 0 … width − 1 in the chunks of a text, (chunks, width).

    Consecutive chunks share out the whole text evenly and are disjoint.
    """
    if form.cut == "drawn":
        parts = list(text[rng.integers(len(text), size=(form.chunks, form.words))])
    else:
        count = max(len(text) // form.words, 1)
        parts = np.array_split(text, count)
    return np.array([np.bincount(part, minlength=width + 1)[:width] / len(part) for part in parts])


def standardised(chunks: Floats) -> Floats:
    """Columns with mean 0 and deviation 1 over the chunks of both texts; constant ones are 0."""
    deviation = chunks.std(axis=0)
    return np.ascontiguousarray((chunks - chunks.mean(axis=0)) / np.where(deviation > 1e-12, deviation, np.inf))


def points(curve: Floats) -> Floats:
    """Accuracies as points of a curve from 0 (chance) to 1: max(0, 2 (accuracy − ½))."""
    return np.maximum(0.0, 2 * (curve - 0.5))


def meta_features(curves: Floats) -> Floats:
    """What Koppel et al. learn from: accuracies, drops over one and two rounds, and the same drops sorted.

    ``curves`` (n, rounds) → (n, 5 · rounds − 6); sorted drops are descending.
    """
    one = curves[:, :-1] - curves[:, 1:]
    two = curves[:, :-2] - curves[:, 2:]
    return np.concatenate([curves, one, two, -np.sort(-one, axis=1), -np.sort(-two, axis=1)], axis=1)
