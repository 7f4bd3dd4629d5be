"""C_llr, PAV, EER, Tippett: by hand, and against the package lir of the Netherlands Forensic Institute."""

import numpy as np
import pytest

from ravenbench.ext.case.likelihood_ratios import (
    cllr,
    cllr_min,
    eer,
    misleading,
    pav,
    supported,
    tippett,
)
from ravenbench.randomness import stream

SAME = np.array([True, True, True, False, False, False])
LLR = np.array([1.0, 0.5, -0.5, 0.2, -1.0, -2.0])


def drawn(seed, n_same=40, n_different=130, apart=1.6, ties=False):
    rng = stream(seed, "llr-test")
    same = np.arange(n_same + n_different) < n_same
    llr = rng.normal(np.where(same, apart / 2, -apart / 2), 1.0) * apart / np.log(10)
    return (np.round(llr, 1) if ties else llr), same


def test_by_hand():
    expected = (np.mean(np.log2(1 + 10.0 ** -LLR[:3])) + np.mean(np.log2(1 + 10.0 ** LLR[3:]))) / 2
    assert cllr(LLR, SAME) == pytest.approx(expected)
    assert cllr(np.zeros(6), SAME) == pytest.approx(1.0)
    # The pair at −.5 and the one at .2 are pooled: LR 1 for both; the others are apart.
    assert pav(LLR, SAME).best.tolist() == [-20, -20, 0, 0, 20, 20]
    assert cllr_min(LLR, SAME) == pytest.approx(1 / 3)
    assert tippett(LLR, SAME).same.tolist() == pytest.approx([1, 1, 1, 2 / 3, 2 / 3, 1 / 3])
    assert tippett(LLR, SAME).different.tolist() == pytest.approx([1, 2 / 3, 1 / 3, 1 / 3, 0, 0])
    assert misleading(LLR, SAME, 0.1) == pytest.approx(1 / 3) and misleading(LLR, SAME, -0.6) == 0


def test_weights_stand_for_repetitions():
    weight = np.array([2, 1, 1, 1, 3, 1])
    repeated = np.repeat(np.arange(6), weight)
    for measure in (cllr, cllr_min, eer):
        assert measure(LLR, SAME, weight) == pytest.approx(measure(LLR[repeated], SAME[repeated]))


@pytest.mark.extra
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_against_lir(seed, ties):
    pytest.importorskip("lir", reason="lir is not installed")
    from lir.data.models import LLRData
    from lir.metrics import cllr as their_cllr
    from lir.metrics import cllr_min as their_cllr_min

    llr, same = drawn(seed, apart=0.4 + 0.4 * seed, ties=ties)
    data = LLRData(features=llr.reshape(-1, 1), labels=same.astype(int))
    assert cllr(llr, same) == pytest.approx(their_cllr(data), abs=1e-12)
    assert cllr_min(llr, same) == pytest.approx(their_cllr_min(data), abs=1e-9)


def test_eer_is_that_of_a_fine_threshold():
    llr, same = drawn(3, 4000, 4000)
    each = [abs(np.mean(llr[same] < t) - np.mean(llr[~same] >= t)) for t in np.sort(llr)]
    at = np.sort(llr)[int(np.argmin(each))]
    assert eer(llr, same) == pytest.approx(np.mean(llr[~same] >= at), abs=0.01)
    assert eer([1, 2, 3], [False, True, True]) == 0 and eer([3, 2, 1], [False, True, True]) == 0.5


def test_lrs_are_supported_by_people():
    assert supported(0) == supported(1) == 0 and supported(2) == pytest.approx(
        np.log10(1 / (1 - np.sqrt(0.05)))
    )
    # Ten of whom none was misled leave a rate of up to .26.
    assert 10 ** -supported(10) == pytest.approx(1 - 0.05**0.1) and 12 < 10 ** supported(40) < 15


@pytest.mark.parametrize(
    ("llr", "same"),
    [
        ([1.0], [True]),
        ([1.0, np.nan], [True, False]),
        ([1.0, 2.0], [True]),
        ([np.inf, 0], [True, False]),
    ],
)
def test_what_cannot_be_measured_is_refused(llr, same):
    with pytest.raises(ValueError):
        cllr(llr, same)
