"""Verifies as VEBAV (``Halvani2014``, Halvani & Steinebach 2014): one-class decisions in several feature families.

In: ``Problems`` (n); nothing is learned. For ``ratio`` counts of a family's features in each chunk of the known texts
and in the questioned text; for ``majority`` the families' answers.
Out: answers (n,) from 0 to 1, higher = same author, 0.5 = unanswered; ``ratio``: a distance over a threshold, ≥ 0,
lower = more alike, NaN if a side has no feature of the family; ``majority``: one answer. SpecError for fewer than
two chunks or a width not above 0, when the verifier is made.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.ext.shelf.calibrators import Linear
from ravenbench.ext.shelf.published.one_class import OneClass, cut
from ravenbench.text.ngrams import CharNgrams
from ravenbench.text.tokens import lowered, words
from ravenbench.types import Bools, Floats, Positive, Problems, Several

_EPSILON = 1e-6
_LETTERS = re.compile(r"[^\W\d_]+")


def _affixes(text: str, part: slice) -> Counter[str]:
    return Counter(word[part] for word in words(text) if len(word) >= 3)


FAMILIES: dict[str, Callable[[str], Counter[str]]] = {
    "punctuation": lambda text: Counter(c for c in text if not c.isalnum() and not c.isspace()),
    "letters": lambda text: Counter(c for run in _LETTERS.findall(text) for c in run),
    "char 2": lambda text: CharNgrams(2).reference(text),
    "char 3": lambda text: CharNgrams(3).reference(text),
    "prefixes": lambda text: _affixes(lowered(text), slice(0, 3)),
    "suffixes": lambda text: _affixes(lowered(text), slice(-3, None)),
    "words": lambda text: Counter(words(lowered(text))),
}
"""The features that each family counts: the families are recalled, not verified; the lengths are ours."""


@dataclass(eq=False, repr=False)
class Halvani2014(OneClass):
    """Majority of feature families; each accepts if the questioned text is as near as the known chunks are to each other.

    The known documents are concatenated and cut in equal chunks (recalled, not verified). The rest is ours: in every
    family, by Manhattan distance of relative frequencies, θ is the mean distance of a chunk to its nearest sibling and
    M the mean of the questioned text's two smallest distances to chunks, over θ; a linear map of M around 1 is the
    family's answer. The answer is the mean of the families in the majority, and 0.5 on a tie. Nothing is
    learned.

    Parameters
    ----------
    chunks : int
        Number of chunks into which the known documents are cut.
    width : float
        Distance of M from 1 to a certain answer.

    References
    ----------
    Halvani & Steinebach 2014 (PAN at CLEF): its abstract.
    """

    name = "halvani-2014"
    reads = "both"

    chunks: Several = 5
    width: Positive = 0.3

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Return itself: there is nothing to learn."""
        return self

    def answer(self, known: list[str], questioned: str) -> float:
        parts = cut(" ".join(known), self.chunks)
        if len(parts) < self.chunks:
            return 0.5
        ratios = [
            ratio([family(part) for part in parts], family(questioned))
            for family in FAMILIES.values()
        ]
        return majority(Linear(theta=1.0, width=self.width).transform(-np.array(ratios)))


def ratio(chunks: list[Counter[str]], questioned: Counter[str]) -> float:
    """Return M of one family; NaN if a chunk or the questioned text has none of the family's features."""
    names = sorted(set(questioned).union(*chunks))
    counts = np.array(
        [[one[name] for name in names] for one in [*chunks, questioned]], dtype=np.float64
    )
    total = counts.sum(axis=1, keepdims=True)
    if not total.all():
        return float("nan")
    rows = counts / total
    each = np.abs(rows[:, None] - rows[None]).sum(axis=2)
    among = each[:-1, :-1] + np.where(np.eye(len(chunks)) > 0, np.inf, 0.0)
    nearest = np.sort(each[-1, :-1])[:2]
    return float(nearest.mean() / max(float(among.min(axis=1).mean()), _EPSILON))


def majority(answers: Floats) -> float:
    """Return the mean of the families' answers on the side of 0.5 with more answers; 0.5 on a tie."""
    accept = answers > 0.5
    reject = answers < 0.5
    if accept.sum() == reject.sum():
        return 0.5
    side = accept if accept.sum() > reject.sum() else reject
    return float(np.where(side, answers, 0.0).sum() / side.sum())
