"""A corpus of known topic reliance: authors with a style of their own and favourite topics."""

from __future__ import annotations

import numpy as np

from ravenbench.randomness import stream
from ravenbench.texts import TextTable
from ravenbench.types import Corpus, Labels

STYLE = [
    "the",
    "of",
    "and",
    "to",
    "in",
    "a",
    "is",
    "that",
    "for",
    "it",
    "as",
    "was",
    "with",
    "be",
    "by",
    "on",
    "not",
]
STYLE += ["he", "this", "are", "or", "his", "from", "at", "which", "but", "have", "an", "had"]


def simulate(authors=6, topics=6, docs=6, words=220, style=0.5, loyal=0.85, moving=True, seed=0):
    """Every author has frequencies of common words (by ``style`` their own) and pet words.

    A share ``loyal`` of topic words are pet words; ``moving`` ones are another author's on the next topic.
    """
    rng = stream(seed, "toy-topics")
    base = 1 / np.arange(3, len(STYLE) + 3)
    habits = base * np.exp(style * rng.normal(size=(authors, len(STYLE))))
    habits /= habits.sum(axis=1, keepdims=True)
    texts, names, labels = [], [], []
    for a in range(authors):
        for t in range(topics):
            owner = (a + t * moving) % authors
            for _ in range(docs):
                common = rng.choice(STYLE, size=words // 2, p=habits[a])
                pets = rng.integers(0, 12, words // 2) + 12 * owner
                shared = rng.integers(0, 60, words // 2)
                loyalty = rng.random(words // 2) < loyal
                topical = [
                    f"pet{k}of" if pet else f"word{s}topic{t}"
                    for k, s, pet in zip(pets, shared, loyalty, strict=True)
                ]
                mixed = np.empty(2 * (words // 2), dtype=object)
                mixed[0::2], mixed[1::2] = common, topical
                texts.append(" ".join(mixed))
                names.append(f"author {a}")
                labels.append(f"topic {t}")
    table, _ = TextTable.collect(texts)
    ids = tuple(str(i) for i in range(len(texts)))
    return Corpus("toy", table, ids, Labels.of(names), Labels.of(labels))
