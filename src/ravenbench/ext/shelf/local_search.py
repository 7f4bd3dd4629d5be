"""HITS's choice improved by swaps, a sampler HITS is compared with.

HITS never takes a choice back. Here, beginning with its choice, one chosen topic is exchanged for an unchosen one as
long as that lowers the leakage of the whole set: the sum over its topics of mean(S)·max(S) (Eq. 3 of Sawatphol et al.
2024), S being a topic's similarities to all the other chosen ones, clipped at 0 as in HITS. Each step makes the best of
all m·(T − m) swaps; ties go to the earlier place, then to the smaller topic id.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ravenbench.sampling import Sampler, Selection, choose, units
from ravenbench.types import Floats, Ints

LEAST = 1e-9
"""A swap must lower leakage by this part of it: rounding errors move nothing, and the search ends."""


class LocalSearch(Sampler):
    """Chooses as HITS, then makes the best swaps while they lower leakage; the other topics are cut. Deterministic.

    A topic swapped in stands in its forerunner's place in the order of choice.
    """

    name = "local-search"

    def select(self, similarity: Floats, m: int, rng: np.random.Generator) -> Selection:
        start = choose(similarity, m)
        clipped = np.maximum(units(similarity), 0).astype(np.float64)
        np.fill_diagonal(clipped, 0.0)
        return Selection.cutting(improve(clipped, start), len(similarity))


def improve(clipped: Floats, start: Ints) -> Ints:
    """The topics of ``start`` after swaps, (m,). ``clipped`` (T, T) is symmetric, whole units, none negative, 0 on the
    diagonal: sums are then exact."""
    chosen = start.copy()
    present = set_leakage(clipped, chosen)
    while True:
        place, topic, leakage = best_swap(clipped, chosen)
        if place < 0 or leakage >= present * (1 - LEAST):
            return chosen
        chosen[place] = topic
        present = leakage


def set_leakage(clipped: Floats, chosen: Ints) -> float:
    """Sum over the chosen topics of (sum of similarities to the others) × (greatest): (m − 1) times that of Eq. 3."""
    block = clipped[np.ix_(chosen, chosen)]
    return float(sum(float(row.sum()) * float(row.max()) for row in block))


@njit(cache=True)
def best_swap(clipped: Floats, chosen: Ints) -> tuple[int, int, float]:
    """Place and topic of the swap that leaves least leakage, and that leakage; place −1 where there is none.

    O(m²·T): sums and the two greatest similarities of every chosen topic are kept, so that a swap costs O(m).
    """
    size, m = len(clipped), len(chosen)
    total, first, second = np.zeros(m), np.zeros(m), np.zeros(m)
    leader = np.full(m, -1)
    inside = np.zeros(size, np.bool_)
    for i in range(m):
        inside[chosen[i]] = True
        for j in range(m):
            s = clipped[chosen[i], chosen[j]]
            total[i] += s
            if j != i and (leader[i] < 0 or s > first[i]):
                second[i], first[i], leader[i] = first[i], s, j
            elif j != i and s > second[i]:
                second[i] = s
    place, topic, least = -1, -1, np.inf
    for out in range(m):
        for new in range(size):
            if inside[new]:
                continue
            leakage, own, top = 0.0, 0.0, 0.0
            for i in range(m):
                if i == out:
                    continue
                s = clipped[chosen[i], new]
                own += s
                top = max(top, s)
                most = second[i] if leader[i] == out else first[i]
                leakage += (total[i] - clipped[chosen[i], chosen[out]] + s) * max(most, s)
            leakage += own * top
            if leakage < least:
                place, topic, least = out, new, leakage
    return place, topic, least
