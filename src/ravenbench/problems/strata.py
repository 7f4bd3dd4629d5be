"""Draws problems in which topic points to the truth, and as many in which it points away from it (ours).

In: a ``Fold`` and its ``Corpus``, or rows of documents (d,) with codes of their authors and topics (d,), the maximum
number of problems of a kind, a random generator.
Out: ``even_fold`` returns a ``Fold`` or None; ``evenly`` ``Pairs`` of documents, the same number of each of four kinds:
same or different authors, on the same or on different topics; no pairs at all if a kind cannot be filled.

Topic *helps* if one author writes on one topic or two authors write on two; it *misleads* if one author writes
on two topics or two authors write on one. A scorer of topic only has an AUC above .5 in the first case and below .5 in
the second. The texts are unchanged, so no method can pass this test by detecting a replacement. Both classes have the
same known texts as far as topics allow, and questioned texts by authors of several documents.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ravenbench.problems.pair_rules import Pairs, same_author_pairs
from ravenbench.problems.sources import rank_in_group
from ravenbench.types import Bools, Corpus, Fold, Ints, Problems

OF_AUTHOR = 6
"""Maximum number of pairs of one author's documents to draw from."""
OF_A_KIND = 40
"""Maximum number of problems of each stratum in a fold."""
LEAST_ASKED = 10
"""Number of problems of each stratum drawn in a fold, if it has enough, however small its test set is."""


def even_fold(fold: Fold, corpus: Corpus, rng: np.random.Generator) -> Fold | None:
    """Return a fold with the training set of this fold and evenly filled strata: of all documents on its test topics, as many
    problems of each kind as a fourth of its test set, within ``LEAST_ASKED`` and ``OF_A_KIND``. None if there are none."""
    topic, author = corpus.topic.codes, corpus.author.codes
    tested = topic if fold.train.topic is None else fold.train.topic.codes
    rows = np.flatnonzero(
        np.isin(tested, fold.counts["test_topics"]) & (author >= 0) & (topic >= 0)
    )
    most = min(OF_A_KIND, max(LEAST_ASKED, len(fold.test) // 4))
    pairs = evenly(rows, author[rows], topic[rows], most, rng)
    if not len(pairs):
        return None
    return replace(
        fold,
        name=f"{fold.name}-strata",
        test=Problems.pairs(corpus.texts, pairs.known, pairs.questioned),
        test_same=pairs.same,
        labels={"setup": "strata", "source": fold.name},
        counts={},
    )


def evenly(rows: Ints, author: Ints, topic: Ints, most: int, rng: np.random.Generator) -> Pairs:
    """Return pairs of these documents, at most ``most`` of each of the four kinds and the same number of each.

    A different-author pair takes the known text of a same-author pair, and a questioned text by another author of
    several documents, on the same topic (*misleads*) or on another topic (*helps*). Every author has one pair of a kind
    before any author has a second.
    """
    _, writer, documents = np.unique(author, return_inverse=True, return_counts=True)
    pairs = same_author_pairs(author, OF_AUTHOR, rng)
    one_topic = topic[pairs[:, 0]] == topic[pairs[:, 1]]
    several = np.flatnonzero(documents[writer] > 1)
    drawn = list[Ints]()
    for shares in (True, False):
        of_kind = pairs[one_topic == shares]
        order = np.argsort(rng.permutation(len(of_kind)))
        turn = rank_in_group(author[of_kind[:, 0]], order)
        of_kind = of_kind[np.lexsort((order, turn))][: 2 * most]
        stranger = np.full(len(of_kind), -1, dtype=np.int64)
        for i, known in enumerate(of_kind[:, 0].tolist()):
            on_topic = topic[several] == topic[known]
            others = several[(author[several] != author[known]) & (on_topic != shares)]
            if len(others):
                stranger[i] = rng.choice(others)
        paired = np.flatnonzero(stranger >= 0)
        drawn.append(np.column_stack([of_kind[paired], stranger[paired]])[:most])
    size = min(map(len, drawn))
    known, same, different = np.concatenate([three[:size] for three in drawn]).reshape(-1, 3).T
    truth: Bools = np.repeat([True, False], len(known))
    return Pairs(rows[np.tile(known, 2)], rows[np.concatenate([same, different])], truth)
