"""The grid of two thresholds searched in one pass, and the plain loop it must agree with.

Calibration by two thresholds keeps the order of scores outside the band and ties those inside, so only pairs within the
band change the AUC: it loses ``(U − ½·P·N) / (all pairs)``, where U counts concordant pairs inside (ties ½) and P, N
its positives and negatives. Everything else is a count of scores below or above a threshold. Scores are put into 197
cells, the 98 thresholds and the open intervals between them, and every combination is read off cumulative sums.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ravenbench.types import Bools, Floats

THRESHOLDS = np.arange(1, 99) / 100
_LOW, _HIGH = np.triu_indices(len(THRESHOLDS), 1)
DECIMALS = 12
"""Overall scores that agree so far are equal: the first is the best."""


def rescale(scores: Floats, p1: float, p2: float) -> Floats:
    """Answers by two thresholds: scores clipped to [0, 1], s ≤ p1 to [0, .49], s ≥ p2 to [.51, 1], others to 0.5."""
    s = np.clip(scores, 0.0, 1.0)
    out = np.full(s.shape, 0.5)
    out[s <= p1] = 0.49 * s[s <= p1] / p1
    out[s >= p2] = np.minimum(1.0, 0.51 + 0.49 * (s[s >= p2] - p2) / (1 - p2))
    return out


def best_band(scores: Floats, same: Bools, metrics: int = 4) -> tuple[float, float, float]:
    """The first best p1 < p2 and its overall score; scores (n,) are clipped to [0, 1], both classes present."""
    value = np.round(overall_of_bands(scores, same, metrics)[_LOW, _HIGH], DECIMALS)
    best = int(np.argmax(value))
    return float(THRESHOLDS[_LOW[best]]), float(THRESHOLDS[_HIGH[best]]), float(value[best])


def overall_of_bands(scores: Floats, same: Bools, metrics: int = 4) -> Floats:
    """Overall score of every band, (98, 98) by index of p1 and p2; only p1 < p2 means anything."""
    s = np.clip(scores, 0.0, 1.0)
    n, positives = len(s), int(same.sum())
    negatives = n - positives
    cell = np.searchsorted(THRESHOLDS, s, "left") + np.searchsorted(THRESHOLDS, s, "right")
    others = np.sort(s[~same])
    wins = np.searchsorted(others, s[same], "left") + np.searchsorted(others, s[same], "right")

    def below(cells: NDArray[Any], weights: Floats | None = None) -> Floats:
        """Sums over all cells before each, (198,)."""
        return np.concatenate([[0.0], np.cumsum(np.bincount(cells, weights, 2 * len(THRESHOLDS) + 1))])

    p, q, u = below(cell[same]), below(cell[~same]), below(cell[same], wins / 2)
    # Threshold k is cell 2k + 1: at most p1 lies before its end, at least p2 from its start on.
    i, j = (2 * np.arange(len(THRESHOLDS)) + 2)[:, None], 2 * np.arange(len(THRESHOLDS)) + 1
    fn, tn, tp, fp = p[i], q[i], positives - p[j], negatives - q[j]
    mid_p, mid_q = p[j] - p[i], q[j] - q[i]
    inside = u[j] - u[i] - q[i] * mid_p
    auc = (u[-1] - inside + mid_p * mid_q / 2) / (positives * negatives)
    unanswered, correct = mid_p + mid_q, tp + tn
    c_at_1 = (correct + unanswered * correct / n) / n
    f05u = _ratio(1.25 * tp, 1.25 * tp + 0.25 * (fn + unanswered) + fp)
    f1 = _ratio(2 * tp, 2 * tp + fp + fn)
    total = auc + c_at_1 + f05u + f1
    if metrics == 4:
        return np.asarray(total / 4)
    s1, s2, s1_p = below(cell, s), below(cell, s * s), below(cell[same], s[same])
    a = 0.49 / THRESHOLDS[:, None]
    b = 0.49 / (1 - THRESHOLDS)
    c = 0.51 - b * THRESHOLDS
    lower = a * a * s2[i] - 2 * a * s1_p[i] + fn
    upper = b * b * (s2[-1] - s2[j]) + 2 * b * c * (s1[-1] - s1[j]) + c * c * (tp + fp)
    upper += tp - 2 * b * (s1_p[-1] - s1_p[j]) - 2 * c * tp
    return np.asarray((total + 1 - (lower + upper + unanswered / 4) / n) / 5)


def best_band_reference(scores: Floats, same: Bools, metrics: int = 4) -> tuple[float, float, float]:
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
                value += 1.25 * tp / (1.25 * tp + 0.25 * (fn + unanswered) + fp) + 2 * tp / (2 * tp + fp + fn)
            value += 1 - np.mean((v - same) ** 2) if metrics == 5 else 0.0
            value = round(float(value) / metrics, DECIMALS)
            if value > best[2]:
                best = (float(p1), float(p2), value)
    return best


def _ratio(top: Floats, bottom: Floats) -> Floats:
    return np.divide(top, bottom, out=np.zeros(np.broadcast(top, bottom).shape), where=bottom != 0)
