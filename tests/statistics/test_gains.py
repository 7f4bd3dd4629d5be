"""The probe's test and the verdict rule."""

import numpy as np
import pytest
from scipy import stats

from ravenbench.statistics.gains import gain_test
from ravenbench.statistics.verdict import Verdict, judge


def test_is_welchs_test() -> None:
    a, b = [0.03, 0.05, 0.02, 0.06], [0.0, 0.01, -0.02, 0.015, -0.01]
    found = gain_test(a, b)
    assert found.p == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue)
    assert found.gain == pytest.approx(0.04) and found.difference == pytest.approx(0.041)
    assert found.interval == pytest.approx(stats.ttest_1samp(a, 0).confidence_interval())
    low, high = stats.ttest_ind(a, b, equal_var=False).confidence_interval()
    assert found.difference_interval == pytest.approx((low, high))
    wider = gain_test(a, b, correlation=0.1)
    assert wider.p > found.p and wider.detectable > found.detectable


def test_detectable_is_found_four_times_in_five() -> None:
    rng = np.random.default_rng(0)
    size = gain_test([0.0, 2.0] * 10, [0.0, 2.0] * 10).detectable
    sd = np.std([0.0, 2.0] * 10, ddof=1)
    a, b = rng.normal(size, sd, (3000, 20)), rng.normal(0, sd, (3000, 20))
    assert (stats.ttest_ind(a, b, axis=1).pvalue < 0.05).mean() == pytest.approx(0.8, abs=0.03)


def test_correlated_repetitions_do_not_raise_the_alarm() -> None:
    """Every corpus shifts all its gains alike; with the right correlation the level holds, without it does not."""
    rng = np.random.default_rng(1)
    alarms = {0.0: 0, 0.05: 0}
    for _ in range(400):
        a, b = rng.normal(size=(2, 20)) * np.sqrt(0.95) + rng.normal(size=(2, 1)) * np.sqrt(0.05)
        for rho in alarms:
            alarms[rho] += gain_test(a, b, correlation=rho).p < 0.05
    assert alarms[0.05] / 400 < 0.08 < alarms[0.0] / 400


def test_what_cannot_be_estimated_is_none() -> None:
    found = gain_test([], [])
    assert found[:8] == (None,) * 8
    assert gain_test([0.1], [0.0, 0.1]).p is None
    still = gain_test([0.0] * 6, [0.0] * 6)
    assert (still.difference, still.p, still.detectable) == (0.0, 1.0, 0.0)


def test_verdicts() -> None:
    rng = np.random.default_rng(2)
    null = rng.normal(0, 0.005, 20)
    high, none, wide = rng.normal(0.05, 0.005, 20), rng.normal(0, 0.005, 20), rng.normal(0, 0.2, 20)
    tests = [gain_test(g, null) for g in (high, none, wide, -high)]
    found = judge(tests, 100)
    assert [j.verdict for j in found] == [
        Verdict.RELIANT,
        Verdict.NONE_SEEN,
        Verdict.NO_VERDICT,
        Verdict.NONE_SEEN,
    ]
    assert "gone unseen" in found[2].reason
    assert found[0].p_holm == pytest.approx(min(1, tests[0].p * (4 if tests[0].p < tests[3].p else 3)))
    assert {j.verdict for j in judge(tests, 19)} == {Verdict.NO_VERDICT}
    assert {j.verdict for j in judge([gain_test(high[:4], null)], 100)} == {Verdict.NO_VERDICT}
    assert judge([gain_test([], [])], None)[0].reason == "there was no crossed probe"
    assert judge([], None) == []
    assert {j.verdict for j in judge(tests, 100, "reference(faithful=True)")} == {Verdict.NO_VERDICT}
    assert judge(tests, 100, "matched(per_author=3)") == found
