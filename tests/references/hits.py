"""HITS as its equations read, with every set S built anew: what the fast sampler is tested and timed against."""

from __future__ import annotations

import numpy as np

from ravenbench.sampling import check, units
from ravenbench.types import Floats, Ints


def choose_plainly(similarity: Floats, m: int) -> Ints:
    """Topics in order of choice, (m,); O(m²·T)."""
    check(similarity, m)
    whole = [[int(x) for x in row] for row in units(similarity)]
    topics = range(len(whole))
    chosen = [min(topics, key=lambda i: (sum(whole[i][j] for j in topics if j != i), i))]
    while len(chosen) < m:

        def order(i: int) -> tuple[float, int, int]:
            raw = [whole[i][j] for j in chosen]
            clipped = [max(s, 0) for s in raw]
            return float(sum(clipped)) * max(clipped), sum(raw), i

        chosen.append(min((i for i in topics if i not in chosen), key=order))
    return np.array(chosen, dtype=np.int64)
