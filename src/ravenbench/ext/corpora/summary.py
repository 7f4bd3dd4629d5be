"""Counts the content of a corpus, and lists the questions that it can answer.

In: a ``Corpus``; ``Problems`` for ``table_one``.
Out: ``summarise``: a dict of JSON values (counts of documents, authors, topics, words and same-author pairs);
``questions``: from it a ``Question`` for each of Raven's commands (True or False, and why); ``table_one``: a row of
Table 1 of the PAN-2014 overview (counts, mean words).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from ravenbench.errors import counted
from ravenbench.reading.account import in_words
from ravenbench.text.segmenters import detect
from ravenbench.text.tokens import count_words, words
from ravenbench.types import Corpus, Floats, Ints, Measures, Problems


def summarise(corpus: Corpus) -> dict[str, Any]:
    """Return counts of documents, authors, topics, words and pairs, as JSON values.

    ``pairs`` counts unordered same-author pairs, all and within one topic; ``authors`` also authors with at least two
    documents (``several``) and in at least two topics (``across``); ``words`` are counted by
    ``count_words``. ``unsegmented`` says why words cannot be found, if they cannot.
    """
    sizes = map(count_words, corpus.texts.rows(range(len(corpus))))
    word_counts = np.fromiter(sizes, np.int64, len(corpus))
    author = corpus.author.codes
    topic = corpus.topic.codes
    known = (author >= 0) & (topic >= 0)
    cells, cell_counts = np.unique(
        np.stack([author[known], topic[known]]), axis=1, return_counts=True
    )
    per_author = corpus.author.counts()
    used = per_author[per_author > 0]
    topics_of = np.bincount(cells[0], minlength=len(corpus.author.names))
    authors_of = np.bincount(cells[1], minlength=len(corpus.topic.names))
    topic_counts = corpus.topic.counts()
    words_of = np.bincount(topic[topic >= 0], word_counts[topic >= 0], minlength=len(topic_counts))
    order = sorted(
        range(len(topic_counts)), key=lambda t: (-topic_counts[t], corpus.topic.names[t])
    )
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
        "languages": (
            {}
            if language is None
            else {name: int(n) for name, n in zip(language.names, language.counts(), strict=True)}
        ),
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
        "notes": in_words(corpus.notes),
        **({"unsegmented": why} if (why := detect(corpus.texts).refusal) else {}),
    }


def _pairs(counts: Ints) -> int:
    return int(np.sum(counts * (counts - 1) // 2))


def _spread(values: Ints | Floats) -> Measures:
    if len(values) == 0:
        return {"min": None, "median": None, "max": None}
    return {
        "min": float(values.min()),
        "median": float(np.median(values)),
        "max": float(values.max()),
    }


_DOMAINS = 6
"""Topics that the crossed probe needs: two domains, each of a test topic and two to train near it."""
_MANY = 20
"""Authors below which an interval says next to nothing."""
_BACKGROUND = 10
"""Authors that ``raven compare`` needs at least; with fewer than 40 its intervals are wide."""


@dataclass(frozen=True)
class Question:
    """One question, whether this corpus can answer it, and why or how."""

    question: str
    possible: bool
    answer: str


def questions(summary: dict[str, Any]) -> list[Question]:
    """Return the questions of Raven's commands, with answers from the counts of ``summarise``.

    Only sizes count; ``raven run CORPUS --plan`` builds the pairs and says what they would show.
    """
    authors = summary["authors"]
    topics = summary["topics"]
    pairs = summary["pairs"]
    several = authors["several"]
    across = authors["across"]
    total = topics["total"]
    apart = pairs["same_author"] - pairs["same_author_same_topic"]
    enough = several >= 2 and authors["total"] >= 3
    exact = (
        f"AUC to about ±{_half_width(several):.2f}, if only authors varied"
        if enough
        else "too few authors"
    )
    few = "" if several >= _MANY else f"; authors with several documents: only {several:,}"
    return [
        Question(
            "content: do answers change if only the content changes? (raven run)",
            enough and "unsegmented" not in summary,
            (
                summary["unsegmented"]
                if "unsegmented" in summary
                else exact
                + few
                + (
                    ""
                    if total >= 3
                    else "; without topics, Raven chooses donors by their content words"
                )
            ),
        ),
        Question(
            "new topics: do verifiers work on topics without training texts? (raven run)",
            total >= 4 and across >= 2,
            (
                f"{counted(apart, 'same-author pair')} across topics, by"
                f" {counted(across, 'author')}"
                if total >= 4 and across >= 2
                else (
                    "needs 4 topics, and 2 authors in several topics; here"
                    f" {counted(total, 'topic')}, {across:,} of these authors"
                )
            ),
        ),
        Question(
            "training domain: does training near the test topics help? (raven run)",
            total >= _DOMAINS and across >= 2,
            (
                counted(total, "topic")
                if total >= _DOMAINS
                else f"needs {_DOMAINS} topics; here {total:,}"
                + (": extract(within=…) makes finer topics" if total else "")
            ),
        ),
        Question(
            "attribution: which of the authors wrote a text? (raven attribute)",
            authors["total"] >= 2 and several >= 2,
            f"{counted(authors['total'], 'candidate')}, {across:,} of them in several topics",
        ),
        Question(
            "one disputed text: this corpus as background (raven compare)",
            several >= _BACKGROUND,
            f"{counted(several, 'author')} with several documents"
            + ("" if several >= 40 else f"; at least {_BACKGROUND} are needed, 40 are better"),
        ),
    ]


def _half_width(authors: int, auc: float = 0.75) -> float:
    """Half of a 95 % interval of an AUC, one pair of either kind an author (Hanley & McNeil 1982)."""
    q1 = auc / (2 - auc)
    q2 = 2 * auc**2 / (1 + auc)
    variance = (
        auc * (1 - auc) + (authors - 1) * (q1 - auc**2) + (authors - 1) * (q2 - auc**2)
    ) / authors**2
    return 1.96 * sqrt(variance)


def table_one(problems: Problems) -> dict[str, Any]:
    """Return a row of Table 1 of the PAN-2014 overview.

    ``documents`` counts a document in two problems twice, as the overview does; ``distinct`` once. ``words`` are runs of
    word characters (within half a percent of the overview's figures), as their mean over ``documents``."""
    sizes = np.zeros(len(problems.texts))
    for row in problems.documents:
        sizes[row] = len(words(problems.texts[row]))
    cited = np.concatenate([problems.known_index, problems.questioned_index])
    return {
        "problems": len(problems),
        "documents": len(cited),
        "distinct": len(problems.documents),
        "known": float(problems.sizes.mean()) if len(problems) else None,
        "words": float(sizes[cited].mean()) if len(cited) else None,
    }
