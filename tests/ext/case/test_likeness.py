"""Strangers that were taken for their nearness count for as many as are as near."""

import numpy as np
import pytest

from ravenbench.ext.case.likeness import stands_for
from ravenbench.randomness import stream


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
