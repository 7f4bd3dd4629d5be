from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenbench.metrics.base import Sums, count
from ravenbench.statistics.resampling import BLOCK, rank, weighted_sums


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), st.integers(0, 10_000), st.sampled_from([1, 2, 50]))
def test_kernel_equals_plain_sums_of_repeated_problems(n: int, seed: int, steps: int) -> None:
    rng = np.random.default_rng(seed)
    same = rng.random(n) < rng.random()
    value = np.round(rng.random(n) * steps) / steps
    decision = rng.choice([0.0, 0.5, 1.0], n) if seed % 2 else value
    weights = rng.integers(0, 4, (n, BLOCK)).astype(np.int32)
    weights[:, 0] = 1
    weights[0] |= 1
    got = weighted_sums(rank(same, value, decision), weights)
    for b in range(BLOCK):
        rows = np.repeat(np.arange(n), weights[:, b])
        expected = count(same[rows], value[rows], decision[rows])
        for name in Sums._fields:
            found = getattr(got, name)[b]
            if name == "sq":
                assert found == pytest.approx(float(expected.sq), abs=1e-9)
            else:
                assert found == getattr(expected, name)
