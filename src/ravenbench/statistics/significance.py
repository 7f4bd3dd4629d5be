"""Small significance tests, correction for testing many hypotheses, and the stars of the PAN-2014 overview."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.types import Floats


def stars(p: float | None) -> str:
    """``***`` below .001, ``**`` below .01, ``*`` below .05, ``=`` otherwise, ``n/a`` where undefined."""
    if p is None:
        return "n/a"
    return "***" if p < 0.001 else "**" if p < 0.01 else "*" if p < 0.05 else "="


def holm(p: ArrayLike) -> Floats:
    """Holm's step-down adjusted p-values (k,), in the order given: rejecting where one is ≤ α keeps the chance of any
    false rejection ≤ α whatever the dependence (Holm 1979, A simple sequentially rejective multiple test procedure.
    Scandinavian Journal of Statistics 6)."""
    raw = np.asarray(p, dtype=np.float64)
    order = np.argsort(raw, kind="stable")
    steps = np.maximum.accumulate(raw[order] * np.arange(len(raw), 0, -1))
    adjusted = np.empty_like(raw)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def t_test(a: ArrayLike, b: ArrayLike) -> float | None:
    """Two-sided p of Student's unpaired t-test of fold values (n,), (m,) with pooled variance; None where there is no
    spread to judge by, or unless there is one each and three together.

    Of 10 HITS folds against 5 × 10 Random folds it gives the stars of the HITS paper's Table 2. Folds share training
    data, so p is optimistic; it is offered for comparison with published tables.
    """
    # Not by scipy.stats, which takes half a second to import.
    from scipy.special import stdtr

    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if not len(x) or not len(y) or len(x) + len(y) < 3 or max(np.ptp(x), np.ptp(y)) < 1e-12:
        return None
    freedom = len(x) + len(y) - 2
    variance = (((x - x.mean()) ** 2).sum() + ((y - y.mean()) ** 2).sum()) / freedom
    t = (x.mean() - y.mean()) / np.sqrt(variance * (1 / len(x) + 1 / len(y)))
    return float(2 * stdtr(freedom, -abs(t)))


def sign_test(a_only: int, b_only: int) -> float:
    """Two-sided exact p (McNemar) that two systems are right equally often, from the numbers of problems that only one
    of the two gets right; 1 where they are never right apart.

    This is what approximate randomization of accuracy estimates: the share of the 2^n sign patterns of the n discordant
    problems whose difference is at least the observed one.

    >>> round(sign_test(3, 12), 4)
    0.0352
    """
    from scipy.stats import binomtest

    return float(binomtest(a_only, a_only + b_only).pvalue) if a_only or b_only else 1.0
