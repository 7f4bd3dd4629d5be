"""Test of a probe's gains against the gains of its null.

Repetitions of the probe draw their domains anew from one corpus; so do those of the null, on permuted similarities.
Welch's test compares the two means, with standard errors widened for the topics that repetitions share, as in
``pools``. Simulations over fresh corpora (docs/verdict.md) check that its false alarms stay below the level.

References
----------
Welch 1947, The generalization of Student's problem when several different population variances are involved.
Biometrika 34.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.statistics.pools import inflation
from ravenbench.types import Floats

Interval = tuple[float, float]


class GainTest(NamedTuple):
    """Gains of n repetitions against those of m null repetitions; None where too few tell nothing.

    ``interval`` is of ``gain``, ``null_interval`` of ``null``; ``difference`` = gain − null has
    ``difference_interval`` and the two-sided ``p``; ``detectable`` is the smallest true difference found with the
    given power.
    """

    gain: float | None
    interval: Interval | None
    null: float | None
    null_interval: Interval | None
    difference: float | None
    difference_interval: Interval | None
    p: float | None
    detectable: float | None
    repetitions: int
    null_repetitions: int


def gain_test(
    gains: ArrayLike, null: ArrayLike, *, correlation: float = 0.0, level: float = 0.95, power: float = 0.8
) -> GainTest:
    """Compare gains (n,) with null gains (m,).

    Parameters
    ----------
    gains, null : (n,), (m,) float
        One number a repetition.
    correlation : float
        Of repetitions, in [0, 1), as in ``pools``.
    level, power : float
        1 − α of the two-sided test and of intervals; the power ``detectable`` is for.
    """
    from scipy.special import stdtr, stdtrit

    a, b = (np.asarray(x, dtype=np.float64) for x in (gains, null))
    (mean, interval), (other, other_interval) = _mean(a, level, correlation), _mean(b, level, correlation)
    if len(a) < 2 or len(b) < 2 or mean is None or other is None:
        return GainTest(mean, interval, other, other_interval, None, None, None, None, len(a), len(b))
    parts = [float(x.var(ddof=1)) * inflation(len(x), correlation) for x in (a, b)]
    difference, variance = mean - other, sum(parts)
    if variance <= 0:
        # A method that learns nothing from its training set gains exactly nothing.
        p = float(difference == 0)
        return GainTest(
            mean, interval, other, other_interval, difference, (difference, difference), p, 0.0, len(a), len(b)
        )
    error = math.sqrt(variance)
    freedom = variance**2 / (parts[0] ** 2 / (len(a) - 1) + parts[1] ** 2 / (len(b) - 1))
    quantile = float(stdtrit(freedom, (1 + level) / 2))
    return GainTest(
        mean,
        interval,
        other,
        other_interval,
        difference,
        (difference - quantile * error, difference + quantile * error),
        2 * float(stdtr(freedom, -abs(difference) / error)),
        (quantile + float(stdtrit(freedom, power))) * error,
        len(a),
        len(b),
    )


def _mean(values: Floats, level: float, correlation: float) -> tuple[float | None, Interval | None]:
    from scipy.special import stdtrit

    if not len(values):
        return None, None
    mean = float(values.mean())
    if len(values) < 2:
        return mean, None
    error = float(values.std(ddof=1)) * math.sqrt(inflation(len(values), correlation))
    half = float(stdtrit(len(values) - 1, (1 + level) / 2)) * error
    return mean, (mean - half, mean + half)


def gain_of(four: Mapping[str, float | None]) -> float | None:
    """½·[(aa − ba) + (bb − ab)] of values by training domain and test domain; None where one is missing."""
    aa, ab, ba, bb = (four.get(place) for place in ("aa", "ab", "ba", "bb"))
    if aa is None or ab is None or ba is None or bb is None:
        return None
    return ((aa - ba) + (bb - ab)) / 2
