from __future__ import annotations

import numpy as np
import pytest

from ravenbench.errors import InputError
from ravenbench.metrics import scores
from ravenbench.tasks.evaluate.analysis import choose_band, mean_of, rank_mean, stacked, with_band


def test_means() -> None:
    values = [[0.0, 0.2, 0.9], [0.5, 0.5, 0.6]]
    assert mean_of(values) == pytest.approx([0.25, 0.35, 0.75])
    assert rank_mean(values) == pytest.approx([(1 / 6 + 1 / 3) / 2, (0.5 + 1 / 3) / 2, 5 / 6])


def test_band() -> None:
    assert with_band([0.4, 0.5, 0.61], 0.1).tolist() == [0.5, 0.5, 0.61]
    same = np.array([True] * 5 + [False] * 5)
    value = np.array([0.9, 0.8, 0.9, 0.49, 0.45, 0.1, 0.2, 0.1, 0.52, 0.2])
    a = choose_band(same, value)
    assert a == pytest.approx(0.05)
    assert (scores(same, with_band(value, a))["c@1"] or 0) > (scores(same, value)["c@1"] or 1)
    assert choose_band([True, False], [0.6, 0.4]) == 0


def test_stacking_trusts_the_better_system() -> None:
    rng = np.random.default_rng(0)
    same = rng.random(400) < 0.5
    good, noise = np.clip(same * 0.4 + rng.random(400) * 0.6, 0, 1), rng.random(400)
    values = np.stack([good, noise])
    got = stacked(same[:200], values[:, :200], values[:, 200:])
    assert (scores(same[200:], got)["auc"] or 0) > (
        scores(same[200:], mean_of(values[:, 200:]))["auc"] or 1
    )
    with pytest.raises(InputError, match="both classes"):
        stacked(np.ones(3, dtype=bool), values[:, :3], values)
