from __future__ import annotations

import numpy as np
import pytest

from ravenbench.metrics.calibration import cllr, reliability


def test_reliability_by_hand() -> None:
    got = reliability([True, False, True, True], [0.95, 1.0, 0.02, 0.5])
    assert got.problems.tolist() == [1, 1, 2]
    assert got.value == pytest.approx([0.02, 0.5, 0.975])
    assert got.same == pytest.approx([1, 1, 0.5])
    assert got.ece == pytest.approx((0.98 + 0.5 + 2 * 0.475) / 4)


def test_cllr_of_no_information_is_one_bit() -> None:
    assert cllr([True, False, False], [0.5, 0.5, 0.5]) == pytest.approx((1, 1, 0))


def test_perfect_and_perfectly_wrong() -> None:
    assert cllr([True, False], [1.0, 0.0]) == pytest.approx((0, 0, 0))
    assert cllr([True, False], [0.0, 1.0]) == (None, pytest.approx(1), None)
    assert cllr([True, True], [0.4, 0.6]) == (None, None, None)


def test_discrimination_is_a_minimum_over_monotone_maps_and_ignores_balance() -> None:
    rng = np.random.default_rng(0)
    llr = np.concatenate([rng.normal(1, np.sqrt(2), 4000), rng.normal(-1, np.sqrt(2), 1000)])
    same = np.arange(5000) < 4000
    calibrated = cllr(same, 1 / (1 + np.exp(-llr)))
    assert calibrated.calibration is not None
    assert calibrated.calibration < 0.02
    for shift, scale in ((1.0, 1.0), (0.0, 3.0), (-2.0, 0.5)):
        bent = cllr(same, 1 / (1 + np.exp(-(llr * scale + shift))))
        assert bent.discrimination == pytest.approx(calibrated.discrimination)
        assert bent.calibration is not None
        assert bent.calibration > 0.05
