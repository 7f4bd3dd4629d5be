"""The sampler that chooses as HITS does, with unselected topics merged instead of cut (Sawatphol et al. 2024, §7.2)."""

from __future__ import annotations

import numpy as np

from ravenbench.sampling.base import Sampler, Selection
from ravenbench.sampling.hits import choose
from ravenbench.sampling.units import units
from ravenbench.types import Floats, Ints


class Grouping(Sampler):
    """Chooses as HITS; every other topic joins the chosen one most similar to it, ties to the smaller topic id."""

    name = "grouping"

    def select(self, similarity: Floats, m: int, rng: np.random.Generator) -> Selection:
        chosen = choose(similarity, m)
        return Selection(chosen, nearest(similarity, chosen)[0])


def nearest(similarity: Floats, chosen: Ints) -> tuple[Ints, Floats]:
    """Each topic's most similar chosen topic and that similarity, (T,); a chosen topic's is itself.

    Topics are compared with the chosen ones as they were: nothing is recomputed as topics join.
    """
    ordered = np.sort(chosen)
    columns = similarity[:, ordered]
    best = np.argmax(units(columns), axis=1)
    merged = ordered[best]
    merged[chosen] = chosen
    return merged, columns[np.arange(len(similarity)), best]
