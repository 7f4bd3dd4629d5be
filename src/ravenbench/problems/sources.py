"""Where folds come from: topics of a corpus, or given problem sets (contract 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.problems.base import PairRule, Pairs
from ravenbench.problems.composition import classes, overlap, same_topic
from ravenbench.problems.folds import topic_folds
from ravenbench.problems.split import Split
from ravenbench.randomness import stream
from ravenbench.types import Bools, Corpus, Fold, Ints, Labels, Problems


def topics(
    corpus: Corpus,
    chosen: Ints,
    merged: Ints | None = None,
    *,
    k: int,
    rule: PairRule,
    documents: int | None = None,
    calibration: float = 0.2,
    seed: int = 0,
    name: str = "topics",
    labels: Mapping[str, str | int] | None = None,
    limit: int | None = None,
) -> list[Fold]:
    """Topic k-fold: every chosen topic is tested once, by verifiers trained on the others.

    In each split documents are equalised (see ``equalise``) and pairs are drawn separately. Training documents
    are first divided into a part to learn from and a part to calibrate on, which share no author and, where
    there are topics enough, no topic: ``counts["calibration"]`` is ``topics``, else ``authors``, else
    ``cross-fit`` when neither leaves ten pairs of each class, and no problem is marked then.

    Parameters
    ----------
    corpus : Corpus
    chosen : (m,) int64
        Codes of ``corpus.topic``.
    merged : (T,) int64, optional
        The chosen topic each topic counts as, −1 where it is cut; None cuts all that are not chosen.
    k : int
    rule : PairRule
    documents : int, optional
        Documents of each topic, or as many as it has; None takes all.
    calibration : float
        Share of training topics (or authors' documents) to calibrate on.
    seed : int
    name : str
        Folds are called ``name-0`` … ``name-(k − 1)``; the draws of a fold depend on (seed, name, number).
    labels : mapping
        Of each fold, beside its number ``fold``.
    limit : int, optional
        Most pairs of a training set and of a test set.

    Raises
    ------
    CorpusError
        If k does not fit m, a topic has fewer than two documents, or a split yields no pairs, with the counts.
    """
    code = topic_codes(corpus, chosen, merged)
    order = np.sort(chosen)
    fold = topic_folds(len(order), k, stream(seed, "topic-folds", name))
    return [
        _fold(
            Split(corpus, code, rule, documents, calibration, limit, seed, f"{name}-{f}"),
            order[fold != f],
            order[fold == f],
            {**(labels or {}), "fold": f},
        )
        for f in range(k)
    ]


def given(
    train: Problems, train_same: Bools, test: Problems, test_same: Bools, name: str = "given", **labels: str | int
) -> Fold:
    """One fold of given problems; the test set is blinded here, after its labels were counted."""
    train_same, test_same = np.asarray(train_same, dtype=bool), np.asarray(test_same, dtype=bool)
    writers = [None if p.author is None else p.author for p in (train, test)]
    lead = test.known_index[test.known_ptr[:-1]]
    shared = test.topic is not None and test.topic.codes[test.documents].min(initial=0) >= 0
    counts = {
        "train_topics": [],
        "test_topics": [],
        "counts": {"fit": classes(train_same), "calibrate": classes(train_same[:0]), "test": classes(test_same)},
        "documents": {"train": len(train.documents), "test": len(test.documents)},
        "authors": _named_overlap(writers, train, test),
        "composition": same_topic(test.topic.codes[lead], test.topic.codes[test.questioned_index], test_same)
        if shared and test.topic is not None
        else {"same": None, "different": None},
        "dropped": {},
        "calibration": "cross-fit" if train.calibrate is None else "given",
    }
    if train.calibrate is not None:
        counts["counts"] = {
            "fit": classes(train_same[~train.calibrate]),
            "calibrate": classes(train_same[train.calibrate]),
            "test": classes(test_same),
        }
    return Fold(name, train, train_same, test.blind(), test_same, labels, counts)


def _fold(split: Split, train_topics: Ints, test_topics: Ints, labels: Mapping[str, str | int]) -> Fold:
    test = split.draw(split.rows(test_topics, "test"), "test", split.limit)
    trained = split.train(split.rows(train_topics, "training"))
    return assemble(split.corpus, split.code, split.name, trained, test, train_topics, test_topics, labels)


def assemble(
    corpus: Corpus,
    code: Ints,
    name: str,
    trained: tuple[Pairs, Bools | None, str, int],
    test: Pairs,
    train_topics: Ints,
    test_topics: Ints,
    labels: Mapping[str, str | int],
) -> Fold:
    """A fold from drawn pairs, with its counts; ``code`` (n,) is the topic each document counts as.

    ``trained`` is what ``Split.train`` returns.
    """
    train, calibrate, way, crossing = trained
    train_problems = Problems.pairs(
        corpus.texts,
        train.known,
        train.questioned,
        author=corpus.author,
        topic=Labels(code, corpus.topic.names),
        language=corpus.language,
        calibrate=calibrate,
    )
    test_problems = Problems.pairs(corpus.texts, test.known, test.questioned)
    held = np.zeros(len(train), dtype=bool) if calibrate is None else calibrate
    used = train_problems.documents, test_problems.documents
    dropped = {f"training: {why}": count for why, count in train.dropped.items()}
    dropped |= {f"test: {why}": count for why, count in test.dropped.items()}
    if crossing:
        dropped["training: documents of authors on the other side of the calibration split"] = crossing
    counts: dict[str, Any] = {
        "train_topics": train_topics.tolist(),
        "test_topics": test_topics.tolist(),
        "counts": {
            "fit": classes(train.same[~held]),
            "calibrate": classes(train.same[held]),
            "test": classes(test.same),
        },
        "documents": {"train": len(used[0]), "test": len(used[1])},
        "authors": overlap(corpus.author.codes[used[0]], corpus.author.codes[used[1]]),
        "composition": same_topic(code[test.known], code[test.questioned], test.same),
        "dropped": dropped,
        "calibration": way,
    }
    return Fold(name, train_problems, train.same, test_problems, test.same, labels, counts)


def topic_codes(corpus: Corpus, chosen: Ints, merged: Ints | None) -> Ints:
    """The chosen topic each document counts as, −1 where it is left out; checked to hold documents enough."""
    place = np.full(len(corpus.topic.names) + 1, -1, dtype=np.int64)
    if merged is None:
        place[chosen] = chosen
    else:
        place[:-1] = merged
    # Code −1 (unknown) reads the last place, which stays −1.
    code = np.where(corpus.author.codes >= 0, place[corpus.topic.codes], -1)
    sizes = np.bincount(code[code >= 0], minlength=len(place))[chosen]
    if (sizes < 2).any():
        i = int(np.argmin(sizes))
        raise CorpusError(
            f"topic {corpus.topic.names[chosen[i]]!r} has too few documents to make a pair",
            found=f"{sizes[i]} documents; {int((sizes < 2).sum())} of {len(chosen)} chosen topics are like it",
            expected="two documents or more in every chosen topic",
            fix="raise --min-docs",
        )
    return code


def _named_overlap(writers: list[Labels | None], train: Problems, test: Problems) -> dict[str, int | None]:
    """Author overlap of two problem sets that may number authors differently or not know them."""
    names = [
        None if labels is None else {n for row in p.documents if (n := labels[row]) is not None}
        for labels, p in zip(writers, (train, test), strict=True)
    ]
    train_names, test_names = names
    return {
        "train": None if train_names is None else len(train_names),
        "test": None if test_names is None else len(test_names),
        "both": None if train_names is None or test_names is None else len(train_names & test_names),
    }
