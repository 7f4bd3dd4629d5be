"""Who wrote the training documents, as far as problems and their truth tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.randomness import stream
from ravenbench.types import Bools, Ints, Problems
from ravenbench.verifiers.contract.folds import author_clusters


@dataclass(frozen=True)
class Written:
    """Training documents by author.

    Attributes
    ----------
    documents : (n,) int64
        Rows of ``problems.texts``, ascending.
    author : (n,) int64
        Author of each, numbered from 0 without gaps.
    topic : (n,) int64
        Topic of each, −1 where unknown.
    """

    documents: Ints
    author: Ints
    topic: Ints

    def select(self, which: Bools) -> Written:
        """The documents marked in ``which`` (n,), their authors numbered anew."""
        author = np.unique(self.author[which], return_inverse=True)[1]
        return Written(self.documents[which], author.astype(np.int64), self.topic[which])

    def of(self, author: int) -> Ints:
        """Places in ``documents`` of one author's."""
        return np.flatnonzero(self.author == author)

    @property
    def sizes(self) -> Ints:
        """Documents of each author, shape (authors,)."""
        return np.bincount(self.author).astype(np.int64)

    def split(self, share: float, seed: int) -> tuple[Written, Written]:
        """Training and held-out documents with no author in both.

        About ``share`` of the authors who have two documents or more are held out, with at least two such authors on
        either side where there are four; with fewer, or a share of 0, nothing is held out.
        """
        several = np.flatnonzero(self.sizes >= 2)
        hold = 0 if share <= 0 or len(several) < 4 else int(np.clip(round(share * len(several)), 2, len(several) - 2))
        drawn = stream(seed, "held-out-authors", len(several)).permutation(several)[:hold]
        held_out = np.isin(self.author, drawn)
        return self.select(~held_out), self.select(held_out)


def written(problems: Problems, same: Bools) -> Written:
    """Documents of training problems with their authors.

    Where documents carry no author, those of a known set and those of a same-author problem are one author's, and what
    is not joined counts as different. CorpusError if all documents are one author's.
    """
    documents = problems.documents
    if problems.author is not None and (problems.author.codes[documents] >= 0).all():
        label: Ints = problems.author.codes[documents]
    else:
        place = np.searchsorted(documents, np.arange(len(problems.texts)))
        label = author_clusters(problems, same, place, len(documents))
    author = np.unique(label, return_inverse=True)[1].astype(np.int64)
    if author.max(initial=0) < 1:
        raise CorpusError("a neural verifier cannot learn from one author", expected="several authors")
    topic = np.full(len(documents), -1, dtype=np.int64) if problems.topic is None else problems.topic.codes[documents]
    return Written(documents, author, topic)


def pairs(documents: Written, most: int = 2000) -> tuple[Ints, Ints, Bools]:
    """All pairs of documents (rows of ``held.documents``), or ``most`` of either kind; with their truth."""
    a, b = np.triu_indices(len(documents.documents), 1)
    same = documents.author[a] == documents.author[b]
    rng = stream(0, "held-out-pairs", len(same))
    rows = np.concatenate(
        [np.sort(rng.permutation(np.flatnonzero(same == kind))[:most]) for kind in (True, False)]
    ).astype(np.int64)
    return a[rows].astype(np.int64), b[rows].astype(np.int64), same[rows]


_LOOK = 200
"""Partners looked at before any will do."""


@dataclass(frozen=True)
class DrawnPairs:
    """Pairs of rows of ``Written.documents``, with their truth."""

    a: Ints
    b: Ints
    same: Bools

    def select(self, which: Ints) -> DrawnPairs:
        """The pairs at these places."""
        return DrawnPairs(self.a[which], self.b[which], self.same[which])


def repaired(
    documents: Written, rng: np.random.Generator, same: float = 0.7, crossing: float = 0.6, within: float = 0.6
) -> DrawnPairs:
    """Every document in one pair at most.

    An author's documents leave in random order: with probability ``same`` two of them form a pair, of two topics with
    probability ``crossing`` where there are two; otherwise one goes into a pool. Pool documents are then paired, within
    a topic with probability ``within``. Pool pairs that happen to be one author's count as such. Where topics are
    unknown none is asked for.

    References
    ----------
    Boenninghoff, Nickel & Kolossa 2021, O2D2 (PAN at CLEF).
    """
    pairs: list[tuple[int, int]] = []
    pool: list[int] = []
    stacks = np.split(np.argsort(documents.author, kind="stable"), np.cumsum(documents.sizes)[:-1])
    for author in rng.permutation(len(stacks)):
        stack = rng.permutation(stacks[author]).tolist()
        while len(stack) > 1:
            first = stack.pop()
            if rng.random() < same:
                pairs.append((first, _partner(first, stack, documents.topic, rng.random() >= crossing)))
            else:
                pool.append(first)
        pool += stack
    pool = rng.permutation(np.array(pool, dtype=np.int64)).tolist()
    while len(pool) > 1:
        first = pool.pop()
        pairs.append((first, _partner(first, pool, documents.topic, rng.random() < within)))
    a, b = np.array(pairs, dtype=np.int64).reshape(-1, 2)[rng.permutation(len(pairs))].T
    return DrawnPairs(a, b, documents.author[a] == documents.author[b])


def balanced(pairs: DrawnPairs, documents: Written, most: float = 1.5) -> DrawnPairs:
    """Pairs of one and two authors, within and across topics, none more than ``most`` times as many as the fewest."""
    alike = documents.topic[pairs.a] == documents.topic[pairs.b]
    kind = 2 * pairs.same + alike
    sizes = np.bincount(kind, minlength=4)
    limit = int(np.ceil(most * sizes[sizes > 0].min(initial=len(kind))))
    order = np.argsort(kind, kind="stable")
    rank = np.arange(len(kind)) - np.concatenate([[0], np.cumsum(sizes)[:-1]])[kind[order]]
    return pairs.select(np.sort(order[rank < limit]).astype(np.int64))


def calibration_apart(documents: Written, problems: Problems, share: float, seed: int) -> tuple[Written, Written, str]:
    """Training documents, calibration documents, and what no two of them share.

    Where the planner marked problems for calibration those are meant. Otherwise about ``share`` of the topics are set
    apart; an author belongs to the side with most of the author's documents, and what the author wrote on topics of the
    other side is left out. Where that leaves too little, and where topics are unknown, authors alone are kept apart.

    Returns
    -------
    training, calibration : Written
    apart : {"authors and topics", "authors"}

    Raises
    ------
    CorpusError
        If either side lacks authors of two documents.
    """
    topics_known = bool((documents.topic >= 0).all())
    if problems.calibrate is not None:
        marked = np.isin(documents.documents, problems.select(problems.calibrate).documents)
        marked &= ~np.isin(documents.documents, problems.select(~problems.calibrate).documents)
        train = ~marked
        hold = marked & ~np.isin(documents.author, documents.author[train])
    else:
        train, hold = _by_topic(documents, share, seed) if topics_known else (np.zeros(0, bool), np.zeros(0, bool))
    if (
        topics_known
        and _enough(documents, train)
        and _enough(documents, hold & ~np.isin(documents.topic, documents.topic[train]))
    ):
        hold = hold & ~np.isin(documents.topic, documents.topic[train])
        return documents.select(train), documents.select(hold), "authors and topics"
    if problems.calibrate is not None and _enough(documents, train) and _enough(documents, hold):
        return documents.select(train), documents.select(hold), "authors"
    learn, held_out = documents.split(share, seed)
    if not len(held_out.documents):
        raise CorpusError(
            "too few authors to set some apart for calibration",
            found=f"{int((documents.sizes > 1).sum())} authors with two documents or more",
            expected="four or more",
        )
    return learn, held_out, "authors"


def _partner(first: int, stack: list[int], topic: Ints, alike: bool) -> int:
    """Take out of a stack what is, or is not, of the first one's topic; its last where nothing is."""
    place = len(stack) - 1
    if topic[first] >= 0:
        for look in range(len(stack) - 1, max(-1, len(stack) - 1 - _LOOK), -1):
            if (topic[stack[look]] == topic[first]) == alike:
                place = look
                break
    return stack.pop(place)


def _by_topic(documents: Written, share: float, seed: int) -> tuple[Bools, Bools]:
    """Documents of either side of a split of topics, authors on one side each."""
    topics = np.unique(documents.topic)
    count = int(np.clip(round(share * len(topics)), 1, max(1, len(topics) - 1)))
    drawn = stream(seed, "calibration-topics", len(topics)).permutation(topics)[:count]
    on_drawn = np.isin(documents.topic, drawn)
    side = 2 * np.bincount(documents.author, weights=on_drawn) > documents.sizes
    return ~on_drawn & ~side[documents.author], on_drawn & side[documents.author]


def _enough(documents: Written, which: Bools) -> bool:
    """True if two authors have two documents each among those marked."""
    return len(which) > 0 and int((np.bincount(documents.author[which], minlength=1) > 1).sum()) >= 2
