"""Shares and AUCs of texts or problems by few authors, with intervals that count authors and not texts."""

from __future__ import annotations

import numpy as np

from ravenbench.types import Bools, Ints

Z = 1.959963984540054
"""Of a normal distribution 95 % lie within so many standard deviations."""


def wilson(share: float, of: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of so many."""
    middle, spread = share + Z**2 / (2 * of), Z * np.sqrt(share * (1 - share) / of + Z**2 / (4 * of**2))
    return float(max(0.0, (middle - spread) / (1 + Z**2 / of))), float(min(1.0, (middle + spread) / (1 + Z**2 / of)))


TELLING = 5
"""Groups with and without what is counted from which their differences are estimated."""


def share_of(called: Bools, groups: Ints) -> tuple[float, tuple[float, float]]:
    """Share of problems or texts (n,), with Wilson's 95 % interval for as many independent ones as these are worth:
    where groups (n,), such as authors, differ in their shares, those of one group count for less, and where too few
    groups tell how far they differ, each counts once."""
    value = float(called.mean())
    codes = np.unique(groups, return_inverse=True)[1]
    count = int(codes.max()) + 1
    worth = float(count)
    # How far groups differ is told only where several have some and several lack some.
    if min(len(np.unique(codes[called])), len(np.unique(codes[~called]))) >= TELLING:
        sums = np.bincount(codes, weights=called - value)
        variance = float((sums**2).sum()) / len(called) ** 2 * count / (count - 1)
        worth = min(float(len(called)), value * (1 - value) / variance) if variance else float(len(called))
    return value, wilson(value, max(round(worth), 1))
