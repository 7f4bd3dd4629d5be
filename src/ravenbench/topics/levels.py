"""A corpus at a level of topic, its topics with documents enough, and how alike they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ravenbench import registry
from ravenbench.errors import CorpusError, did_you_mean
from ravenbench.topics.cached import document_vectors
from ravenbench.topics.vectors import cosine_similarity, topic_vectors
from ravenbench.types import Corpus, Floats, Labels


def at_level(corpus: Corpus, level: str, levels: Mapping[str, str]) -> tuple[Corpus, bool]:
    """The corpus at a level of topic, and whether that level had to be extracted from the texts.

    ``level`` is a column, a level the catalogue entry describes, or a component such as
    ``extract(within='group', clusters=5)``.
    """
    text = levels.get(level, level)
    if text in corpus.columns or text == "topic":
        return corpus.at(text), False
    if "(" not in text and text not in registry.names("topics"):
        known = ["topic", *corpus.columns, *levels]
        raise CorpusError(
            f"corpus {corpus.name} has no topic level {level!r}",
            expected="one of: " + ", ".join(known),
            fix=did_you_mean(level, known),
        )
    labels = registry.parse("topics", text).labels(corpus)
    return replace(corpus, topic=labels), True


def keep_topics(corpus: Corpus, min_docs: int) -> Corpus:
    """The corpus without documents whose topic is unknown or has fewer than ``min_docs``."""
    counts = corpus.topic.counts()
    kept = np.flatnonzero(counts >= min_docs)
    place = np.full(len(counts) + 1, -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    names = tuple(corpus.topic.names[i] for i in kept)
    return replace(corpus, topic=Labels(place[corpus.topic.codes], names))


def topic_similarity(corpus: Corpus, encoder: Any) -> Floats:
    """Cosine similarity of topic vectors (Eq. 1), shape (T, T)."""
    rows = np.flatnonzero(corpus.topic.codes >= 0)
    vectors = document_vectors(encoder, corpus.texts, rows)
    return cosine_similarity(topic_vectors(vectors, corpus.topic.codes[rows], len(corpus.topic.names)))
