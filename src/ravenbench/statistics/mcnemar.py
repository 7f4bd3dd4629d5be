"""The exact sign test on discordant answers (McNemar)."""

from __future__ import annotations

import math


def sign_test(a_only: int, b_only: int) -> float:
    """Two-sided exact p that two systems are right equally often.

    Parameters
    ----------
    a_only, b_only : int
        Problems that only one of the two gets right.

    Returns
    -------
    float
        Share of the 2^n sign patterns of the n discordant problems whose difference is at least the observed
        one: what approximate randomization of accuracy estimates.
    """
    n, gap = a_only + b_only, abs(a_only - b_only)
    if gap == 0:
        return 1.0
    if n > 1000:
        from scipy.stats import binom

        return min(1.0, 2 * float(binom.sf((n + gap) // 2 - 1, n, 0.5)))
    upper = sum(math.comb(n, k) for k in range((n + gap) // 2, n + 1))
    return min(1.0, float(2 * upper / 2**n))
