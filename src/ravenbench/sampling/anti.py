"""A sampler of the most similar topics: a positive control, in which topics leak as much as the corpus lets them."""

from __future__ import annotations

import numpy as np

from ravenbench.sampling.base import Sampler, Selection
from ravenbench.sampling.hits import choose
from ravenbench.types import Floats


class Anti(Sampler):
    """Chooses as HITS with every comparison reversed: most similar first, then of greatest leakage. Deterministic."""

    name = "anti"
    merges = False

    def select(self, similarity: Floats, m: int, rng: np.random.Generator) -> Selection:
        return Selection.cutting(choose(similarity, m, most=True), len(similarity))
