"""Safety as the 2016 paper counts it: its panel of 36 verifiers, its edge cases, its dismissals."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenbench.errors import InputError
from ravenbench.metrics import scores
from ravenbench.statistics.attacks import (
    average_impact,
    best_threshold,
    dismissals,
    effect,
    impact,
    impact_intervals,
    verification_effect,
)

# PAN13 attacked by Mihaylova et al.: recall before and its change, in 14ths, of 36 verifiers.
PANEL = (
    "13,0; 5,−4; 7,−5; 5,−4; 14,−1; 11,−9; 10,−10; 8,−6; 10,−9; 14,0; 11,−1; 7,−5; 5,−4; 9,−8; 9,−6; 5,0; 1,0; 13,−9; "
    "14,−1; 4,−4; 4,−1; 11,−5; 7,+2; 11,−4; 10,−9; 13,−6; 4,−4; 10,−7; 8,−6; 13,−4; 14,0; 10,−1; 9,−5; 8,−1; 5,−1; 9,−2"
)


def rows():
    return [tuple(int(v.replace("−", "-")) for v in row.split(",")) for row in PANEL.split(";")]


def panel_effect(before, change, size=14):
    """An effect on ``size`` attacked problems of which ``before`` were right."""
    truth = np.ones(size, dtype=bool)
    first, second = np.arange(size) < before, np.arange(size) < before + change
    return effect(truth, first, second, truth)


def test_published_panel():
    effects = [panel_effect(k, d) for k, d in rows()]
    assert len(effects) == 36
    assert average_impact(effects) == pytest.approx(0.46897, abs=5e-6)
    assert np.mean([e.delta_rec for e in effects]) == pytest.approx(-0.27778, abs=5e-6)
    assert f"{np.mean([e.delta_rec for e in effects]):.4f}" == "-0.2778"
    assert f"{average_impact(effects):.4f}" == "0.4690"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [(13 / 14, 1, -1), (7 / 14, 9 / 14, -2 / 7), (1, 1, 0), (0, 0, 0), (1, 0, 1), (0.5, 0.25, 0.5)],
)
def test_impact_of_recall(before, after, expected):
    assert impact(before, after) == pytest.approx(expected)


@given(st.integers(0, 20), st.integers(0, 20))
def test_impact_is_bounded_and_signed(before, after):
    found = float(impact(before / 20, after / 20))
    assert -1 <= found <= 1
    assert np.sign(found) == np.sign(before - after)


def test_equal_scores_have_no_threshold():
    same = np.array([True, False, True, False])
    found = verification_effect(same, np.full(4, 0.7), np.full(4, 0.2))
    assert found.threshold is None
    assert found.excluded


def test_binary_verifier_has_threshold_one():
    same = np.array([True, True, False, False])
    assert best_threshold(same, [1, 1, 0, 0]) == 1
    assert best_threshold(same, [1, 0, 0, 0]) == 1


def test_threshold_ties_prefer_a_split_near_a_half():
    same = np.array([True, False])
    # Everything "same" and everything "different" are as accurate as the only split.
    assert best_threshold([True, False, True], [0.2, 0.4, 0.9]) == 0.9
    assert best_threshold(same, [0.9, 0.1]) == 0.9
    assert best_threshold([True, True, False, False], [0.9, 0.6, 0.55, 0.1]) == 0.6
    assert math.isinf(best_threshold([False, True], [0.9, 0.1])), (
        "a split that is always wrong is no best"
    )


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 8)), min_size=2, max_size=30))
def test_threshold_is_the_most_accurate(items):
    same, value = np.array([s for s, _ in items]), np.array([v / 8 for _, v in items])
    found = best_threshold(same, value)
    accuracy = ((value >= found) == same).mean()
    for other in [-math.inf, *value, math.inf]:
        assert accuracy >= ((value >= other) == same).mean()


def test_effect_of_verification():
    same = np.array([True] * 4 + [False] * 4)
    before = np.array([0.9, 0.8, 0.7, 0.2, 0.1, 0.1, 0.3, 0.6])
    after = np.array([0.9, 0.1, 0.1, 0.8, 0.1, 0.1, 0.3, 0.6])
    found = verification_effect(same, before, after)
    assert found.threshold == 0.7
    e = found.effect
    assert (e.lost, e.gained, e.rest_lost, e.rest_gained) == (2, 1, 0, 0)
    assert e.recall == 0.75
    assert e.delta_rec == -0.25
    assert e.delta_acc == -1 / 8
    assert e.impact == pytest.approx(1 / 3)
    assert e.delta_rest == pytest.approx((8 * e.delta_acc - 4 * e.delta_rec) / 4)
    assert found.delta_auc < 0
    was, now = scores(same, before), scores(same, after)
    assert found.delta_final == now["final"] - was["final"] != found.delta_auc * found.delta_c1


def test_nothing_changes_under_identity():
    rng = np.random.default_rng(1)
    same, value = rng.random(40) < 0.5, rng.random(40)
    found = verification_effect(same, value, value)
    assert found.effect.impact == 0
    assert found.effect.delta_rest == 0
    assert found.delta_auc == found.delta_c1 == found.delta_final == 0


def test_attribution_with_open_classes():
    truth = ["ann", "bob", "", "ann"]
    before, after = ["ann", "bob", "bob", "bob"], ["", "bob", "", "ann"]
    found = effect(truth, before, after, [True, True, False, True])
    assert (found.lost, found.gained, found.rest_gained) == (1, 1, 1)
    assert found.impact == 0
    assert found.delta_rest == 1


def test_nothing_attacked_is_an_error():
    with pytest.raises(InputError, match="no problem was attacked"):
        effect([1], [1], [1], [False])


def test_dismissals():
    assert dismissals(panel_effect(10, -1)) is None
    assert dismissals(panel_effect(7, 2)) == (2, 3)
    truth = np.array([True] * 50 + [False] * 50)
    before = np.where(np.arange(100) < 40, True, False)

    def gain(positives, negatives):
        after = before.copy()
        after[40 : 40 + positives] = True
        after[50 : 50 + negatives] = True
        return effect(truth, before, after, truth)

    assert dismissals(gain(5, 0)) == ()
    assert dismissals(gain(5, 33)) == (4,)
    small = effect(truth, before[::1], np.where(np.arange(100) == 40, True, before), truth)
    assert small.impact == pytest.approx(-0.1)
    assert dismissals(small) == ()


def test_intervals_hold_the_observed_value_and_narrow_with_problems():
    rng = np.random.default_rng(0)

    def made(problems):
        before = rng.random((8, problems)) < 0.8
        return before, (before & (rng.random((8, problems)) < 0.6))[None]

    few, many = impact_intervals(*made(20)), impact_intervals(*made(400))
    for found in (few, many):
        assert found.average[0] < 0.4 < found.average[1]
        assert len(found.each) == 8
    assert many.problems[1] - many.problems[0] < few.problems[1] - few.problems[0]
    same = np.ones((3, 10), dtype=bool)
    assert impact_intervals(same, same[None]).average == (0, 0)
    assert impact_intervals(same[:0], same[None, :0]).average is None
