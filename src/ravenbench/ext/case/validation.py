"""What a validation says of log10 likelihood ratios besides C_llr: devPAV, empirical cross-entropy over prior odds,
strength beyond what is justified, rates of strongly misleading LRs, and intervals of all of them.

Functions take log10 LRs (n,), truth ``same`` (n,) and optional weights (n,), as those of ``likelihood_ratios`` do.

References
----------
Ramos & Gonzalez-Rodriguez 2013, Reliable support: measuring calibration of likelihood ratios. Forensic Sci. Int. 230.
Vergeer, van Schaik & Sjerps 2021, Measuring calibration of likelihood-ratio systems: a comparison of four metrics,
including a new metric devPAV. Forensic Science International 321.
Royall 2000, On the probability of observing misleading statistical evidence. JASA 95.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.ext.case.likelihood_ratios import LN10, WIDEST, cllr, cllr_min, eer, pav, sides
from ravenbench.metrics.calibration import newton
from ravenbench.randomness import stream
from ravenbench.statistics.estimates import wilson
from ravenbench.types import Bools, Floats, Ints

PRIORS: Floats = np.linspace(-2.0, 2.0, 81)
"""Log10 prior odds over which the empirical cross-entropy is taken: from one in a hundred to a hundred to one."""
PULL = 1.0
"""Weight of that pull, in pairs."""
DRAWS = 400
"""Bootstrap samples of authors."""
LEVEL = 0.95
"""Of a 95 % interval."""
RATES = ("misleading_for", "misleading_against")
"""Measures that are shares of pairs."""


class MeasureEstimate(NamedTuple):
    """A measure and its 95 % interval."""

    value: float
    low: float
    high: float


class Entropy(NamedTuple):
    """Empirical cross-entropy in bits (g,) at log10 ``prior`` odds (g,): of the LRs, after the best monotone
    calibration, and of LR = 1 throughout."""

    prior: Floats
    llr: Floats
    best: Floats
    neutral: Floats


def devpav(llr: ArrayLike, same: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Mean distance of log10 LRs from what PAV makes of them, in units of log10, over the range in which PAV is finite;
    lower = better, 0 where PAV is finite nowhere, which is so where the classes are wholly apart."""
    curve = pav(llr, same, weight)
    x, y = np.unique(np.array([curve.llr, curve.best])[:, np.abs(curve.best) < WIDEST], axis=1)
    if len(x) < 2:
        return float(abs(x[0] - y[0])) if len(x) else 0.0
    left, right = (y - x)[:-1], (y - x)[1:]
    total = np.abs(left) + np.abs(right)
    # Where the line crosses the diagonal there are two triangles, else a trapezium.
    crossed = (left**2 + right**2) / np.maximum(2 * total, 1e-300)
    each = np.where(left * right < 0, crossed, total / 2)
    return float(each @ np.diff(x) / (x[-1] - x[0]))


def entropy(llr: ArrayLike, same: ArrayLike, weight: ArrayLike | None = None, prior: Floats = PRIORS) -> Entropy:
    """Empirical cross-entropy (ECE) over log10 prior odds; at even odds it is C_llr."""
    pairs = sides(llr, same, weight)
    order = np.argsort(pairs.llr, kind="stable")
    best = np.empty(len(order))
    best[order] = pav(llr, same, weight).best
    return Entropy(
        prior, *(_entropy(values, pairs.same, pairs.weight, prior) for values in (pairs.llr, best, best * 0))
    )


def _entropy(llr: Floats, same: Bools, weight: Floats, prior: Floats) -> Floats:
    odds = (prior[:, None] + llr[None, :]) * LN10
    share = 1 / (1 + 10.0**-prior)
    for_same, for_other = (
        np.logaddexp(0.0, sign * odds) @ np.where(side, weight, 0.0) for sign, side in ((-1, same), (1, ~same))
    )
    return np.asarray((share * for_same + (1 - share) * for_other) / np.log(2))


def worst_prior(llr: ArrayLike, same: ArrayLike, weight: ArrayLike | None = None) -> float:
    """ECE as a share of that of LR = 1, at the prior odds of ``PRIORS`` where it is greatest: above 1 there are prior
    odds at which one decides better without these LRs."""
    pairs = sides(llr, same, weight)
    one, none = (_entropy(values, pairs.same, pairs.weight, PRIORS) for values in (pairs.llr, pairs.llr * 0))
    return float((one / none).max())


def overstated(llr: ArrayLike, same: ArrayLike, weight: ArrayLike | None = None) -> float:
    """How much stronger log10 LRs are, on the mean of both classes, than logistic calibration makes of them: above 0
    they are too far from LR = 1, below 0 too near (ours).

    A straight line is fitted and not densities, as bounded LRs stand in heaps at their bounds. It is drawn a little
    towards the LRs as they are.
    """
    pairs = sides(llr, same, weight)
    rows = pairs.llr[:, None] * LN10
    slope, offset = newton(rows, pairs.same, pairs.weight * len(rows) / 2, PULL, np.ones(1))
    justified = slope * pairs.llr + offset / LN10
    return float((pairs.weight / 2) @ (np.sign(pairs.llr) * (pairs.llr - justified)))


def misleading_rates(
    llr: ArrayLike, same: ArrayLike, strong: float, weight: ArrayLike | None = None
) -> tuple[float, float]:
    """Share of different-author pairs with a log10 LR of at least ``strong``, and of same-author pairs with one of at
    most ``-strong``."""
    pairs = sides(llr, same, weight)
    wrong = (~pairs.same & (pairs.llr >= strong), pairs.same & (pairs.llr <= -strong))
    return float(pairs.weight[wrong[0]].sum()), float(pairs.weight[wrong[1]].sum())


def mean_misleading(llr: ArrayLike, same: ArrayLike, weight: ArrayLike | None = None) -> tuple[float, float]:
    """Mean LR of different-author pairs, and mean 1 / LR of same-author pairs: at most 1 where LRs mean what they say
    (Royall 2000), whatever the strength of the evidence."""
    pairs = sides(llr, same, weight)
    return float(10.0 ** pairs.llr[~pairs.same] @ pairs.weight[~pairs.same]), float(
        10.0 ** -pairs.llr[pairs.same] @ pairs.weight[pairs.same]
    )


def measures(strong: float) -> dict[str, Callable[[Floats, Bools, Floats], float]]:
    """Every measure of a validation by its key; ``strong`` is the log10 LR from which a misleading one counts."""
    return {
        "cllr": cllr,
        "cllr_min": cllr_min,
        "eer": eer,
        "devpav": devpav,
        "ece_worst": worst_prior,
        "overstated": overstated,
        "mean_for": lambda llr, same, weight: mean_misleading(llr, same, weight)[0],
        "mean_against": lambda llr, same, weight: mean_misleading(llr, same, weight)[1],
        "misleading_for": lambda llr, same, weight: misleading_rates(llr, same, strong, weight)[0],
        "misleading_against": lambda llr, same, weight: misleading_rates(llr, same, strong, weight)[1],
    }


def times_drawn(times: Ints, place: Ints) -> Floats:
    """How often each pair was drawn: as often as its author, or as both its authors together. ``times`` is of authors,
    ``place`` (n, 2) says which authors a pair has."""
    one, other = place.T
    return np.asarray(np.where(one == other, times[one], times[one] * times[other]), dtype=np.float64)


Measures = Mapping[str, Callable[[Floats, Bools, Floats], float]]


def estimated(
    llr: Floats, same: Bools, weight: Floats, authors: Ints, seed: int, draws: int, wanted: Measures
) -> dict[str, MeasureEstimate]:
    """The measures ``asked`` with their 95 % intervals, from drawing the ``authors`` (n, 2) of both sides anew.

    A rate's interval is at least as wide as Wilson's for as many cases as there are authors: where nothing was seen to
    go wrong, every sample says so too, and an interval of no width would make few authors look sure.
    """
    names = np.unique(authors)
    place = np.searchsorted(names, authors)
    drawn: dict[str, list[float]] = {key: [] for key in wanted}
    for number in range(draws):
        rng = stream(seed, "validation-bootstrap", number)
        times = np.bincount(rng.integers(len(names), size=len(names)), minlength=len(names))
        often = times_drawn(times, place) * weight
        if often[same].any() and often[~same].any():
            used = often > 0
            for key, measure in wanted.items():
                drawn[key].append(measure(llr[used], same[used], often[used]))
    estimates = {}
    for key, measure in wanted.items():
        value = measure(llr, same, weight)
        ends = np.quantile(drawn[key], [(1 - LEVEL) / 2, (1 + LEVEL) / 2]) if drawn[key] else (value, value)
        low, high = min(float(ends[0]), value), max(float(ends[1]), value)
        if key in RATES:
            narrow = wilson(value, len(names))
            low, high = min(low, narrow[0]), max(high, narrow[1])
        estimates[key] = MeasureEstimate(value, low, high)
    return estimates
