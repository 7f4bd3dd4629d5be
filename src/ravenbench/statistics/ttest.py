"""Student's t-test of two sets of folds."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def t_test(a: ArrayLike, b: ArrayLike) -> float | None:
    """Two-sided p of Student's unpaired t-test with pooled variance; None where there is no spread to judge by.

    Of 10 HITS folds against 5 × 10 Random folds it gives the stars of the HITS paper's Table 2. Folds share
    training data, so p is optimistic; it is offered for comparison with published tables.

    Parameters
    ----------
    a, b : (n,), (m,) float
        Fold values; None is returned unless there is one each and three together.
    """
    from scipy.stats import ttest_ind

    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if not len(x) or not len(y) or len(x) + len(y) < 3 or max(np.ptp(x), np.ptp(y)) < 1e-12:
        return None
    return float(ttest_ind(x, y).pvalue)
