"""Character language models: the author under whose model a text is likeliest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ravenbench.attribution.base import Attributor
from ravenbench.errors import SpecError
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Ints

BITS = 12
"""Bits of a character in an n-gram's code: 5 characters of 4,095 kinds fit 64."""

LEAST, MOST = 0.1, 0.95
"""Bounds of a discount, so that something is left for what was not seen, and something for what was."""


@dataclass(eq=False, repr=False)
class Peng2004(Attributor):
    """One back-off model of characters an author, with absolute discounts; the least perplexity names the author.

    Parameters
    ----------
    order : int
        Longest n-gram, 1 … 5.

    References
    ----------
    Peng, Schuurmans & Wang 2004, Augmenting naive Bayes classifiers with statistical language models. Information
    Retrieval 7. Absolute smoothing: section 2.2; its best orders on English characters are 5 and 6.
    """

    name = "peng-2004"

    order: int = 5

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        if not 1 <= self.order <= 64 // BITS:
            raise SpecError("the order of peng-2004 must lie in 1 … 5", found=self.order)
        every = texts.rows(rows)
        kinds = sorted(set().union(*every))[: (1 << BITS) - 1]
        # 0 is every character that no author uses.
        self.id_ = {character: i for i, character in enumerate(kinds, start=1)}
        known = [
            [self._ids(text) for text, c in zip(every, codes, strict=True) if c == a] for a in range(codes.max() + 1)
        ]
        self.models_ = [Model(own, self.order, len(kinds) + 1) for own in known]

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        """Mean log2 probability of a text's characters."""
        asked = [self._ids(text) for text in texts.rows(rows)]
        return np.array([[model.mean_log(ids) for model in self.models_] for ids in asked])

    def _ids(self, text: str) -> Ints:
        return np.array([self.id_.get(character, 0) for character in text], dtype=np.int64)


class Model:
    """A back-off model: a seen n-gram has its discounted share, an unseen one what the shorter one gives of the rest.

    Parameters
    ----------
    known : list of (n,) int64
        Characters of the texts to learn from.
    kinds : int
        How many characters there are; those never seen share what discounting leaves of single characters.
    """

    def __init__(self, known: Sequence[Ints], order: int, kinds: int) -> None:
        self.order, self.kinds = order, kinds
        self._grams: list[Ints] = []
        self._share: list[Floats] = []
        self._context: list[Ints] = []
        self._rest: list[Floats] = []
        for k in range(1, order + 1):
            grams, counts = np.unique(np.concatenate([codes(ids, k) for ids in known]), return_counts=True)
            context, of = np.unique(grams >> BITS, return_inverse=True)
            once, twice = int((counts == 1).sum()), int((counts == 2).sum())
            discount = min(max(once / max(1, once + 2 * twice), LEAST), MOST)
            total = np.bincount(of, counts)
            share = (counts - discount) / total[of]
            left = discount * np.bincount(of) / total
            if k == 1:
                unseen = max(1, kinds - len(grams))
                rest = left / unseen
            else:
                # What the shorter n-grams give to characters that are seen here cannot be given to others.
                taken = np.bincount(of, self._find(k - 1, grams & ((1 << BITS * (k - 1)) - 1))[1])
                rest = left / np.maximum(1 - taken, 1e-12)
            self._grams.append(grams)
            self._share.append(share)
            self._context.append(context)
            self._rest.append(rest)

    def mean_log(self, ids: Ints) -> float:
        """Mean log2 probability of characters, each after those before it."""
        if len(ids) == 0:
            return 0.0
        return float(np.log2(np.maximum(self.probabilities(ids), 1e-12)).mean())

    def probabilities(self, ids: Ints) -> Floats:
        """The probability of each character after the ``order − 1`` before it (fewer at the beginning)."""
        seen, share = self._find(1, ids)
        found = np.where(seen, share, self._rest[0][0] if len(self._rest[0]) else 1 / self.kinds)
        for k in range(2, min(self.order, len(ids)) + 1):
            grams = codes(ids, k)
            seen, share = self._find(k, grams)
            at = np.searchsorted(self._context[k - 1], grams >> BITS)
            at = np.minimum(at, max(0, len(self._context[k - 1]) - 1))
            known = np.zeros(len(grams), dtype=bool)
            if len(self._context[k - 1]):
                known = self._context[k - 1][at] == grams >> BITS
                shorter = found[k - 1 :] * np.where(known, self._rest[k - 1][at], 1.0)
                found[k - 1 :] = np.where(seen, share, shorter)
        return np.asarray(found)

    def _find(self, k: int, grams: Ints) -> tuple[Bools, Floats]:
        """Which n-grams of k characters were seen, and their shares (0 where not)."""
        table = self._grams[k - 1]
        if not len(table):
            return np.zeros(len(grams), dtype=bool), np.zeros(len(grams))
        at = np.minimum(np.searchsorted(table, grams), len(table) - 1)
        seen = table[at] == grams
        return seen, np.where(seen, self._share[k - 1][at], 0.0)


def codes(ids: Ints, k: int) -> Ints:
    """The code of the k characters that end at each place, from the k-th on."""
    made = np.zeros(max(0, len(ids) - k + 1), dtype=np.int64)
    for j in range(k):
        made = (made << BITS) | ids[j : j + len(made)]
    return made
