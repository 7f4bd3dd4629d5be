"""The smallest difference that a design would find significant."""

from __future__ import annotations

import math

from ravenbench.statistics.pools import inflation


def detectable(sd: float, n: int, *, correlation: float = 0.0, level: float = 0.95, power: float = 0.8) -> float | None:
    """Smallest true mean difference found significant with the given power.

    Parameters
    ----------
    sd : float
        Standard deviation (ddof = 1) of one paired difference.
    n : int
        Number of differences (pools or folds).
    correlation : float
        Of the differences, in [0, 1), as in ``pools``.
    level, power : float
        1 − α of the two-sided test, and the power wanted.

    Returns
    -------
    float or None
        (t_{1−α/2} + t_{power}) · standard error with n − 1 degrees of freedom; None where n < 2.
    """
    if n < 2 or correlation >= 1:
        return None
    from scipy.special import stdtrit

    error = sd * math.sqrt(inflation(n, correlation))
    return float(stdtrit(n - 1, (1 + level) / 2) + stdtrit(n - 1, power)) * error
