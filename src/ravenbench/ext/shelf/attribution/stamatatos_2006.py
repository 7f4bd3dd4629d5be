"""Attributes after Stamatatos 2006 (``Stamatatos2006``): discriminants on random sets of words, averaged.

In: for ``fit`` texts and their authors' names, of two authors or more; for ``predict`` and ``scores`` n texts. For
``discriminant`` features (n, m), author codes (n,) from 0, the number of authors, a shrinkage from 0 to 1.
Out: ``scores`` (n, authors), mean probabilities from 0 to 1, higher = more likely; ``predict``: names (n,);
``discriminant``: weights (m, authors) and biases (authors,), unbounded. InputError if texts and authors differ in
number or there is one author, SpecError for a parameter out of range.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ravenbench.attribution.base import Attributor, author_means
from ravenbench.randomness import stream
from ravenbench.text.tfidf import TokenProfiles
from ravenbench.texts import TextTable
from ravenbench.types import Count, Floats, Ints


@dataclass(eq=False, repr=False)
class Stamatatos2006(Attributor):
    """Averages the probabilities of discriminants, each on a random disjoint set of the most frequent words.

    This is the paper's *exhaustive disjoint subspacing*, without its cross-validated committees. Covariances are shrunk
    slightly towards equal ones, so that authors of few texts can be distinguished.

    Parameters
    ----------
    words : int
        Number of the most frequent training words.
    size : int
        Words of a set.
    shrinkage : float
        From 0 (unchanged covariances) to 1.

    References
    ----------
    Stamatatos 2006, Authorship attribution based on feature set subspacing ensembles. International Journal on
    Artificial Intelligence Tools 15(5).
    """

    name = "stamatatos-2006"

    words: int = 1000
    size: Count = 20
    shrinkage: float = 0.1

    def _fit(self, texts: TextTable, rows: Ints, codes: Ints) -> None:
        self.profiles_ = TokenProfiles(self.words).fit(texts, rows)
        features = self.profiles_.transform(texts, rows)
        # By name: equally frequent words must not depend on the order of texts.
        names = np.argsort(self.profiles_.words_)
        drawn = stream(0, "stamatatos-2006", len(names)).permutation(len(names))
        count = max(1, len(names) // self.size)
        self.sets_ = [np.sort(part) for part in np.array_split(names[drawn], count)]
        authors = len(self.classes_)
        self.models_ = [
            discriminant(features[:, part], codes, authors, self.shrinkage) for part in self.sets_
        ]

    def _scores(self, texts: TextTable, rows: Ints) -> Floats:
        """Return probabilities, the mean over all sets."""
        from scipy.special import softmax

        features = self.profiles_.transform(texts, rows)
        parts = zip(self.sets_, self.models_, strict=True)
        return np.asarray(
            np.mean([softmax(features[:, part] @ w + b, axis=1) for part, (w, b) in parts], axis=0)
        )


def discriminant(
    features: Floats, codes: Ints, authors: int, shrinkage: float
) -> tuple[Floats, Floats]:
    """Return weights (m, authors) and biases (authors,) of a linear discriminant, as scikit-learn's ``lsqr`` does."""
    means = author_means(features, codes, authors)
    apart = features - means[codes]
    covariance = apart.T @ apart / len(features)
    m = len(covariance)
    covariance = (1 - shrinkage) * covariance + shrinkage * max(
        np.trace(covariance) / max(m, 1), 1e-9
    ) * np.eye(m)
    weights = np.linalg.lstsq(covariance, means.T, rcond=None)[0]
    prior = np.log(np.bincount(codes, minlength=authors) / len(codes))
    return np.asarray(weights), np.asarray(prior - 0.5 * np.einsum("am,ma->a", means, weights))
