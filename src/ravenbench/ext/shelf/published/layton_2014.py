"""Verifies as Layton 2014 (``Layton2014``): a weighted vote of local character n-gram methods (SCAP, CNG, RLP).

In: ``Problems`` (n) and, for ``fit``, their truth (n,) bool, True = same author. For ``tables`` the texts of each
problem, a ``LanguageProfile`` and how many of its n-grams to add; for ``distances`` two tables of counts, the
language's frequencies of their columns, and sizes of profiles.
Out: answers (n,) from 0 to 1, higher = same author: the weighted share of members that accept, 0.5 also = unanswered;
``tables``: for each problem counts (texts, n-grams) and the language's frequencies; ``distances``: (methods · sizes,
pairs), ≥ 0, higher = less alike. SpecError for lengths or sizes, CorpusError if no training problem has enough text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numba import njit

from ravenbench.errors import CorpusError, SpecError
from ravenbench.ext.shelf.published.one_class import known_and_questioned, sides
from ravenbench.text.grams import frequent_grams
from ravenbench.text.ngrams import CharNgrams
from ravenbench.text.tokens import normalised
from ravenbench.types import Bools, Floats, Ints, Length, Problems
from ravenbench.verifiers.contract.base import Verifier

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
        grams, total = frequent_grams(texts, self.n, _MOST)
        self.names_ = list(grams)
        self.frequency_: Floats = np.array(list(grams.values()), dtype=np.float64) / max(total, 1)
        return self


def tables(
    problems: Sequence[Sequence[str]], profile: LanguageProfile, common: int
) -> list[tuple[Ints, Floats]]:
    """Return for each problem's texts counts (texts, n-grams) and the language's frequency of each n-gram, (n-grams,).

    The n-grams, with case and in code-point order, are those of the texts and the ``common`` most frequent of the
    language, because missing n-grams can also characterise a text.
    """
    lexicon = CharNgrams(profile.n, lowercase=False).lexicon()
    author_rows = lexicon.ids(profile.names_) if profile.names_ else np.zeros(0, np.int64)
    bounds, ids, counts = lexicon.count([text for texts in problems for text in texts])
    letters = np.frombuffer(
        "".join(lexicon.names(np.arange(len(lexicon)))).encode("utf-32-le", "surrogatepass"), "<u4"
    )
    place = np.empty(len(lexicon), dtype=np.int64)
    place[np.lexsort(letters.reshape(-1, profile.n).T[::-1])] = np.arange(len(lexicon))
    known = np.zeros(len(lexicon))
    known[place[author_rows]] = profile.frequency_
    grams = place[ids]
    always = place[author_rows[:common]]
    column = np.empty(len(lexicon), dtype=np.int64)
    rows = []
    first = 0
    for texts in problems:
        edges = bounds[first : first + len(texts) + 1]
        first += len(texts)
        inside = slice(edges[0], edges[-1])
        present = np.zeros(len(lexicon), dtype=bool)
        present[grams[inside]] = present[always] = True
        used = np.flatnonzero(present)
        table = np.zeros((len(texts), len(used)), dtype=np.int64)
        row = np.repeat(np.arange(len(texts)), np.diff(edges))
        column[used] = np.arange(len(used))
        table[row, column[grams[inside]]] = counts[inside]
        rows.append((table, known[used]))
    return rows


def distances(left: Ints, right: Ints, language: Floats, sizes: Sequence[int]) -> Floats:
    """Return distances of rows of counts, pair by pair: (methods · sizes, pairs), sizes varying fastest.

    SCAP: 1 − |P ∩ Q| / L over the L most frequent n-grams. CNG: Σ ((p − q) / ((p + q) / 2))² over P ∪ Q, a
    frequency outside its profile is 0. RLP: frequencies minus the language's, the L of largest absolute value,
    1 − cosine over the union with actual values. Ties by code point. Rows without a count have no profile.

    A single row on the right is compared with all on the left.
    """
    p = _shares(left)
    q = _shares(right)
    longest = max(sizes)
    frequent_ = [_first(counts, counts > 0, longest) for counts in (left, right)]
    marked = [
        _first(np.abs(value), np.ones(value.shape, dtype=bool), longest)
        for value in (p - language, q - language)
    ]
    result = np.empty((len(METHODS), len(sizes), len(left)))
    for pair in range(len(left)):
        other = pair if len(right) > 1 else 0
        result[:, :, pair] = _pair(
            p[pair],
            q[other],
            language,
            frequent_[0][pair],
            frequent_[1][other],
            marked[0][pair],
            marked[1][other],
            np.array(sizes, dtype=np.int64),
        )
    return result.reshape(len(METHODS) * len(sizes), len(left))


@njit(cache=True)
def _pair(
    p: Floats,
    q: Floats,
    language: Floats,
    most_p: Ints,
    most_q: Ints,
    marked_p: Ints,
    marked_q: Ints,
    sizes: Ints,
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
                a = p[column] - language[column]
                b = q[column] - language[column]
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
    chosen = []
    for row, present_row in zip(values, present, strict=True):
        columns = np.flatnonzero(present_row)
        inside = row[columns]
        if len(columns) > size:
            frequent = inside >= np.partition(inside, -size)[-size]
            columns = columns[frequent]
            inside = inside[frequent]
        chosen.append(columns[np.argsort(-inside, kind="stable")][:size].astype(np.int64))
    return chosen


_PIECES = 4
_BLOCK = 32
"""Problems counted at a time."""


@dataclass(eq=False, repr=False)
class Layton2014(Verifier):
    """Weighted share of members that accept; a member is a method, an n and a profile length L (from the abstract).

    Methods are SCAP, CNG and RLP, from the author's tutorial without its bugs. Ours: a member accepts if the distance
    of the questioned text to the known texts is at most mean + 1 standard deviation of the distances of each known
    document to the others; n 2–6, L 100–2000; the language profile of RLP comes from training texts.

    Rebuilt by us: with fewer than four known documents, they are joined and cut in four; the questioned
    text is cut into pieces of the same length, whose distances are averaged, because profiles of unequal length
    differ only because of that. The author searched a grid for members; here all members vote, weighted by training
    accuracy above one half (all equally if none is above).

    After a second reading of the abstract (a simple vote of local n-gram methods, parameters by grid search) and the
    tutorial: nothing here contradicts them. They do not say which members the search kept, when a member accepts, and
    how one known document is used; docs/pan14.md says that the weights change little.

    Expensive, more than an hour of a core for a default run on newsgroups (``docs/scale.md``): 45 members sort the
    n-grams of every piece of every problem, in training and in the test.

    Parameters
    ----------
    lengths, sizes : tuple of int
        n, and L, the n-grams of a profile.

    Attributes
    ----------
    language_ : list of LanguageProfile
        One for each n.
    weight_ : (members,) float64
        By n, then method, L varying fastest; they sum to 1.

    References
    ----------
    Layton 2014 (PAN at CLEF).
    """

    name = "layton-2014"
    reads = "characters"
    symmetric = False
    provenance = "reconstructed"

    lengths: tuple[Length, ...] = (2, 3, 4, 5, 6)
    sizes: tuple[int, ...] = (100, 500, 2000)

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Learn language profiles and weights.

        SpecError if a parameter is empty or not positive. CorpusError if no training problem has enough text to vote
        on.
        """
        if not self.lengths or not self.sizes or min(*self.lengths, *self.sizes) < 1:
            raise SpecError("lengths and sizes of layton-2014 must be positive", found=str(self))
        same = np.asarray(same, dtype=bool)
        texts = [normalised(problems.texts[row]) for row in problems.documents]
        self.language_ = [LanguageProfile(n).fit(texts) for n in self.lengths]
        votes = self._votes(problems)
        finite = ~np.isnan(votes).any(axis=1)
        if not finite.any():
            raise CorpusError(
                "layton-2014 cannot learn",
                found="no problem with enough text",
                expected="longer texts",
            )
        # Classes count equally: in an unbalanced set, saying the same always is no merit.
        classes = [finite & (same == truth) for truth in (True, False)]
        right = [
            (votes[rows] == same[rows][:, None]).mean(axis=0) for rows in classes if rows.any()
        ]
        weight = np.maximum(np.mean(right, axis=0) - 0.5, 0.0)
        weight = weight if weight.sum() > 0 else np.ones_like(weight)
        self.weight_ = weight / weight.sum()
        return self

    def verify(self, problems: Problems) -> Floats:
        votes = self._votes(problems)
        answers = (votes * self.weight_).sum(axis=1)
        return np.asarray(
            np.where(np.isnan(answers), 0.5, np.clip(answers, 0.0, 1.0)), dtype=np.float64
        )

    def _votes(self, problems: Problems) -> Floats:
        """1 where a member accepts, else 0, (n, members); NaN where there is too little text."""
        members = len(self.lengths) * len(METHODS) * len(self.sizes)
        result = np.full((len(problems), members), np.nan)
        cuts: list[tuple[int, list[str], list[str]]] = []
        for i, (known, questioned) in enumerate(sides(problems, normalised)):
            parts, pieces = known_and_questioned(known, " ".join(known), questioned, _PIECES)
            if min((len(part) for part in [*parts, *pieces]), default=0) >= max(self.lengths):
                cuts.append((i, parts, pieces))
        width = len(METHODS) * len(self.sizes)
        for start in range(0, len(cuts), _BLOCK):
            block = cuts[start : start + _BLOCK]
            for column, profile in enumerate(self.language_):
                counted = tables(
                    [[*parts, *pieces] for _, parts, pieces in block], profile, max(self.sizes)
                )
                for (i, parts, _), (counts, language) in zip(block, counted, strict=True):
                    result[i, width * column : width * (column + 1)] = self._accepts(
                        counts, len(parts), language
                    )
        return result

    def _accepts(self, counts: Ints, known: int, language: Floats) -> Floats:
        """Votes on one problem; the first ``known`` rows of ``counts`` are known pieces."""
        own = counts[:known]
        other = counts[known:]
        whole = own.sum(axis=0)
        among = distances(own, whole - own, language, self.sizes)
        towards = distances(other, whole[None], language, self.sizes)
        accepted = towards.mean(axis=1) <= among.mean(axis=1) + among.std(axis=1)
        return np.asarray(accepted, dtype=np.float64)
