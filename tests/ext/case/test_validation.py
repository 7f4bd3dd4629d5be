"""devPAV, empirical cross-entropy, misleading rates: by hand, and against the package lir."""

import numpy as np
import pytest

from ravenbench.ext.case.likelihood_ratios import (
    cllr,
    cllr_min,
    devpav,
    entropy,
    estimated,
    mean_misleading,
    measures,
    misleading,
)
from ravenbench.randomness import stream
from ravenbench.statistics.estimates import wilson


def drawn(seed, count=200, apart=1.0, stretch=1.0):
    """Calibrated log10 LRs of two classes, stretched."""
    rng = stream(seed, "validation-test")
    llr = np.concatenate([rng.normal(apart, 1, count), rng.normal(-apart, 1, count)])
    return llr * 2 * apart / np.log(10) * stretch, np.arange(2 * count) < count


@pytest.mark.extra
@pytest.mark.parametrize("stretch", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("seed", range(6))
def test_against_lir(seed, stretch):
    pytest.importorskip("lir", reason="lir is not installed")
    from lir.data.models import LLRData
    from lir.metrics import cllr as their_cllr
    from lir.metrics import cllr_min as their_cllr_min
    from lir.metrics.devpav import devpav as their_devpav
    from lir.plotting.expected_calibration_error import calculate_ece
    from lir.util import odds_to_probability

    llr, same = drawn(seed, 40 + 20 * seed, 0.3 + 0.2 * seed, stretch)
    if seed % 2:
        llr = llr.round(1)
    truth = same.astype(int)
    data = LLRData(features=llr.reshape(-1, 1), labels=truth)
    assert cllr(llr, same) == pytest.approx(their_cllr(data))
    assert cllr_min(llr, same) == pytest.approx(their_cllr_min(data))
    assert devpav(llr, same) == pytest.approx(their_devpav(llr, truth))
    ours = entropy(llr, same)
    priors = odds_to_probability(10.0**ours.prior)
    assert ours.llr == pytest.approx(calculate_ece(10.0**llr, truth, priors))
    assert ours.neutral == pytest.approx(calculate_ece(np.ones(len(llr)), truth, priors))


def test_entropy_at_even_odds_is_cllr_and_never_better_than_the_best():
    llr, same = drawn(1, stretch=2.0)
    found = entropy(llr, same)
    assert found.llr[40] == pytest.approx(cllr(llr, same)) and found.best[40] == pytest.approx(
        cllr_min(llr, same)
    )
    assert (
        found.neutral[40] == pytest.approx(1)
        and (found.best <= found.llr + 1e-9).all()
        and (found.best <= found.neutral + 1e-9).all()
    )


def test_weights_stand_for_repetitions():
    llr, same = drawn(2, 30)
    weight = stream(3, "weights").integers(1, 4, len(llr))
    repeated = np.repeat(np.arange(len(llr)), weight)
    assert devpav(llr, same, weight) == pytest.approx(
        devpav(llr[repeated], same[repeated]), abs=2e-3
    )


def test_strength_beyond_what_is_justified_is_seen():
    assert devpav(*drawn(4, 4000, stretch=2.0)) > 0.3 > devpav(*drawn(4, 4000))


def test_devpav_where_pav_says_nothing():
    same = np.array([False, False, True, True])
    assert devpav([-2.0, -1, 1, 2], same) == 0 and devpav([0.5] * 4, same) == pytest.approx(0.5)


def test_rates_count_the_wrong_side_alone():
    given = [2.0, -2, 2, -2, 0.5], [True, True, False, False, False]
    assert misleading(*given, 1) == pytest.approx(1 / 3) and misleading(*given, -1) == 0.5


def test_mean_misleading_lrs_are_one_where_lrs_mean_what_they_say():
    assert mean_misleading(
        [1.0, -1, 0, 1], [True, True, False, False], [1, 1, 3, 1]
    ) == pytest.approx((3.25, 5.05))
    # Normal LRs of variance 2·mean are calibrated by construction; twice as strong ones are not.
    rng, mean = stream(6, "mean-misleading"), 1.0
    same = np.arange(40000) < 20000
    llr = rng.normal(np.where(same, mean, -mean), np.sqrt(2 * mean)) / np.log(10)
    assert mean_misleading(llr, same) == pytest.approx((1, 1), abs=0.08)
    assert min(mean_misleading(2 * llr, same)) > 2


def test_few_authors_without_a_misleading_pair_are_not_sure_of_it():
    llr, same = np.where(np.arange(60) < 30, 2.0, -2.0), np.arange(60) < 30
    for count, most in ((6, 0.5), (30, 0.15)):
        authors = np.stack(
            [np.arange(60) % count, np.where(same, np.arange(60), np.arange(60) + 1) % count], 1
        )
        rate = estimated(llr, same, np.ones(60), authors, 0, measures(1.0))["misleading_for"]
        assert (
            rate.value == rate.low == 0
            and rate.high == pytest.approx(wilson(0, count)[1])
            and rate.high < most
        )
    assert wilson(0, 6)[1] > 0.35


def test_intervals_cover_the_value_and_narrow_with_authors():
    llr, same = drawn(5, 240)
    widths = []
    for count in (10, 80):
        authors = np.repeat(np.arange(480)[:, None] % count, 2, axis=1)
        found = estimated(llr, same, np.ones(480), authors, 1, measures(1.0))
        assert all(one.low <= one.value <= one.high for one in found.values())
        widths.append(found["cllr"].high - found["cllr"].low)
    assert widths[0] > 0
