"""Makes folds from topics of a corpus, or from given problem sets (contract 2).

In: ``topics``: a ``Corpus``, chosen topics (m,) and the topic that each topic counts as (T,) or None, both codes, the
number k of folds, a ``Pairing`` (rules for drawing pairs); ``given``: two ``Problems`` (train, test) with their truth.
Out: ``Fold``s (``given``: one): a training and a blind test set with truth (n,) bool, True = same author, and
``counts`` (pairs, documents, authors; shares from 0 to 1, None if unknown). CorpusError if there are too few topics or
documents. Helpers: ``topic_folds`` the fold of each topic, from 0; ``equalise`` positions of documents, ``by_topic``,
``by_author`` masks of two parts (or None); ``same_topic`` shares or None; ``overlap`` counts of authors.

Every topic is tested once (Sawatphol et al. 2024, §5.1). In each half of a fold, documents are equalised over its
topics; training documents are divided into documents to learn from and to calibrate on before pairs are drawn
(contract 6).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ravenbench.errors import CorpusError, counted
from ravenbench.problems.pair_rules import PairRule, Pairs
from ravenbench.randomness import Draws
from ravenbench.types import Bools, Corpus, Fold, Ints, Labels, Measures, Problems


def topic_folds(m: int, k: int, rng: np.random.Generator) -> Ints:
    """Return the fold of each of m topics, (m,) int from 0 to k − 1; sizes differ by one at most. CorpusError if k is not
    from 2 to m.

    Give the topics in sorted order, so that only the generator decides.
    """
    if not 2 <= k <= m:
        raise CorpusError(
            f"{m} topics cannot be divided into {k} folds",
            found=f"{m} topics, {k} folds",
            expected=f"from 2 to {m} folds" if m >= 2 else "at least 2 topics",
            fix="give fewer --folds or more --topics",
        )
    return rng.permutation(np.arange(m, dtype=np.int64) % k)


def same_topic(a: Ints, b: Ints, same: Bools) -> Measures:
    """Return the share of pairs whose texts, on topics ``a`` and ``b`` (n,), have the same topic, among same-author and among
    different-author pairs: keys ``same`` and ``different``, None if a class is empty."""
    one_topic = a == b
    return {
        name: float(one_topic[mask].mean()) if mask.any() else None
        for name, mask in (("same", same), ("different", ~same))
    }


def overlap(train: Ints, test: Ints) -> dict[str, int]:
    """Return the numbers of distinct authors of training documents, of test documents and of both."""
    train_rows = np.unique(train)
    b = np.unique(test)
    return {
        "train": len(train_rows),
        "test": len(b),
        "both": len(np.intersect1d(train_rows, b, assume_unique=True)),
    }


ENOUGH = 4
"""Documents of an author that are taken first: four give the six same-author pairs that are the maximum of ``matched``."""


def equalise(author: Ints, topic: Ints, documents: int | None, rng: np.random.Generator) -> Ints:
    """Return positions (e,) of min(documents, available) documents of each topic, ascending; ``documents`` None takes all.

    A plain draw would leave most authors one document. Therefore up to four documents of every author who has two or more
    on these topics are taken first, author by author in one random order for all topics: an author taken for one topic
    is taken for the others. Remaining places are drawn from all other documents, so that authors with many posts do not
    fill a topic.
    """
    if documents is None or not len(topic):
        return np.arange(len(topic), dtype=np.int64)
    _, writer, posts = np.unique(author, return_inverse=True, return_counts=True)
    shuffle = rng.permutation(len(author))
    turn = rng.permutation(len(posts))[writer]
    number = rank_in_group(writer, shuffle)
    later = (posts[writer] < 2) | (number >= ENOUGH)
    order = np.lexsort((shuffle, np.where(later, 0, turn), later))
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    return np.flatnonzero(rank_in_group(topic, position) < documents).astype(np.int64)


def rank_in_group(group: Ints, key: Ints) -> Ints:
    """Return the rank (n,) of each row within its group by key, from 0."""
    order = np.lexsort((key, group))
    ordered = group[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    sizes = np.diff(np.r_[starts, len(group)])
    rank = np.empty(len(group), dtype=np.int64)
    rank[order] = np.arange(len(group)) - np.repeat(starts, sizes)
    return rank


FEWEST_TOPICS = 2
"""Minimum number of topics of a calibration part: one topic would give only same-topic pairs."""


@dataclass(frozen=True, eq=False)
class Parts:
    """``fit`` and ``calibrate`` (d,) masks that share no author, and ``crossing``, the documents in neither."""

    fit: Bools
    calibrate: Bools

    @property
    def crossing(self) -> int:
        """Return the number of documents dropped because their author is on the other side."""
        return int((~self.fit & ~self.calibrate).sum())


def by_topic(author: Ints, topic: Ints, share: float, rng: np.random.Generator) -> Parts | None:
    """Divide the topics, with each author on one side only; None if there are too few topics.

    A share of the topics is held out. An author who writes on both sides belongs to the one with more of
    their documents (to the fitting side if equal); the author's documents on the other side are dropped.
    """
    topics = np.unique(topic)
    apart = round(share * len(topics))
    if apart < FEWEST_TOPICS or len(topics) - apart < FEWEST_TOPICS:
        return None
    held_out = np.isin(topic, rng.permutation(topics)[:apart])
    _, writer = np.unique(author, return_inverse=True)
    posts_held_out = np.bincount(writer, weights=held_out)
    posts_here = np.bincount(writer, weights=~held_out)
    side = (posts_held_out > posts_here)[writer]
    return Parts(~held_out & ~side, held_out & side)


def by_author(author: Ints, share: float, rng: np.random.Generator) -> Parts:
    """Divide the authors; topics are shared by both sides.

    Authors of several documents and authors of one are divided separately, the former by documents, so that both sides get
    their share of same-author pairs.
    """
    _, writer, posts = np.unique(author, return_inverse=True, return_counts=True)
    held_out = np.zeros(len(posts), dtype=bool)
    for several in (True, False):
        drawn_authors = rng.permutation(np.flatnonzero((posts >= 2) == several))
        if len(drawn_authors):
            held_out[
                drawn_authors[np.cumsum(posts[drawn_authors]) <= share * posts[drawn_authors].sum()]
            ] = True
    return Parts(~held_out[writer], held_out[writer])


FEWEST = 10
"""Minimum pairs of each class in a calibration part; with fewer, Raven tries the next way of dividing."""


@dataclass(frozen=True)
class Pairing:
    """How the pairs of all folds of a design are drawn.

    ``documents`` (a number) of each topic are taken (None: all), ``calibration`` is the share (0 to 1) of training
    topics (or authors' documents) to calibrate on, ``limit`` the maximum pairs of a training set and of a test set.
    """

    rule: PairRule
    documents: int | None = None
    calibration: float = 0.2
    limit: int | None = None
    draws: Draws = field(default_factory=Draws)


@dataclass(frozen=True)
class Split:
    """The settings for drawing both halves of a fold; ``code`` (n,) is the topic that each document counts as, or −1."""

    corpus: Corpus
    code: Ints
    pairing: Pairing
    name: str

    def rows(self, of_topics: Ints, part: str) -> Ints:
        """Return rows of the same number of documents for each of these topics."""
        inside = np.flatnonzero(np.isin(self.code, of_topics))
        rng = self.pairing.draws("equalise", self.name, part)
        return inside[
            equalise(
                self.corpus.author.codes[inside], self.code[inside], self.pairing.documents, rng
            )
        ]

    def draw(self, rows: Ints, part: str, limit: int | None) -> Pairs:
        """Draw pairs among these documents; CorpusError, with the fold and its part, if there are none."""
        rng = self.pairing.draws("pairs", self.name, part)
        try:
            return self.pairing.rule.draw(
                rows, self.corpus.author.codes[rows], self.code[rows], rng, limit
            )
        except CorpusError as error:
            problem = f"fold {self.name}, {part} documents: {error.problem}"
            raise CorpusError(
                problem, found=error.found, expected=error.expected, fix=error.fix
            ) from None

    def train(self, rows: Ints) -> tuple[Pairs, Bools | None, str, int]:
        """Return training pairs, a mask of calibration pairs, how they were divided, and how many documents were dropped."""
        author = self.corpus.author.codes[rows]
        topic = self.code[rows]
        share = self.pairing.calibration
        draws = self.pairing.draws
        ways = (
            ("topics", by_topic(author, topic, share, draws("calibration", self.name))),
            ("authors", by_author(author, share, draws("calibration-authors", self.name))),
        )
        for style, halves in ways:
            drawn = None if halves is None else self._fit_and_calibrate_pairs(rows, halves)
            if halves is not None and drawn is not None:
                return *joined(*drawn), style, halves.crossing
        return self.draw(rows, "training", self.pairing.limit), None, "cross-fit", 0

    def _fit_and_calibrate_pairs(self, rows: Ints, halves: Parts) -> tuple[Pairs, Pairs] | None:
        """Pairs to fit and to calibrate on, or None where either has too few of a class."""
        limits: tuple[int | None, int | None] = (None, None)
        if (most := self.pairing.limit) is not None:
            apart = max(2, round(self.pairing.calibration * most))
            limits = (max(2, most - apart), apart)
        drawn = []
        for mask, half, limit in (
            (halves.fit, "fitting", limits[0]),
            (halves.calibrate, "calibration", limits[1]),
        ):
            try:
                pairs = self.draw(rows[mask], half, limit)
            except CorpusError:
                return None
            if min(pairs.same.sum(), (~pairs.same).sum()) < FEWEST:
                return None
            drawn.append(pairs)
        return drawn[0], drawn[1]


def joined(fit: Pairs, other: Pairs) -> tuple[Pairs, Bools]:
    """Return the pairs of both parts, and a mask (n,) of pairs to calibrate on (the second part)."""
    dropped = {
        why: fit.dropped.get(why, 0) + other.dropped.get(why, 0)
        for why in {**fit.dropped, **other.dropped}
    }
    columns = zip(
        (fit.known, fit.questioned, fit.same),
        (other.known, other.questioned, other.same),
        strict=True,
    )
    known, questioned, same = (np.concatenate(column) for column in columns)
    return Pairs(known, questioned, same, dropped), np.arange(len(same)) >= len(fit)


def topics(
    corpus: Corpus,
    chosen: Ints,
    merged: Ints | None = None,
    *,
    k: int,
    pairing: Pairing,
    name: str = "topics",
    labels: Mapping[str, str | int] | None = None,
) -> list[Fold]:
    """Return the folds of topic k-fold: every chosen topic is tested once, by verifiers trained on the others.

    In each split, documents are equalised (see ``equalise``) and pairs are drawn separately. Training documents are
    first divided into a part to learn from and a part to calibrate on, which share no author and, if there are
    enough topics, no topic: ``counts["calibration"]`` is ``topics``, otherwise ``authors``, or ``cross-fit`` if neither
    leaves ten pairs of each class (then no problem is marked).

    ``chosen`` (m,) are codes of ``corpus.topic``; ``merged`` (T,) is the chosen topic that each topic counts as, −1 if it
    is cut (None: all topics not chosen). Folds are called ``name-0`` … ``name-(k − 1)``; the draws of a fold depend on
    (seed, name, number), and each has ``labels`` and its number ``fold``. CorpusError if k does not fit m, a topic
    has fewer than two documents, or (with the counts) a split gives no pairs.
    """
    code = topic_codes(corpus, chosen, merged)
    order = np.sort(chosen)
    fold = topic_folds(len(order), k, pairing.draws("topic-folds", name))
    folds = []
    for f in range(k):
        split = Split(corpus, code, pairing, f"{name}-{f}")
        train_topics = order[fold != f]
        test_topics = order[fold == f]
        test = split.draw(split.rows(test_topics, "test"), "test", pairing.limit)
        trained = split.train(split.rows(train_topics, "training"))
        labels_of_fold = {**(labels or {}), "fold": f}
        folds.append(
            assemble(
                corpus, code, split.name, trained, test, train_topics, test_topics, labels_of_fold
            )
        )
    return folds


def given(
    train: Problems,
    train_same: Bools,
    test: Problems,
    test_same: Bools,
    name: str = "given",
    **labels: str | int,
) -> Fold:
    """Return one fold of given problems; the test set is blinded here, after its labels were counted."""
    train_same = np.asarray(train_same, dtype=bool)
    test_same = np.asarray(test_same, dtype=bool)
    lead = test.known_index[test.known_ptr[:-1]]
    shares: Measures = {"same": None, "different": None}
    if test.topic is not None and test.topic.codes[test.documents].min(initial=0) >= 0:
        shares = same_topic(
            test.topic.codes[lead], test.topic.codes[test.questioned_index], test_same
        )
    names = [
        None
        if problem_set.author is None
        else {n for row in problem_set.documents if (n := problem_set.author[row]) is not None}
        for problem_set in (train, test)
    ]
    learned, tested = (None if side is None else len(side) for side in names)
    shared_count = None if names[0] is None or names[1] is None else len(names[0] & names[1])
    counts = {
        "train_topics": [],
        "test_topics": [],
        "counts": _class_counts(train_same, train.calibrate, test_same),
        "documents": {"train": len(train.documents), "test": len(test.documents)},
        "authors": {"train": learned, "test": tested, "both": shared_count},
        "composition": shares,
        "dropped": {},
        "calibration": "cross-fit" if train.calibrate is None else "given",
    }
    return Fold(name, train, train_same, test.blind(), test_same, labels, counts)


def _class_counts(train: Bools, calibrate: Bools | None, test: Bools) -> dict[str, dict[str, int]]:
    """Same-author and different-author pairs to learn from, to calibrate on and to test on."""
    calibrating = np.zeros(len(train), dtype=bool) if calibrate is None else calibrate
    sets = {"fit": train[~calibrating], "calibrate": train[calibrating], "test": test}
    return {
        set_name: {"same": int(same.sum()), "different": int((~same).sum())}
        for set_name, same in sets.items()
    }


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
    """Return a fold of drawn pairs, with its counts; ``code`` (n,) is the topic that each document counts as.

    ``trained`` is what ``Split.train`` returns.
    """
    train, calibrate, style, crossing = trained
    topic = Labels(code, corpus.topic.names)
    train_problems = Problems.pairs(
        corpus.texts,
        train.known,
        train.questioned,
        author=corpus.author,
        topic=topic,
        language=corpus.language,
        calibrate=calibrate,
    )
    test_problems = Problems.pairs(corpus.texts, test.known, test.questioned)
    documents = train_problems.documents, test_problems.documents
    dropped = {f"training: {why}": count for why, count in train.dropped.items()}
    dropped |= {f"test: {why}": count for why, count in test.dropped.items()}
    if crossing:
        dropped["training: documents of authors on the other side of the calibration split"] = (
            crossing
        )
    counts: dict[str, Any] = {
        "train_topics": train_topics.tolist(),
        "test_topics": test_topics.tolist(),
        "counts": _class_counts(train.same, calibrate, test.same),
        "documents": {"train": len(documents[0]), "test": len(documents[1])},
        "authors": overlap(corpus.author.codes[documents[0]], corpus.author.codes[documents[1]]),
        "composition": same_topic(code[test.known], code[test.questioned], test.same),
        "dropped": dropped,
        "calibration": style,
    }
    return Fold(name, train_problems, train.same, test_problems, test.same, labels, counts)


def topic_codes(corpus: Corpus, chosen: Ints, merged: Ints | None) -> Ints:
    """Return the chosen topic (n,) that each document counts as, −1 if left out; check that topics have enough documents."""
    code_of = np.full(len(corpus.topic.names) + 1, -1, dtype=np.int64)
    if merged is None:
        code_of[chosen] = chosen
    else:
        code_of[:-1] = merged
    # Code −1 (unknown) reads the last place, which stays −1.
    code = np.where(corpus.author.codes >= 0, code_of[corpus.topic.codes], -1)
    sizes = np.bincount(code[code >= 0], minlength=len(code_of))[chosen]
    if (sizes < 2).any():
        i = int(np.argmin(sizes))
        raise CorpusError(
            f"topic {corpus.topic.names[chosen[i]]!r} has too few documents for a pair",
            found=(
                f"{counted(int(sizes[i]), 'document')}; too few in {int((sizes < 2).sum())} of"
                f" {len(chosen)} chosen topics"
            ),
            expected="two documents or more in every chosen topic",
            fix="raise --min-docs",
        )
    return code
