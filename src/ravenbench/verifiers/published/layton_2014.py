"""Layton 2014: a weighted vote of local character n-gram methods (SCAP, CNG, RLP)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.errors import CorpusError, SpecError
from ravenbench.text.tokens import normalised
from ravenbench.types import Bools, Floats, Ints, Problems
from ravenbench.verifiers.contract.base import Verifier
from ravenbench.verifiers.published.layton_2014_distances import METHODS, LanguageProfile, distances, tables
from ravenbench.verifiers.published.pieces import known_and_questioned

_PIECES = 4
_BLOCK = 32
"""Problems counted at a time."""


@dataclass(eq=False, repr=False)
class Layton2014(Verifier):
    """Weighted share of members that accept; a member is a method, an n and a profile length L, by the abstract.

    Methods are SCAP, CNG and RLP, from the author's tutorial without its bugs. Ours: a member accepts if the distance
    of the questioned text to the known ones is at most mean + 1 standard deviation of the distances of each known
    document to the others; n 2–6, L 100–2000; the language profile of RLP comes from training texts.

    Rebuilt by us: where there are fewer than four known documents, they are joined and cut in four; the questioned
    text is cut into pieces of the same length, whose distances are averaged, since profiles of unequal length are
    far apart for that alone. Where the author searched a grid for members, all of it votes, weighted by training
    accuracy above one half (all equally where none has any).

    Read a second time against the abstract (a simple vote of local n-gram methods, parameters by grid search) and the
    tutorial: nothing here contradicts them. They leave open which members the search kept, when a member accepts, and
    what becomes of one known document; docs/pan14.md says that the weights alone change little.

    It is dear, more than an hour of a core for a default run on newsgroups (``docs/scale.md``): 45 members sort the
    n-grams of every piece of every problem anew, in training as in a test.

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
    symmetric = False
    provenance = "reconstructed"

    lengths: tuple[int, ...] = (2, 3, 4, 5, 6)
    sizes: tuple[int, ...] = (100, 500, 2000)

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Learn language profiles and weights.

        Raises
        ------
        SpecError
            If a parameter is empty or not positive.
        CorpusError
            If no training problem has enough text to vote on.
        """
        if not self.lengths or not self.sizes or min(*self.lengths, *self.sizes) < 1:
            raise SpecError("lengths and sizes of layton-2014 must be positive", found=str(self))
        same = np.asarray(same, dtype=bool)
        texts = [normalised(problems.texts[row]) for row in problems.documents]
        self.language_ = [LanguageProfile(n).fit(texts) for n in self.lengths]
        votes = self._votes(problems)
        told = ~np.isnan(votes).any(axis=1)
        if not told.any():
            raise CorpusError("layton-2014 cannot learn", found="no problem with enough text", expected="longer texts")
        # Classes count equally: in an unbalanced set, saying the same always is no merit.
        classes = [told & (same == truth) for truth in (True, False)]
        right = [(votes[rows] == same[rows][:, None]).mean(axis=0) for rows in classes if rows.any()]
        weight = np.maximum(np.mean(right, axis=0) - 0.5, 0.0)
        weight = weight if weight.sum() > 0 else np.ones_like(weight)
        self.weight_ = weight / weight.sum()
        return self

    def verify(self, problems: Problems) -> Floats:
        votes = self._votes(problems)
        answers = (votes * self.weight_).sum(axis=1)
        return np.asarray(np.where(np.isnan(answers), 0.5, np.clip(answers, 0.0, 1.0)), dtype=np.float64)

    def _votes(self, problems: Problems) -> Floats:
        """1 where a member accepts, else 0, (n, members); NaN where there is too little text."""
        members = len(self.lengths) * len(METHODS) * len(self.sizes)
        read = {int(row): normalised(problems.texts[row]) for row in problems.documents}
        result = np.full((len(problems), members), np.nan)
        cuts: list[tuple[int, list[str], list[str]]] = []
        for i in range(len(problems)):
            known = [read[int(row)] for row in problems.known(i)]
            questioned = read[int(problems.questioned_index[i])]
            parts, asked = known_and_questioned(known, " ".join(known), questioned, _PIECES)
            if min((len(part) for part in [*parts, *asked]), default=0) >= max(self.lengths):
                cuts.append((i, parts, asked))
        width = len(METHODS) * len(self.sizes)
        for start in range(0, len(cuts), _BLOCK):
            block = cuts[start : start + _BLOCK]
            for column, profile in enumerate(self.language_):
                found = tables([[*parts, *asked] for _, parts, asked in block], profile, max(self.sizes))
                for (i, parts, _), (counts, language) in zip(block, found, strict=True):
                    result[i, width * column : width * (column + 1)] = self._accepts(counts, len(parts), language)
        return result

    def _accepts(self, counts: Ints, known: int, language: Floats) -> Floats:
        """Votes on one problem; the first ``known`` rows of ``counts`` are known pieces."""
        own, other = counts[:known], counts[known:]
        whole = own.sum(axis=0)
        among = distances(own, whole - own, language, self.sizes)
        towards = distances(other, whole[None], language, self.sizes)
        accepted = towards.mean(axis=1) <= among.mean(axis=1) + among.std(axis=1)
        return np.asarray(accepted, dtype=np.float64)
