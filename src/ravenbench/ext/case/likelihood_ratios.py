"""Measures what log10 likelihood ratios (LRs) are worth, and how strong a one so many people can show.

In: log10 LRs (n,), higher = same author, truth (n,), weights (n,) ≥ 0.
Out: ``supported``: a bound, log10; ``cllr``, ``cllr_min``, ``entropy``: bits (lower = better); ``eer``: 0 to .5;
``misleading``: 0 to 1; ``devpav``: log10; ``mean_misleading``: mean LRs;
``tippett``, ``pav``: curves; ``measures``, ``estimated``: with 95 % intervals; ``redrawn``: weights. ``sides``:
ValueError.

A likelihood ratio (LR) says how many times more probable the findings are if one author wrote both sides than if two
did. Functions take log10 LRs (n,) and truth ``same`` (n,), and optional weights (n,) ≥ 0 by which pairs count; each
class is weighted to the same total, so that nothing depends on how many pairs of each there are.

*People*: if LRs mean what they say, one of L or more for the wrong side is met in at most one case in L (Royall 2000).
That must be shown on people, not on pairs: where none of N was misled, the rate may still be 1 − .05^(1/N), at 95 %
confidence. So N people support no LR beyond 1 / (1 − .05^(1/N)), about N / 3 (``supported``).

References
----------
Brümmer & du Preez 2006, Application-independent evaluation of speaker detection. Computer Speech & Language 20.
Ramos & Gonzalez-Rodriguez 2013, Reliable support: measuring calibration of likelihood ratios. Forensic Sci. Int. 230.
Vergeer, van Schaik & Sjerps 2021, Measuring calibration of likelihood-ratio systems: a comparison of four metrics,
including a new metric devPAV. Forensic Science International 321.
Royall 2000, On the probability of observing misleading statistical evidence. JASA 95.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.randomness import stream
from ravenbench.statistics.estimates import wilson
from ravenbench.store.records import Record
from ravenbench.types import Bools, Floats, Ints

LN10 = float(np.log(10))
WIDEST = 20.0
"""Maximum |log10 LR| from PAV: it would be infinite if the classes are separated completely."""


T = TypeVar("T")
LRMeasures = Mapping[str, Callable[[Floats, Bools, Floats], float]]


class LabelledLLR(NamedTuple):
    """Log10 LRs (n,), truth (n,) and weights (n,) of pairs; ``weight`` sums to 1 within each class."""

    llr: Floats
    same: Bools
    weight: Floats


class Tippett(NamedTuple):
    """``llr`` (m,), log10, ascending; proportions (m,), from 0 to 1, of same-author and of different-author pairs with
    at least this log10 LR."""

    llr: Floats
    same: Floats
    different: Floats


class Pav(NamedTuple):
    """PAV's calibration: log10 LRs ``llr`` (n,) as given, ascending, and ``best`` (n,), the calibrated log10 LRs."""

    llr: Floats
    best: Floats


def sides(llr: ArrayLike, same: ArrayLike, weight: ArrayLike | None = None) -> LabelledLLR:
    """Return checked arrays with weights that sum to 1 in each class. Raises ValueError if lengths differ, a value is
    not finite, or a class has no weight."""
    values = np.asarray(llr, dtype=np.float64)
    truth = np.asarray(same, dtype=np.bool_)
    weights = np.ones(len(values)) if weight is None else np.asarray(weight, dtype=np.float64)
    if not len(values) == len(truth) == len(weights):
        raise ValueError("log10 LRs, truth and weights differ in length")
    if not np.isfinite(values).all() or not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError("a log10 LR or a weight is not a finite number")
    scaled = np.zeros(len(values))
    for side in (truth, ~truth):
        total = weights[side].sum()
        if not total > 0:
            raise ValueError("both same-author and different-author pairs are needed")
        scaled[side] = weights[side] / total
    return LabelledLLR(values, truth, scaled)


def of_pairs(measure: Callable[[LabelledLLR], T]) -> Callable[..., T]:
    """Turn a measure of pairs into a measure of log10 LRs (n,), truth (n,), and weights (n,), by default equal. Raises
    ValueError as ``sides`` does."""

    @wraps(measure)
    def measured(llr: ArrayLike, same: ArrayLike, weight: ArrayLike | None = None) -> T:
        return measure(sides(llr, same, weight))

    return measured


def _steps(llr: Floats, pairs: LabelledLLR) -> tuple[Floats, Floats, Floats, Ints]:
    """Distinct values ascending, the weight of either class on each, and each pair's value by its place."""
    values, block = np.unique(llr, return_inverse=True)
    classes = (np.where(side, pairs.weight, 0.0) for side in (pairs.same, ~pairs.same))
    same, different = (
        np.asarray(np.bincount(block, w, len(values)), dtype=np.float64) for w in classes
    )
    return values, same, different, block.astype(np.int64)


@of_pairs
def cllr(pairs: LabelledLLR) -> float:
    """Return C_llr in bits: 0 is perfect, 1 is the cost of LR = 1 for all pairs; lower = better."""
    signed = np.where(pairs.same, -pairs.llr, pairs.llr) * LN10
    return float(np.sum(np.logaddexp(0.0, signed) * pairs.weight) / np.log(2) / 2)


@of_pairs
def cllr_min(pairs: LabelledLLR) -> float:
    """Return C_llr in bits after the best monotone calibration: the cost of imperfect discrimination; the rest is
    calibration."""
    return cllr(_pav(pairs), pairs.same, pairs.weight)


@of_pairs
def pav(pairs: LabelledLLR) -> Pav:
    """Return the pool-adjacent-violators calibration of these log10 LRs (n,), within ± WIDEST."""
    return Pav(np.sort(pairs.llr), np.sort(_pav(pairs)))


def _pav(pairs: LabelledLLR) -> Floats:
    """PAV's log10 LR of each pair; equal LRs stay equal."""
    from scipy.optimize import isotonic_regression

    _, up, down, block = _steps(pairs.llr, pairs)
    used = up + down > 0
    up = up[used]
    down = down[used]
    pools = isotonic_regression(up / (up + down), weights=up + down).blocks[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log10(np.add.reduceat(up, pools)) - np.log10(np.add.reduceat(down, pools))
    each = np.repeat(np.clip(ratio, -WIDEST, WIDEST), np.diff([*pools, len(up)]))
    # A value without weight joins the one below.
    return np.asarray(each[np.maximum(used.cumsum() - 1, 0)[block]])


@of_pairs
def eer(pairs: LabelledLLR) -> float:
    """Return the equal error rate in [0, .5]: same-author pairs are missed as often as different-author pairs are
    accepted.

    It is read from the convex hull of the ROC curve, so that it does not depend on the choice of a threshold.
    """
    # PAV's pools are the edges of the hull; where false alarms equal misses, they and the hits sum to 1.
    _, hit, false, _ = _steps(-_pav(pairs), pairs)
    alarms, hits = (np.concatenate([[0.0], each.cumsum()]) for each in (false, hit))
    return float(min(0.5, np.interp(1.0, alarms + hits, alarms)))


@of_pairs
def tippett(pairs: LabelledLLR) -> Tippett:
    """Return proportions (0 to 1) of both classes with at least each log10 LR that occurs."""
    values, *classes, _ = _steps(pairs.llr, pairs)
    same, different = (np.asarray(np.clip(each[::-1].cumsum()[::-1], 0.0, 1.0)) for each in classes)
    return Tippett(values, same, different)


def misleading(
    llr: ArrayLike, same: ArrayLike, at: float, weight: ArrayLike | None = None
) -> float:
    """Return the proportion (0 to 1) of pairs of the other class with a log10 LR at least as strong as ``at``: of
    different-author pairs if ``at`` is positive, otherwise of same-author pairs with a value as low."""
    pairs = sides(llr, same, weight)
    wrong = (~pairs.same & (pairs.llr >= at)) if at > 0 else (pairs.same & (pairs.llr <= at))
    return float(pairs.weight[wrong].sum())


def supported(people: float) -> float:
    """Return the maximum |log10 LR| that this number of people can show: 0 for one, .59 for 10, .74 for 15, 1.14 for
    40, 1.43 for 80."""
    return float(-np.log10(1.0 - 0.05 ** (1.0 / max(people, 1.0)))) if people > 1 else 0.0


PRIORS: Floats = np.linspace(-2.0, 2.0, 81)
"""Log10 prior odds for the empirical cross-entropy, from one in a hundred to a hundred to one."""
DRAWS = 400
"""Number of bootstrap samples of authors."""
LEVEL = 0.95
"""Coverage of intervals."""
RATES = ("misleading_for", "misleading_against")
"""Measures that are proportions of pairs."""


class MeasureEstimate(Record, frozen=True):
    """A measure, in its unit, and its 95 % interval."""

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


@of_pairs
def devpav(pairs: LabelledLLR) -> float:
    """Return the mean distance of log10 LRs from their PAV calibration, in units of log10, over the range in which PAV
    is finite; lower = better, 0 if PAV is finite nowhere because the classes are separated completely."""
    curve = pav(pairs.llr, pairs.same, pairs.weight)
    x, y = np.unique(np.array([curve.llr, curve.best])[:, np.abs(curve.best) < WIDEST], axis=1)
    if len(x) < 2:
        return float(abs(x[0] - y[0])) if len(x) else 0.0
    left = (y - x)[:-1]
    right = (y - x)[1:]
    total = np.abs(left) + np.abs(right)
    # Where the line crosses the diagonal there are two triangles, else a trapezium.
    crossed = (left**2 + right**2) / np.maximum(2 * total, 1e-300)
    each = np.where(left * right < 0, crossed, total / 2)
    return float(each @ np.diff(x) / (x[-1] - x[0]))


@of_pairs
def entropy(pairs: LabelledLLR) -> Entropy:
    """Return the empirical cross-entropy (ECE), in bits, over log10 prior odds (g,); at even odds it is C_llr."""
    best = _pav(pairs)
    return Entropy(PRIORS, *(_entropy(llr, pairs) for llr in (pairs.llr, best, best * 0)))


def _entropy(llr: Floats, pairs: LabelledLLR) -> Floats:
    odds = (PRIORS[:, None] + llr[None, :]) * LN10
    share = 1 / (1 + 10.0**-PRIORS)
    for_same, for_other = (
        np.logaddexp(0.0, sign * odds) @ np.where(side, pairs.weight, 0.0)
        for sign, side in ((-1, pairs.same), (1, ~pairs.same))
    )
    return np.asarray((share * for_same + (1 - share) * for_other) / np.log(2))


@of_pairs
def mean_misleading(pairs: LabelledLLR) -> tuple[float, float]:
    """Return the mean LR (not its logarithm) of different-author pairs, and the mean 1/LR of same-author pairs: at most
    1 if LRs are well calibrated (Royall 2000), for evidence of any strength."""
    return float(10.0 ** pairs.llr[~pairs.same] @ pairs.weight[~pairs.same]), float(
        10.0 ** -pairs.llr[pairs.same] @ pairs.weight[pairs.same]
    )


def measures(strong: float) -> LRMeasures:
    """Return every measure of a validation by its key; ``strong`` is the log10 LR from which a misleading LR counts."""
    return {
        "cllr": cllr,
        "cllr_min": cllr_min,
        "eer": eer,
        "devpav": devpav,
        "mean_for": lambda llr, same, weight: mean_misleading(llr, same, weight)[0],
        "mean_against": lambda llr, same, weight: mean_misleading(llr, same, weight)[1],
        "misleading_for": lambda llr, same, weight: misleading(llr, same, strong, weight),
        "misleading_against": lambda llr, same, weight: misleading(llr, same, -strong, weight),
    }


def redrawn(
    authors: Ints, same: Bools, weight: Floats, seed: int, purpose: str, draws: int
) -> Iterator[Floats]:
    """Yield how often each pair is drawn (n,), times its ``weight`` (n,), with the ``authors`` (n, 2) of both sides
    drawn with replacement: as often as its author, or as both its authors together. Draws without pairs of both kinds
    are left out."""
    names = np.unique(authors)
    one, other = np.searchsorted(names, authors).T
    for number in range(draws):
        rng = stream(seed, purpose, number)
        times = np.bincount(rng.integers(len(names), size=len(names)), minlength=len(names))
        often = (
            np.where(one == other, times[one], times[one] * times[other]).astype(np.float64)
            * weight
        )
        if often[same].any() and often[~same].any():
            yield often


def estimated(
    llr: Floats, same: Bools, weight: Floats, authors: Ints, seed: int, wanted: LRMeasures
) -> dict[str, MeasureEstimate]:
    """Return the measures ``wanted`` of log10 LRs (n,) with 95 % intervals from drawing the ``authors`` (n, 2) of both
    sides with replacement.

    A rate's interval is at least as wide as Wilson's for one case per author: if nothing went wrong, every sample shows
    the same, and an interval of no width would make few authors look certain.
    """
    drawn: dict[str, list[float]] = {key: [] for key in wanted}
    for often in redrawn(authors, same, weight, seed, "validation-bootstrap", DRAWS):
        used = often > 0
        for key, measure in wanted.items():
            drawn[key].append(measure(llr[used], same[used], often[used]))
    estimates = {}
    for key, measure in wanted.items():
        value = measure(llr, same, weight)
        ends = (
            np.quantile(drawn[key], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
            if drawn[key]
            else (value, value)
        )
        low = min(float(ends[0]), value)
        high = max(float(ends[1]), value)
        if key in RATES:
            narrow = wilson(value, len(np.unique(authors)))
            low = min(low, narrow[0])
            high = max(high, narrow[1])
        estimates[key] = MeasureEstimate(value, low, high)
    return estimates
