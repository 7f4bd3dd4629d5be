"""How often the test between methods with several seeds finds a difference, where there is none and where there is one.

Two methods score the same problems of the same authors and topics. A score is the truth, plus what the problem and its
authors make of it for every method, plus noise that is drawn once for a seed. Without a gain two methods differ by
their seeds alone, so what the test finds is false. Beside it stands the test of one run against another,
which is what is left where each method has one seed.

    python -m benchmarks.study_nested [TRIALS]
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np

from ravenbench.randomness import stream
from ravenbench.statistics.estimates import Units
from ravenbench.tasks.run.variants import Drawn, Runs, difference, p_of, runs_of


def world(
    rng: np.random.Generator, authors: int, folds: int, problems: int
) -> tuple[list, list, Drawn]:
    """Truth and what problems do to every method, fold by fold; each fold has authors and topics of its own."""
    same, easy, sides, topics = [], [], [], []
    for fold in range(folds):
        own = rng.integers(authors, size=(problems, 2)) + fold * authors
        truth = np.arange(problems) % 2 == 0
        own[truth, 1] = own[truth, 0]
        effect = rng.normal(size=(folds + 1) * authors)
        same.append(truth)
        easy.append(0.5 * effect[own].mean(axis=1) + 0.8 * rng.normal(size=problems))
        sides.append(own)
        topics.append(rng.integers(6, size=(problems, 2)) + 6 * fold)
    number = np.arange(folds * problems)
    return (
        same,
        easy,
        Drawn(Units(np.concatenate(sides), number), Units(np.concatenate(topics), number)),
    )


def method(
    rng: np.random.Generator,
    same: list,
    easy: list,
    seeds: int,
    spread: float,
    noise: float,
    gain: float = 0.0,
) -> Runs:
    """Runs of a method; ``spread`` is that of its strength between seeds, ``noise`` that of a problem's score."""
    runs = []
    for _ in range(seeds):
        strength = 1.0 + gain + spread * rng.normal()
        runs.append(
            [
                strength * t + e + noise * rng.normal(size=len(t))
                for t, e in zip(same, easy, strict=True)
            ]
        )
    return runs_of(same, runs)


def rates(
    trials: int,
    seeds: tuple[int, int],
    spread: float,
    noise: float,
    gain: float = 0.0,
    problems: int = 120,
    folds: int = 2,
    authors: int = 40,
) -> dict[str, float]:
    """Shares of trials in which a difference is found, and in which the interval holds the true one."""
    tested, alone, held = [], [], []
    for trial in range(trials):
        rng = stream(31, "nested", f"{seeds} {spread} {noise} {gain} {problems} {authors}", trial)
        same, easy, drawn = world(rng, authors, folds, problems)
        a = method(rng, same, easy, seeds[0], spread, noise, gain)
        b = method(rng, same, easy, seeds[1], spread, noise)
        known = difference(a, b, drawn)
        tested.append(p_of(known) < 0.05)
        held.append(known.interval[0] <= 0 <= known.interval[1])
        alone.append(
            p_of(
                difference(
                    Runs(a.values[:1], a.effects[:1]), Runs(b.values[:1], b.effects[:1]), drawn
                )
            )
            < 0.05
        )
    return {
        "found": float(np.mean(tested)),
        "one run each": float(np.mean(alone)),
        "held": float(np.mean(held)),
    }


def main(trials: int = 1000) -> None:
    """Print a line for each design: without a gain false alarms, with one the power."""
    print("seeds      spread noise gain   found  one run each")
    for gain, seeds, (spread, noise) in product(
        (0.0, 0.4),
        ((3, 3), (5, 5), (5, 1), (10, 10)),
        ((0.0, 0.7), (0.1, 0.7), (0.3, 0.3), (0.3, 0.0)),
    ):
        got = rates(trials, seeds, spread, noise, gain)
        print(
            f"{seeds!s:<10} {spread:6.1f} {noise:5.1f} {gain:4.1f} {got['found']:7.3f} {got['one run each']:8.3f}"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
