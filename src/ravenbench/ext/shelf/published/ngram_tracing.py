"""Verifies by n-gram tracing (``NgramTracing``): how many of the questioned text's n-grams has the author used before?

In: ``Problems`` (n); for ``fit`` training ``Problems``, whose n-grams are counted only for ``phi`` and ``cole`` (their
truth is not used); for ``grams`` texts.
Out: raw scores (n,), a coefficient of overlap, from 0 to 1 (``phi`` from −1 to 1, ``cole`` at most 1, with no lower
bound), higher = same author, NaN if a side has no n-gram; ``grams``: a set of n-grams. SpecError for a
parameter out of range, when the scorer is made.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from ravenbench.ext.shelf.published.grammar import divided
from ravenbench.text.tokens import TOKEN, lowered
from ravenbench.texts import content_hash
from ravenbench.types import Bools, Floats, Problems, Size
from ravenbench.verifiers.contract.base import Scorer

Coefficient = Literal["simpson", "overlap", "phi", "jaccard", "kulczynski", "cole"]


@dataclass(eq=False, repr=False)
class NgramTracing(Scorer):
    """Share of the different n-grams of the questioned text that also occur in the known texts.

    Long n-grams are rare, so a shared n-gram is a trace. The known documents are joined; n-grams do not cross the
    end of a sentence.

    Parameters
    ----------
    n : int
        Length of the n-grams.
    unit : {"character", "word"}
        Unit of the n-grams; words include single punctuation marks.
    coefficient : {"simpson", "overlap", "phi", "jaccard", "kulczynski", "cole"}
        With q and k the numbers of different n-grams of either side, s of them in both and p in all training texts
        and these two: ``simpson`` s/q, the published coefficient; ``overlap`` s/min(q, k); ``jaccard`` s/(q + k − s);
        ``kulczynski`` the mean of s/q and s/k; ``phi`` the correlation of presence; ``cole`` after Cole 1949. The last
        two also count n-grams that are absent from both sides, for which they need p.
    lowercase : bool

    Attributes
    ----------
    seen_ : int
        Number of different n-grams of the training texts.
    grams_ : (seen_,) uint64
        Their hashes, ascending.

    Notes
    -----
    If all sentences of a side are shorter than ``n``, it has no n-gram and the problem has no score (NaN, so it stays
    unanswered). Definitions follow ``idiolect``, which rounds to three digits and drops symbols and numbers; these are
    kept here.

    References
    ----------
    Grieve et al. 2019, Attributing the Bixby Letter using n-gram tracing; Nini 2023 (the other coefficients).
    """

    name = "ngram-tracing"
    reads = "units"

    n: Size = 9
    unit: Literal["character", "word"] = "character"
    coefficient: Coefficient = "simpson"
    lowercase: bool = True

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """Return False for ``simpson`` and ``cole``, which measure only the questioned text."""
        return self.coefficient not in ("simpson", "cole")

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Count the n-grams of the training texts, if the coefficient needs them."""
        self.grams_ = np.empty(0, dtype=np.uint64)
        if self.coefficient in ("phi", "cole"):
            every = set().union(
                *(self.grams([text]) for text in problems.texts.rows(problems.documents))
            )
            self.grams_ = np.unique(np.array([_hash(gram) for gram in every], dtype=np.uint64))
        self.seen_ = len(self.grams_)
        return self

    def score(self, problems: Problems) -> Floats:
        """Return the coefficient, (n,)."""
        scores = np.full(len(problems), np.nan)
        for i in range(len(problems)):
            known = self.grams(problems.texts.rows(problems.known(i)))
            questioned = self.grams([problems.texts[problems.questioned_index[i]]])
            if known and questioned:
                scores[i] = self._coefficient(known, questioned)
        return scores

    def grams(self, texts: Sequence[str]) -> set[str]:
        """Return the different n-grams of texts."""
        grams: set[str] = set()
        for text in texts:
            for sentence in divided(lowered(text) if self.lowercase else text):
                parts = sentence if self.unit == "character" else TOKEN.findall(sentence)
                joint = "" if self.unit == "character" else " "
                grams.update(
                    joint.join(parts[i : i + self.n]) for i in range(len(parts) - self.n + 1)
                )
        return grams

    def _coefficient(self, known: set[str], questioned: set[str]) -> float:
        both = len(known & questioned)
        q = len(questioned)
        k = len(known)
        if self.coefficient == "simpson":
            return both / q
        if self.coefficient == "overlap":
            return both / min(q, k)
        if self.coefficient == "jaccard":
            return both / (q + k - both)
        if self.coefficient == "kulczynski":
            return (both / q + both / k) / 2
        b = q - both
        c = k - both
        hashes = np.array([_hash(gram) for gram in known | questioned], dtype=np.uint64)
        neither = self.seen_ + int((~np.isin(hashes, self.grams_)).sum()) - both - b - c
        agreeing = both * neither - b * c
        below = (
            q * (b + neither)
            if self.coefficient == "cole"
            else math.sqrt(q * k * (c + neither) * (b + neither))
        )
        return agreeing / below if below else 0.0


def _hash(gram: str) -> int:
    return int.from_bytes(content_hash(gram)[:8], "little")
