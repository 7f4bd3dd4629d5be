"""Paired permutation over topics, its interval and its power."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenbench.statistics.novel_topics import (
    detectable_topics,
    paired_topics,
    sign_flip,
    topics_needed,
)

TERMS = st.lists(st.sampled_from([-0.25, -0.125, 0.0, 0.0625, 0.5]), min_size=1, max_size=9)


@given(TERMS)
def test_exact_p_is_plain_enumeration(terms):
    far = [
        abs(sum(s * t for s, t in zip(signs, terms, strict=True)))
        for signs in product((1, -1), repeat=len(terms))
    ]
    assert sign_flip(terms) == np.mean([f >= abs(sum(terms)) for f in far])


def test_drawn_p_is_close_to_exact():
    rng = np.random.default_rng(1)
    terms = rng.normal(0.3, 1, 21)
    p = sign_flip(terms)
    sums = np.zeros(1)
    for term in terms:
        sums = np.concatenate([sums + term, sums - term])
    assert p == pytest.approx(np.mean(np.abs(sums) >= abs(terms.sum()) - 1e-12), abs=0.01)
    assert p == sign_flip(terms)


def test_level_holds_when_methods_are_alike():
    rng = np.random.default_rng(2)
    weights = np.array([1, 2, 3, 4, 5, 6, 20, 40])
    p = [paired_topics(*rng.normal(size=(2, 8)), weights).p for _ in range(600)]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.025)


def test_few_topics_cannot_reach_significance():
    found = paired_topics([1, 1, 1, 1], [0, 0, 0, 0.1], [1, 1, 1, 1])
    assert found.least_p == 0.125 and found.interval is None
    assert found.p == 0.125


def test_swapping_turns_the_sign():
    a, b, w = [0.9, 0.8, 0.4, 0.6, 0.7, 0.5], [0.7, 0.9, 0.3, 0.2, 0.6, 0.4], [10, 20, 30, 5, 8, 9]
    one, two = paired_topics(a, b, w), paired_topics(b, a, w)
    assert one.mean.mean == pytest.approx(-two.mean.mean)
    assert one.p == two.p
    assert one.interval == pytest.approx((-two.interval[1], -two.interval[0]))
    assert one.interval[0] < one.mean.mean < one.interval[1]


def test_power_is_what_it_says():
    std, n = 0.1, 16
    least = detectable_topics(std, n)
    rng = np.random.default_rng(3)
    hits = [
        paired_topics(rng.normal(least, std, n), np.zeros(n), np.ones(n)).p <= 0.05
        for _ in range(120)
    ]
    assert np.mean(hits) == pytest.approx(0.8, abs=0.12)


def test_topics_needed_turns_detectable_round():
    needed = topics_needed(0.16, 0.05)
    assert detectable_topics(0.16, needed) <= 0.05 < detectable_topics(0.16, needed - 1)
    assert topics_needed(0.16, 0.05, unequal=2.0) == 2 * needed
    assert topics_needed(0.16, 0) is None
    assert topics_needed(1.0, 1e-6) is None
    assert detectable_topics(0.1, 1) is None


@pytest.mark.parametrize("n", [7, 12, 18])
def test_interval_holds_what_the_test_keeps(n):
    rng = np.random.default_rng(n)
    covered = 0
    for trial in range(60):
        weights = rng.integers(1, 40, n)
        found = paired_topics(rng.normal(0.2, 0.3, n), np.zeros(n), weights, pair=str(trial))
        low, high = found.interval
        covered += low <= 0.2 <= high
        assert low <= found.mean.mean <= high
        if not 0.03 < found.p < 0.07:
            assert (found.p > 0.05) == (low <= 0 <= high)
    assert covered >= 51
