"""What likeness in content adds to scores is found where it is there, in the right direction, and nowhere else."""

import numpy as np
import pytest

from ravenbench.ext.case.likeness import KNEE, different_quantile, excess, reach_of, stands_for
from ravenbench.randomness import stream


def drawn(gain_same, gain_different, seed=0, n=800):
    """Scores of which each class gains so much per unit of likeness beyond .3; pairs of 40 authors."""
    rng = stream(seed, "likeness-test")
    same, likeness = np.arange(n) < n // 2, rng.random(n)
    gain = np.where(same, gain_same, gain_different) * np.maximum(likeness - 0.3, 0)
    return same + gain + rng.normal(0, 0.3, n), same, likeness, np.arange(n) % 40


@pytest.mark.parametrize("sign", [1, -1])
def test_a_gain_of_both_classes_is_taken_off(sign):
    scores, same, likeness, author = drawn(4, 4)
    found = excess(sign * scores, same, likeness, author, np.ones(len(same)), 0.3)
    assert found.slope == pytest.approx([sign * 4], abs=0.4)
    left = sign * found.taken_off(sign * scores, likeness)[:, 0]
    for side in (same, ~same):
        assert abs(np.corrcoef(left[side], likeness[side])[0, 1]) < 0.15
    below = likeness <= 0.3
    assert np.array_equal(left[below], scores[below])


def test_the_smaller_gain_counts_and_none_that_is_noise_or_tells_for_two_authors():
    for gains, most in (((6, 2), 2.4), ((2, 6), 2.4), ((5, 0), 0.3), ((-3, -3), 0.0)):
        scores, same, likeness, author = drawn(*gains)
        slope = float(excess(scores, same, likeness, author, np.ones(len(same)), 0.3).slope[0])
        assert 0 <= slope <= most
    scores, same, likeness, author = drawn(4, 4)
    assert excess(scores, same, likeness, author, np.ones(len(same)), 2.0).slope == pytest.approx(
        [0.0]
    )


def test_features_are_looked_at_one_by_one():
    scores, same, likeness, author = drawn(4, 4)
    both = np.column_stack([scores, np.where(same, 1.0, 0.0)])
    found = excess(both, same, likeness, author, np.ones(len(same)), 0.3)
    assert found.slope[0] == pytest.approx(4, abs=0.4) and found.slope[1] == pytest.approx(
        0, abs=1e-9
    )
    assert found.taken_off(both, likeness).shape == both.shape


def test_knee_counts_pairs_by_what_they_stand_for():
    likeness, same = np.arange(100) / 100, np.arange(100) >= 90
    assert different_quantile(likeness, same, np.ones(100), KNEE) == pytest.approx(0.85)
    assert different_quantile(
        likeness, same, np.where(np.arange(100) < 10, 1000.0, 1.0), KNEE
    ) == pytest.approx(0.09)


def test_reach_is_what_so_many_authors_show():
    author = np.repeat(np.arange(5), 4)
    likeness, same = np.arange(20) / 20, np.zeros(20, dtype=bool)
    assert (
        reach_of(likeness, same, author, 1) == 0.95 and reach_of(likeness, same, author, 3) == 0.55
    )
    assert reach_of(likeness, same, author, 50) == 0.15
    same[16:] = True
    assert reach_of(likeness, same, author, 1) == 0.75


def test_strangers_taken_for_their_nearness_count_for_as_many_as_are_as_near():
    rng = stream(0, "stands-for")
    strangers = np.sort(rng.random(100))
    taken = np.concatenate([rng.random(200), 0.8 + 0.2 * rng.random(400), [0.5]])
    same = np.arange(601) == 600
    weight = stands_for(taken, same, strangers.tolist())
    assert weight[600] == 1 and weight[:600].sum() == pytest.approx(600)
    for quantile in (0.3, 0.6, 0.9):
        at = np.quantile(strangers, quantile)
        assert weight[:600][taken[:600] < at].sum() / 600 == pytest.approx(quantile, abs=0.04)


def test_strata_hold_where_many_strangers_share_nothing():
    strangers = [0.0] * 60 + np.linspace(0.01, 0.4, 40).tolist()
    taken = np.concatenate([np.zeros(10), np.linspace(0.01, 0.4, 90)])
    weight = stands_for(taken, np.zeros(100, dtype=bool), strangers)
    assert weight[:10].sum() / 100 == pytest.approx(0.6, abs=0.03)
    assert stands_for(taken, np.ones(100, dtype=bool), strangers).tolist() == [1.0] * 100
