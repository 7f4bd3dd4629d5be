"""Bootstrap intervals of impact, over problems, over verifiers and over both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ravenbench.metrics.safety import impact
from ravenbench.randomness import stream
from ravenbench.statistics.bootstrap import Interval, expanded
from ravenbench.types import Bools, Floats, Ints

REPLICATES = 4000


@dataclass(frozen=True, eq=False)
class ImpactIntervals:
    """95 % intervals: of the average impact by what is drawn, and of each verifier's impact over problems (V)."""

    average: Interval | None
    problems: Interval | None
    verifiers: Interval | None
    each: tuple[Interval, ...]


def impact_intervals(before: Bools, after: Bools, *, clusters: Ints | None = None) -> ImpactIntervals:
    """Estimate intervals of impact by resampling attacked problems and verifiers.

    Parameters
    ----------
    before : (V, P) bool
        Whether each verifier was right on each attacked problem; thresholds stay as they are.
    after : (S, V, P) bool
        The same after the attack, for each of its seeds; impacts are averaged over seeds.
    clusters : (P,) int64, optional
        The author of each problem, from 0 without gaps: authors are then drawn instead, with all their problems.

    Returns
    -------
    ImpactIntervals
        ``average`` draws problems and verifiers; all verifiers see the same problems. None where V or P is 0.
    """
    count, size = before.shape
    if not count or not size:
        return ImpactIntervals(None, None, None, ())
    rng = stream(0, "impact-intervals", count, size)
    units = size if clusters is None else int(clusters.max()) + 1
    weights = rng.multinomial(units, np.full(units, 1 / units), size=REPLICATES) / units
    if clusters is not None:
        weights = weights[:, clusters] / weights[:, clusters].sum(axis=1, keepdims=True)
    drawn = rng.multinomial(count, np.full(count, 1 / count), size=REPLICATES) / count
    impacts = _mean_impact(weights, before, after)
    observed = _mean_impact(np.full((1, size), 1 / size), before, after)

    def interval(values: Floats, drawn: int) -> Interval:
        low, high = np.quantile(values, expanded(0.95, drawn))
        return float(low), float(high)

    return ImpactIntervals(
        average=interval((impacts * drawn).sum(axis=1), min(units, count) if count > 1 else units),
        problems=interval(impacts.mean(axis=1), units),
        verifiers=interval((observed * drawn).sum(axis=1), count) if count > 1 else None,
        each=tuple(interval(impacts[:, v], units) for v in range(count)),
    )


def _mean_impact(weights: Floats, before: Bools, after: Bools) -> Floats:
    """The impact on each verifier under each weighting of the problems, (B, V)."""
    recall = weights @ before.T
    return np.asarray(np.mean([impact(recall, weights @ one.T) for one in after], axis=0))
