"""Distances of local n-gram profiles: SCAP, CNG, and RLP against a language's default profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numba import njit

from ravenbench.text.ngrams import CharNgrams
from ravenbench.types import Bools, Floats, Ints
from ravenbench.verifiers.raven_2026.grams import frequent_grams

METHODS = ("scap", "cng", "rlp")
_MOST = 20_000


@dataclass(eq=False)
class LanguageProfile:
    """Relative frequencies of the most frequent n-grams of training texts; others count as absent.

    Attributes
    ----------
    names_ : list of str
    frequency_ : (len(names_),) float64
    """

    n: int

    def fit(self, texts: Sequence[str]) -> Self:
        """Count the n-grams of training texts."""
        found, total = frequent_grams(texts, self.n, _MOST)
        self.names_ = list(found)
        self.frequency_: Floats = np.array(list(found.values()), dtype=np.float64) / max(total, 1)
        return self


def tables(problems: Sequence[Sequence[str]], profile: LanguageProfile, common: int) -> list[tuple[Ints, Floats]]:
    """For each problem's texts, counts (texts, n-grams) and what the language has of each n-gram, (n-grams,).

    The n-grams, case intact and in code-point order, are those of the texts and the ``common`` most frequent of the
    language: a text may be marked by what it lacks.
    """
    lexicon = CharNgrams(profile.n, lowercase=False).lexicon()
    named = lexicon.ids(profile.names_) if profile.names_ else np.zeros(0, np.int64)
    bounds, ids, counts = lexicon.count([text for texts in problems for text in texts])
    letters = np.frombuffer("".join(lexicon.names(np.arange(len(lexicon)))).encode("utf-32-le", "surrogatepass"), "<u4")
    place = np.empty(len(lexicon), dtype=np.int64)
    place[np.lexsort(letters.reshape(-1, profile.n).T[::-1])] = np.arange(len(lexicon))
    known = np.zeros(len(lexicon))
    known[place[named]] = profile.frequency_
    grams, always = place[ids], place[named[:common]]
    column = np.empty(len(lexicon), dtype=np.int64)
    found = []
    first = 0
    for texts in problems:
        edges = bounds[first : first + len(texts) + 1]
        first += len(texts)
        inside = slice(edges[0], edges[-1])
        here = np.zeros(len(lexicon), dtype=bool)
        here[grams[inside]] = here[always] = True
        used = np.flatnonzero(here)
        table = np.zeros((len(texts), len(used)), dtype=np.int64)
        row = np.repeat(np.arange(len(texts)), np.diff(edges))
        column[used] = np.arange(len(used))
        table[row, column[grams[inside]]] = counts[inside]
        found.append((table, known[used]))
    return found


def distances(left: Ints, right: Ints, language: Floats, sizes: Sequence[int]) -> Floats:
    """Distances of rows of counts, pair by pair: (methods · sizes, pairs), sizes varying fastest.

    SCAP: 1 − |P ∩ Q| / L over the L most frequent n-grams. CNG: Σ ((p − q) / ((p + q) / 2))² over P ∪ Q, a
    frequency outside its profile being 0. RLP: frequencies minus the language's, the L of largest absolute value,
    1 − cosine over the union with actual values. Ties by code point. Rows without a count have no profile.

    A single row on the right is compared with all on the left.
    """
    p, q = _shares(left), _shares(right)
    longest = max(sizes)
    frequent_ = [_first(counts, counts > 0, longest) for counts in (left, right)]
    marked = [
        _first(np.abs(value), np.ones(value.shape, dtype=bool), longest) for value in (p - language, q - language)
    ]
    result = np.empty((len(METHODS), len(sizes), len(left)))
    for pair in range(len(left)):
        other = pair if len(right) > 1 else 0
        result[:, :, pair] = _pair(
            p[pair], q[other], language, frequent_[0][pair], frequent_[1][other], marked[0][pair], marked[1][other],
            np.array(sizes, dtype=np.int64),
        )  # fmt: skip
    return result.reshape(len(METHODS) * len(sizes), len(left))


@njit(cache=True)
def _pair(
    p: Floats, q: Floats, language: Floats, most_p: Ints, most_q: Ints, marked_p: Ints, marked_q: Ints, sizes: Ints
) -> Floats:
    result = np.empty((3, len(sizes)))
    stamp = np.zeros(len(p), np.int8)
    for s in range(len(sizes)):
        size = sizes[s]
        stamp[:] = 0
        stamp[most_p[:size]] = 1
        shared = 0
        unlike = 4.0 * len(most_p[:size])
        for column in most_q[:size]:
            if stamp[column] == 1:
                shared += 1
                unlike += (2 * (p[column] - q[column]) / (p[column] + q[column])) ** 2 - 4.0
            else:
                unlike += 4.0
        result[0, s] = 1 - shared / size
        result[1, s] = unlike
        stamp[:] = 0
        stamp[marked_p[:size]] = 1
        stamp[marked_q[:size]] = 1
        product = length_p = length_q = 0.0
        for column in range(len(p)):
            if stamp[column] == 1:
                a, b = p[column] - language[column], q[column] - language[column]
                product += a * b
                length_p += a * a
                length_q += b * b
        length = np.sqrt(length_p * length_q)
        result[2, s] = 1 - product / (length if length > 0 else 1.0)
    return result


def _shares(counts: Ints) -> Floats:
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))


def _first(values: Ints | Floats, present: Bools | list[Bools], size: int) -> list[Ints]:
    """The first ``size`` present columns of every row in descending order of value, ties by column."""
    found = []
    for row, here in zip(values, present, strict=True):
        columns = np.flatnonzero(here)
        inside = row[columns]
        if len(columns) > size:
            kept = inside >= np.partition(inside, -size)[-size]
            columns, inside = columns[kept], inside[kept]
        found.append(columns[np.argsort(-inside, kind="stable")][:size].astype(np.int64))
    return found
