"""Threshold grid: the best of 4,753 bands on 4,000 calibration pairs, for four metrics and for five."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.references.threshold_band import best_band_reference

from benchmarks.measure import compare
from ravenbench.randomness import stream
from ravenbench.verifiers.calibrators import best_band

PAIRS = 4000


def rows() -> list[dict[str, Any]]:
    """One row for each number of metrics."""
    rng = stream(0, "benchmark-grid")
    same = rng.random(PAIRS) < 0.5
    scores = np.clip(rng.normal(0.45 + 0.1 * same, 0.12), 0, 1)
    found = []
    for metrics in (4, 5):
        assert best_band(scores, same, metrics) == best_band_reference(scores, same, metrics)
        found.append(
            compare(
                f"threshold grid, {metrics} metrics",
                lambda metrics=metrics: best_band(scores, same, metrics),
                "plain loop over the combinations",
                lambda metrics=metrics: best_band_reference(scores, same, metrics),
                rounds=3,
                repeat=200,
            )
        )
    return found
