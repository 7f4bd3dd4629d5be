"""Computes how much one side prefers a word: zeta from proportions of slices, and keyness from counts.

In: ``eder``, ``burrows``: shares ``p`` and ``q`` (w,), 0 to 1, of the two sides' slices that have each of w words;
``keyness``, ``log_ratio``: counts (w,) and sizes in words; ``difference``, ``intervals``, ``by_chance``: ``UnitCounts``
of both sides ((u, t, w) by u units and t topics), the last two a number of draws and a random generator.
Out: ``eder``, ``difference``: zeta (w,), −1 to 1, NaN where undefined; ``burrows``: 1, 0 or −1 (w,); ``keyness``: G²
(w,), unbounded; ``log_ratio``: base 2 (w,); ``intervals``: 95 % (2, w), NaN where a side has one unit; above 0 = the
first side. ``by_chance``: largest differences (shuffles,), 0 to 1; ``added_up``: ``UnitCounts`` from slices (s, w) and
the unit of each.

With p and q the shares of one side's and the other's slices that have a word, Craig's Zeta is p − q (as stylo gives it;
Craig and Kinney give p + (1 − q), which is one more), Eder's (p − q) / (p + q), and Burrows's a list: words that most
slices of one side have and few of the other's. Keyness is the log-likelihood ratio G² of the counts of a word in two
collections, with the sign of the side that has it more often.

Intervals draw a side's units (authors, texts, or slices of a single text) with replacement, all slices of a unit
together, and are expanded for few units (Hesterberg 2015). Keyness has no p-value: its chi-squared distribution assumes
words drawn one by one, but a single text that repeats a word can make it arbitrarily large.

References
----------
Burrows 2007, All the Way Through: Testing for Authorship in Different Frequency Strata (LLC 22). Craig & Kinney 2009,
Shakespeare, Computers, and the Mystery of Authorship. Eder, Rybicki & Kestemont 2016, Stylometry with R (``oppose``).
Dunning 1993; Rayson & Garside 2000, Comparing corpora using frequency profiling (log-likelihood). Lijffijt et al. 2016,
Significance testing of word frequencies in corpora (DSH 31).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ravenbench.statistics.estimates import expanded
from ravenbench.types import Floats, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array

CHUNK = 2_000
"""Number of words whose draws are in memory at a time."""


class UnitCounts(NamedTuple):
    """Counts of a side by units (u) and topics (t): slices (u, t), and slices with a word (u, t, w)."""

    slices: Floats
    having: Floats

    def share(self, without: Ints | None = None) -> Floats:
        """Return the proportion (0 to 1) of slices with each word, (w,), without units that are left out."""
        left = np.setdiff1d(np.arange(len(self.slices)), () if without is None else without)
        return np.asarray(self.having[left].sum(axis=(0, 1)) / self.slices[left].sum())


def eder(p: Floats, q: Floats) -> Floats:
    """Return Eder's Zeta (w,), from −1 to 1; NaN if only one side or no side has the word."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value = (p - q) / (p + q)
    return np.where(np.abs(value) < 1, value, np.nan)


def burrows(p: Floats, q: Floats) -> Ints:
    """Return (w,): 1 for words in three of five slices of the first side and at most one in five of the other, −1 for
    the reverse, 0 for the rest; Burrows set these limits for each study."""
    return ((p >= 0.6) & (q <= 0.2)).astype(np.int64) - ((q >= 0.6) & (p <= 0.2))


def keyness(a: Floats, b: Floats, size_a: float, size_b: float) -> Floats:
    """Return G² of word counts in two collections of given sizes, (w,), negative if the word is more frequent in the
    second."""
    from scipy.special import xlogy

    expected = (a + b) / (size_a + size_b)
    with np.errstate(divide="ignore", invalid="ignore"):
        g = 2 * (xlogy(a, a / (expected * size_a)) + xlogy(b, b / (expected * size_b)))
    return np.asarray(np.where(np.isfinite(g), g, 0.0) * np.where(a * size_b >= b * size_a, 1, -1))


def log_ratio(a: Floats, b: Floats, size_a: float, size_b: float) -> Floats:
    """Return the base-two logarithm of the ratio of two relative frequencies, with half a word added to each count,
    (w,)."""
    return np.asarray(np.log2((a + 0.5) / (size_a + 0.5)) - np.log2((b + 0.5) / (size_b + 0.5)))


def difference(one: UnitCounts, other: UnitCounts) -> Floats:
    """Return the difference of proportions within topics that both sides have, (w,), weighted as Mantel and Haenszel
    do; with a single topic, the difference over all slices. NaN if no topic has slices on both sides."""
    sides = [
        (side.slices.sum(axis=0)[None], side.having.sum(axis=0)[None]) for side in (one, other)
    ]
    return np.asarray(_within(*sides)[0])


def _within(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> Floats:
    (n, x), (m, y) = one, other
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.where(n + m > 0, n * m / (n + m), 0.0)[..., None]
        each = np.where(weight > 0, x / n[..., None] - y / m[..., None], 0.0)
        return np.asarray((weight * each).sum(axis=1) / weight.sum(axis=1))


def intervals(one: UnitCounts, other: UnitCounts, draws: int, rng: np.random.Generator) -> Floats:
    """Return 95 % intervals (2, w) of ``difference``; NaN if a side has one unit."""
    sides = (one, other)
    units = min(len(one.slices), len(other.slices))
    bounds = np.full((2, one.having.shape[2]), np.nan)
    if units < 2:
        return bounds
    weights = [
        rng.multinomial(len(s.slices), np.full(len(s.slices), 1 / len(s.slices)), size=draws)
        for s in sides
    ]
    for part in _parts(bounds.shape[1], CHUNK // one.slices.shape[1] + 1):
        drawn = [
            (w @ s.slices, np.tensordot(w, s.having[:, :, part], 1))
            for s, w in zip(sides, weights, strict=True)
        ]
        bounds[:, part] = np.nanquantile(_within(*drawn), expanded(0.95, units), axis=0)
    return bounds


def by_chance(
    one: UnitCounts, other: UnitCounts, shuffles: int, rng: np.random.Generator
) -> Floats:
    """Return the largest absolute difference of proportions of any word when the units' sides are shuffled,
    (shuffles,)."""
    slices = np.concatenate([side.slices.sum(axis=1) for side in (one, other)])
    having = np.concatenate([side.having.sum(axis=1) for side in (one, other)])
    first = np.arange(len(slices)) < len(one.slices)
    sides: Floats = np.array([rng.permutation(first) for _ in range(shuffles)], dtype=np.float64)
    largest = np.zeros(shuffles)
    for part in _parts(having.shape[1], CHUNK):
        p, q = ((s @ having[:, part]) / (s @ slices)[:, None] for s in (sides, 1 - sides))
        largest = np.maximum(largest, np.abs(p - q).max(axis=1))
    return largest


def _parts(width: int, size: int) -> Iterator[slice]:
    return (slice(start, start + size) for start in range(0, width, size))


def added_up(
    present: csr_array, unit: Ints, topic: Ints | None = None, topics: int = 1
) -> UnitCounts:
    """Add up slices (s, w) with a word by unit and, if given, by topic (s,)."""
    from scipy.sparse import csr_array

    units = int(unit.max(initial=-1)) + 1
    place = unit if topic is None else unit * topics + topic
    adding = csr_array(
        (np.ones(len(place)), (place, np.arange(len(place)))), shape=(units * topics, len(place))
    )
    slices = np.bincount(place, minlength=units * topics).astype(float)
    return UnitCounts(
        slices.reshape(units, topics), (adding @ present).toarray().reshape(units, topics, -1)
    )
