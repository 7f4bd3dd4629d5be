"""Makes the folds of the crossed probe: the same test pairs, answered after training near their topics and far (ours).

In: ``domains``: similarities of topics (T, T), higher = more alike, the number of test topics of a domain, the number of
training topics for each test topic (near), a random generator; ``crossed``: a ``Corpus``, two ``ProbeDomain``s, a
``Pairing`` (how pairs are drawn); ``permuted``: similarities and a generator; ``room_for_tests``: numbers of topics and
near.
Out: ``domains`` two ``ProbeDomain``s (topic codes from 0), ``crossed`` four ``Fold``s (aa, ab, ba, bb: training, test),
``permuted`` similarities (T, T), ``room_for_tests`` a number of test topics (0 = none). CorpusError if there are too
few topics or a set has no pairs. The gain below is a difference of AUCs, −1 to 1.

Two domains A and B grow around two dissimilar topics. Each has test topics and the remaining topics that are
most similar to each test topic, as training topics. A verifier is fitted once on A's training topics and once on B's, and
both fitted verifiers answer both test sets. Then

    gain = ½·[(AUC(A→A) − AUC(B→A)) + (AUC(B→B) − AUC(A→B))]

compares answers to the very same pairs. A training set that is better than the other raises one bracket by as much
as it lowers the other, so its quality cancels; what remains is the effect of training near the test topics. Both
training sets have the same number of topics and nearly the same number of pairs. No author is in both training and
test; an author who writes on both sides is assigned to one at random.

With the similarities permuted over the topics, the two domains mean nothing and all else is equal: the gains of this
null spread around zero by construction, because exchanging the training sets changes the sign.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.problems.sources import Pairing, Split, assemble, topic_codes
from ravenbench.types import Corpus, Floats, Fold, Ints

SHARE = 0.6
"""Maximum share of all topics that one repetition uses."""
MOST_TESTS = 10
"""Maximum number of test topics of a domain: with many topics, it would not be a domain."""


@dataclass(frozen=True, eq=False)
class ProbeDomain:
    """Test topics and training topics, as codes of ``corpus.topic``."""

    test: Ints
    train: Ints


def room_for_tests(topics: int, near: int) -> int:
    """Return the number of test topics of each domain, given the number of topics and ``near`` training topics for each;
    0 = none."""
    return min(
        MOST_TESTS, max(int(SHARE * topics / (2 * (1 + near))), int(topics >= 2 * (1 + near)))
    )


def domains(
    similarity: Floats, tests: int, near: int, rng: np.random.Generator
) -> tuple[ProbeDomain, ProbeDomain]:
    """Return two domains of ``tests`` test topics, each with its ``near`` most similar topics to train on.

    A begins with a random topic, B with one of the quarter least similar to it. Then the two grow in turn: the next
    test topic is the most similar to its domain compared with the other. CorpusError if there are fewer than
    2·tests·(1 + near) topics.
    """
    size = len(similarity)
    if size < 2 * tests * (1 + near):
        raise CorpusError(
            "too few topics for two domains",
            found=f"{size} topics",
            expected=(
                f"{2 * tests * (1 + near)}: two domains of {tests} test topics, each with {near}"
                " topics to train on"
            ),
            fix="name a finer level with --topic, or leave the probe out with --probe none",
        )
    free = np.ones(size, dtype=bool)
    test: tuple[list[int], list[int]] = ([], [])
    train: tuple[list[int], list[int]] = ([], [])
    for step in range(2 * tests):
        own_side = step % 2
        other_side = 1 - step % 2
        free_topics = np.flatnonzero(free)
        if step == 0:
            topic = int(rng.choice(free_topics))
        elif step == 1:
            order = free_topics[np.argsort(similarity[free_topics, test[0][0]], kind="stable")]
            topic = int(rng.choice(order[: max(1, len(order) // 4)]))
        else:
            near_own = similarity[free_topics][:, test[own_side] + train[own_side]].mean(axis=1)
            closeness = near_own - similarity[free_topics][
                :, test[other_side] + train[other_side]
            ].mean(axis=1)
            topic = int(free_topics[np.argmax(closeness)])
        test[own_side].append(topic)
        free[topic] = False
        free_topics = np.flatnonzero(free)
        nearest = free_topics[np.argsort(-similarity[free_topics, topic], kind="stable")[:near]]
        train[own_side].extend(nearest.tolist())
        free[nearest] = False
    similarity_here, similarity_there = (
        ProbeDomain(np.sort(test[i]).astype(np.int64), np.sort(train[i]).astype(np.int64))
        for i in (0, 1)
    )
    return similarity_here, similarity_there


def permuted(similarity: Floats, rng: np.random.Generator) -> Floats:
    """Return the similarities (T, T) with topics exchanged at random, so that they mean nothing."""
    order = rng.permutation(len(similarity))
    return similarity[np.ix_(order, order)]


def crossed(
    corpus: Corpus,
    pair: tuple[ProbeDomain, ProbeDomain],
    pairing: Pairing,
    *,
    name: str = "probe",
    labels: Mapping[str, str | int] | None = None,
) -> list[Fold]:
    """Return the four folds of a probe: ``name-aa``, ``name-ab``, ``name-ba``, ``name-bb`` (training domain, test domain).

    Folds with the same training domain share their training set, folds with the same test domain their test set.
    CorpusError, with the counts, if a set gives no pairs.
    """
    every = np.concatenate([topics for domain in pair for topics in (domain.test, domain.train)])
    code = _one_side(
        corpus, topic_codes(corpus, every, None), pair, pairing.draws("probe-authors", name)
    )
    sides = [Split(corpus, code, pairing, f"{name}-{side}") for side in "ab"]
    tests = [
        side.draw(side.rows(domain.test, "test"), "test", pairing.limit)
        for side, domain in zip(sides, pair, strict=True)
    ]
    learn = [side.rows(domain.train, "training") for side, domain in zip(sides, pair, strict=True)]
    trains = [side.train(rows) for side, rows in zip(sides, learn, strict=True)]
    fewest = min(len(train[0]) for train in trains)
    if any(len(train[0]) > fewest for train in trains):
        equal = [replace(side, pairing=replace(pairing, limit=fewest)) for side in sides]
        trains = [side.train(rows) for side, rows in zip(equal, learn, strict=True)]
    return [
        assemble(
            corpus,
            code,
            f"{name}-{'ab'[i]}{'ab'[j]}",
            trains[i],
            tests[j],
            pair[i].train,
            pair[j].test,
            labels or {},
        )
        for i in (0, 1)
        for j in (0, 1)
    ]


def _one_side(
    corpus: Corpus, code: Ints, pair: tuple[ProbeDomain, ProbeDomain], rng: np.random.Generator
) -> Ints:
    """The topics of documents, −1 for those of authors on the other side of testing and training: who writes on both is
    given to one by a coin."""
    author = corpus.author.codes
    tested = np.isin(code, np.concatenate([domain.test for domain in pair]))
    trained = np.isin(code, np.concatenate([domain.train for domain in pair]))
    shared_authors = np.intersect1d(author[tested], author[trained])
    to_test = rng.random(len(shared_authors)) < 0.5
    excluded = (tested & np.isin(author, shared_authors[~to_test])) | (
        trained & np.isin(author, shared_authors[to_test])
    )
    return np.where(excluded, -1, code).astype(np.int64)
