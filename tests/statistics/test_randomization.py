from __future__ import annotations

from math import comb

import numpy as np
import pytest
from scipy.stats import binomtest

from ravenbench.errors import InputError
from ravenbench.metrics.base import count
from ravenbench.metrics.pan import STANDARD
from ravenbench.statistics.ranks import sign_test
from ravenbench.statistics.resampling import AnsweredProblems, randomization_test, swap_test
from ravenbench.types import Bools, Floats


def two_systems(n: int, seed: int, change: float) -> tuple[Bools, Floats, Floats]:
    rng = np.random.default_rng(seed)
    same = rng.random(n) < 0.5
    a = np.clip(np.round(same * 0.4 + rng.random(n) * 0.6, 1), 0, 1)
    b = np.where(rng.random(n) < change, np.round(rng.random(n), 1), a)
    return same, a, b


def plain(same: Bools, a: Floats, b: Floats, metric: str) -> float:
    """Every pattern of swaps, by definition."""
    differ = np.flatnonzero(a != b)
    formula = STANDARD[metric].of

    def gap(left: Floats, right: Floats) -> float:
        return abs(
            float(formula(count(same, left, left))) - float(formula(count(same, right, right)))
        )

    observed, far = gap(a, b), 0
    for pattern in range(2 ** len(differ)):
        swap = np.zeros(len(a), dtype=bool)
        swap[differ] = (pattern >> np.arange(len(differ))) & 1
        far += gap(np.where(swap, b, a), np.where(swap, a, b)) >= observed - 1e-12
    return far / 2 ** len(differ)


@pytest.mark.parametrize(
    "metric", ["accuracy", "c@1", "f05u", "f05u_2020", "f1", "recall", "auc", "overall", "final"]
)
@pytest.mark.parametrize("seed", range(4))
def test_small_cases_equal_full_enumeration(metric: str, seed: int) -> None:
    same, a, b = two_systems(24, seed, 0.3)
    got = randomization_test(same, AnsweredProblems(a, a), AnsweredProblems(b, b), metric)
    assert got == pytest.approx(plain(same, a, b, metric))


def test_accuracy_is_the_sign_test_and_monte_carlo_agrees() -> None:
    same, a, b = two_systems(900, 5, 0.4)
    right_a, right_b = ((v > 0.5) & same | (v < 0.5) & ~same for v in (a, b))
    exact = sign_test(int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum()))
    assert (
        randomization_test(same, AnsweredProblems(a, a), AnsweredProblems(b, b), "accuracy")
        == exact
    )
    drawn = swap_test(
        same, AnsweredProblems(a, a), AnsweredProblems(b, b), STANDARD["accuracy"], trials=8000
    )
    assert drawn is not None
    assert abs(drawn - exact) < 4 * np.sqrt(exact * (1 - exact) / 8000) + 2e-4


def test_counted_draws_agree_with_swapping() -> None:
    same, a, b = two_systems(400, 3, 0.25)
    for metric in ("c@1", "f05u", "f1"):
        quick = randomization_test(
            same, AnsweredProblems(a, a), AnsweredProblems(b, b), metric, trials=8000
        )
        slow = swap_test(
            same, AnsweredProblems(a, a), AnsweredProblems(b, b), STANDARD[metric], trials=8000
        )
        assert quick is not None
        assert slow == pytest.approx(quick, abs=0.03)


@pytest.mark.parametrize(
    ("a", "b"), [(0, 0), (1, 0), (5, 5), (3, 9), (40, 20), (700, 640), (2000, 1800)]
)
def test_sign_test(a: int, b: int) -> None:
    expected = binomtest(a, a + b, 0.5).pvalue if a + b else 1.0
    assert sign_test(a, b) == pytest.approx(expected)
    if a + b <= 60:
        whole = sum(comb(a + b, k) for k in range(a + b + 1) if abs(2 * k - a - b) >= abs(a - b))
        assert sign_test(a, b) == pytest.approx(whole / 2 ** (a + b))


def test_equal_systems_undefined_metrics_and_unknown_names() -> None:
    same, a, _ = two_systems(50, 1, 0.5)
    assert randomization_test(same, AnsweredProblems(a, a), AnsweredProblems(a, a), "c@1") == 1
    assert randomization_test(same, AnsweredProblems(a, a), AnsweredProblems(a, a), "auc") == 1
    only = np.ones(50, dtype=bool)
    assert (
        randomization_test(only, AnsweredProblems(a, a), AnsweredProblems(1 - a, 1 - a), "auc")
        is None
    )
    with pytest.raises(InputError, match="unknown metric"):
        randomization_test(same, AnsweredProblems(a, a), AnsweredProblems(a, a), "acuracy")


def test_p_is_uniform_under_the_null() -> None:
    found = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        same = rng.random(150) < 0.5
        a, b = (np.clip(same * 0.3 + rng.random(150) * 0.7, 0, 1) for _ in range(2))
        p = randomization_test(
            same, AnsweredProblems(a, a), AnsweredProblems(b, b), "c@1", trials=400, seed=seed
        )
        assert p is not None
        found.append(p)
    assert np.mean(np.array(found) <= 0.05) < 0.08
    assert np.mean(np.array(found) <= 0.5) > 0.35
