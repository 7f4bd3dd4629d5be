"""Scores on parts of the problems: language and genre, quantiles of an attribute.

Problems (or authors) are drawn once for all parts, so that the macro mean has an interval too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ravenbench.formats.tabular import Attribute
from ravenbench.metrics.base import Metric
from ravenbench.metrics.pan import scores
from ravenbench.reports.evaluate.records import BreakDown, PartScores
from ravenbench.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from ravenbench.statistics.bootstrap import Replicates
    from ravenbench.statistics.randomization import Answered

AT_ONCE = 48
"""Systems × parts resampled together: a bound on memory."""


def break_down(
    same: Bools,
    systems: Mapping[str, Answered],
    by: Attribute,
    metrics: Mapping[str, Metric],
    *,
    authors: Ints | None,
    replicates: int,
    level: float,
    seed: int,
    workers: int,
) -> BreakDown:
    """Every metric of every system on every part, with intervals, and the mean over parts.

    Parameters
    ----------
    same : (n,) bool
        Truth.
    by : Attribute
        The part of each problem.
    authors : (n, 2) int64, optional
        Author codes ≥ 0; given, authors are drawn.
    """
    from ravenbench.metrics.weighted import rank
    from ravenbench.statistics.bootstrap import bootstrap

    rows = [np.flatnonzero(by.part.codes == part) for part in range(len(by.part.names))]
    kept = [part for part, r in enumerate(rows) if len(r)]
    rows = [rows[part] for part in kept]
    units = [len(r) if authors is None else len(np.unique(authors[r])) for r in rows]
    found: dict[str, tuple[PartScores, ...]] = {}
    macro: dict[str, PartScores] = {}
    names = list(systems)
    step = max(1, AT_ONCE // max(1, len(rows)))
    for start in range(0, len(names), step):
        group = names[start : start + step]
        ranked = []
        for name in group:
            value, decision = systems[name]
            for r in rows:
                part = rank(same[r], value[r], decision[r])
                ranked.append(part._replace(order=r[part.order].astype(np.int32)))
        drawn = bootstrap(
            ranked, same, authors=authors, replicates=replicates, seed=seed, workers=workers, metrics=metrics
        )
        mean = _mean_over_parts(drawn, len(rows))
        for i, name in enumerate(group):
            value, decision = systems[name]
            parts = []
            for p, r in enumerate(rows):
                own = replace(drawn, units=units[p])
                known = scores(same[r], value[r], None if decision is value else decision[r], metrics)
                parts.append(PartScores(known, {m: own.interval(m, i * len(rows) + p, level) for m in metrics}))
            found[name] = tuple(parts)
            macro[name] = PartScores(
                {m: _mean([part.scores[m] for part in parts]) for m in metrics},
                {m: mean.interval(m, i, level) for m in metrics},
            )
    sizes = tuple((by.part.names[k], len(r), int(same[r].sum())) for k, r in zip(kept, rows, strict=True))
    return BreakDown(by.name, sizes, int((by.part.codes < 0).sum()), found, macro)


def _mean_over_parts(drawn: Replicates, parts: int) -> Replicates:
    """Replicates (systems · parts, B) as those of each system's mean over parts."""

    def mean(values: Mapping[str, Floats]) -> dict[str, Floats]:
        return {m: v.reshape(-1, parts, *v.shape[1:]).mean(axis=1) for m, v in values.items()}

    return replace(
        drawn,
        values=mean(drawn.values),
        observed=mean(drawn.observed),
        problems=None if drawn.problems is None else mean(drawn.problems),
        different=None if drawn.different is None else mean(drawn.different),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return float(np.mean(known)) if known and len(known) == len(values) else None
