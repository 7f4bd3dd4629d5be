"""The sampler that draws topics at random: the comparison HITS is judged by (Sawatphol et al. 2024, §5.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ravenbench.errors import SpecError
from ravenbench.sampling.base import Sampler, Selection
from ravenbench.sampling.units import check
from ravenbench.types import Floats


@dataclass(eq=False, repr=False)
class Random(Sampler):
    """Draws m topics; each set of m is equally likely.

    Parameters
    ----------
    draw : int
        Another number is another draw: ``random, random(draw=1), …`` repeat Random in one run, as the paper does
        five times.
    """

    name = "random"
    merges = False

    draw: int = 0

    def select(self, similarity: Floats, m: int, rng: np.random.Generator) -> Selection:
        check(similarity, m)
        if type(self.draw) is not int or self.draw < 0:
            raise SpecError("random: draw must be a whole number from 0", found=self.draw)
        return Selection.cutting(rng.permutation(len(similarity))[:m].astype(np.int64), len(similarity))
