from __future__ import annotations

import numpy as np
import pytest

from ravenbench.metrics.base import count
from ravenbench.metrics.pan import METRICS
from ravenbench.statistics.estimates import expanded
from ravenbench.statistics.resampling import author_weights, bootstrap, problem_weights, rank
from ravenbench.types import Bools, Floats, Ints


def simulate(seed: int, authors: int, n: int, sd: float) -> tuple[Bools, Ints, Floats]:
    """Pairs whose score carries an effect of each author: pairs sharing an author succeed or fail together."""
    rng = np.random.default_rng(seed)
    same = np.arange(n) < n // 2
    a = rng.integers(0, authors, n)
    b = np.where(same, a, (a + rng.integers(1, authors, n)) % authors)
    effect = rng.normal(0, sd, authors)
    z = np.where(same, 1 + effect[a], effect[a] + effect[b] - 1) + rng.normal(0, 1.2, n)
    value = 1 / (1 + np.exp(-z))
    return same, np.stack([a, b], axis=1), np.where(np.abs(z) < 0.15, 0.5, value)


@pytest.mark.parametrize(
    ("by_author", "authors", "sd"),
    [(False, 300, 0.0), pytest.param(True, 60, 0.0, marks=pytest.mark.slow), (True, 60, 1.0)],
)
def test_coverage(by_author: bool, authors: int, sd: float) -> None:
    wanted = {m: METRICS[m] for m in ("auc", "c@1", "overall")}
    samples = [simulate(10**6 + i, authors, 300, sd) for i in range(800)]
    truth = {m: np.mean([f.of(count(s, v, v)) for s, _, v in samples]) for m, f in wanted.items()}
    hits = dict.fromkeys(wanted, 0)
    runs = 400
    for seed in range(runs):
        same, pair, value = simulate(seed, authors, 300, sd)
        found = bootstrap(
            [rank(same, value, value)],
            same,
            authors=pair if by_author else None,
            replicates=320,
            seed=seed,
            metrics=wanted,
        )
        for m in wanted:
            low, high = found.interval(m, 0) or (1, 0)
            hits[m] += low <= truth[m] <= high
    # The mean over metrics; 400 simulations leave a standard error of one point.
    assert 0.93 <= np.mean(list(hits.values())) / runs <= 0.97, hits


def test_problem_intervals_are_too_narrow_where_authors_matter() -> None:
    same, pair, value = simulate(3, 40, 600, 1.0)
    ranked = [rank(same, value, value)]
    plain = bootstrap(ranked, same, replicates=800).interval("auc", 0)
    clustered = bootstrap(ranked, same, authors=pair, replicates=800).interval("auc", 0)
    assert plain is not None
    assert clustered is not None
    assert clustered[1] - clustered[0] > 1.3 * (plain[1] - plain[0])


def test_same_digits_for_any_number_of_workers() -> None:
    same, pair, value = simulate(1, 50, 200, 0.5)
    systems = [rank(same, v, v) for v in (value, 1 - value)]
    for authors in (None, pair):
        one = bootstrap(systems, same, authors=authors, replicates=200, seed=4)
        three = bootstrap(systems, same, authors=authors, replicates=200, seed=4, workers=3)
        for m in METRICS:
            assert np.array_equal(one.values[m], three.values[m], equal_nan=True)
        other = bootstrap(systems, same, authors=authors, replicates=200, seed=5)
        assert not np.array_equal(one.values["auc"], other.values["auc"])


def test_differences_share_draws() -> None:
    same, _, value = simulate(1, 50, 300, 0.5)
    systems = [rank(same, v, v) for v in (value, np.clip(value + 0.001, 0, 1))]
    found = bootstrap(systems, same, replicates=400)
    low, high = found.difference("brier", 0, 1) or (0, 0)
    a, b = found.interval("brier", 0) or (0, 0)
    assert high - low < 0.1 * (b - a)
    assert found.difference("auc", 0, 0) == (0, 0)


def test_undefined_stays_undefined() -> None:
    same, value = np.ones(20, dtype=bool), np.linspace(0.1, 0.9, 20)
    found = bootstrap([rank(same, value, value)], same, replicates=64)
    assert found.interval("auc", 0) is None
    assert found.interval("c@1", 0) is not None


def test_weights_are_draws() -> None:
    weights = problem_weights(30, 0, 2)
    assert (weights.sum(axis=0) == 30).all()
    left, right = np.array([0, 1, 1], dtype=np.int32), np.array([0, 1, 2], dtype=np.int32)
    drawn, product = problem_weights(3, 0, 7), author_weights(left, right, 3, 0, 7)
    assert np.array_equal(product, np.stack([drawn[0], drawn[1], drawn[1] * drawn[2]]))


def test_expanded_quantiles() -> None:
    assert expanded(0.95, 10**6)[0] == pytest.approx(0.025, abs=1e-4)
    assert expanded(0.95, 10)[0] < 0.01
    assert expanded(0.95, 1) == (0, 1)
