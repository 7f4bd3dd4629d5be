"""A genetic search over configurations: rows of small integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ravenbench.types import Floats, Ints

BREEDERS, ELITE, RANDOM, MUTATION = 0.1, 0.1, 0.05, 0.02


def evolve(
    start: Ints,
    choices: Sequence[int],
    fitness: Callable[[Ints], float],
    window: int,
    windows: int,
    most: int,
    rng: np.random.Generator,
) -> tuple[Ints, Floats]:
    """The last generation, best first, and its fitness.

    Every generation keeps its elite, takes in some random genomes, and fills up with children of two breeders by
    uniform crossover, each gene mutating with probability .02.

    Parameters
    ----------
    start : (population, genes) int64
    choices : sequence of int
        Values of each gene: 0 … choice − 1.
    window, windows, most : int
        The search ends when of the last ``windows`` windows of ``window`` generations none beats the first by mean
        fitness, or after ``most`` generations.
    """
    size = len(start)
    breeders, elite, fresh = (max(2, round(size * share)) for share in (BREEDERS, ELITE, RANDOM))
    elite, fresh = min(elite, size - 1), min(fresh, max(size - elite - 1, 0))
    known: dict[bytes, float] = {}

    def rated(rows: Ints) -> tuple[Ints, Floats]:
        for row in rows:
            if row.tobytes() not in known:
                known[row.tobytes()] = fitness(row)
        values = np.array([known[row.tobytes()] for row in rows])
        order = np.argsort(-values, kind="stable")
        return rows[order], values[order]

    population, values = rated(start)
    history = [float(values.mean())]
    while len(history) < most and not stalled(history, window, windows):
        children = size - elite - fresh
        parents = rng.integers(breeders, size=(2, children))
        take = rng.random((children, len(choices))) < 0.5
        young = np.where(take, population[parents[0]], population[parents[1]])
        young = np.where(rng.random(young.shape) < MUTATION, rng.integers(choices, size=young.shape), young)
        strangers = rng.integers(choices, size=(fresh, len(choices)))
        population, values = rated(np.concatenate([population[:elite], young, strangers]))
        history.append(float(values.mean()))
    return population, values


def stalled(history: Sequence[float], window: int, windows: int) -> bool:
    """True if none of the later of the last ``windows`` windows has a larger mean than the first of them."""
    if len(history) < window * windows:
        return False
    mean = np.array(history[len(history) - window * windows :]).reshape(windows, window).mean(axis=1)
    return bool(mean[1:].max(initial=-np.inf) <= mean[0])
