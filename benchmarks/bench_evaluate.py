"""Thirteen systems on 14,311 problems: all metrics, 10,000 bootstrap replicates, 78 pairs × 10,000 trials."""

from __future__ import annotations

import resource
import statistics
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from sklearn import metrics as sk

from benchmarks.measure import seconds
from ravenbench.randomness import stream
from ravenbench.reading.answers import Truth
from ravenbench.statistics.resampling import AnsweredProblems, randomization_test
from ravenbench.tasks.evaluate.analysis import evaluate
from ravenbench.types import Bools, Floats

SYSTEMS, PROBLEMS, AUTHORS, REPLICATES, TRIALS, WORKERS, ROUNDS = (
    13,
    14_311,
    12_000,
    10_000,
    10_000,
    2,
    3,
)
PEER_REPLICATES, PEER_TRIALS = 10, 20
PEER = f"scikit-learn and numpy, scaled from {PEER_REPLICATES} replicates and {PEER_TRIALS} trials"


def simulated() -> tuple[Truth, dict[str, Floats]]:
    """Systems of rising quality over authors and class balance like PAN-2020's, a few per cent unanswered."""
    rng = stream(0, "bench-evaluate")
    same = rng.random(PROBLEMS) < 0.544
    left, right = rng.integers(0, AUTHORS, (2, PROBLEMS))
    authors = np.stack([left, np.where(same, left, right)], axis=1)
    truth = Truth(
        np.array([f"p{i}" for i in range(PROBLEMS)]), same, authors, tuple(map(str, range(AUTHORS)))
    )
    shared = rng.normal(0, 1, PROBLEMS)
    systems = {}
    for s in range(SYSTEMS):
        score = (2 * same - 1) * (0.4 + 0.1 * s) + 0.7 * shared + rng.normal(0, 0.8, PROBLEMS)
        value = 1 / (1 + np.exp(-score))
        systems[f"system-{s:02d}"] = np.where(np.abs(score) < 0.02 * s, 0.5, value)
    return truth, systems


def plain_metrics(same: Bools, value: Floats) -> tuple[float, ...]:
    """All metrics as one would write them."""
    n, answered, said = len(same), value != 0.5, value > 0.5
    right = ((said == same) & answered).sum()
    c1 = (right + (~answered).sum() * right / n) / n
    tp, fp = (said & same).sum(), (said & ~same).sum()
    f05u = 1.25 * tp / (1.25 * tp + 0.25 * (n - answered.sum() + ((value < 0.5) & same).sum()) + fp)
    tp20, fp20 = ((value >= 0.5) & same).sum(), ((value >= 0.5) & ~same).sum()
    f20 = 1.25 * tp20 / (1.25 * tp20 + 0.25 * ((value < 0.5) & same).sum() + fp20)
    truth, given = same[answered], said[answered]
    precision, recall, f1, _ = sk.precision_recall_fscore_support(truth, given, average="binary")
    auc, brier = sk.roc_auc_score(same, value), 1 - sk.brier_score_loss(same, value)
    return (auc, c1, f05u, f20, f1, brier, precision, recall, (auc + c1 + f05u + f1) / 4, auc * c1)


def plain_c_at_1(same: Bools, value: Floats) -> float:
    """c@1 alone."""
    right = ((value > 0.5) & same).sum() + ((value < 0.5) & ~same).sum()
    return float((right + (value == 0.5).sum() * right / len(same)) / len(same))


def plain_accuracy(same: Bools, value: Floats) -> float:
    """Accuracy alone."""
    return float((((value > 0.5) & same) | ((value < 0.5) & ~same)).mean())


def peer_bootstrap(same: Bools, systems: dict[str, Floats]) -> None:
    """A few replicates over problems, system by system."""
    rng = np.random.default_rng(0)
    for _ in range(PEER_REPLICATES):
        rows = rng.integers(0, len(same), len(same))
        for value in systems.values():
            plain_metrics(same[rows], value[rows])


def peer_tests(same: Bools, systems: dict[str, Floats]) -> None:
    """A few randomized trials of each pair in c@1 and accuracy."""
    rng = np.random.default_rng(0)
    for a, b in combinations(systems.values(), 2):
        for _ in range(PEER_TRIALS):
            swap = rng.random(len(same)) < 0.5
            left, right = np.where(swap, b, a), np.where(swap, a, b)
            abs(plain_c_at_1(same, left) - plain_c_at_1(same, right))
            abs(plain_accuracy(same, left) - plain_accuracy(same, right))


def row(name: str, ours: list[float], peer: str, theirs: list[float]) -> dict[str, Any]:
    """One row of the table."""
    ratios = [b / a for a, b in zip(ours, theirs, strict=True)]
    return {
        "name": name,
        "ours_seconds": statistics.median(ours),
        "peer": peer,
        "peer_seconds": statistics.median(theirs),
        "ratio": statistics.median(ratios),
        "spread": [min(ratios), max(ratios)],
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def rows() -> list[dict[str, Any]]:
    """The whole evaluation with authors drawn and with problems drawn; AUC and overall randomization apart."""
    truth, systems = simulated()
    plain = Truth(truth.ids, truth.same)
    options: dict[str, Any] = {"replicates": REPLICATES, "trials": TRIALS}
    small: dict[str, Any] = {"replicates": 100, "trials": 100}
    assert (
        evaluate(truth, systems, workers=1, **small).to_json()
        == evaluate(truth, systems, workers=3, **small).to_json()
    )
    by_author, by_problem, peer = [], [], []
    for _ in range(ROUNDS):
        peer.append(
            seconds(lambda: peer_bootstrap(truth.same, systems)) * REPLICATES / PEER_REPLICATES
            + seconds(lambda: peer_tests(truth.same, systems)) * TRIALS / PEER_TRIALS
        )
        by_author.append(seconds(lambda: evaluate(truth, systems, workers=WORKERS, **options)))
        by_problem.append(seconds(lambda: evaluate(plain, systems, workers=WORKERS, **options)))
    case = f"evaluate {SYSTEMS} × {PROBLEMS:,}"
    found = [
        row(f"{case}, authors drawn", by_author, PEER, peer),
        row(f"{case}, problems drawn", by_problem, PEER, peer),
    ]
    a, b = (AnsweredProblems(systems[name], systems[name]) for name in list(systems)[-2:])
    swaps: dict[str, Callable[[Bools, Floats], Any]] = {
        "auc": sk.roc_auc_score,
        "overall": plain_metrics,
    }
    trials = f"scikit-learn and numpy, scaled from {PEER_TRIALS} trials"
    for metric, of in swaps.items():
        ours, theirs = [], []
        for _ in range(ROUNDS):
            theirs.append(
                seconds(lambda f=of: peer_swaps(truth.same, a.value, b.value, f))
                * TRIALS
                / PEER_TRIALS
            )
            ours.append(
                seconds(lambda m=metric: randomization_test(truth.same, a, b, m, trials=TRIALS))
            )
        found.append(row(f"randomization of {metric}, one pair, one thread", ours, trials, theirs))
    return found


def peer_swaps(same: Bools, a: Floats, b: Floats, of: Callable[[Bools, Floats], Any]) -> None:
    """A few randomized trials of one pair."""
    rng = np.random.default_rng(0)
    for _ in range(PEER_TRIALS):
        swap = rng.random(len(same)) < 0.5
        of(same, np.where(swap, b, a))
        of(same, np.where(swap, a, b))
