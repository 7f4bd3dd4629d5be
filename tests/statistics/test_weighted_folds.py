"""The novel-topic paper's aggregation and its printed numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from ravenbench.errors import InputError
from ravenbench.statistics.novel_topics import fold_mean, published_t

VALUES = st.lists(st.floats(0, 1), min_size=2, max_size=12)


def gsl_variance(values, weights):
    """gsl_stats_wvariance: σ̂² = Σw / ((Σw)² − Σw²) · Σ w (x − μ̂)²."""
    total, squares = sum(weights), sum(w * w for w in weights)
    mean = sum(w * x for w, x in zip(weights, values, strict=True)) / total
    spread = sum(w * (x - mean) ** 2 for w, x in zip(weights, values, strict=True))
    return total / (total**2 - squares) * spread


@given(VALUES, st.data())
def test_variance_is_gsl_s(values, data):
    weights = data.draw(st.lists(st.integers(1, 500), min_size=len(values), max_size=len(values)))
    found = fold_mean(values, weights)
    assert found.std**2 == pytest.approx(gsl_variance(values, weights), abs=1e-12)
    assert found.mean == pytest.approx(np.average(values, weights=weights))
    shares = np.array(weights) / sum(weights)
    assert found.se == pytest.approx(found.std * math.sqrt(np.sum(shares**2)))
    # Both roots: unequal weights never make the honest error the smaller one.
    assert found.se >= found.se_published - 1e-15


@given(VALUES)
def test_equal_weights_give_the_usual_form(values):
    found = fold_mean(values, [7] * len(values))
    assert found.std == pytest.approx(np.std(values, ddof=1), abs=1e-12)
    assert found.se == pytest.approx(found.se_published, abs=1e-12)
    assert found.effective == pytest.approx(len(values))


def test_variance_is_unbiased():
    """Mean of σ̂² over many weighted samples of a variance-1 variable."""
    rng = np.random.default_rng(0)
    weights = [1, 2, 5, 20]
    found = [fold_mean(x, weights).std ** 2 for x in rng.normal(size=(20_000, 4))]
    assert np.mean(found) == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize(("std", "n", "error"), [(0.3388, 4, 0.1694), (0.1631, 23, 0.0340)])
def test_printed_standard_errors(std, n, error):
    values = np.array([1.0, -1.0] * (n // 2) + [0.0] * (n % 2))
    values *= std / values.std(ddof=1)
    found = fold_mean(values, np.ones(n))
    assert round(found.se_published, 4) == error
    assert round(found.se, 4) == error


def test_seven_points_at_23_topics():
    """The paper's 7 % suffices only against one error; its own two-sample form needs 9.7 points."""
    error = 0.1631 / math.sqrt(23)
    one = published_t(0.07, error, 0.0, 23)
    assert (round(one.t, 2), one.df) == (2.06, 44)
    assert one.p == pytest.approx(0.046, abs=6e-4)
    both = published_t(0.07, error, error, 23)
    assert (both.df, round(both.p, 2)) == (44, 0.15)
    assert float(stdtrit(44, 0.975)) * math.hypot(0.034, 0.034) == pytest.approx(0.097, abs=5e-4)
    assert float(stdtrit(44, 0.95)) * math.hypot(0.034, 0.034) == pytest.approx(0.081, abs=5e-4)


def test_twenty_points_at_four_topics_prove_nothing():
    assert published_t(0.2, 0.1694, 0.1694, 4).p > 0.05
    assert published_t(0.2, 0.1694, 0.0, 4).p > 0.05


def test_one_fold_has_no_spread():
    found = fold_mean([0.5], [10])
    assert (found.mean, found.std, found.se, found.se_published) == (0.5, None, None, None)
    assert published_t(0.1, 0, 0, 5).p is None


@pytest.mark.parametrize("weights", [[0, 0], [1, -1], [1, math.nan], []])
def test_weights_are_checked(weights):
    with pytest.raises(InputError):
        fold_mean([0.0] * len(weights), weights)
