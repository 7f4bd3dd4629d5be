"""Estimates a 4-gram language model with interpolated modified Kneser–Ney smoothing, and scores texts with it.

In: ``LanguageModel.train``: tokenised sentences (lists of tokens); ``log10`` and ``score``: one; ``save`` and ``open``:
a folder; ``estimate``: ids of tokens, sentence marks among them, and how many ids there are.
Out: ``log10`` gives log10 probabilities (n + 1,), at most 0, of the sentence's n tokens and its end, ``score`` their
sum; ``open`` a ``LanguageModel``, StoreError for a folder without a complete one. Helpers: ``estimate`` gives tables by
order, ``discounts`` numbers (4,), ``find`` a place or −1, ``score_kernel`` is the compiled loop.

References
----------
Chen and Goodman (1999), An empirical study of smoothing techniques for language modeling; Heafield et al. (2013),
Scalable modified Kneser–Ney language model estimation (unknown words take the uniform share of the unigrams).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.errors import StoreError
from ravenbench.files import write_array, write_json
from ravenbench.types import Floats, Ints

ORDER = 4
UNKNOWN = 0
START = 1
END = 2
Keys = NDArray[np.uint64]
Table = tuple[Keys, Floats, Floats]
"""Packed n-grams ascending, log10 probability, log10 back-off weight."""

_BITS = np.uint64(16)


def estimate(ids: NDArray[np.uint64], size: int) -> list[Table]:
    """Tables of orders 1 to 4 from the joined tokens of all sentences, ``ids`` (n,) below 2¹⁶, each sentence with its
    start and end mark; ``size`` is the number of ids, the start mark, which is never predicted, among them.
    """
    sentence = np.cumsum(ids == START)
    keys: list[Keys] = []
    counts: list[Ints] = []
    packed = ids.copy()
    for n in range(1, ORDER + 1):
        if n > 1:
            packed = (packed[:-1] << _BITS) | ids[n - 1 :]
        in_one_sentence = sentence[: len(packed)] == sentence[n - 1 :]
        grams, count = np.unique(packed[in_one_sentence], return_counts=True)
        keys.append(grams)
        counts.append(count.astype(np.int64))
    for n in range(1, ORDER):
        # Below the highest order an n-gram counts once for each word seen before it, except at a sentence's start.
        shift = np.uint64(16 * n)
        tails, continued = np.unique(
            keys[n] & ((np.uint64(1) << shift) - np.uint64(1)), return_counts=True
        )
        opening = (keys[n - 1] >> (shift - _BITS)) == START
        adjusted = np.zeros(len(keys[n - 1]), dtype=np.int64)
        adjusted[np.searchsorted(keys[n - 1], tails)] = continued
        counts[n - 1] = np.where(opening, counts[n - 1], adjusted)
    return _tables(keys, counts, size)


def discounts(counts: Ints) -> Floats:
    """Chen and Goodman's D1, D2, D3+ with a leading 0, shape (4,); falls back to 0.5, 1, 1.5 on tiny data."""
    n1, n2, n3, n4 = (int((counts == k).sum()) for k in range(1, 5))
    plain = np.array([0.0, 0.5, 1.0, 1.5])
    if min(n1, n2, n3, n4) == 0:
        return plain
    y = n1 / (n1 + 2 * n2)
    estimated = np.array([0.0, 1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3])
    return estimated if np.all(estimated >= 0) and np.all(estimated <= [0, 1, 2, 3]) else plain


def _tables(keys: list[Keys], counts: list[Ints], size: int) -> list[Table]:
    tables: list[Table] = []
    # Every id stands in the unigram table; the start mark is a context, never an outcome.
    unigrams = np.zeros(size, dtype=np.int64)
    unigrams[keys[0].astype(np.int64)] = counts[0]
    unigrams[START] = 0
    d = discounts(unigrams)
    total = max(int(unigrams.sum()), 1)
    freed = float(d[np.minimum(unigrams, 3)].sum()) / total
    lower = (unigrams - d[np.minimum(unigrams, 3)]) / total + freed / (size - 1)
    lower[START] = 0.0
    all_keys = [np.arange(size, dtype=np.uint64), *keys[1:]]
    probability = [lower]
    weight: list[Floats] = []
    for n in range(1, ORDER):
        context = keys[n] >> _BITS
        first_of_context = np.concatenate([[0], np.flatnonzero(np.diff(context)) + 1]).astype(
            np.int64
        )
        owner = np.cumsum(np.concatenate([[0], np.diff(context) != 0])).astype(np.int64)
        d = discounts(counts[n])
        discount = d[np.minimum(counts[n], 3)]
        sums = np.add.reduceat(counts[n], first_of_context).astype(np.float64)
        gamma = np.add.reduceat(discount, first_of_context) / sums
        tail = np.searchsorted(
            all_keys[n - 1], keys[n] & ((np.uint64(1) << np.uint64(16 * n)) - np.uint64(1))
        )
        probability.append(
            (counts[n] - discount) / sums[owner] + gamma[owner] * probability[n - 1][tail]
        )
        backoff = np.ones(len(all_keys[n - 1]))
        backoff[np.searchsorted(all_keys[n - 1], context[first_of_context])] = gamma
        weight.append(backoff)
    weight.append(np.ones(len(keys[-1])))
    for key, p, b in zip(all_keys, probability, weight, strict=True):
        with np.errstate(divide="ignore"):
            tables.append((key, np.where(p > 0, np.log10(p), -99.0), np.log10(b)))
    return tables


_LIMIT = 2**16 - 3


class LanguageModel:
    """A 4-gram language model: log10 probabilities of tokens given the three before them.

    ``vocabulary`` has the token of each id; 0 is the unknown word, 1 the start and 2 the end of a sentence. ``tables``
    are four, by order.
    """

    def __init__(self, vocabulary: Sequence[str], tables: Sequence[Table]) -> None:
        self.vocabulary = list(vocabulary)
        # Views of the mapped files: numba takes plain arrays twenty times as fast.
        self.tables = tuple(tuple(np.asarray(array) for array in table) for table in tables)
        self._id = {token: i for i, token in enumerate(self.vocabulary)}

    @classmethod
    def train(cls, sentences: Iterable[Sequence[str]]) -> LanguageModel:
        """Estimate from tokenised sentences, case intact; at most 65,533 types, the rarest beyond are unknown."""
        sentences = [list(sentence) for sentence in sentences]
        counts = Counter(token for sentence in sentences for token in sentence)
        types = sorted(counts, key=lambda token: (-counts[token], token))[:_LIMIT]
        vocabulary = ["<unk>", "<s>", "</s>", *types]
        index = {token: i for i, token in enumerate(vocabulary)}
        ids: list[int] = []
        for sentence in sentences:
            ids += [START, *(index.get(token, UNKNOWN) for token in sentence), END]
        return cls(vocabulary, estimate(np.array(ids, dtype=np.uint64), len(vocabulary)))

    def __contains__(self, token: str) -> bool:
        return token in self._id

    def ids(self, tokens: Sequence[str]) -> Ints:
        """Return ids of tokens between the sentence's start and end marks, shape (n + 2,)."""
        get = self._id.get
        return np.array([START, *(get(token, UNKNOWN) for token in tokens), END], dtype=np.int64)

    def log10(self, tokens: Sequence[str]) -> Floats:
        """Return the log10 probability of each token and of the sentence's end, shape (n + 1,)."""
        return self.log10_ids(self.ids(tokens))

    def log10_ids(self, ids: Ints) -> Floats:
        """log10 probability of ``ids[1:]``, shape (n − 1,), each given up to three ids before it."""
        (k1, p1, b1), (k2, p2, b2), (k3, p3, b3), (k4, p4, _) = self.tables
        scores: Floats = score_kernel(ids, k1, p1, b1, k2, p2, b2, k3, p3, b3, k4, p4)
        return scores

    def score(self, tokens: Sequence[str]) -> float:
        """Return the log10 probability of a whole sentence."""
        return float(self.log10(tokens).sum())

    def save(self, folder: Path) -> None:
        """Write the model into a folder; ``vocabulary.json`` is written last and marks the model as complete."""
        folder.mkdir(parents=True, exist_ok=True)
        for n, table in enumerate(self.tables, start=1):
            for name, array in zip(("keys", "log10", "backoff"), table, strict=True):
                write_array(folder / f"{name}{n}.npy", array)
        write_json(folder / "vocabulary.json", self.vocabulary)

    @classmethod
    def open(cls, folder: Path) -> LanguageModel:
        """Open a saved model, memory-mapped; StoreError if the folder does not contain a complete model."""
        try:
            vocabulary = json.loads((folder / "vocabulary.json").read_text("utf-8"))
            tables = [
                tuple(
                    np.load(folder / f"{name}{n}.npy", mmap_mode="r", allow_pickle=False)
                    for name in ("keys", "log10", "backoff")
                )
                for n in range(1, ORDER + 1)
            ]
        except (OSError, ValueError, RecursionError) as error:
            raise StoreError(f"{folder}: not a complete language model ({error})") from error
        return cls(vocabulary, tables)  # type: ignore[arg-type]


@njit(cache=True)
def find(keys, key):  # type: ignore[no-untyped-def]
    """Return the position of a key in ascending keys, or −1."""
    low = np.searchsorted(keys, key)
    return low if low < len(keys) and keys[low] == key else -1


@njit(cache=True)
def score_kernel(ids, k1, p1, b1, k2, p2, b2, k3, p3, b3, k4, p4):  # type: ignore[no-untyped-def]
    """The longest known n-gram's value plus the back-off weights of the longer contexts passed on the way."""
    log_probability = np.empty(len(ids) - 1)
    bits = np.uint64(16)
    for i in range(1, len(ids)):
        word = np.uint64(ids[i])
        c1 = np.uint64(ids[i - 1])
        total = 0.0
        is_known = False
        if i >= 3:
            c3 = (np.uint64(ids[i - 3]) << (bits + bits)) | (np.uint64(ids[i - 2]) << bits) | c1
            at = find(k4, (c3 << bits) | word)
            if at >= 0:
                log_probability[i - 1] = p4[at]
                is_known = True
            else:
                at = find(k3, c3)
                if at >= 0:
                    total += b3[at]
        if not is_known and i >= 2:
            c2 = (np.uint64(ids[i - 2]) << bits) | c1
            at = find(k3, (c2 << bits) | word)
            if at >= 0:
                log_probability[i - 1] = total + p3[at]
                is_known = True
            else:
                at = find(k2, c2)
                if at >= 0:
                    total += b2[at]
        if not is_known:
            at = find(k2, (c1 << bits) | word)
            if at >= 0:
                log_probability[i - 1] = total + p2[at]
            else:
                at = find(k1, c1)
                if at >= 0:
                    total += b1[at]
                log_probability[i - 1] = total + p1[find(k1, word)]
    return log_probability
