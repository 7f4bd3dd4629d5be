"""Attribution in the wild: votes of many random halves of the features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ravenbench.attribution.base import Attributor
from ravenbench.attribution.counts import Counts
from ravenbench.randomness import stream
from ravenbench.text.lexicon import Tokens
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints

SPACE_FREE = Tokens(r"(?=(\S{4}|(?<!\S)\S{1,3}(?!\S)))")
"""Character 4-grams within a word, and whole words that are shorter; cases folded."""


@dataclass(eq=False, repr=False)
class Koppel2011(Attributor):
    """Asks many times, with some of the features drawn at random, whose joined texts are nearest in cosine.

    The score is the share of these votes, which the paper holds against a threshold to answer "nobody"; equal votes are
    told apart by the cosine over all features, which weighs less than one vote.

    Parameters
    ----------
    repeats : int
        How often features are drawn.
    share : float
        The share of features drawn each time.

    References
    ----------
    Koppel, Schler & Argamon 2011, Authorship attribution in the wild. Language Resources and Evaluation 45.
    """

    name = "koppel-2011"

    repeats: int = 100
    share: float = 0.4

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        from scipy.sparse import csr_array

        self.counts_ = Counts(SPACE_FREE).fit(texts, rows)
        of_author = csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))))
        self.authors_ = (of_author @ self.counts_.transform(texts, rows)).tocsc()
        width = self.authors_.shape[1]
        rng = stream(0, "koppel-2011", width)
        size = max(1, round(self.share * width))
        self.drawn_ = [np.sort(rng.permutation(width)[:size]) for _ in range(self.repeats)]

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        asked = self.counts_.transform(texts, rows).tocsc()
        votes = np.zeros((len(rows), len(self.classes_)))
        for columns in self.drawn_:
            near = cosines(asked[:, columns], self.authors_[:, columns])
            votes[np.arange(len(rows)), near.argmax(axis=1)] += near.max(axis=1) > 0
        return np.asarray((votes + 0.5 * cosines(asked, self.authors_)) / self.repeats)


def cosines(a: object, b: object) -> Floats:
    """Cosines of the rows of two sparse matrices, 0 where a row is empty."""
    from scipy.sparse import csr_array

    left, right = csr_array(a), csr_array(b)
    norms = [np.sqrt(np.asarray(m.multiply(m).sum(axis=1)).ravel()) for m in (left, right)]
    lengths = [np.where(norm > 0, norm, 1.0) for norm in norms]
    return np.asarray((left @ right.T).toarray() / lengths[0][:, None] / lengths[1])
