"""Similarities of a problem's texts by kind of observation, computed once for a whole genetic search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from ravenbench.text.impostor_spaces import ImpostorSpace, normalised
from ravenbench.text.minmax import Measure, norms, similarities
from ravenbench.text.tokens import SENTENCE_END, tokens, words
from ravenbench.types import Floats, Problems

MEASURES: tuple[Measure, ...] = ("cosine", "minmax")
MEANS = ("median", "arithmetic", "geometric", "harmonic")
LEVELS = ("type/token ratio", "word length", "sentence length")
_LEAST = 1e-6


class Observations:
    """Families of n-grams, each an observation of its own, and a few levels of whole texts.

    Parameters
    ----------
    units : str
        As in ``ImpostorSpace``.
    size, least : int
        N-grams kept of each family and length; only those some training text has ``least`` times.
    """

    def __init__(self, units: str, size: int, least: int) -> None:
        self.space = ImpostorSpace(units, size, "tf", least)

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn the vocabulary from normalised texts."""
        self.space.fit(texts)
        return self

    @property
    def count(self) -> int:
        """Number of observations."""
        return len(self.space.vocabulary_) + len(LEVELS)

    def features(self, problems: Problems) -> Floats:
        """Mean similarity of the questioned text to the known ones, (n, measures, means, observations).

        All lie in [0, 1]; about 0 where a text has nothing of a kind. A level's similarity is the smaller value over
        the larger under either measure.
        """
        used = problems.documents
        texts = [normalised(text) for text in problems.texts.rows(used)]
        vectors = self.space.vectors(
            self.space.counters(), self.space.read(texts), np.arange(len(texts)), max(map(len, texts), default=0)
        )
        sizes = [len(names) for _, _, names in self.space.vocabulary_]
        masks = np.repeat(np.eye(len(sizes), dtype=np.float32), sizes, axis=0)
        norm = [norms(vectors, masks, measure) for measure in MEASURES]
        level = np.array([levels(text) for text in texts]).reshape(len(texts), len(LEVELS))
        known, questioned = (
            np.searchsorted(used, problems.known_index),
            np.searchsorted(used, problems.questioned_index),
        )
        result = np.empty((len(problems), len(MEASURES), len(MEANS), self.count))
        for i, u in enumerate(questioned):
            rows = known[problems.known_ptr[i] : problems.known_ptr[i + 1]]
            high = np.maximum(level[rows], level[u])
            plain = np.minimum(level[rows], level[u]) / np.where(high > 0, high, 1.0)
            for m, measure in enumerate(MEASURES):
                found = similarities(vectors.dense(u), norm[m][u], vectors, norm[m], rows, masks, measure)
                result[i, m] = means(np.concatenate([found, plain], axis=1))
        return result


def means(found: Floats) -> Floats:
    """Median, arithmetic, geometric and harmonic mean over rows, (4, columns)."""
    safe = np.maximum(found, _LEAST)
    each = [
        np.median(found, axis=0),
        found.mean(axis=0),
        np.exp(np.log(safe).mean(axis=0)),
        1 / (1 / safe).mean(axis=0),
    ]
    return np.stack(each)


def levels(text: str) -> list[float]:
    """Type/token ratio of the first 500 words, mean word length, words a sentence."""
    found = words(text.lower())
    first = found[:500]
    sentences = sum(token in SENTENCE_END for token in tokens(text))
    return [
        len(set(first)) / max(len(first), 1),
        sum(map(len, found)) / max(len(found), 1),
        len(found) / max(sentences, 1),
    ]
