"""Common n-gram profiles (Kešelj et al. 2003) of the texts of one problem, and their dissimilarities.

N-grams are numbered by their lexicographic rank among those of the problem, which makes the order of a profile
exact: by count, then by the n-gram itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

from ravenbench.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Profiles:
    """N-grams of texts: text i has ``grams[bounds[i]:bounds[i + 1]]``, ascending, each ``counts`` times, and
    stands at place ``rank`` (from 0) in its text's order of frequency. ``total`` is all n-grams of a text."""

    bounds: Ints
    grams: Ints
    counts: Ints
    rank: Ints
    total: Ints


def gram_numbers(units: Sequence[Ints], n: int) -> list[Ints]:
    """Every n-gram of each text as a number that sorts like the n-gram; ``units`` are non-negative integers."""
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
    """Counts and frequency ranks of each text's n-grams."""
    grams, counts, ranks = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for text in numbers:
        gram, count = np.unique(text, return_counts=True)
        rank = np.empty(len(gram), dtype=np.int64)
        rank[np.argsort(-count, kind="stable")] = np.arange(len(gram))
        grams.append(gram)
        counts.append(count.astype(np.int64))
        ranks.append(rank)
    bounds = np.cumsum([0, *(len(gram) for gram in grams[1:])]).astype(np.int64)
    total = np.array([len(text) for text in numbers], dtype=np.int64)
    return Profiles(bounds, np.concatenate(grams), np.concatenate(counts), np.concatenate(ranks), total)


def dissimilarities(of_texts: Profiles, left: Ints, right: Ints, sizes: Ints) -> Floats:
    """D of pairs of texts for profiles of each of ``sizes`` n-grams, shape (pairs, sizes), in [0, 8 · size].

    D(P, Q) = Σ ((p − q) / ((p + q) / 2))² over the n-grams of either profile, p and q relative frequencies, 0
    outside the profile: what only one profile has adds 4.
    """
    total = np.maximum(of_texts.total, 1)
    frequency = of_texts.counts / np.repeat(total, np.diff(of_texts.bounds))
    return np.asarray(_dissimilarities(of_texts.bounds, of_texts.grams, frequency, of_texts.rank, left, right, sizes))


@njit(cache=True)
def _dissimilarities(
    bounds: Ints, grams: Ints, frequency: Floats, rank: Ints, left: Ints, right: Ints, sizes: Ints
) -> Floats:
    result = np.zeros((len(left), len(sizes)))
    for pair in range(len(left)):
        i, stop_i = bounds[left[pair]], bounds[left[pair] + 1]
        j, stop_j = bounds[right[pair]], bounds[right[pair] + 1]
        while i < stop_i or j < stop_j:
            from_left = j == stop_j or (i < stop_i and grams[i] <= grams[j])
            from_right = i == stop_i or (j < stop_j and grams[j] <= grams[i])
            for s in range(len(sizes)):
                inside_left = from_left and rank[i] < sizes[s]
                inside_right = from_right and rank[j] < sizes[s]
                if inside_left and inside_right:
                    p, q = frequency[i], frequency[j]
                    result[pair, s] += (2 * (p - q) / (p + q)) ** 2
                elif inside_left or inside_right:
                    result[pair, s] += 4.0
            i += from_left
            j += from_right
    return result
