"""Means of measured rewritings with their intervals, and the impact on texts whose meaning survived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ravenbench.bench.safety.record import MeasuredText, MeasuresRecord
from ravenbench.metrics.safety import impact
from ravenbench.randomness import stream
from ravenbench.reports.safety.records import Quality
from ravenbench.statistics.attacks import impact_intervals
from ravenbench.statistics.estimates import Interval, expanded
from ravenbench.store.store import Store
from ravenbench.types import Bools


def surviving(
    store: Store, rows: Mapping[int, Mapping[str, MeasuredText]], right: tuple[Bools, Bools] | None, same: Bools
) -> tuple[float | None, float | None, Interval | None]:
    """Share of texts whose meaning survived, the average impact on these alone, and its interval (first seed)."""
    if not rows or not any(rows.values()):
        return None, None, None
    ids = store.fold("original").test.ids[same].tolist()
    masks = np.array([[i in found and found[i].survives for i in ids] for found in rows.values()])
    share = float(masks.mean())
    if right is None or len(masks) != len(right[1]) or not masks.any(axis=1).all():
        return share, None, None
    before, after = right
    each = [
        float(impact(before[:, m].mean(axis=1), one[:, m].mean(axis=1)).mean())
        for m, one in zip(masks, after, strict=True)
    ]
    first = impact_intervals(before[:, masks[0]], after[:1][:, :, masks[0]])
    return share, float(np.mean(each)), first.average


def qualities(
    measured: Mapping[int, MeasuresRecord],
) -> tuple[dict[str, Quality], dict[str, Quality], dict[str, Quality]]:
    """Soundness, sensibleness and efficiency over the texts of all seeds."""
    rows = [row for one in measured.values() for row in one.rows.values()]
    return (
        quality([row.soundness for row in rows], len(measured)),
        quality([row.sensibleness for row in rows], len(measured)),
        quality([row.efficiency for row in rows], len(measured)),
    )


def quality(rows: Sequence[Mapping[str, float | None]], seeds: int) -> dict[str, Quality]:
    """Means over texts (and seeds) with intervals over texts; None where a measure was made for no text."""
    names = list(rows[0]) if rows else []
    found = {}
    for name in names:
        values = np.array([row[name] for row in rows if row[name] is not None], dtype=np.float64)
        if not len(values):
            found[name] = Quality(None, None)
            continue
        rng = stream(0, "quality-interval", name, len(values))
        means = values[rng.integers(0, len(values), (1000, len(values)))].mean(axis=1)
        low, high = np.quantile(means, expanded(0.95, max(2, len(values) // seeds)))
        found[name] = Quality(float(values.mean()), (float(low), float(high)))
    return found
