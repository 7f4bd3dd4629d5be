"""Scores brought to a scale where they differ.

Cosines of trained embeddings or of masked texts may all lie between .95 and 1, where neither the grid of thresholds nor
a logistic curve tells them apart.
"""

from __future__ import annotations

import numpy as np

from ravenbench.types import Bools, Floats


def scale_of(scores: Floats, same: Bools | None = None) -> tuple[float, float]:
    """Centre and deviation of scores; with truth, as if both classes were equally frequent."""
    weight = np.ones(len(scores))
    if same is not None and same.any() and not same.all():
        weight = np.where(same, 1 / same.sum(), 1 / (~same).sum())
    centre = float(np.average(scores, weights=weight))
    return centre, max(float(np.sqrt(np.average((scores - centre) ** 2, weights=weight))), 1e-6)


def spread(scores: Floats, scale: tuple[float, float]) -> Floats:
    """Scores mapped into (0, 1) in their order, by a logistic curve about the centre."""
    centre, deviation = scale
    return np.asarray(1 / (1 + np.exp(-(scores - centre) / deviation)), dtype=np.float64)
