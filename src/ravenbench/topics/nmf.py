"""Non-negative matrix factorisation of word tf-idf, as one of the three encoders of Sawatphol et al. 2024, §7.3.

The paper's code keeps words in at least a tenth of the texts (``min_df=.1``), which leaves 109 words of
20 Newsgroups; here the default is an absolute 20.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from ravenbench.topics.base import Encoder
from ravenbench.topics.chunks import averaged, chunked
from ravenbench.topics.words import counts
from ravenbench.types import Floats


@dataclass(eq=False, repr=False)
class NMF(Encoder):
    """Encodes a text as its weights on non-negative components.

    Parameters
    ----------
    components : int
        Fewer where there are fewer words or texts.
    min_df, max_df : int or float
        Fewest and most texts (chunks) a word may occur in; a float is a share. The paper: .1 and .5.
    features : int
        Most words kept.
    window : int
        Words a chunk.
    iterations : int
        Most updates; the paper's 2,000. It stops earlier where it has converged.
    seed : int
        Of the random initial factors.
    """

    name = "nmf"

    components: int = 50
    seed: int = 0
    min_df: int | float = 20
    max_df: int | float = 0.5
    features: int = 5000
    window: int = 500
    iterations: int = 2000

    def encode(self, texts: Sequence[str]) -> Floats:
        from sklearn.decomposition import NMF as Factorisation
        from sklearn.exceptions import ConvergenceWarning
        from threadpoolctl import threadpool_limits

        self.need_some("components", "features", "window", "iterations")
        chunks, owner = chunked(texts, self.window)
        weights, _ = counts(chunks, min_df=self.min_df, max_df=self.max_df, features=self.features, tfidf=True)
        rank = max(1, min(self.components, min(weights.shape)))
        # One thread: the last bits, and so the point of convergence, would depend on their number.
        with threadpool_limits(1), warnings.catch_warnings():
            # The number of iterations is a parameter: stopping there is what was asked.
            warnings.simplefilter("ignore", ConvergenceWarning)
            factors = Factorisation(rank, init="random", max_iter=self.iterations, random_state=self.seed)
            vectors = factors.fit_transform(weights)
        return averaged(vectors, owner)
