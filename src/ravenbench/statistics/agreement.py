"""How far several graders agree beyond chance, on an ordered scale."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.randomness import stream
from ravenbench.statistics.estimates import Interval, percentiles
from ravenbench.types import Floats


def ordinal_alpha(grades: ArrayLike) -> float | None:
    """Krippendorff's alpha for ordinal grades (graders, texts), NaN where one did not grade a text: 1 is full
    agreement, 0 what chance gives, below 0 is contrary; None where no text has two grades, or all grades are the same.

    Two grades differ by how many of all grades lie between them, squared, so that it matters which grades people use
    and not how the scale is numbered. A text that only one person graded says nothing and is left out
    (Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, sections C and E).
    """
    counts, scale = _counts(grades)
    return _alpha(counts) if len(scale) else None


def alpha_interval(grades: ArrayLike, *, replicates: int = 2000, level: float = 0.95, seed: int = 0) -> Interval | None:
    """An interval of ``ordinal_alpha`` from drawing texts again and again; None below five texts graded twice."""
    counts, _ = _counts(grades)
    counts = counts[counts.sum(axis=1) > 1]
    units = len(counts)
    if units < 5:
        return None
    rng = stream(seed, "alpha-interval", units)
    drawn = (_alpha(counts[rows]) for rows in rng.integers(0, units, (replicates, units)))
    alphas = [value for value in drawn if value is not None]
    return percentiles(np.array(alphas), units, level) if alphas else None


def _counts(grades: ArrayLike) -> tuple[Floats, Floats]:
    """How often each text has each grade, (texts, scale), and the scale: all grades given, ascending."""
    table = np.asarray(grades, dtype=np.float64)
    scale = np.unique(table[~np.isnan(table)])
    return np.asarray((table.T[:, :, None] == scale).sum(axis=1), dtype=np.float64), scale


def _alpha(counts: Floats) -> float | None:
    graders = counts.sum(axis=1)
    counts, graders = counts[graders > 1], graders[graders > 1]
    if not len(counts):
        return None
    # Coincidences of two grades within a text, each text weighing as many as its graders.
    together = (counts / (graders - 1)[:, None]).T @ counts - np.diag((counts / (graders - 1)[:, None]).sum(axis=0))
    totals = together.sum(axis=1)
    middle = np.cumsum(totals) - totals / 2
    apart = (middle[:, None] - middle[None, :]) ** 2
    expected = float(totals @ apart @ totals)
    return None if expected <= 0 else 1 - (totals.sum() - 1) * float((together * apart).sum()) / expected
