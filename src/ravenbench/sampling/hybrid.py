"""The sampler that cuts some unselected topics and groups others (proposed in Sawatphol et al. 2024, §7.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ravenbench.sampling.base import Sampler, Selection
from ravenbench.sampling.grouping import nearest
from ravenbench.sampling.hits import choose
from ravenbench.types import Floats


@dataclass(eq=False, repr=False)
class Hybrid(Sampler):
    """Unselected topics join their nearest chosen topic where the similarity exceeds a threshold; others are cut.

    On known truth it orders verifiers better than HITS where topics overlap, and as well where they do not
    (docs/sweeps.md).

    Parameters
    ----------
    threshold : float
        Cosine similarity; 1 cuts every topic, −1 merges every topic.
    """

    name = "hybrid"

    threshold: float = 0.5

    def select(self, similarity: Floats, m: int, rng: np.random.Generator) -> Selection:
        chosen = choose(similarity, m)
        merged, close = nearest(similarity, chosen)
        merged[close <= self.threshold] = -1
        merged[chosen] = chosen
        return Selection(chosen, merged)
