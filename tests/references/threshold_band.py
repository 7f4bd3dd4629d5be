"""The grid of two thresholds as a plain loop: what ``best_band`` is tested and timed against."""

from __future__ import annotations

import numpy as np

from ravenbench.types import Bools, Floats
from ravenbench.verifiers.calibrators import DECIMALS, THRESHOLDS, rescale


def best_band_reference(
    scores: Floats, same: Bools, metrics: int = 4
) -> tuple[float, float, float]:
    """What ``best_band`` must find, by calibrating with and scoring every combination of thresholds."""
    from scipy.stats import rankdata

    best = (0.0, 0.0, -1.0)
    n, positives = len(scores), int(same.sum())
    for i, p1 in enumerate(THRESHOLDS):
        for p2 in THRESHOLDS[i + 1 :]:
            v = rescale(scores, p1, p2)
            tp, fp = int(((v > 0.5) & same).sum()), int(((v > 0.5) & ~same).sum())
            fn, tn = int(((v < 0.5) & same).sum()), int(((v < 0.5) & ~same).sum())
            unanswered = n - tp - fp - fn - tn
            ranks = rankdata(v)[same].sum()
            value = (ranks - positives * (positives + 1) / 2) / (positives * (n - positives))
            value += (tp + tn + unanswered * (tp + tn) / n) / n
            if tp:
                value += 1.25 * tp / (1.25 * tp + 0.25 * (fn + unanswered) + fp) + 2 * tp / (
                    2 * tp + fp + fn
                )
            value += 1 - np.mean((v - same) ** 2) if metrics == 5 else 0.0
            value = round(float(value) / metrics, DECIMALS)
            if value > best[2]:
                best = (float(p1), float(p2), value)
    return best
