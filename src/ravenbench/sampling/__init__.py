"""Samplers choose m of T topics by their similarities; pools are subsets of the topics that they choose from.

In: ``select`` of a sampler (``HITS()``, ``Random()`` …): cosine similarities (T, T), −1 to 1, higher = more alike, the
number m (1 to T), a random generator; ``draw_pools``: T, m, the number of pools, the share of all topics in a pool
(0 to 1), ``Draws``.
Out: ``select`` returns a ``Selection``: ``chosen`` (m,) topic numbers from 0 in order of choice, ``merged`` (T,) the chosen
topic that each belongs to, −1 = left out; ``draw_pools`` a list of arrays of topic numbers. CorpusError if m topics
cannot be chosen, ValueError for a matrix that is not square or not finite. Helpers: ``choose`` topics (m,), ``nearest``
(T,) topics and similarities, ``units`` and ``totals`` integers of 1e-12, ``more_pools`` options as text, or None.

*HITS*, heterogeneity-informed topic sampling (§4, Eqs. 2–3), starts with the topic least similar to all others on
average; then it adds, m − 1 times, the unselected topic of least leakage l = mean(S)·max(S), where S are its
similarities to the topics already chosen. The paper leaves two cases open. Negative similarities would make l positive
when both factors are negative, so similarities are clipped at 0 inside Eq. 3 (the paper's rule if none is
negative). Ties go to the smaller mean of the unclipped similarities, then to the smaller topic id. *Random* (§5.1) is
the baseline for HITS. *Anti* is a positive control, in which topics leak as much as the corpus allows.
*Grouping* and *hybrid* (§7.2) merge unselected topics instead of cutting them.

Similarities are counted in whole units, so that float noise or the order of a sum cannot decide the choice.

References
----------
Sawatphol et al. 2024, TACL 12 (HITS).
"""

from __future__ import annotations

import logging
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ravenbench.components import Component
from ravenbench.errors import CorpusError, counted
from ravenbench.randomness import Draws
from ravenbench.types import Floats, Index, Ints


@dataclass(frozen=True, eq=False)
class Selection:
    """The topics chosen by a sampler: ``chosen`` (m,), indices in order of choice; ``merged`` (T,) maps each topic to
    the chosen topic that it belongs to (itself if chosen), −1 if it is cut."""

    chosen: Ints
    merged: Ints

    @classmethod
    def cutting(cls, chosen: Ints, topics: int) -> Selection:
        """Return the selection that drops every topic not chosen (the paper's default)."""
        merged = np.full(topics, -1, dtype=np.int64)
        merged[chosen] = chosen
        return cls(np.asarray(chosen, dtype=np.int64), merged)


class Sampler(Component):
    """Base of topic samplers, which choose m of T topics by their similarities.

    Examples
    --------
    >>> from ravenbench.sampling import HITS
    >>> similarity = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]])
    >>> HITS().select(similarity, 2, np.random.default_rng(0)).chosen
    array([2, 0])
    """

    merges: ClassVar[bool] = True
    """Whether topics that were not chosen may count as chosen topics; if not, corpora without pairs are refused early."""

    @abstractmethod
    def select(self, similarity: Floats, m: int, rng: np.random.Generator) -> Selection:
        """Choose ``m`` topics (1 ≤ m ≤ T) by cosine similarities (T, T) of topic vectors, whose diagonal is ignored.

        Samplers that draw use ``rng``. CorpusError if m is larger than the number of topics.
        """


logger = logging.getLogger(__name__)

UNIT = 1e12
"""Units per 1 of similarity; with it, sums over fewer than 9,000 topics are exact in float64 too."""

BLOCK = 64
"""Number of rows converted to units at once; it fits into the cache."""


def check(similarity: Floats, m: int) -> None:
    """Raise an error if m topics cannot be chosen by these similarities: CorpusError if m is not from 1 to T,
    ValueError if the matrix is not square or has a number that is not finite."""
    if similarity.ndim != 2 or similarity.shape[0] != similarity.shape[1]:
        raise ValueError(f"similarity must be square, not of shape {similarity.shape}")
    if not np.isfinite(similarity).all():
        raise ValueError("similarity must be finite")
    if not 1 <= m <= len(similarity):
        raise CorpusError(
            f"Raven cannot choose {m} topics from {len(similarity)}",
            found=f"{len(similarity)} topics",
            expected=f"a number of topics from 1 to {len(similarity)}",
            fix=(
                "choose fewer topics, a finer level of topic, or a lower minimum of documents for a"
                " topic"
            ),
        )


def units(similarity: Floats) -> Ints:
    """Return similarities counted in whole units, an array of the same shape."""
    return np.rint(similarity * UNIT).astype(np.int64)


def totals(similarity: Floats) -> tuple[Ints, int]:
    """Return the sum of each topic's similarities to all *other* topics in units, (T,), and how many pairs of topics are
    negative."""
    size = len(similarity)
    total = np.empty(size, dtype=np.int64)
    negative = 0
    for start in range(0, size, BLOCK):
        block = units(similarity[start : start + BLOCK])
        positions = np.arange(len(block))
        block[positions, start + positions] = 0
        total[start : start + BLOCK] = block.sum(axis=1)
        negative += int(np.count_nonzero(block < 0))
    return total, negative // 2


class HITS(Sampler):
    """Chooses the topics least similar to one another, one by one; cuts the others. Deterministic.

    HITS is heterogeneity-informed topic sampling.
    """

    name = "hits"
    merges = False

    def select(self, similarity: Floats, m: int, rng: np.random.Generator) -> Selection:
        return Selection.cutting(choose(similarity, m), len(similarity))


def choose(similarity: Floats, m: int, most: bool = False) -> Ints:
    """Return topics in order of choice, (m,); O(m·T) after one pass over the matrix. With ``most``, choose the most instead
    of the least similar topics, with every comparison reversed.
    CorpusError if m is not from 1 to T."""
    check(similarity, m)
    size = len(similarity)
    sign = -1 if most else 1
    mean, negative = totals(similarity)
    if negative:
        pairs = size * (size - 1) // 2
        logger.info(
            "%d of %d topic pairs have a negative similarity, counted as 0 in Eq. 3",
            negative,
            pairs,
        )
    chosen = np.empty(m, dtype=np.int64)
    free = np.ones(size, dtype=bool)
    chosen[0] = np.argmin(sign * mean)
    raw, clipped, top = np.zeros((3, size), dtype=np.int64)
    for step in range(1, m):
        last_chosen = chosen[step - 1]
        free[last_chosen] = False
        row = units(similarity[last_chosen])
        raw += row
        np.maximum(row, 0, out=row)
        clipped += row
        np.maximum(top, row, out=top)
        # Every candidate has equally many similarities, so sums order them as means do.
        leakage = sign * clipped.astype(np.float64) * top
        free_topics = np.flatnonzero(free)
        free_topics = free_topics[leakage[free_topics] == leakage[free_topics].min()]
        chosen[step] = free_topics[np.argmin(sign * raw[free_topics])]
    return chosen


@dataclass(eq=False, repr=False)
class Random(Sampler):
    """Draws m topics; each set of m topics is equally likely.

    Parameters
    ----------
    draw : int
        Another number gives another draw: ``random, random(draw=1), …`` repeat Random in one run, as the paper does
        five times.
    """

    name = "random"
    merges = False

    draw: Index = 0

    def select(self, similarity: Floats, m: int, rng: np.random.Generator) -> Selection:
        check(similarity, m)
        return Selection.cutting(
            rng.permutation(len(similarity))[:m].astype(np.int64), len(similarity)
        )


class Anti(Sampler):
    """Chooses the topics most similar to one another, a control: training says most about test topics. Deterministic.

    Like ``hits`` with every comparison reversed: the most similar topic first, then those of greatest leakage.
    """

    name = "anti"
    merges = False

    def select(self, similarity: Floats, m: int, rng: np.random.Generator) -> Selection:
        return Selection.cutting(choose(similarity, m, most=True), len(similarity))


class Grouping(Sampler):
    """Chooses the topics of ``hits``; every other topic joins the chosen topic most similar to it.

    Ties go to the smaller topic id.
    """

    name = "grouping"

    def select(self, similarity: Floats, m: int, rng: np.random.Generator) -> Selection:
        chosen = choose(similarity, m)
        return Selection(chosen, nearest(similarity, chosen)[0])


def nearest(similarity: Floats, chosen: Ints) -> tuple[Ints, Floats]:
    """Return each topic's most similar chosen topic and that similarity, (T,); for a chosen topic, itself.

    Topics are compared with the chosen topics only: nothing is recomputed as topics join.
    """
    ordered = np.sort(chosen)
    columns = similarity[:, ordered]
    best = np.argmax(units(columns), axis=1)
    merged = ordered[best]
    merged[chosen] = chosen
    return merged, columns[np.arange(len(similarity)), best]


@dataclass(eq=False, repr=False)
class Hybrid(Sampler):
    """Unselected topics join their nearest chosen topic if the similarity exceeds a threshold; others are cut.

    On known truth it orders verifiers better than HITS if topics overlap, and as well if they do not
    (docs/sweeps.md).

    Parameters
    ----------
    threshold : float
        Cosine similarity; 1 cuts every topic, −1 merges every topic.
    """

    name = "hybrid"

    threshold: float = 0.5

    def select(self, similarity: Floats, m: int, rng: np.random.Generator) -> Selection:
        chosen = choose(similarity, m)
        merged, close = nearest(similarity, chosen)
        merged[close <= self.threshold] = -1
        merged[chosen] = chosen
        return Selection(chosen, merged)


MANY = 10
"""Recommended number of pools: intervals over fewer are wide."""


LEAST_POOL = 15
"""Minimum topics of a recommended pool: from fewer, HITS and Random choose nearly the same topics."""


def more_pools(topics: int, m: int, folds: int, share: float, *, fixed: bool = False) -> str | None:
    """Return options that draw several pools with a choice of m topics (the largest m possible) for this number of
    folds; None if there are none. A pool is a share of all topics, at most two thirds of them: larger pools are nearly
    the same. ``fixed`` keeps m; otherwise fewer topics may be chosen."""
    size = round(share * topics)
    if LEAST_POOL <= size <= 2 * topics // 3:
        if size > m:
            return f"--pools {MANY}"
        if not fixed and size > folds:
            return f"--pools {MANY} --topics {max(folds, 2 * size // 3)}"
    enough = (
        percent
        for percent in range(1, 67)
        if max(m + 1, LEAST_POOL) <= round(percent / 100 * topics) <= 2 * topics // 3
    )
    larger = next(enough, None)
    return None if larger is None else f"--pools {MANY} --pool-share {larger / 100:g}"


def draw_pools(topics: int, m: int, pools: int, share: float, draws: Draws) -> list[Ints]:
    """Return seeded subsets of the topics; a single pool contains all topics.

    Each round divides the topics again into as many disjoint pools as the share allows (with halves, two without a
    common topic). CorpusError if a pool of this share is too small for a choice of m topics.
    """
    if pools == 1:
        return [np.arange(topics, dtype=np.int64)]
    size = round(share * topics)
    if size <= m:
        raise CorpusError(
            f"{topics} topics are too few for {counted(pools, 'pool')} from which to choose {m}",
            found=f"pools of {size} topics",
            expected=f"more than {m}, so at least {int(np.ceil((m + 1) / share))} topics",
            fix=(
                f"give {more_pools(topics, m, 2, share) or '--pools 1'}, or a finer level of"
                " --topic"
            ),
        )
    pools_a_round = topics // size
    rounds = [
        draws("pool", round_number).permutation(topics)
        for round_number in range(-(-pools // pools_a_round))
    ]
    return [
        np.sort(rounds[pool // pools_a_round][pool % pools_a_round * size :][:size]).astype(
            np.int64
        )
        for pool in range(pools)
    ]
