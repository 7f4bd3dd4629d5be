"""Similarities of a problem's texts by kind of observation, computed once for a whole genetic search."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Self

import numpy as np

from ravenbench.text.impostor_spaces import ImpostorSpace
from ravenbench.text.minmax import Measure, norms, similarities
from ravenbench.text.tokens import SENTENCE_END, normalised, tokens, words
from ravenbench.types import Floats, Ints, Problems
from ravenbench.verifiers.published.harvey_2014_tags import tag_symbols

MEASURES: tuple[Measure, ...] = ("cosine", "minmax")
MEANS = ("median", "arithmetic", "geometric", "harmonic")
LEVELS = ("type/token ratio", "word length", "sentence length")
_LEAST = 1e-6
_PRIVATE = 0xE000


class Observations:
    """Families of n-grams, each an observation of its own, and a few levels of whole texts.

    Parameters
    ----------
    units : str
        As in ``ImpostorSpace``.
    size, least : int
        N-grams kept of each family and length; only those some training text has ``least`` times.
    tags : bool
        Count 1–4-grams of part-of-speech tags too.
    """

    def __init__(self, units: str, size: int, least: int, tags: bool = False) -> None:
        self.space = ImpostorSpace(units, size, "tf", least)
        self.tags = ImpostorSpace("char1-4", size, "tf", least) if tags else None

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn the vocabulary from normalised texts; without tags where no text is in a script that has a tagger.

        Raises
        ------
        MissingPart
            If tags are wanted and the tagger is not here.
        """
        self.space.fit(texts)
        if self.tags is not None:
            written = [tagged(text) for text in texts]
            if any(written):
                self.tags.fit(written)
            else:
                warnings.warn("no training text can be tagged: observations of tags are left out", stacklevel=2)
                self.tags = None
        return self

    @property
    def count(self) -> int:
        """Number of observations: families of n-grams, and levels."""
        return sum(len(space.vocabulary_) for space in (self.space, self.tags) if space is not None) + len(LEVELS)

    def features(self, problems: Problems) -> Floats:
        """Mean similarity of the questioned text to the known ones, (n, measures, means, observations).

        All lie in [0, 1]; about 0 where a text has nothing of a kind. A level's similarity is the smaller value over
        the larger under either measure.
        """
        used = problems.documents
        texts = [normalised(text) for text in problems.texts.rows(used)]
        kinds = [_Kind(self.space, texts)]
        if self.tags is not None:
            kinds.append(_Kind(self.tags, [tagged(text) for text in texts]))
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
            for m in range(len(MEASURES)):
                found = [kind.similarities(int(u), rows, m) for kind in kinds]
                result[i, m] = means(np.concatenate([*found, plain], axis=1))
        return result


class _Kind:
    """Vectors of texts in one space, each family and length of n-grams by itself."""

    def __init__(self, space: ImpostorSpace, texts: list[str]) -> None:
        longest = max(map(len, texts), default=0)
        self.vectors = space.vectors(space.read(texts, space.forest()), np.arange(len(texts)), longest)
        sizes = [len(names) for _, _, names in space.vocabulary_]
        self.masks = np.repeat(np.eye(len(sizes), dtype=np.float32), sizes, axis=0)
        self.norms = [norms(self.vectors, self.masks, measure) for measure in MEASURES]

    def similarities(self, u: int, rows: Ints, measure: int) -> Floats:
        """Similarities of text ``u`` to ``rows``, (rows, families)."""
        norm = self.norms[measure]
        return similarities(self.vectors.dense(u), norm[u], self.vectors, norm, rows, self.masks, MEASURES[measure])


def tagged(text: str) -> str:
    """A text's tags as private characters, which have no lowercase."""
    return "".join([chr(_PRIVATE + ord(symbol)) for symbol in tag_symbols(text)])


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
