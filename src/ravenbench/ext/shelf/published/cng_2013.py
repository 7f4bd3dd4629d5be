"""Verifies as Jankowska, Kešelj & Milios 2013 (``CNG2013``): proximity-based one-class classification.

In: ``Problems`` (n); nothing is learned. For ``mean_ratios`` also "char" or "word", lengths n and sizes of profiles in
n-grams; for ``gram_numbers`` texts as non-negative integers, and n; for ``profiles`` what that gives; for
``dissimilarities`` these ``Profiles``, rows of the texts of each pair, and sizes.
Out: raw scores (n,), −M, at most 0, higher = same author, NaN if a text of the problem, after truncation to the
shortest (and halving of a single known text), has no n-gram. ``mean_ratios``: M (n, lengths · sizes), mean ratios of
dissimilarities, ≥ 0, lower = same author, NaN likewise; ``dissimilarities``: (pairs, sizes), 0 to 8 times the size,
higher = less alike; ``gram_numbers``: the n-grams of each text as integers. SpecError for a parameter, when it is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numba import njit

from ravenbench.ext.shelf.published.one_class import sides
from ravenbench.text.tokens import TOKEN, lowered, normalised
from ravenbench.types import Bools, Floats, Ints, Problems, Size
from ravenbench.verifiers.contract.base import Scorer


@dataclass(frozen=True, eq=False)
class Profiles:
    """N-grams of texts (Kešelj et al. 2003): text i has ``grams[bounds[i]:bounds[i + 1]]``, ascending, each ``counts``
    times, at place ``rank`` (from 0) in its text's order of frequency. ``total`` is all n-grams of a
    text."""

    bounds: Ints
    grams: Ints
    counts: Ints
    rank: Ints
    total: Ints


def gram_numbers(units: Sequence[Ints], n: int) -> list[Ints]:
    """Return every n-gram of each text as a number that sorts like the n-gram, which makes the order of a profile exact: by
    count, then by the n-gram itself. ``units`` are non-negative integers."""
    sizes = [len(text) for text in units]
    joined = np.concatenate([np.zeros(0, np.int64), *units])
    letters = np.unique(joined, return_inverse=True)[1].astype(np.int64)
    width = int(letters.max(initial=0)) + 1
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    # Windows that reach beyond their text are numbered too, and left out below.
    number = letters
    for step in range(1, n):
        following = np.zeros_like(letters)
        following[: max(0, len(letters) - step)] = letters[step:]
        number = np.unique(number * width + following, return_inverse=True)[1].astype(np.int64)
    return [number[bounds[i] : max(bounds[i], bounds[i + 1] - n + 1)] for i in range(len(units))]


def profiles(numbers: Sequence[Ints]) -> Profiles:
    """Return counts and frequency ranks of each text's n-grams."""
    grams = [np.zeros(0, np.int64)]
    counts = [np.zeros(0, np.int64)]
    ranks = [np.zeros(0, np.int64)]
    for text in numbers:
        gram, count = np.unique(text, return_counts=True)
        rank = np.empty(len(gram), dtype=np.int64)
        rank[np.argsort(-count, kind="stable")] = np.arange(len(gram))
        grams.append(gram)
        counts.append(count.astype(np.int64))
        ranks.append(rank)
    bounds = np.cumsum([0, *(len(gram) for gram in grams[1:])]).astype(np.int64)
    total = np.array([len(text) for text in numbers], dtype=np.int64)
    return Profiles(
        bounds, np.concatenate(grams), np.concatenate(counts), np.concatenate(ranks), total
    )


def dissimilarities(of_texts: Profiles, left: Ints, right: Ints, sizes: Ints) -> Floats:
    """Return D of pairs of texts for profiles of each of ``sizes`` n-grams, shape (pairs, sizes), in [0, 8 · size].

    D(P, Q) = Σ ((p − q) / ((p + q) / 2))² over the n-grams of either profile, p and q relative frequencies, 0
    outside the profile: an n-gram in only one profile adds 4.
    """
    total = np.maximum(of_texts.total, 1)
    frequency = of_texts.counts / np.repeat(total, np.diff(of_texts.bounds))
    return np.asarray(
        _dissimilarities(
            of_texts.bounds, of_texts.grams, frequency, of_texts.rank, left, right, sizes
        )
    )


@njit(cache=True)
def _dissimilarities(
    bounds: Ints, grams: Ints, frequency: Floats, rank: Ints, left: Ints, right: Ints, sizes: Ints
) -> Floats:
    result = np.zeros((len(left), len(sizes)))
    for pair in range(len(left)):
        i = bounds[left[pair]]
        stop_i = bounds[left[pair] + 1]
        j = bounds[right[pair]]
        stop_j = bounds[right[pair] + 1]
        while i < stop_i or j < stop_j:
            from_left = j == stop_j or (i < stop_i and grams[i] <= grams[j])
            from_right = i == stop_i or (j < stop_j and grams[j] <= grams[i])
            for s in range(len(sizes)):
                inside_left = from_left and rank[i] < sizes[s]
                inside_right = from_right and rank[j] < sizes[s]
                if inside_left and inside_right:
                    p = frequency[i]
                    q = frequency[j]
                    result[pair, s] += (2 * (p - q) / (p + q)) ** 2
                elif inside_left or inside_right:
                    result[pair, s] += 4.0
            i += from_left
            j += from_right
    return result


_EPSILON = 1e-6


def mean_ratios(
    problems: Problems, units: str, lengths: tuple[int, ...], sizes: tuple[int, ...]
) -> Floats:
    """Return M of every problem, shape (n, len(lengths) · len(sizes)), sizes varying fastest; lower = same author.

    M is the mean over known documents of r = D(d, u) / D_max(d), with D_max the dissimilarity to the least similar
    sibling of d. All texts of a problem are truncated to the shortest; then a single known document is divided into
    halves, which count as two documents (recalled, not verified; the order is our choice). D_max = 0, if known documents
    are copies, counts as a tiny number.

    NaN if a text of a problem, truncated and halved, is too short for an n-gram.

    ``units`` {"char", "word"}: what n-grams consist of: characters, or lowercased tokens. ``lengths``: n. ``sizes``:
    l, the n-grams of a profile.
    """

    def read(text: str) -> Sequence[str]:
        return normalised(text) if units == "char" else TOKEN.findall(lowered(normalised(text)))

    result = np.full((len(problems), len(lengths) * len(sizes)), np.nan)
    for i, (known, questioned) in enumerate(sides(problems, read)):
        shortest = min(len(text) for text in [*known, questioned])
        known = [text[:shortest] for text in known]
        if len(known) == 1:
            middle = shortest // 2
            known = [known[0][:middle], known[0][middle:]]
        texts = _numbers([*known, questioned[:shortest]])
        result[i] = _problem(texts, lengths, np.array(sizes, dtype=np.int64))
    return result


def _problem(texts: list[Ints], lengths: tuple[int, ...], sizes: Ints) -> Floats:
    k = len(texts) - 1
    first, second = np.triu_indices(k, 1)
    left = np.concatenate([first, np.arange(k)])
    right = np.concatenate([second, np.full(k, k)])
    ratios = np.full((len(lengths), len(sizes)), np.nan)
    for row, n in enumerate(lengths):
        if min(len(text) for text in texts) < n:
            continue
        each = dissimilarities(profiles(gram_numbers(texts, n)), left, right, sizes)
        among = each[: len(first)]
        towards = each[len(first) :]
        farthest = np.zeros((k, len(sizes)))
        np.maximum.at(farthest, first, among)
        np.maximum.at(farthest, second, among)
        ratios[row] = (towards / np.maximum(farthest, _EPSILON)).mean(axis=0)
    return ratios.ravel()


def _numbers(texts: Sequence[Sequence[str]]) -> list[Ints]:
    symbols = sorted({symbol for text in texts for symbol in text})
    number = {symbol: i for i, symbol in enumerate(symbols)}
    return [np.array([number[symbol] for symbol in text], dtype=np.int64) for text in texts]


@dataclass(eq=False, repr=False)
class CNG2013(Scorer):
    """Distance of the questioned text from each known text, relative to that text's distance from its farthest sibling.

    The score is −M, with M the mean of r = D(d, u) / D_max(d) over known documents d and the common n-gram
    dissimilarity D; M ≤ θ accepts, and the calibrator ``linear`` makes it an answer. A single known document is divided
    into halves; before that, the texts of a problem are truncated to the shortest.

    The dissimilarity comes from the paper and the ratio from its abstract; the mean, the linear map, halves and truncation
    are recalled, not verified, and so are the published n and L (6 or 7, and 2000), θ (1.01–1.02) and width (.1–.2).
    L = 2000 exceeds the distinct n-grams of a Dutch essay; n = 7 and L = 700 are ours, chosen on three training splits
    by mean AUC · accuracy, one setting for all languages. θ = 1.02 and width .15 are not tuned.

    Parameters
    ----------
    n : int
        Characters of an n-gram; case counts, white space is collapsed.
    size : int
        L, the n-grams of a profile.

    References
    ----------
    Jankowska, Kešelj & Milios 2013 (PAN at CLEF).
    """

    name = "cng-2013"
    reads = "characters"
    calibrated_by = "linear"
    symmetric = False
    provenance = "reconstructed"

    n: Size = 7
    size: Size = 700

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Return itself: there is nothing to learn."""
        return self

    def score(self, problems: Problems) -> Floats:
        """Return −M, (n,), higher = same author; NaN if a text of a problem, truncated and halved, has no n-gram."""
        scores: Floats = -mean_ratios(problems, "char", (self.n,), (self.size,))[:, 0]
        return scores
