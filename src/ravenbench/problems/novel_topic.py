"""Novel-topic cross-validation (2010) stated as verification problems: each topic is left out once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.problems.sources import given
from ravenbench.randomness import stream
from ravenbench.types import Bools, Corpus, Fold, Ints, Problems


def leave_one_topic(corpus: Corpus, seed: int = 0) -> Iterator[Fold]:
    """Novel-topic cross-validation (2010): each topic in turn is unseen, the others are known.

    A test problem asks whether a document of the left-out topic is by one of the authors of the other topics,
    all of whose documents there are known: one problem for each document and author. A training problem asks
    the same of a document of the other topics, with its own author's further documents and with a random other
    author's. ``counts["unseen"]`` tells how many test documents have an author whom training does not know:
    an attribution of those is always wrong.

    Raises
    ------
    CorpusError
        If there are fewer than two topics.
    """
    codes = np.where(corpus.author.codes >= 0, corpus.topic.codes, -1)
    present = np.unique(codes[codes >= 0])
    if len(present) < 2:
        raise CorpusError(
            f"corpus {corpus.name} has {len(present)} topics, so none can be left out", expected="two topics or more"
        )
    for number, topic in enumerate(present.tolist()):
        train_rows, test_rows = np.flatnonzero((codes >= 0) & (codes != topic)), np.flatnonzero(codes == topic)
        authors = np.unique(corpus.author.codes[train_rows])
        profiles = [train_rows[corpus.author.codes[train_rows] == a] for a in authors]
        test, test_same = _against_all(corpus, test_rows, authors, profiles)
        rng = stream(seed, "leave-one-topic", topic)
        train, train_same = _against_two(corpus, train_rows, authors, profiles, rng)
        fold = given(train, train_same, test, test_same, f"topic-{number}", topic=corpus.topic.names[topic])
        unseen = int((~np.isin(corpus.author.codes[test_rows], authors)).sum())
        extra = {
            "train_topics": [t for t in present.tolist() if t != topic],
            "test_topics": [topic],
            "documents": {"train": len(train_rows), "test": len(test_rows)},
            "unseen": unseen,
        }
        yield Fold(fold.name, train, train_same, fold.test, test_same, fold.labels, {**fold.counts, **extra})


def _against_all(corpus: Corpus, rows: Ints, authors: Ints, profiles: list[Ints]) -> tuple[Problems, Bools]:
    """A problem for each document and author, document by document."""
    known = [profile for _ in rows for profile in profiles]
    questioned = np.repeat(rows, len(authors))
    same = np.tile(authors, len(rows)) == corpus.author.codes[questioned]
    return _profiles(corpus, known, questioned, np.tile(authors, len(rows))), same


def _against_two(
    corpus: Corpus, rows: Ints, authors: Ints, profiles: list[Ints], rng: np.random.Generator
) -> tuple[Problems, Bools]:
    """For each document its author's further documents, if any, and a random other author's."""
    known: list[Ints] = []
    questioned: list[int] = []
    asked: list[int] = []
    writer = np.searchsorted(authors, corpus.author.codes[rows])
    for row, own in zip(rows.tolist(), writer.tolist(), strict=True):
        further = profiles[own][profiles[own] != row]
        if len(further):
            known.append(further)
            questioned.append(row)
            asked.append(own)
        if len(authors) > 1:
            stranger = int(rng.integers(len(authors) - 1))
            stranger += stranger >= own
            known.append(profiles[stranger])
            questioned.append(row)
            asked.append(stranger)
    which = authors[np.array(asked, dtype=np.int64)]
    index = np.array(questioned, dtype=np.int64)
    return _profiles(corpus, known, index, which), which == corpus.author.codes[index]


def _profiles(corpus: Corpus, known: list[Ints], questioned: Ints, asked: Ints) -> Problems:
    """Problems named after the questioned document and the author asked about."""
    ids = [
        f"{corpus.ids[q]}|{corpus.author.names[a]}" for q, a in zip(questioned.tolist(), asked.tolist(), strict=True)
    ]
    ptr = np.concatenate([[0], np.cumsum([len(k) for k in known])]).astype(np.int64)
    flat = np.concatenate([np.zeros(0, dtype=np.int64), *known])
    names = np.array(ids, dtype=np.str_)
    return Problems(corpus.texts, names, ptr, flat, questioned, corpus.author, corpus.topic, corpus.language)
