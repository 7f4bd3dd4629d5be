"""Finds what likeness in content adds to scores of authorship, so that it can be taken off them (ours).

In: n pairs of texts: scores (n,) or (n, f) in any unit, ``same`` (n,) bool, likenesses (n,), cosines 0 to 1, weights
(n,), and ``author`` (n,), the code of who wrote the pair's known texts; for ``ContentSpace`` texts.
Out: ``excess``: an ``Excess`` whose slopes (f,) are score per unit of cosine beyond the knee (a cosine), signed;
``taken_off``: scores (n, f) without it, in their unit. ``ContentSpace``: ``cosines`` (one, other), ``paired`` (n,), 0
to 1; ``stands_for``: weights (n,) ≥ 0; ``different_quantile`` and ``reach_of``: one cosine each.

Two texts about the same thing score higher whoever wrote them. A likelihood ratio that does not count this is
``p(score | one author, likeness) / p(score | two authors, likeness)``: scores are compared at one likeness. Up to the
likeness that all but one in twenty different-author pairs stay below (the *knee*), scores are left as they are, for
there the background shows how such pairs score. Beyond it there are few of them, and a line through the excess of
likeness says what it adds.

Its slope is found within each class, and the smaller is taken: by one author, texts alike in content are often alike in
style too (of one time and kind), which is evidence. Each slope is drawn towards 0 by the share of its square that is
noise (positive-part James–Stein), noise being that of authors, not of pairs.

References
----------
James & Stein 1961, Estimation with quadratic loss. Proceedings of the Fourth Berkeley Symposium 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ravenbench.ext.case.likelihood_ratios import sides
from ravenbench.text.content_words import FUNCTION_WORDS, LETTERS
from ravenbench.text.tokens import frequent_words
from ravenbench.types import Bools, Floats, Ints


class ContentSpace:
    """Vectors of texts over the content words of some texts, all but ``functions`` (lowercase), by default the most
    frequent words of these."""

    def __init__(
        self,
        texts: Sequence[str],
        function_words: int = FUNCTION_WORDS,
        functions: frozenset[str] | None = None,
    ) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.functions = (
            frozenset(frequent_words(texts, function_words)) if functions is None else functions
        )
        self._space = TfidfVectorizer(analyzer=self.words, sublinear_tf=True)
        self._space.fit([*texts, "content"])

    def words(self, text: str) -> list[str]:
        """The content words of a text, in lowercase."""
        return [
            word for word in map(str.lower, LETTERS.findall(text)) if word not in self.functions
        ]

    def cosines(self, one: Sequence[str], other: Sequence[str]) -> Floats:
        """Cosines of texts, (one, other), in [0, 1]; 0 where a text has no word that is known."""
        left, right = (self._space.transform(list(side)) for side in (one, other))
        return np.asarray((left @ right.T).toarray(), dtype=np.float64)

    def paired(self, one: Sequence[str], other: Sequence[str]) -> Floats:
        """Cosine (n,) of each text with the one in its place on the other side."""
        row = {text: i for i, text in enumerate(dict.fromkeys([*one, *other]))}
        vectors = self._space.transform(list(row)).tocsr()
        left, right = (vectors[[row[text] for text in side]] for side in (one, other))
        return np.asarray(left.multiply(right).sum(axis=1), dtype=np.float64).ravel()


KNEE = 0.95
"""Share of the different-author pairs that are less alike than the knee."""


@dataclass(frozen=True, eq=False)
class Excess:
    """What each score gains per unit of likeness (cosine) beyond the ``knee`` (a cosine): ``slope`` (f,), 0 where
    nothing is sure."""

    knee: float
    slope: Floats

    def taken_off(self, scores: Floats, likeness: Floats) -> Floats:
        """Scores (n, f) of pairs with these likenesses (n,), without what likeness beyond the knee adds."""
        rows = scores[:, None] if scores.ndim == 1 else scores
        return np.asarray(rows - np.maximum(likeness - self.knee, 0.0)[:, None] * self.slope)


def stands_for(likeness: Floats, same: Bools, others: Sequence[float]) -> Floats:
    """Weights (n,) by which different-author pairs are as alike (cosines), all together, as random ``others``;
    same-author pairs weigh 1.

    Pairs that were taken because they are alike would else make different authors look more alike than they are.
    Twenty strata of likeness are matched; the weights of different-author pairs sum to their number.
    """
    weight = np.ones(len(likeness))
    if same.all():
        return weight
    edges = np.unique(np.asarray(others, dtype=np.float64)[5::5])
    stratum, of_all = (
        np.searchsorted(edges, values, side="right") for values in (likeness[~same], others)
    )
    here, wanted = (np.bincount(strata, minlength=len(edges) + 1) for strata in (stratum, of_all))
    each = (wanted / np.maximum(here, 1))[stratum]
    weight[~same] = each * len(each) / each.sum()
    return weight


def different_quantile(likeness: Floats, same: Bools, weight: Floats, share: float) -> float:
    """The likeness (cosine, 0 to 1) that this share of the different-author pairs, by weight, stay below."""
    order = np.argsort(likeness[~same], kind="stable")
    total = np.cumsum(weight[~same][order])
    return float(likeness[~same][order][np.searchsorted(total, share * total[-1])])


def excess(
    scores: Floats, same: Bools, likeness: Floats, author: Ints, weight: Floats, knee: float
) -> Excess:
    """What likeness beyond a knee adds to scores (n,) or (n, f), in the direction that tells for one author.

    ``same``, ``likeness`` and ``weight`` (n,) are truth, likeness in content, and how much a pair counts within its
    class; ``author`` (n,) is that of the known texts, between which is the noise of a slope.
    """
    rows = scores[:, None] if scores.ndim == 1 else scores
    beyond = np.maximum(likeness - knee, 0.0)
    each = sides(np.zeros(len(same)), same, weight).weight
    means = [np.average(rows[side], axis=0, weights=each[side]) for side in (same, ~same)]
    towards = np.sign(means[0] - means[1])
    slopes = []
    for side, mean in zip((same, ~same), means, strict=True):
        x = beyond[side] - np.average(beyond[side], weights=each[side])
        spread = float(each[side] @ x**2)
        if spread < 1e-12:
            slopes.append(np.zeros(rows.shape[1]))
            continue
        slope = (each[side] * x) @ rows[side] / spread
        left = rows[side] - mean - np.outer(x, slope)
        names, place = np.unique(author[side], return_inverse=True)
        pulls = np.zeros((len(names), rows.shape[1]))
        np.add.at(pulls, place, (each[side] * x)[:, None] * left)
        noise = (pulls**2).sum(axis=0) / spread**2
        sure = np.maximum(1.0 - noise / np.maximum(slope**2, 1e-300), 0.0)
        slopes.append(np.maximum(towards * slope, 0.0) * sure)
    return Excess(knee, towards * np.minimum(*slopes))


def reach_of(likeness: Floats, same: Bools, author: Ints, authors: int) -> float:
    """The greatest likeness (cosine, 0 to 1) that different-author pairs of so many authors of known texts reach (the
    least of all authors' greatest where there are fewer): beyond it, nothing shows how different authors score."""
    greatest = [
        float(likeness[~same & (author == name)].max()) for name in np.unique(author[~same])
    ]
    return sorted(greatest, reverse=True)[:authors][-1]
