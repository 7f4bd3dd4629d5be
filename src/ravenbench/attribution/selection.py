"""Which documents of a corpus take part in attribution, by stated rules, and what they hold before any method."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from ravenbench.attribution.counts import PaperWords, prepare
from ravenbench.corpora.remarks import ACCOUNT
from ravenbench.errors import CorpusError, some
from ravenbench.randomness import stream
from ravenbench.types import Corpus, Ints


@dataclass(frozen=True)
class SelectionRules:
    """What an author and a topic need to take part.

    Parameters
    ----------
    min_docs : int
        Documents an author needs.
    min_topics : int
        Topics an author needs; 1 keeps authors of one topic, who must fail when it is held out.
    min_per_topic : int
        Documents with which an author counts as writing on a topic.
    min_topic_docs : int
        Documents a topic needs.
    docs_per_topic : int, optional
        Most documents kept of a topic (a seeded choice): topics of near-equal size make for small errors.
    """

    min_docs: int = 10
    min_topics: int = 2
    min_per_topic: int = 1
    min_topic_docs: int = 1
    docs_per_topic: int | None = None


@dataclass(frozen=True, eq=False)
class Chosen:
    """Documents that take part: ``texts`` and codes (n,) of ``authors`` and ``topics``; ``dropped`` counts documents
    and ``dropped_authors`` authors by reason; ``account`` says what should be known of the texts and names."""

    name: str
    texts: tuple[str, ...]
    ids: tuple[str, ...]
    author: Ints
    topic: Ints
    authors: tuple[str, ...]
    topics: tuple[str, ...]
    dropped: dict[str, int]
    dropped_authors: dict[str, int]
    account: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.texts)


def choose(
    corpus: Corpus, rules: SelectionRules = SelectionRules(), seed: int = 0, sampled: int | None = None, topics: int = 2
) -> Chosen:
    """Apply the rules until they leave out nothing more. ``sampled`` is how many topics a sampler took, for messages;
    ``topics`` how many must be left (1 where topics play no part).

    CorpusError if fewer than two authors or ``topics`` topics are left.
    """
    author, topic = corpus.author.codes, corpus.topic.codes
    dropped: dict[str, int] = {}
    gone_authors: dict[str, int] = {}
    usable = (author >= 0) & (topic >= 0)
    _count(dropped, "without author or topic", len(usable) - int(usable.sum()))
    empty = np.array([k and not prepare(corpus.texts[i]).strip() for i, k in enumerate(usable)], dtype=bool)
    _count(dropped, "empty once prepared", int(empty.sum()))
    usable &= ~empty
    if rules.docs_per_topic is not None:
        before = int(usable.sum())
        usable = _at_most(usable, topic, rules.docs_per_topic, seed)
        _count(dropped, "beyond the documents kept of a topic", before - int(usable.sum()))
    while True:
        table = crosstab(author[usable], topic[usable], len(corpus.author.names), len(corpus.topic.names))
        total = table.sum(axis=1)
        few = (total > 0) & (total < rules.min_docs)
        narrow = (total > 0) & ~few & ((table >= rules.min_per_topic).sum(axis=1) < rules.min_topics)
        small = table.sum(axis=0) < rules.min_topic_docs
        parts = {
            f"by authors of fewer than {rules.min_docs} documents": few[author],
            f"by authors on fewer than {rules.min_topics} topics": narrow[author],
            f"on topics of fewer than {rules.min_topic_docs} documents": small[topic],
        }
        _count(gone_authors, f"fewer than {rules.min_docs} documents", int(few.sum()))
        _count(gone_authors, f"fewer than {rules.min_topics} topics", int(narrow.sum()))
        before = int(usable.sum())
        for reason, out in parts.items():
            _count(dropped, reason, int((usable & out).sum()))
            usable &= ~out
        if int(usable.sum()) == before:
            break
    rows = np.flatnonzero(usable)
    authors, author_codes = np.unique(author[rows], return_inverse=True)
    left, topic_codes = np.unique(topic[rows], return_inverse=True)
    if len(authors) < 2 or len(left) < topics:
        raise _too_few(corpus, rules, len(authors), len(left), sampled)
    return Chosen(
        corpus.name, tuple(corpus.texts.rows(rows)), tuple(corpus.ids[i] for i in rows), author_codes.astype(np.int64),
        topic_codes.astype(np.int64), tuple(corpus.author.names[a] for a in authors),
        tuple(corpus.topic.names[t] for t in left), dropped, gone_authors, tuple(corpus.notes.get(ACCOUNT, ())),
    )  # fmt: skip


def crosstab(author: Ints, topic: Ints, authors: int, topics: int) -> Ints:
    """Documents of each author on each topic, (authors, topics)."""
    return np.bincount(author * topics + topic, minlength=authors * topics).reshape(authors, topics)


def _too_few(corpus: Corpus, rules: SelectionRules, authors: int, topics: int, sampled: int | None) -> CorpusError:
    author, topic = corpus.author.codes, corpus.topic.codes
    per_author = Counter(author[(author >= 0) & (topic >= 0)].tolist())
    most = max(per_author.values(), default=0)
    where = f"{len(np.unique(topic[topic >= 0]))} topics"
    cure = "lower --min-docs, --min-topics or --min-per-topic, or give another level of --topic"
    if sampled is not None:
        where = f"the {sampled} topics that the sampler took"
        cure = f"take more than {sampled} --topics, or {cure.replace(', or give', ', give')}"
    return CorpusError(
        f"corpus {corpus.name} leaves {authors} authors on {topics} topics, too few for attribution across topics",
        found=f"{len(per_author)} authors with at most {most} documents on {where}",
        expected=f"two authors and two topics after the rules (authors of ≥ {rules.min_docs} documents "
        f"on ≥ {rules.min_topics} topics)",
        fix=cure,
    )


def _count(into: dict[str, int], reason: str, number: int) -> None:
    if number:
        into[reason] = into.get(reason, 0) + number


def _at_most(usable: np.ndarray, topic: Ints, limit: int, seed: int) -> np.ndarray:  # type: ignore[type-arg]
    left = np.zeros_like(usable)
    for t in np.unique(topic[usable]):
        rows = np.flatnonzero(usable & (topic == t))
        left[np.sort(stream(seed, "docs-per-topic", int(t)).permutation(rows)[:limit])] = True
    return left


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
class SelectedCorpusView:
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
    dropped: dict[str, int]
    dropped_authors: dict[str, int]
    account: tuple[str, ...]

    def advice(self) -> list[str]:
        """Sentences on what was left out of documents, and what should be mended in the corpus or kept in mind."""
        said = [f"{sentence}." for sentence in self.account]
        owned = [t.topic for t in self.topics if t.owned]
        if owned:
            said.append(
                f"{len(owned)} of {len(self.topics)} topics belong to one author by {DOMINANT:.0%} or more "
                f"({some(owned, 5)}): accuracy there says how easy that author is."
            )
        if self.effective < 0.7 * len(self.topics):
            said.append(
                f"Topics differ much in size: {len(self.topics)} of them weigh as {self.effective:.1f} equal ones. "
                "Equal topics (--docs-per-topic) make errors smaller."
            )
        if self.repeated:
            said.append(f"{self.repeated} documents repeat an earlier one word for word; repeats leak across folds.")
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
            "dropped": self.dropped,
            "dropped_authors": self.dropped_authors,
            "advice": self.advice(),
        }  # fmt: skip


def view(documents: Chosen) -> SelectedCorpusView:
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
    return SelectedCorpusView(
        documents.name, documents.authors, table, topics, len(documents), int(totals.sum()),
        int(np.count_nonzero(totals)), int(np.count_nonzero(totals == 1)),
        (float(words.min()), float(np.median(words)), float(words.max())), float(1 / np.sum(shares**2)),
        len(documents) - len({" ".join(prepare(text).split()) for text in documents.texts}), documents.dropped,
        documents.dropped_authors, documents.account,
    )  # fmt: skip
