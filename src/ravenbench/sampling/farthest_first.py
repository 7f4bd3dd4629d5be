"""Farthest-first traversal of topics, a sampler HITS is compared with.

Start where HITS starts, with the topic least similar to all others on average; then add, m − 1 times, the topic whose
greatest similarity to the chosen ones is smallest. HITS weighs that greatest similarity with the mean; here it decides
alone, so that no two chosen topics are more alike than they must be (within a factor of two of the best, in distance).

References
----------
Gonzalez 1985, Clustering to minimize the maximum intercluster distance. Theoretical Computer Science 38.
"""

from __future__ import annotations

import numpy as np

from ravenbench.sampling.base import Sampler, Selection
from ravenbench.sampling.units import check, totals, units
from ravenbench.types import Floats, Ints


class FarthestFirst(Sampler):
    """Chooses the topic farthest from those chosen, again and again; unselected topics are cut. Deterministic.

    Ties go to the smaller mean similarity to the chosen topics, then to the smaller topic id.
    """

    name = "farthest-first"
    merges = False

    def select(self, similarity: Floats, m: int, rng: np.random.Generator) -> Selection:
        return Selection.cutting(traverse(similarity, m), len(similarity))


def traverse(similarity: Floats, m: int) -> Ints:
    """Topics in order of choice, (m,); O(m·T) after one pass over the matrix.

    Raises
    ------
    CorpusError
        If m is not from 1 to T.
    """
    check(similarity, m)
    size = len(similarity)
    chosen = np.empty(m, dtype=np.int64)
    chosen[0] = np.argmin(totals(similarity)[0])
    nearest = np.full(size, np.iinfo(np.int64).min)
    summed = np.zeros(size, dtype=np.int64)
    free = np.ones(size, dtype=bool)
    for step in range(1, m):
        last = chosen[step - 1]
        free[last] = False
        row = units(similarity[last])
        np.maximum(nearest, row, out=nearest)
        summed += row
        left = np.flatnonzero(free)
        left = left[nearest[left] == nearest[left].min()]
        chosen[step] = left[np.argmin(summed[left])]
    return chosen
