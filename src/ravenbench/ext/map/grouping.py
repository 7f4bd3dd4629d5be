"""Measures distances between texts by frequencies of words, and how far texts group by author or topic.

In: ``prepared``: a measure of ``MEASURES`` and frequencies (texts, words) in percent; ``distances``: a measure and
prepared rows; ``grouping``: distances (n, n), codes of authors and topics (n,), −1 = unknown, and a function that cuts
the tree into so many clusters (n,); ``silhouette``, ``rand``, ``nearness`` also weights of texts (rows, n).
Out: ``prepared``: z-scores, square roots or percent; ``distances``: (n, m), 0 or more, lower = more alike;
``silhouette``: −1 to 1; ``rand``: adjusted Rand index, at most 1; ``nearness``: a difference as a share of the mean
distance, above 0 = grouped, no fixed range; these three (rows,), NaN where undefined; ``grouping``: ``GroupingScore``s:
topic's share (0 to 1), then the three by author and by topic, cut to −1 to 1, with intervals; None where undefined.

Silhouette and adjusted Rand index are the customary numbers; both are high for authors who each write on one topic,
even if words of the topic are all that groups their texts. The two kinds of *nearness* are not: that of authors
compares pairs of texts on different topics only, that of topics pairs of different authors only,

    nearness of authors = (mean distance of other authors − of one author) / mean distance,   on different topics
    nearness of topics  = (mean distance of other topics − of one topic) / mean distance,     by different authors

and the topic's share is the second over the sum of both, within 0 and 1. It is undefined if no author writes on two
topics, because nothing then separates the two, and if the sum is not distinguishable from 0.

Intervals are of the jackknife that leaves out one author at a time (a text whose author is unknown by itself), with
Student's quantiles. A bootstrap of authors would have to compare copies of one text, and its draws have fewer authors
than there are, so that silhouettes rise in them. Dendrograms are cut once, not for each author. The baseline shuffles
labels over texts.

References
----------
Burrows 2002, "Delta": a measure of stylistic difference. Argamon 2008, Interpreting Burrows's Delta (both LLC).
Smith & Aldridge 2011; Evert et al. 2017, Understanding and explaining Delta measures (cosine Delta, DSH 32).
Eder, Rybicki & Kestemont 2016, Stylometry with R (Eder's Delta and Eder's Simple distance).
Koppel & Winter 2014 (min-max).
Rousseeuw 1987, Silhouettes. Hubert & Arabie 1985, Comparing partitions. Efron & Stein 1981, The jackknife estimate of
variance (Annals of Statistics 9).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ravenbench.randomness import stream
from ravenbench.text.tfidf import unit
from ravenbench.types import Bools, Floats, Interval, Ints

MEASURES = {
    "delta": "Burrows's Delta: the mean absolute difference of z-scores",
    "argamon": (
        "Argamon's linear Delta: the Euclidean distance of z-scores, divided by the number of words"
    ),
    "eder": (
        "Eder's Delta: absolute differences of z-scores; more frequent words have more weight"
    ),
    "simple": "Eder's Simple: absolute differences of the square roots of frequencies",
    "wurzburg": "Cosine Delta: one minus the cosine of z-scores",
    "manhattan": "Manhattan: absolute differences of frequencies",
    "canberra": "Canberra: absolute differences, each divided by the sum of both",
    "euclidean": "Euclidean distance of frequencies",
    "cosine": "One minus the cosine of frequencies",
    "minmax": "Min-max (Ruzicka): one minus the sum of minima divided by the sum of maxima",
}
"""Distances by their names in stylo."""
_Z = ("delta", "argamon", "eder", "wurzburg")


def prepared(measure: str, frequencies: Floats, reference: Floats | None = None) -> Floats:
    """Return the rows (texts, words) between which a distance is measured: z-scores over these texts or a ``reference``
    (sample standard deviation; 0 for a word that does not vary), square roots, or frequencies.
    """
    if measure == "simple":
        return np.sqrt(frequencies)
    if measure not in _Z:
        return frequencies
    base = frequencies if reference is None else reference
    spread = base.std(axis=0, ddof=1)
    z = np.where(
        spread > 1e-12,
        (frequencies - base.mean(axis=0)) / np.where(spread > 1e-12, spread, 1.0),
        0.0,
    )
    width = frequencies.shape[1]
    return np.asarray(z * (1 + np.arange(width, 0, -1)) / width if measure == "eder" else z)


def distances(measure: str, one: Floats, other: Floats | None = None) -> Floats:
    """Return distances (one, other), 0 or more, of prepared rows, lower = more alike; without ``other``, among ``one``,
    symmetric and 0 on the diagonal."""
    from scipy.spatial.distance import cdist, pdist, squareform

    def by(metric: str) -> Floats:
        return np.asarray(
            squareform(pdist(one, metric)) if other is None else cdist(one, other, metric)
        )

    second = one if other is None else other
    width = max(1, one.shape[1])
    if measure in ("wurzburg", "cosine"):
        apart = np.clip(1 - unit(one) @ unit(second).T, 0, 2)
        if other is None:
            np.fill_diagonal(apart, 0)
        return np.asarray(apart if other is not None else (apart + apart.T) / 2)
    if measure == "canberra":
        # Words that neither text has are missing values to R's dist(), which scales the sum of the others up.
        neither = (one == 0).astype(float) @ (second == 0).astype(float).T
        return np.asarray(by("canberra") * width / np.maximum(width - neither, 1))
    if measure == "minmax":
        apart = by("cityblock")
        both = one.sum(axis=1)[:, None] + second.sum(axis=1)[None, :] + apart
        return np.asarray(2 * apart / np.where(both > 0, both, 1.0))
    if measure in ("argamon", "euclidean"):
        return np.asarray(by("euclidean") / (width if measure == "argamon" else 1))
    return np.asarray(by("cityblock") / (width if measure == "delta" else 1))


SHUFFLES = 200
Labels = tuple[Ints, Ints]
"""Codes of authors and of topics, −1 unknown."""


@dataclass(frozen=True)
class GroupingScore:
    """One number with its interval, and the mean and 95th percentile with shuffled labels; None if undefined."""

    measure: str
    by: str
    value: float | None
    interval: Interval | None
    shuffled: float | None
    shuffled_95: float | None


def silhouette(distances: Floats, codes: Ints, weights: Floats) -> Floats:
    """Return the mean silhouette (rows,), from −1 to 1, by row of ``weights`` (rows, n); the only text of a group
    has 0."""
    known = codes >= 0
    distances = distances[np.ix_(known, known)]
    weights = weights[:, known]
    _, own = np.unique(codes[known], return_inverse=True)
    member = np.eye(int(own.max(initial=-1)) + 1)[own]
    result = np.full(len(weights), np.nan)
    if member.shape[1] < 2:
        return result
    each = np.arange(len(own))
    for row, w in enumerate(weights):
        weighted = member * w[:, None]
        sums = distances @ weighted
        sizes = weighted.sum(axis=0)
        if (sizes > 0).sum() < 2:
            continue
        rest = sizes[own] - w
        within = sums[each, own] / np.where(rest > 0, rest, 1)
        mean = np.where(sizes > 0, sums / np.where(sizes > 0, sizes, 1), np.inf)
        mean[each, own] = np.inf
        nearest = mean.min(axis=1)
        larger = np.maximum(within, nearest)
        values = np.where(
            (rest > 0) & (larger > 0), (nearest - within) / np.where(larger > 0, larger, 1), 0.0
        )
        result[row] = (values * w).sum() / w.sum()
    return result


def rand(clusters: Ints, codes: Ints, weights: Floats) -> Floats:
    """Return the adjusted Rand index (rows,) of clusters and labels, over pairs of different texts."""
    known = (codes[:, None] >= 0) & (codes[None, :] >= 0)
    together = clusters[:, None] == clusters[None, :]
    alike = codes[:, None] == codes[None, :]
    whole, both, one, other = (
        _sums(m, weights)
        for m in (known, together & alike & known, together & known, alike & known)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = one * other / whole
        return np.asarray((both - expected) / ((one + other) / 2 - expected))


def nearness(distances: Floats, pairs: Bools, alike: Bools, weights: Floats) -> Floats:
    """Return how much nearer pairs that are ``alike`` are than other ``pairs``, in mean distances (rows,), by row
    of ``weights``."""
    near = pairs & alike
    far = pairs & ~alike
    with np.errstate(divide="ignore", invalid="ignore"):
        within = _sums(distances * near, weights) / _sums(near, weights)
        between = _sums(distances * far, weights) / _sums(far, weights)
        return np.asarray(
            (between - within) / (_sums(distances, weights) / _sums(np.ones_like(near), weights))
        )


def _sums(matrix: Floats | Bools, weights: Floats) -> Floats:
    """Sum over pairs of different texts, each weighing the product of its two weights, (rows,)."""
    matrix = matrix.astype(np.float64)
    np.fill_diagonal(matrix, 0)
    return np.asarray(((weights @ matrix) * weights).sum(axis=1))


Measure = Callable[[Labels, Floats], Floats]


def _measures(
    distances: Floats, labels: Labels, cut: Callable[[int], Ints]
) -> dict[tuple[str, str], Measure]:
    """What is measured, by name and label. ``cut`` gives clusters (n,), as many as it is asked for."""

    def near(by: int, labels: Labels, weights: Floats) -> Floats:
        same = [codes[:, None] == codes[None, :] for codes in labels]
        known = (labels[0] >= 0) & (labels[1] >= 0)
        return nearness(
            distances, ~same[1 - by] & known[:, None] & known[None, :], same[by], weights
        )

    def alone(
        by: int, measure: Callable[[Ints, Floats], Floats], labels: Labels, weights: Floats
    ) -> Floats:
        return measure(labels[by], weights)

    measures: dict[tuple[str, str], Measure] = {}
    for by, name in enumerate(("author", "topic")):
        clusters = cut(len(np.unique(labels[by][labels[by] >= 0])))
        measures["nearness", name] = partial(near, by)
        measures["silhouette", name] = partial(alone, by, partial(silhouette, distances))
        measures["adjusted Rand", name] = partial(alone, by, partial(rand, clusters))
    return measures


def grouping(
    distances: Floats,
    author: Ints,
    topic: Ints,
    cut: Callable[[int], Ints],
    seed: int = 0,
    unit: Ints | None = None,
) -> list[GroupingScore]:
    """Return all numbers of a matrix of distances (n, n) for author and topic codes (n,), −1 unknown; the share of
    topic is first. ``cut`` gives a requested number of clusters (n,) of its dendrogram. If groups are not authors,
    ``unit`` has the authors who are left out in turn.
    """
    unit = author if unit is None else unit
    unit = np.where(unit >= 0, unit, unit.max(initial=-1) + 1 + np.arange(len(unit)))
    _, unit = np.unique(unit, return_inverse=True)
    weights = np.vstack([np.ones(len(unit)), unit[None, :] != np.arange(unit.max() + 1)[:, None]])
    rng = stream(seed, "grouping")
    scores = []
    near = []
    for (measure, by), measured in _measures(distances, (author, topic), cut).items():
        values = measured((author, topic), weights)
        near += [values] if measure == "nearness" else []
        shuffled = []
        for _ in range(SHUFFLES if np.isfinite(values[0]) else 0):
            labels = (
                (rng.permutation(author), topic)
                if by == "author"
                else (author, rng.permutation(topic))
            )
            shuffled.append(float(measured(labels, weights[:1])[0]))
        known = np.array(shuffled)[np.isfinite(shuffled)]
        base = (
            (float(known.mean()), float(np.percentile(known, 95))) if len(known) else (None, None)
        )
        scores.append(GroupingScore(measure, by, *_jackknife(values), *base))
    _, whole = _jackknife(near[0] + near[1])
    separated = whole is not None and whole[0] > 0
    share, interval = _jackknife(near[1] / (near[0] + near[1]), 0.0) if separated else (None, None)
    return [GroupingScore("topic's share", "both", share, interval, None, None), *scores]


def _jackknife(values: Floats, least: float = -1.0) -> tuple[float | None, Interval | None]:
    """A value, and its interval by the values (units,) that follow it, each of which leaves one unit out; neither below
    ``least`` nor above 1."""
    from scipy.special import stdtrit

    value = float(values[0])
    left = values[1:][np.isfinite(values[1:])]
    if not np.isfinite(value):
        return None, None
    if len(left) < 3 or len(left) < len(values) - 1:
        return float(np.clip(value, least, 1)), None
    wide = float(
        stdtrit(len(left) - 1, 0.975)
        * np.sqrt((len(left) - 1) / len(left) * ((left - left.mean()) ** 2).sum())
    )
    low, middle, high = np.clip([value - wide, value, value + wide], least, 1).tolist()
    return middle, (low, high)
