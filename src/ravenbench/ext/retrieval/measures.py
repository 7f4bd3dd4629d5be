"""Measures a search, query by query; ties count by their expectation over all orders, never by place.

In: counts of a search (dict of ``search.search``), bounds of each query's true candidates (q + 1,), depths, authors
of queries as codes (q,), −1 = unknown; for ``rank_content`` by version binary logarithms of the queries' ranks (q,).
Out: ``of_queries``: each measure (q,), 0 to 1 (``bits`` from 0 up, lower = better), NaN without a true candidate;
``of_random``: success@k (q,), 0 to 1, but 1 without one; ``levels_of``: counts (q, levels), of which ``auc_eer`` makes
two numbers 0 to 1. ``Authors.mean``: an ``Estimate`` (95 % interval) or None; ``compared``: p and Holm's p, 0 to 1;
``rank_content``: a verdict, and differences of log2 ranks (1 = doubled). ``measure``, ``expect`` fill arrays given.

success@k   Whether a true candidate is among the first k.
recall@k    Share of the true candidates among the first k.
mrr         Mean reciprocal rank of the best true candidate.
ndcg@k      Discounted gain of the first k, as a share of the best possible (Järvelin & Kekäläinen 2002).
bits        Mean binary logarithm of the rank of the best true candidate: one less halves the rank.
auc, eer    Over all pairs of a query and a candidate, if scores are comparable between queries: the area
            under the ROC curve, and the error rate at which both kinds of error are equally frequent. Scores are counted
            at the scores of true candidates, in at most 256 levels.

A measure counts a query only if it has a true candidate in the part of the pool in question. Intervals draw
authors of queries, because an author's queries are not independent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit

from ravenbench.ext.retrieval.pool import KINDS, owners
from ravenbench.statistics.axes import Content
from ravenbench.statistics.estimates import Estimate, percentiles
from ravenbench.statistics.novel_topics import sign_flip
from ravenbench.statistics.ranks import holm
from ravenbench.statistics.resampling import BLOCK, problem_weights
from ravenbench.types import Arrays, Bools, Floats, Ints

NDCG = 10
"""Depth of the discounted gain."""


def of_queries(
    counts: Arrays, ptr: Ints, ks: Sequence[int], part: str = "all"
) -> dict[str, Floats]:
    """Return each measure of each query, (q,), from 0 to 1 (``bits`` from 0 up), NaN if it has no true candidate in this
    part.

    ``counts`` is the result of ``search``, ``ptr`` (q + 1,) the bounds of the true candidates.
    """
    number = list(KINDS).index(part)
    depths = np.array([*ks, NDCG], dtype=np.int64)
    gain = np.concatenate([[0.0], np.cumsum(1 / np.log2(np.arange(2, depths.max() + 2)))])
    out = np.full((len(ptr) - 1, 3, len(depths)), np.nan)
    best = np.full((len(ptr) - 1, 2), np.nan)
    measure(
        ptr,
        counts["score"].astype(np.float64),
        counts["greater"][number].astype(np.int64),
        counts["equal"][number].astype(np.int64),
        counts["inside"][number],
        depths,
        gain,
        out,
        best,
    )
    values = {f"success@{k}": out[:, 0, i] for i, k in enumerate(ks)}
    values |= {f"recall@{k}": out[:, 1, i] for i, k in enumerate(ks)}
    return values | {"mrr": best[:, 0], f"ndcg@{NDCG}": out[:, 2, -1], "bits": best[:, 1]}


@njit(cache=True)
def measure(
    ptr: Ints,
    score: Floats,
    greater: Ints,
    equal: Ints,
    inside: Bools,
    depths: Ints,
    gain: Floats,
    out: Floats,
    best: Floats,
) -> None:
    """Fill ``out`` (q, 3, depths) with success, recall and discounted gain, ``best`` (q, 2) with the expected
    reciprocal and binary logarithm of the rank."""
    for i in range(len(ptr) - 1):
        own = np.array([t for t in range(ptr[i], ptr[i + 1]) if inside[t]])
        if not len(own):
            continue
        own = own[np.argsort(-score[own])]
        out[i] = 0.0
        start = 0
        while start < len(own):
            stop = start + 1
            while stop < len(own) and score[own[stop]] == score[own[start]]:
                stop += 1
            true = stop - start
            others = equal[own[start]]
            above = greater[own[start]] + start
            size = true + others
            for d in range(len(depths)):
                within = min(max(depths[d] - above, 0), size)
                out[i, 1, d] += true * within / size / len(own)
                first = min(above, depths[d])
                last = min(above + size, depths[d])
                out[i, 2, d] += (
                    true / size * (gain[last] - gain[first]) / gain[min(len(own), depths[d])]
                )
            if start == 0:
                reciprocal = logarithm = 0.0
                # The chance that the first true one stands at place p of the tie.
                left = 1.0
                chance = true / size
                for p in range(others + 1):
                    reciprocal += left * chance / (above + p + 1)
                    logarithm += left * chance * np.log2(above + p + 1)
                    for d in range(len(depths)):
                        out[i, 0, d] += left * chance * (above + p < depths[d])
                    left *= 1 - chance
                    if left < 1e-12:
                        break
                    chance = true / (size - p - 1)
                best[i, 0] = reciprocal
                best[i, 1] = logarithm
            start = stop


def of_random(counts: Arrays, ptr: Ints, k: int, size: Ints) -> Floats:
    """Return the expected success@k (q,) if ``size`` (q,) of all other candidates had been drawn at random, and
    all true candidates kept."""
    chance = np.ones(len(ptr) - 1)
    total = counts["size"][0].astype(np.int64)
    expect(
        ptr,
        counts["score"],
        counts["greater"][0].astype(np.int64),
        counts["equal"][0].astype(np.int64),
        total,
        np.minimum(size, total),
        k,
        chance,
    )
    return chance


@njit(cache=True)
def expect(
    ptr: Ints,
    score: Floats,
    greater: Ints,
    equal: Ints,
    total: Ints,
    size: Ints,
    k: int,
    out: Floats,
) -> None:
    """Fill ``out`` (q,), which is 1 before. ``above`` others come before the first true candidate, which follows p others
    of its tie; fewer than k of them are drawn with probability ``fewer``, and k − 1 with the logarithm ``last``.
    """
    for i in range(len(ptr) - 1):
        every = total[i]
        drawn = size[i]
        if k > drawn or ptr[i] == ptr[i + 1]:
            continue
        scores = score[ptr[i] : ptr[i + 1]]
        best = np.argmax(scores)
        true = (scores == scores[best]).sum()
        above = greater[ptr[i] + best]
        others = equal[ptr[i] + best]
        fewer = 0.0
        last = -np.inf
        for x in range(max(0, above + drawn - every), min(k, above + 1)):
            last = _choose(above, x) + _choose(every - above, drawn - x) - _choose(every, drawn)
            fewer += np.exp(last)
        out[i] = 0.0
        left = 1.0
        for p in range(others + 1):
            chance = left * true / (true + others - p)
            out[i] += chance * min(max(fewer, 0.0), 1.0)
            left -= chance
            if left < 1e-12 or fewer < 1e-12:
                break
            if above == k - 1:
                last = _choose(every - above, drawn - above) - _choose(every, drawn)
            if above >= k - 1:
                fewer -= np.exp(last) * (drawn - k + 1) / (every - above)
                last += np.log(
                    (above + 1)
                    / (above + 2 - k)
                    * (every - above - drawn + k - 1)
                    / (every - above)
                )
            above += 1


@njit(cache=True)
def _choose(n: int, m: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(m + 1) - math.lgamma(n - m + 1)


def levels_of(counts: Arrays, ptr: Ints) -> tuple[Floats, Floats]:
    """Return true and other candidates of each query by level of score, (q, levels) each."""
    edges = counts["edges"]
    score = counts["score"]
    below = np.searchsorted(edges, score, "left")
    at = 2 * below + (edges[np.minimum(below, len(edges) - 1)] == score) if len(edges) else below
    true = np.zeros(counts["levels"].shape)
    np.add.at(true, (owners(ptr), at), 1)
    return true, counts["levels"].astype(np.float64)


def auc_eer(true: Floats, others: Floats) -> tuple[Floats, Floats]:
    """Return AUC and EER, each from 0 to 1, of counts by level, (…, levels) each."""
    pairs = true.sum(-1) * others.sum(-1)
    below = np.cumsum(others, -1) - others
    with np.errstate(invalid="ignore", divide="ignore"):
        area = (true * (below + others / 2)).sum(-1) / pairs
        missed, passed = (
            np.cumsum(np.insert(one, 0, 0, -1), -1) / one.sum(-1)[..., None]
            for one in (true, others)
        )
    gap = missed - (1 - passed)
    at = np.minimum((gap < 0).sum(-1), gap.shape[-1] - 1)
    after = np.take_along_axis(gap, at[..., None], -1)[..., 0]
    before = np.take_along_axis(gap, np.maximum(at - 1, 0)[..., None], -1)[..., 0]
    part = np.where(after > before, -before / np.where(after > before, after - before, 1.0), 0.0)
    one, other = (
        np.take_along_axis(missed, i[..., None], -1)[..., 0] for i in (np.maximum(at - 1, 0), at)
    )
    return area, one + np.clip(part, 0, 1) * (other - one)


REPLICATES = 2_000


@dataclass(frozen=True, eq=False)
class Authors:
    """The author of each query: ``unit`` (q,), numbered without gaps; each query of unknown author is a separate unit."""

    unit: Ints
    seed: int = 0

    @classmethod
    def of(cls, codes: Ints, seed: int = 0) -> Authors:
        """Return the units for codes of authors, −1 = unknown."""
        alone = int(codes.max(initial=-1)) + 1 + np.arange(len(codes))
        return cls(
            np.unique(np.where(codes >= 0, codes, alone), return_inverse=True)[1].astype(np.int64),
            seed,
        )

    @property
    def count(self) -> int:
        """Return the number of authors."""
        return int(self.unit.max(initial=-1)) + 1

    @cached_property
    def weights(self) -> Floats:
        """Return how often each author is drawn, (authors, replicates)."""
        blocks = [
            problem_weights(self.count, self.seed, block) for block in range(REPLICATES // BLOCK)
        ]
        return np.hstack(blocks).astype(np.float64)

    def sums(self, values: Floats) -> Floats:
        """Return sums over drawn queries of values (q,) or (q, levels): (replicates,) or (replicates, levels)."""
        flat = values.reshape(len(values), -1)
        by_author = np.zeros((self.count, flat.shape[1]))
        np.add.at(by_author, self.unit, flat)
        return (self.weights.T @ by_author).reshape(-1, *values.shape[1:])

    def mean(self, values: Floats, *, share: bool = False) -> Estimate | None:
        """Return the mean of known values (q,), and its 95 % interval; None if there are none.

        If all values of a ``share`` (0 to 1) are 0, or all are 1, draws do not differ and the interval is that of
        Clopper and Pearson.
        """
        known = ~np.isnan(values)
        if not known.any():
            return None
        value = float(values[known].mean())
        units = len(np.unique(self.unit[known]))
        interval = percentiles(self.means(values), units)
        if share and value in (0.0, 1.0):
            least = 0.025 ** (1 / units)
            interval = (least, 1.0) if value else (0.0, 1 - least)
        return Estimate(value, None, interval, None)

    def means(self, values: Floats) -> Floats:
        """Return means (replicates,) of known values (q,) over drawn authors, NaN if none is known."""
        known = ~np.isnan(values)
        counts = self.sums(known.astype(np.float64))
        return self.sums(np.where(known, values, 0.0)) / np.where(counts > 0, counts, np.nan)

    def test(self, differences: Floats, pair: str) -> float:
        """Return the two-sided p of differences (q,) between two methods, by flipping the signs of authors."""
        return sign_flip(np.bincount(self.unit, np.nan_to_num(differences)), self.seed, pair)


def compared(
    authors: Authors, values: Mapping[str, Floats]
) -> dict[tuple[str, str], tuple[float, float]]:
    """Return p for every two methods from their values (q,), uncorrected and corrected by Holm."""
    names = list(values)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    raw = [authors.test(values[a] - values[b], f"{a} {b}") for a, b in pairs]
    corrected = holm(raw) if raw else np.zeros(0)
    return {pair: (p, float(q)) for pair, p, q in zip(pairs, raw, corrected, strict=True)}


RANK_MARGIN = 0.15
"""δ in binary logarithms of the rank, fixed on worlds 0 to 9 of both generators (``benchmarks/study_retrieval.py``)."""
FEWEST_UNITS = 10
"""Minimum number of authors for a verdict."""


def rank_content(
    authors: Authors, bits: Mapping[str, Floats]
) -> tuple[Content, dict[str, Estimate | None]]:
    """Return the effect of content on a method's ranks, from the binary logarithms of its queries' ranks (k,) in each
    version (``content``): the verdict, and its basis; a value of 1 is a doubled rank.

    ``swing_in_rank`` is the rank with content off the true candidate's topic minus the rank with content on it;
    ``drop_in_rank`` the rank with content off it minus the rank with its own content; ``sway_in_rank`` how much more the
    first two differ, query by query, than two contents off topic do; ``shift_in_rank`` the same for the ranks with own
    content and with content off topic; ``null_in_rank`` the difference between the two contents off topic.

    An interval of swing, drop, sway or shift completely above ``RANK_MARGIN`` is an effect; if all are within it, there
    is none; otherwise the verdict is undecided.
    """
    off = (bits["off"] + bits["off2"]) / 2
    chance = np.abs(bits["off"] - bits["off2"])
    moved = (np.abs(bits["own"] - bits["off"]) + np.abs(bits["own"] - bits["off2"])) / 2
    parts = {
        "swing_in_rank": off - bits["on"],
        "drop_in_rank": off - bits["own"],
        "sway_in_rank": np.abs(bits["on"] - bits["off"]) - chance,
        "shift_in_rank": moved - chance,
        "null_in_rank": bits["off"] - bits["off2"],
    }
    estimates = {name: authors.mean(values) for name, values in parts.items()}
    swing, drop, sway, shift, _ = (
        (one and one.interval) or (0.0, 0.0) for one in estimates.values()
    )
    effects = {
        Content.RELIES: swing,
        Content.LOSES: drop,
        Content.SWAYED: sway,
        Content.DISPLACED: shift,
    }
    if authors.count < FEWEST_UNITS:
        return Content.NO_VERDICT, estimates
    for outcome, (low, _) in effects.items():
        if low > RANK_MARGIN:
            return outcome, estimates
    still = all(low > -RANK_MARGIN and high < RANK_MARGIN for low, high in (swing, drop))
    none = still and max(sway[1], shift[1]) < RANK_MARGIN
    return (Content.LESS if none else Content.UNDECIDED), estimates
