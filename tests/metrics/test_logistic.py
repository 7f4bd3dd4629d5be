"""Newton's method against scikit-learn's, and where nothing but the pull speaks."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from ravenbench.metrics.calibration import newton


@pytest.mark.parametrize(
    ("count", "width", "strength"), [(1000, 33, 0.05), (30, 5, 1.0), (12, 40, 0.05), (60, 2, 1e6)]
)
def test_coefficients_are_those_of_scikit_learn(count: int, width: int, strength: float) -> None:
    rng = np.random.default_rng(count)
    same = np.arange(count) % 3 == 0
    rows = rng.normal(size=(count, width)) + 1.5 * same[:, None] * (rng.random(width) < 0.3)
    found = newton(rows, same, np.full(count, strength), 1.0, np.zeros(width))
    model = LogisticRegression(C=strength, solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(
        rows, same
    )
    assert np.allclose(found, np.append(model.coef_[0], model.intercept_), rtol=1e-9, atol=1e-9)


def test_classes_far_apart_have_an_answer() -> None:
    rows = np.array([[-1e3], [-1.0], [1.0], [1e3]])
    found = newton(rows, np.array([False, False, True, True]), np.ones(4), 1e-6, np.zeros(1))
    assert np.isfinite(found).all() and found[0] > 5


def test_a_strong_pull_wins() -> None:
    rows = np.random.default_rng(0).normal(size=(20, 2))
    found = newton(rows, np.arange(20) < 10, np.ones(20), 1e9, np.array([3.0, -1.0]))
    assert np.allclose(found[:2], [3.0, -1.0], atol=1e-6)


@pytest.mark.parametrize("scale", [1.0, 1e4, 1e7, 1e12])
def test_large_numbers_end_at_the_same_answers(scale: float) -> None:
    # A coefficient of a millionth is no small step where numbers are in millions.
    half = np.random.default_rng(0).normal(size=300) + 1
    numbers = np.concatenate([half, -half])
    found = newton(scale * numbers[:, None], np.arange(600) < 300, np.ones(600), 1.0, np.zeros(1))
    assert found[0] * scale == pytest.approx(1.95, abs=0.05)
