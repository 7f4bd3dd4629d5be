"""Shares of trials with an outcome, and their intervals."""

from __future__ import annotations

import math


def wilson(hits: int, trials: int, level: float = 0.95) -> tuple[float, float] | None:
    """Wilson's interval of a share; None without trials.

    References
    ----------
    Wilson 1927, Probable inference, the law of succession, and statistical inference. JASA 22.
    """
    if trials == 0:
        return None
    from scipy.special import ndtri

    z = float(ndtri((1 + level) / 2))
    share, scale = hits / trials, 1 + z * z / trials
    middle = (share + z * z / (2 * trials)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return max(0.0, middle - half), min(1.0, middle + half)
