"""The corpus before any method: authors by topics, sizes, vocabulary, and what will make results hard to read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ravenbench.attribution.counts import PaperWords, prepare
from ravenbench.attribution.selection import Chosen, crosstab, lookalikes
from ravenbench.types import Ints

DOMINANT = 0.9
"""A topic of which one author wrote at least this share says nothing about attribution."""


@dataclass(frozen=True)
class TopicView:
    """What a topic holds: documents, authors, words a document, and the author with most of its documents."""

    topic: str
    documents: int
    authors: int
    words: float
    dominant: str
    share: float

    @property
    def owned(self) -> bool:
        """Whether one author wrote nearly all of it."""
        return self.share >= DOMINANT


@dataclass(frozen=True, eq=False)
class CorpusView:
    """``table`` (authors, topics) counts documents; words are white-space tokens of prepared text.

    ``effective`` is the number of equal topics that would give as small an error as these; ``repeated`` counts
    documents whose prepared text stands before under the same or another author.
    """

    name: str
    authors: tuple[str, ...]
    table: Ints
    topics: tuple[TopicView, ...]
    documents: int
    tokens: int
    types: int
    once: int
    words: tuple[float, float, float]
    effective: float
    repeated: int
    lookalikes: tuple[tuple[str, ...], ...]
    dropped: dict[str, int]
    dropped_authors: dict[str, int]
    merged: dict[str, str]

    def advice(self) -> list[str]:
        """Sentences on what should be mended in the corpus or kept in mind."""
        said = []
        owned = [t.topic for t in self.topics if t.owned]
        if owned:
            said.append(
                f"{len(owned)} of {len(self.topics)} topics belong to one author by {DOMINANT:.0%} or more "
                f"({_some(owned)}): accuracy there says how easy that author is."
            )
        if self.effective < 0.7 * len(self.topics):
            said.append(
                f"Topics differ much in size: {len(self.topics)} of them weigh as {self.effective:.1f} equal ones. "
                "Equal topics (--docs-per-topic) make errors smaller."
            )
        if self.repeated:
            said.append(f"{self.repeated} documents repeat an earlier one word for word; repeats leak across folds.")
        if self.lookalikes:
            pairs = _some([" / ".join(group) for group in self.lookalikes])
            said.append(f"Author names that may be one person's: {pairs}.")
        return said

    def to_json(self) -> dict[str, Any]:
        """The view as JSON values, with ``table`` as rows of authors."""
        return {
            "name": self.name,
            "documents": self.documents,
            "authors": list(self.authors),
            "topics": [
                {"topic": t.topic, "documents": t.documents, "authors": t.authors, "words": t.words,
                 "dominant_author": t.dominant, "dominant_share": t.share, "owned": t.owned}
                for t in self.topics
            ],
            "table": self.table.tolist(),
            "vocabulary": {"tokens": self.tokens, "types": self.types, "once": self.once},
            "words": dict(zip(("min", "median", "max"), self.words, strict=True)),
            "effective_topics": self.effective,
            "repeated": self.repeated,
            "lookalikes": [list(group) for group in self.lookalikes],
            "dropped": self.dropped,
            "dropped_authors": self.dropped_authors,
            "merged": self.merged,
            "advice": self.advice(),
        }  # fmt: skip


def view(documents: Chosen) -> CorpusView:
    """Count what a corpus holds."""
    table = crosstab(documents.author, documents.topic, len(documents.authors), len(documents.topics))
    _, ids, counts = (lexicon := PaperWords().lexicon()).count(documents.texts)
    totals = np.bincount(ids, weights=counts, minlength=len(lexicon))
    words = np.array([len(prepare(text).split()) for text in documents.texts], dtype=np.float64)
    sizes = table.sum(axis=0)
    topics = tuple(
        TopicView(
            name,
            int(sizes[t]),
            int(np.count_nonzero(table[:, t])),
            float(words[documents.topic == t].mean()),
            documents.authors[int(table[:, t].argmax())],
            float(table[:, t].max() / sizes[t]),
        )
        for t, name in enumerate(documents.topics)
    )
    shares = sizes / sizes.sum()
    return CorpusView(
        documents.name,
        documents.authors,
        table,
        topics,
        len(documents),
        int(totals.sum()),
        int(np.count_nonzero(totals)),
        int(np.count_nonzero(totals == 1)),
        (float(words.min()), float(np.median(words)), float(words.max())),
        float(1 / np.sum(shares**2)),
        len(documents) - len({" ".join(prepare(text).split()) for text in documents.texts}),
        tuple(lookalikes(documents.authors)),
        documents.dropped,
        documents.dropped_authors,
        documents.merged,
    )


def _some(names: list[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
