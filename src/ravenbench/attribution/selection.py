"""Selects the documents of a corpus for attribution, and counts their authors, topics and words.

In: for ``choose`` a ``Corpus``, ``SelectionRules`` (minimum documents and topics of an author, maximum documents of a
topic), a seed, and how many topics must be left (2); for ``view`` the result of ``choose``; for ``crosstab`` codes (n,),
and the numbers of authors and topics.
Out: ``choose`` returns ``Chosen``: n texts with author and topic codes (n,) from 0, and by reason the numbers of
documents and of authors left out; CorpusError if fewer than two authors, or fewer topics than required, are left.
``view`` returns ``SelectedCorpusView``: counts of documents, words (``tokens``), different words (``types``) and words
that occur once; words of a document (minimum, median, maximum); an author's share of a topic's documents, 0 to 1;
``advice`` in sentences. ``crosstab`` returns counts (authors, topics).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from ravenbench.attribution.counts import PaperWords, prepare
from ravenbench.errors import CorpusError, counted, some
from ravenbench.randomness import stream
from ravenbench.reading.account import ACCOUNT
from ravenbench.types import Corpus, Ints


@dataclass(frozen=True)
class SelectionRules:
    """Requirements on authors and topics.

    Parameters
    ----------
    min_docs : int
        Documents an author needs.
    min_topics : int
        Topics an author needs; 1 keeps authors of one topic, whose texts must fail when it is held out.
    docs_per_topic : int, optional
        Maximum number of documents of a topic (a seeded choice): topics of nearly equal size give small errors.
    """

    min_docs: int = 10
    min_topics: int = 2
    docs_per_topic: int | None = None


@dataclass(frozen=True, eq=False)
class Chosen:
    """The selected documents: ``texts``, and codes (n,) ``author`` and ``topic``, from 0, into the names ``authors``
    and ``topics``; ``dropped`` counts documents and ``dropped_authors`` authors by reason; ``account`` has notes on the
    texts and names.
    """

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
    corpus: Corpus,
    rules: SelectionRules = SelectionRules(),
    seed: int = 0,
    sampled: int | None = None,
    topics: int = 2,
) -> Chosen:
    """Return the ``Chosen`` documents by the rules. ``sampled`` is how many topics a sampler took, for messages;
    ``topics`` how many must be left (1 if topics are not used).

    CorpusError if fewer than two authors or ``topics`` topics are left.
    """
    author = corpus.author.codes
    topic = corpus.topic.codes
    dropped: dict[str, int] = {}
    gone_authors: dict[str, int] = {}
    usable = (author >= 0) & (topic >= 0)
    _add_to_tally(dropped, "without author or topic", len(usable) - int(usable.sum()))
    empty = np.array(
        [k and not prepare(corpus.texts[i]).strip() for i, k in enumerate(usable)], dtype=bool
    )
    _add_to_tally(dropped, "empty once prepared", int(empty.sum()))
    usable &= ~empty
    if rules.docs_per_topic is not None:
        usable_before = int(usable.sum())
        usable = _at_most(usable, topic, rules.docs_per_topic, seed)
        _add_to_tally(
            dropped, "beyond the documents kept of a topic", usable_before - int(usable.sum())
        )
    table = crosstab(
        author[usable], topic[usable], len(corpus.author.names), len(corpus.topic.names)
    )
    total = table.sum(axis=1)
    is_small = (total > 0) & (total < rules.min_docs)
    is_narrow = (total > 0) & ~is_small & ((table > 0).sum(axis=1) < rules.min_topics)
    reasons = {f"fewer than {rules.min_docs} documents": is_small}
    reasons[f"fewer than {rules.min_topics} topics"] = is_narrow
    for reason, excluded in reasons.items():
        _add_to_tally(gone_authors, reason, int(excluded.sum()))
        how = "of" if excluded is is_small else "on"
        excluded_documents = int((usable & excluded[author]).sum())
        _add_to_tally(dropped, f"by authors {how} {reason}", excluded_documents)
        usable &= ~excluded[author]
    rows = np.flatnonzero(usable)
    authors, author_codes = np.unique(author[rows], return_inverse=True)
    topics_left, topic_codes = np.unique(topic[rows], return_inverse=True)
    if len(authors) < 2 or len(topics_left) < topics:
        raise _too_few(corpus, rules, len(authors), len(topics_left), sampled)
    return Chosen(
        corpus.name,
        tuple(corpus.texts.rows(rows)),
        tuple(corpus.ids[i] for i in rows),
        author_codes.astype(np.int64),
        topic_codes.astype(np.int64),
        tuple(corpus.author.names[author] for author in authors),
        tuple(corpus.topic.names[topic_code] for topic_code in topics_left),
        dropped,
        gone_authors,
        tuple(map(str, corpus.notes.get(ACCOUNT, ()))),
    )


def crosstab(author: Ints, topic: Ints, authors: int, topics: int) -> Ints:
    """Return the number of documents of each author on each topic, (authors, topics)."""
    return np.bincount(author * topics + topic, minlength=authors * topics).reshape(authors, topics)


def _too_few(
    corpus: Corpus, rules: SelectionRules, authors: int, topics: int, sampled: int | None
) -> CorpusError:
    author = corpus.author.codes
    topic = corpus.topic.codes
    per_author = Counter(author[(author >= 0) & (topic >= 0)].tolist())
    most_topics = max(per_author.values(), default=0)
    topics_found = f"{len(np.unique(topic[topic >= 0]))} topics"
    cure = "lower --min-docs or --min-topics, or give another level of --topic"
    if sampled is not None:
        topics_found = f"the {sampled} topics that the sampler took"
        cure = f"give more than {sampled} --topics, or {cure.replace(', or give', ', give')}"
    return CorpusError(
        f"corpus {corpus.name} leaves {counted(authors, 'author')} on {counted(topics, 'topic')},"
        " too few for attribution across topics",
        found=f"{counted(len(per_author), 'author')} with at most {most_topics} documents on"
        f" {topics_found}",
        expected=(
            f"two authors and two topics after selection (authors with ≥ {rules.min_docs} documents"
            f" on ≥ {rules.min_topics} topics)"
        ),
        fix=cure,
    )


def _add_to_tally(tally: dict[str, int], reason: str, number: int) -> None:
    if number:
        tally[reason] = tally.get(reason, 0) + number


def _at_most(usable: np.ndarray, topic: Ints, limit: int, seed: int) -> np.ndarray:  # type: ignore[type-arg]
    remains = np.zeros_like(usable)
    for topic_code in np.unique(topic[usable]):
        rows = np.flatnonzero(usable & (topic == topic_code))
        remains[
            np.sort(stream(seed, "docs-per-topic", int(topic_code)).permutation(rows)[:limit])
        ] = True
    return remains


DOMINANT = 0.9
"""If one author wrote at least this share of a topic, the topic says nothing about attribution."""


@dataclass(frozen=True)
class TopicView:
    """One topic: numbers of documents and authors, words of a document, the author with most of its documents
    (``dominant``) and that author's ``share`` of them, from 0 to 1."""

    topic: str
    documents: int
    authors: int
    words: float
    dominant: str
    share: float

    @property
    def owned(self) -> bool:
        """Return whether one author wrote nearly all of it."""
        return self.share >= DOMINANT


@dataclass(frozen=True, eq=False)
class SelectedCorpusView:
    """``table`` (authors, topics) counts documents; words are white-space tokens of prepared text.

    ``tokens`` counts words, ``types`` different words, ``once`` words that occur once; ``words`` are the minimum, median and
    maximum number of words of a document.

    ``effective`` is the number of equally large topics that would give as small an error as these; ``repeated`` counts
    documents whose prepared text occurs earlier under the same or another author.
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
        """Return sentences on what was left out, and what to correct in the corpus or consider."""
        sentences = [f"{sentence}." for sentence in self.account]
        owned = [topic.topic for topic in self.topics if topic.owned]
        if owned:
            sentences.append(
                f"In {len(owned)} of {len(self.topics)} topics, one author wrote {DOMINANT:.0%}"
                f" or more ({some(owned, 5)}): accuracy there shows how easy that author is."
            )
        if self.effective < 0.7 * len(self.topics):
            sentences.append(
                f"Topics differ much in size: {len(self.topics)} topics count as"
                f" {self.effective:.1f} equal topics. Equal topics (--docs-per-topic) make errors"
                " smaller."
            )
        if self.repeated:
            sentences.append(
                f"{self.repeated} documents repeat an earlier document word for word; repeats leak"
                " across folds."
            )
        return sentences

    def to_json(self) -> dict[str, Any]:
        """The view as JSON values, with ``table`` as rows of authors."""
        return {
            "name": self.name,
            "documents": self.documents,
            "authors": list(self.authors),
            "topics": [
                {
                    "topic": topic.topic,
                    "documents": topic.documents,
                    "authors": topic.authors,
                    "words": topic.words,
                    "dominant_author": topic.dominant,
                    "dominant_share": topic.share,
                    "owned": topic.owned,
                }
                for topic in self.topics
            ],
            "table": self.table.tolist(),
            "vocabulary": {"tokens": self.tokens, "types": self.types, "once": self.once},
            "words": dict(zip(("min", "median", "max"), self.words, strict=True)),
            "effective_topics": self.effective,
            "repeated": self.repeated,
            "dropped": self.dropped,
            "dropped_authors": self.dropped_authors,
            "advice": self.advice(),
        }


def view(documents: Chosen) -> SelectedCorpusView:
    """Return counts of the chosen documents, as ``SelectedCorpusView`` (counts)."""
    table = crosstab(
        documents.author, documents.topic, len(documents.authors), len(documents.topics)
    )
    _, ids, counts = (lexicon := PaperWords().lexicon()).count(documents.texts)
    totals = np.bincount(ids, weights=counts, minlength=len(lexicon))
    words = np.array([len(prepare(text).split()) for text in documents.texts], dtype=np.float64)
    sizes = table.sum(axis=0)
    topics = tuple(
        TopicView(
            name,
            int(sizes[topic_code]),
            int(np.count_nonzero(table[:, topic_code])),
            float(words[documents.topic == topic_code].mean()),
            documents.authors[int(table[:, topic_code].argmax())],
            float(table[:, topic_code].max() / sizes[topic_code]),
        )
        for topic_code, name in enumerate(documents.topics)
    )
    shares = sizes / sizes.sum()
    return SelectedCorpusView(
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
        documents.dropped,
        documents.dropped_authors,
        documents.account,
    )
