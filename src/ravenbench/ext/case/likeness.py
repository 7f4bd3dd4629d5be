"""Measures how similar texts are in content, and what pairs chosen for their similarity represent (ours).

In: texts for ``ContentSpace``; n pairs of texts: similarities (n,), cosines 0 to 1, and ``same`` (n,) bool.
Out: ``ContentSpace``: ``cosines`` (one, other), ``paired`` (n,), 0 to 1; ``stands_for``: weights (n,) ≥ 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ravenbench.text.content_words import FUNCTION_WORDS, LETTERS
from ravenbench.text.tokens import frequent_words
from ravenbench.types import Bools, Floats


class ContentSpace:
    """Vectors of texts over the content words of given texts: all words except ``functions`` (lowercase), the most
    frequent."""

    def __init__(self, texts: Sequence[str]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.functions = frozenset(frequent_words(texts, FUNCTION_WORDS))
        self._space = TfidfVectorizer(analyzer=self.words, sublinear_tf=True)
        self._space.fit([*texts, "content"])

    def words(self, text: str) -> list[str]:
        """Return the content words of a text, in lowercase."""
        return [
            word for word in map(str.lower, LETTERS.findall(text)) if word not in self.functions
        ]

    def cosines(self, one: Sequence[str], other: Sequence[str]) -> Floats:
        """Return cosines of texts, (one, other), in [0, 1]; 0 if a text has no known word."""
        left, right = (self._space.transform(list(side)) for side in (one, other))
        return np.asarray((left @ right.T).toarray(), dtype=np.float64)

    def paired(self, one: Sequence[str], other: Sequence[str]) -> Floats:
        """Return the cosine (n,) of each text with the text at the same place on the other side."""
        row = {text: i for i, text in enumerate(dict.fromkeys([*one, *other]))}
        vectors = self._space.transform(list(row)).tocsr()
        left, right = (vectors[[row[text] for text in side]] for side in (one, other))
        return np.asarray(left.multiply(right).sum(axis=1), dtype=np.float64).ravel()


def stands_for(likeness: Floats, same: Bools, others: Sequence[float]) -> Floats:
    """Return weights (n,) that give different-author pairs together the similarities (cosines) of random ``others``;
    same-author pairs weigh 1.

    Without them, pairs chosen for their similarity would make different authors look more similar than they are. Twenty
    strata of similarity are matched; the weights of different-author pairs sum to their number.
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
