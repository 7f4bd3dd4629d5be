"""Cosines on a scale where they differ: those of trained embeddings may all lie between .95 and 1, where neither the
grid of thresholds nor a logistic curve tells them apart."""

from __future__ import annotations

import numpy as np

from ravenbench.types import Bools, Floats


def scale_of(cosines: Floats, same: Bools | None = None) -> tuple[float, float]:
    """Centre and deviation; with truth, as if both classes were equally frequent."""
    weight = np.ones(len(cosines))
    if same is not None and same.any() and not same.all():
        weight = np.where(same, 1 / same.sum(), 1 / (~same).sum())
    centre = float(np.average(cosines, weights=weight))
    return centre, max(float(np.sqrt(np.average((cosines - centre) ** 2, weights=weight))), 1e-6)


def spread(cosines: Floats, scale: tuple[float, float]) -> Floats:
    """A logistic curve about the centre: in (0, 1), in the order of the cosines."""
    centre, deviation = scale
    return np.asarray(1 / (1 + np.exp(-(cosines - centre) / deviation)), dtype=np.float64)
