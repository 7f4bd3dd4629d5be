"""Counting what a corpus holds, in the numbers that decide which experiments it can carry."""

from __future__ import annotations

from typing import Any

import numpy as np

from ravenbench.types import Corpus, Floats, Ints


def summarise(corpus: Corpus, word_counts: Ints | None = None) -> dict[str, Any]:
    """Count documents, authors, topics, words and pairs; JSON values only.

    ``pairs`` counts unordered same-author pairs, all and within one topic; ``authors`` those with at least two
    documents (``several``) and in at least two topics (``across``); ``words`` are white-space tokens.
    """
    if word_counts is None:
        word_counts = np.fromiter((len(corpus.texts.raw(i).split()) for i in range(len(corpus))), np.int64, len(corpus))
    author, topic = corpus.author.codes, corpus.topic.codes
    known = (author >= 0) & (topic >= 0)
    cells, cell_counts = np.unique(np.stack([author[known], topic[known]]), axis=1, return_counts=True)
    per_author = corpus.author.counts()
    used = per_author[per_author > 0]
    topics_of = np.bincount(cells[0], minlength=len(corpus.author.names))
    authors_of = np.bincount(cells[1], minlength=len(corpus.topic.names))
    topic_counts = corpus.topic.counts()
    words_of = np.bincount(topic[topic >= 0], word_counts[topic >= 0], minlength=len(topic_counts))
    order = sorted(range(len(topic_counts)), key=lambda t: (-topic_counts[t], corpus.topic.names[t]))
    language = corpus.language
    return {
        "name": corpus.name,
        "digest": corpus.digest(),
        "documents": len(corpus),
        "authors": {
            "total": len(used),
            "several": int(np.count_nonzero(used >= 2)),
            "across": int(np.count_nonzero(topics_of >= 2)),
            "documents": _spread(used),
        },
        "topics": {
            "total": int(np.count_nonzero(topic_counts)),
            "without": int(np.count_nonzero(topic < 0)),
            "documents": _spread(topic_counts[topic_counts > 0]),
            "authors": _spread(authors_of[authors_of > 0]),
        },
        "pairs": {"same_author": _pairs(used), "same_author_same_topic": _pairs(cell_counts)},
        "words": {"total": int(word_counts.sum()), **_spread(word_counts)},
        "languages": {}
        if language is None
        else {name: int(n) for name, n in zip(language.names, language.counts(), strict=True)},
        "levels": {key: len(labels.names) for key, labels in sorted(corpus.columns.items())},
        "by_topic": [
            {
                "topic": corpus.topic.names[t],
                "documents": int(topic_counts[t]),
                "authors": int(authors_of[t]),
                "words": float(words_of[t] / topic_counts[t]),
            }
            for t in order
            if topic_counts[t]
        ],
        "notes": dict(corpus.notes),
    }


def _pairs(counts: Ints) -> int:
    return int(np.sum(counts * (counts - 1) // 2))


def _spread(values: Ints | Floats) -> dict[str, float | None]:
    if len(values) == 0:
        return {"min": None, "median": None, "max": None}
    return {"min": float(values.min()), "median": float(np.median(values)), "max": float(values.max())}
