"""Suggests numbers of topics, folds and documents for a corpus, and refuses a corpus that cannot give pairs.

In: ``suggest``: a ``Corpus``, the numbers that the user gave (topics, folds, documents, min_docs; None = not given) and
defaults by name (``m``, ``k``, ``documents``, ``min_docs``); ``check_pairs_possible``: a corpus, ``Sizes``, ``merging``
(bool).
Out: ``suggest`` returns ``Sizes`` (numbers of topics, folds, documents of a topic, minimum documents of a topic);
``check_pairs_possible`` nothing. CorpusError, before long computations, if the corpus is too small for the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ravenbench.errors import CorpusError, counted
from ravenbench.problems.pair_rules import no_same_author_pair, one_author
from ravenbench.types import Corpus, Ints

FOLDS = 5
MOST_DOCUMENTS = 500
"""Number of documents of a topic in the paper's data, as its Table 1 implies."""


@dataclass(frozen=True)
class Sizes:
    """Sizes of an experiment: numbers of topics chosen (m), folds (k), documents of a topic in a split, and minimum documents
    of a topic."""

    topics: int
    folds: int
    documents: int
    min_docs: int


def suggest(
    corpus: Corpus,
    *,
    topics: int | None = None,
    folds: int | None = None,
    documents: int | None = None,
    min_docs: int | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> Sizes:
    """Return ``Sizes``: the user's numbers; otherwise the catalogue entry's; otherwise numbers from the sizes of topics.

    Topics with less than a quarter of the median size (at least 4 documents) are left out. Half of the others up to ten
    topics, or a quarter of them, are chosen, in five folds if there are ten topics; the lower quartile of the
    topics' sizes gives the documents of each. ``defaults`` (``m``, ``k``, ``documents``, ``min_docs``) that are too large
    for this corpus are lowered; the user's numbers never are. CorpusError, with the counts, if the corpus is too small for
    them.
    """
    defaults = defaults or {}
    counts = corpus.topic.counts()
    counts = counts[counts > 0]
    if not len(counts):
        extracted = "--topic 'extract(clusters=10)'"
        raise CorpusError(
            f"no document of {corpus.name} has a topic",
            fix="name a level with --topic, or extract topics from the texts, for example"
            f" {extracted}",
        )
    if len(counts) == 1:
        raise CorpusError(
            f"all documents of {corpus.name} have the same topic, so no topic is left to test on",
            found=f"{counts[0]} documents",
            expected="two topics or more",
            fix=(
                "name another level with --topic, or extract topics with --topic"
                " 'extract(clusters=20)'"
            ),
        )
    if min_docs is None:
        min_docs = int(defaults.get("min_docs", max(4, np.median(counts) // 4)))
    large = counts[counts >= min_docs]
    if len(large) < 2:
        too_small = (
            f"{counts.min()} to {counts.max()}"
            if counts.min() < counts.max()
            else str(counts.min())
        )
        raise CorpusError(
            f"{counted(len(large), 'topic')} with {min_docs} documents or more; at least two are"
            " needed",
            found=f"{len(counts)} topics with {too_small} documents",
            fix="lower --min-docs, or name another level with --topic",
        )
    topic_count = _topics(len(large), min_docs, counts, topics, folds, defaults)
    k = (
        folds
        if folds is not None
        else int(
            min(
                defaults.get("k", FOLDS),
                topic_count if topic_count < 2 * FOLDS else FOLDS,
                topic_count,
            )
        )
    )
    if folds is None and "k" not in defaults and topic_count < 2 * FOLDS:
        k = max(2, topic_count // 2)
    if k > topic_count:
        raise CorpusError(
            f"{topic_count} topics cannot be divided into {k} folds",
            found=f"--topics {topic_count}, --folds {k}",
            expected=f"at most {topic_count} folds",
            fix="give fewer --folds or more --topics",
        )
    if documents is None:
        documents = int(defaults.get("documents", min(MOST_DOCUMENTS, np.quantile(large, 0.25))))
    return Sizes(topic_count, k, documents, min_docs)


def _topics(
    available: int,
    min_docs: int,
    counts: Ints,
    topics: int | None,
    folds: int | None,
    defaults: Mapping[str, Any],
) -> int:
    if topics is not None:
        if topics > available:
            raise CorpusError(
                f"{topics} topics cannot be chosen from {available}",
                found=(
                    f"{len(counts)} topics, {available} of them with {min_docs} documents or more"
                ),
                expected=f"at most {available}",
                fix="give fewer --topics, lower --min-docs, or name a finer level with --topic",
            )
        return topics
    if "m" in defaults:
        return int(min(defaults["m"], available))
    topic_count = max(min(10, -(-available // 2)), available // 4, 2)
    k = folds or FOLDS
    return (
        topic_count - topic_count % k
        if topic_count >= 2 * k
        else min(max(topic_count, folds or 2), available)
    )


def check_pairs_possible(corpus: Corpus, sizes: Sizes, *, merging: bool) -> None:
    """Raise an error if no choice of topics can give the folds of a corpus the pairs that they need.

    This check passes everything that might succeed; problems that depend on the choice are found when pairs are drawn. The
    corpus has only topics with enough documents, as ``keep_topics`` returns it; ``merging`` says whether a sampler joins
    topics, so that a fold may contain documents of topics that it does not name. CorpusError if no two documents have the
    same author, all have the same author, or more folds test on a single topic than topics have an author of two documents.
    """
    rows = np.flatnonzero(corpus.topic.codes >= 0)
    author = corpus.author.codes[rows]
    topic = corpus.topic.codes[rows]
    if np.bincount(author).max() < 2:
        raise no_same_author_pair(author)
    if (author == author[0]).all():
        raise one_author(author)
    single = min(sizes.folds, 2 * sizes.folds - sizes.topics)
    if merging or single <= 0:
        return
    topic_author_pairs, count = np.unique(np.stack([topic, author]), axis=1, return_counts=True)
    able = len(np.unique(topic_author_pairs[0][count >= 2]))
    if able < single:
        raise CorpusError(
            f"{single} of {sizes.folds} folds test on a single topic, but only"
            f" {counted(able, 'topic')} {'has' if able == 1 else 'have'} an author of two"
            " documents",
            found=f"{sizes.topics} topics in {sizes.folds} folds",
            expected=f"two topics or more for each fold, such as --topics {2 * sizes.folds}",
            fix=("give fewer --folds or " if sizes.topics >= 4 else "give ")
            + "more --topics, or name a coarser level with --topic",
        )
