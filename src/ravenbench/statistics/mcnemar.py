"""The exact sign test on discordant answers (McNemar)."""

from __future__ import annotations


def sign_test(a_only: int, b_only: int) -> float:
    """Two-sided exact p that two systems are right equally often; 1 where they are never right apart.

    This is what approximate randomization of accuracy estimates: the share of the 2^n sign patterns of the n
    discordant problems whose difference is at least the observed one.

    Parameters
    ----------
    a_only, b_only : int
        Problems that only one of the two gets right.

    Examples
    --------
    >>> round(sign_test(3, 12), 4)
    0.0352
    """
    from scipy.stats import binomtest

    return float(binomtest(a_only, a_only + b_only).pvalue) if a_only or b_only else 1.0
