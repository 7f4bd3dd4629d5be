"""Suggests numbers of topics, folds and documents that a corpus can fill, and refuses a corpus that can make no pairs.

In: ``suggest``: a ``Corpus``, the numbers that the user gave (topics, folds, documents, min_docs; None = not given) and
defaults by name (``m``, ``k``, ``documents``, ``min_docs``); ``check_pairs_possible``: a corpus, ``Sizes``, ``merging``
(bool).
Out: ``suggest`` gives ``Sizes`` (counts of topics, folds, documents a topic, fewest documents of a topic);
``check_pairs_possible`` nothing. CorpusError, before anything long is computed, if the corpus cannot fill the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.problems.pair_rules import no_same_author_pair, one_author
from ravenbench.types import Corpus, Ints

FOLDS = 5
MOST_DOCUMENTS = 500
"""Documents a topic in the paper's data, as its Table 1 implies."""


@dataclass(frozen=True)
class Sizes:
    """Sizes of an experiment, as counts: topics chosen (m), folds (k), documents a topic in a split, fewest of a
    topic."""

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
    """``Sizes``: the user's numbers; else the catalogue entry's; else numbers from the sizes of the topics.

    Topics of less than a quarter of the median size (at least 4 documents) are left out, half of the others up to ten
    topics, or a quarter of them, are chosen, in five folds where there are ten topics, and the lower quartile of the
    topics' sizes gives the documents of each. ``defaults`` (``m``, ``k``, ``documents``, ``min_docs``) that do not
    fit this corpus are lowered to what does; the user's never are. CorpusError if the corpus cannot fill that,
    with the counts.
    """
    defaults = defaults or {}
    counts = corpus.topic.counts()
    counts = counts[counts > 0]
    if not len(counts):
        extracted = "--topic 'extract(clusters=10)'"
        raise CorpusError(
            f"no document of {corpus.name} has a topic",
            fix=f"name a level with --topic, or find topics in the texts, e.g. {extracted}",
        )
    if len(counts) == 1:
        raise CorpusError(
            f"every document of {corpus.name} has one topic, so none is left to test on",
            found=f"{counts[0]} documents",
            expected="two topics or more",
            fix=(
                "name another level with --topic, or find topics with --topic"
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
            f"{len(large)} topics have {min_docs} documents or more, and it takes two",
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
    """Refuse a corpus whose topics cannot give a fold the pairs that it needs, whichever are chosen.

    It passes whatever might succeed; what depends on the choice is found when pairs are drawn. The corpus has the
    topics that have documents enough, as ``keep_topics`` leaves it; ``merging`` says whether a sampler joins topics to
    others, so that a fold may hold documents of topics that it does not name. CorpusError if no two documents have one
    author, all have one, or more folds test on a single topic than there are topics in which someone wrote twice.
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
            f"{single} of {sizes.folds} folds test on a single topic, and in {able} topics someone"
            " wrote two documents",
            found=f"{sizes.topics} topics in {sizes.folds} folds",
            expected=f"two topics or more for each fold, as --topics {2 * sizes.folds}",
            fix=("give fewer --folds or " if sizes.topics >= 4 else "give ")
            + "more --topics, or name a coarser level with --topic",
        )
