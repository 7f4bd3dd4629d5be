"""Latent Dirichlet allocation on binary word counts (Blei et al. 2003; Sawatphol et al. 2024, §7.3).

As with ``nmf``, the default of ``min_df`` is an absolute 20 where the paper's code has a share of .1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ravenbench.topics.base import Encoder
from ravenbench.topics.chunks import averaged, chunked
from ravenbench.topics.words import counts
from ravenbench.types import Floats


@dataclass(eq=False, repr=False)
class LDA(Encoder):
    """Encodes a text as its proportions of latent topics.

    Parameters
    ----------
    components : int
    min_df, max_df : int or float
        Fewest and most texts (chunks) a word may occur in; a float is a share. The paper: .1 and .5.
    features : int
        Most words kept.
    window : int
        Words a chunk.
    seed : int
    """

    name = "lda"

    components: int = 50
    seed: int = 0
    min_df: int | float = 20
    max_df: int | float = 0.5
    features: int = 5000
    window: int = 500

    def encode(self, texts: Sequence[str]) -> Floats:
        from sklearn.decomposition import LatentDirichletAllocation
        from threadpoolctl import threadpool_limits

        self.need_some("components", "features", "window")
        chunks, owner = chunked(texts, self.window)
        present, _ = counts(chunks, min_df=self.min_df, max_df=self.max_df, features=self.features, binary=True)
        with threadpool_limits(1):
            model = LatentDirichletAllocation(self.components, random_state=self.seed)
            proportions = model.fit_transform(present)
        return averaged(proportions, owner)
