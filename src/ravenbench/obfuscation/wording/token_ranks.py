"""Ranks each token of a sentence among all words that a 4-gram model of Brown expects there.

In: ``TokenRanks(model)`` takes a ``LanguageModel``; each call then takes the n tokens of one sentence (text).
Out: a call gives ranks (n + 1,) int, the last of the sentence's end, 1 = the most probable word, and log10
probabilities (n + 1,), at most 0. ``rank_kernel`` is the compiled loop behind it. No error of its own.

References
----------
Gehrmann, Strobelt & Rush 2019, GLTR; Mahmood, Shafiq & Srinivasan 2020 (ranks betray obfuscation).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit

from ravenbench.text.language_model import LanguageModel, find
from ravenbench.types import Floats, Ints


class TokenRanks:
    """Ranks the tokens of a sentence under a 4-gram model, 1 the most probable.

    Attributes
    ----------
    unigrams : (V,) float64
        log10 probabilities of single words, ascending.
    """

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self.unigrams = np.sort(np.asarray(model.tables[0][1]))
        self._seen = np.full(len(self.unigrams), -1, dtype=np.int64)
        self._first = 0

    def __call__(self, tokens: Sequence[str]) -> tuple[Ints, Floats]:
        """Return the ranks (n + 1,) of a sentence's tokens and end, one more than the words more probable, and the
        log10 probabilities."""
        ids = self.model.ids(tokens)
        (_, p1, b1), (k2, p2, b2), (k3, p3, b3), (k4, p4, _) = self.model.tables
        values = self.model.log10_ids(ids)
        ranks: Ints = rank_kernel(
            ids,
            values,
            self.unigrams,
            p1,
            b1,
            k2,
            p2,
            b2,
            k3,
            p3,
            b3,
            k4,
            p4,
            self._seen,
            self._first,
        )
        self._first += len(ids)
        return ranks, values


@njit(cache=True)
def rank_kernel(ids, values, unigrams, p1, b1, k2, p2, b2, k3, p3, b3, k4, p4, seen, first):  # type: ignore[no-untyped-def]
    """Words after the longer contexts are examined one by one; all others are counted by their unigrams.

    A word after a context also occurs after every shorter context, so the first table with the word decides. ``seen``
    has the position of the token for which a word was last examined; positions are counted from ``first`` over all
    calls.
    """
    ranks = np.empty(len(ids) - 1, dtype=np.int64)
    bits = np.uint64(16)
    last = np.uint64(0xFFFF)
    for i in range(1, len(ids)):
        # As likely to within rounding is not more likely.
        value = values[i - 1] + 1e-9
        better = 0
        back = 0.0
        context = np.uint64(ids[i - 1])
        contexts = np.zeros(4, dtype=np.uint64)
        contexts[1] = context
        for n in range(2, 4):
            if i >= n:
                context = context | (np.uint64(ids[i - n]) << (bits * np.uint64(n - 1)))
                contexts[n] = context
        explicit = 0
        weights = np.zeros(4)
        if i >= 3:
            at = find(k3, contexts[3])
            weights[3] = b3[at] if at >= 0 else 0.0
        if i >= 2:
            at = find(k2, contexts[2])
            weights[2] = b2[at] if at >= 0 else 0.0
        weights[1] = b1[ids[i - 1]]
        weight_sum = weights[1] + weights[2] + weights[3]
        for n in range(3, 0, -1):
            if i < n:
                continue
            keys, logs = (k4, p4) if n == 3 else (k3, p3) if n == 2 else (k2, p2)
            at = np.searchsorted(keys, contexts[n] << bits)
            while at < len(keys) and (keys[at] >> bits) == contexts[n]:
                word = np.int64(keys[at] & last)
                if seen[word] != first + i:
                    seen[word] = first + i
                    better += back + logs[at] > value
                    explicit += weight_sum + p1[word] > value
                at += 1
            back += weights[n]
        above = len(unigrams) - np.searchsorted(unigrams, value - weight_sum, side="right")
        ranks[i - 1] = 1 + better + above - explicit
    return ranks
