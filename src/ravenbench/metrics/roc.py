"""Computes ROC curves, the convex hull over several systems, and operating points on it.

In: ``curve``: truth (n,) bool and answers (n,), 0 to 1, higher = same author; ``hull``: curves by system, over the same
problems; ``Hull.operating_point``: costs of a wrong "same" and a wrong "different" (any unit, above 0) and the share of
same-author problems, in (0, 1).
Out: a ``Curve`` (counts of problems answered at or above each threshold; None where truth has one class), a ``Hull``,
an ``OperatingPoint``: rates and areas from 0 to 1, thresholds in the unit of the answers, the first one infinite.
InputError for answers that cannot be used, curves over other problems, or impossible costs.

References
----------
Fawcett 2006, An introduction to ROC analysis. Pattern Recognition Letters 27(8).
Provost & Fawcett 2001, Robust classification for imprecise environments. Machine Learning 42.
Stamatatos et al. 2014, PAN overview, Figure 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.errors import InputError
from ravenbench.metrics.base import checked
from ravenbench.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Curve:
    """Vertices of one system's ROC curve, from (0, 0) to (1, 1), as counts of problems.

    ``false`` and ``true`` (v,) count different- and same-author problems with a value ≥ ``threshold`` (v,);
    the first threshold is infinite.
    """

    false: Ints
    true: Ints
    threshold: Floats
    negatives: int
    positives: int

    @property
    def fpr(self) -> Floats:
        """The false-positive rate, 0 to 1, at each vertex, (v,)."""
        return self.false / self.negatives

    @property
    def tpr(self) -> Floats:
        """The true-positive rate, 0 to 1, at each vertex, (v,)."""
        return self.true / self.positives


def curve(same: ArrayLike, value: ArrayLike) -> Curve | None:
    """Return the ``Curve`` with a vertex at every distinct value; None if truth has one class."""
    truth, values, _ = checked(same, value)
    if truth.all() or not truth.any():
        return None
    order = np.argsort(-values, kind="stable")
    truth = truth[order]
    values = values[order]
    ends = np.flatnonzero(np.append(np.diff(values) < 0, True))
    true = np.append(0, np.cumsum(truth)[ends]).astype(np.int64)
    false = np.append(0, ends + 1).astype(np.int64) - true
    return Curve(false, true, np.append(np.inf, values[ends]), int(false[-1]), int(true[-1]))


class Stretch(NamedTuple):
    """Neighbouring hull vertices of one system, by their false-positive rates (0 to 1). Between two stretches is a
    mixture of their two systems."""

    system: str
    from_fpr: float
    to_fpr: float


class OperatingPoint(NamedTuple):
    """An operating point: the system, the lowest value to answer "same author" (None: never), and the resulting rates
    (0 to 1)."""

    system: str | None
    threshold: float | None
    fpr: float
    tpr: float


@dataclass(frozen=True, eq=False)
class Hull:
    """Upper convex hull of several ROC curves over the same problems.

    ``fpr``, ``tpr``, ``threshold`` and ``owner`` (v,) run from (0, 0) to (1, 1), which nobody owns. A vertex that
    several systems reach belongs to the first of them in the order given.
    """

    fpr: Floats
    tpr: Floats
    threshold: Floats
    owner: tuple[str | None, ...]

    @property
    def auc(self) -> float:
        """The area under the hull, 0 to 1."""
        return float(np.trapezoid(self.tpr, self.fpr))

    @property
    def stretches(self) -> list[Stretch]:
        """Who owns which part, by rising false-positive rate. A system is on the hull if it is listed here."""
        segments = []
        for system, run in groupby(
            range(1, len(self.owner) - 1), key=lambda vertex: self.owner[vertex]
        ):
            rows = list(run)
            if system is not None:
                segments.append(
                    Stretch(system, float(self.fpr[rows[0]]), float(self.fpr[rows[-1]]))
                )
        return segments

    def operating_point(
        self,
        *,
        cost_false_same: float = 1.0,
        cost_false_different: float = 1.0,
        same_share: float = 0.5,
    ) -> OperatingPoint:
        """The vertex of least expected cost; of equal ones that with the fewest false positives.

        The costs are those of wrongly answering "same author" and "different authors"; ``same_share`` is the share of
        same-author problems where the system will be used. InputError if a cost is not positive or the share not within
        (0, 1).
        """
        if not (cost_false_same > 0 and cost_false_different > 0 and 0 < same_share < 1):
            raise InputError(
                "no operating point for these costs",
                found=(cost_false_same, cost_false_different, same_share),
                expected="positive costs and a proportion between 0 and 1",
            )
        cost = cost_false_same * (1 - same_share) * self.fpr + cost_false_different * same_share * (
            1 - self.tpr
        )
        vertex = int(np.flatnonzero(cost <= cost.min() + 1e-12)[0])
        threshold = float(self.threshold[vertex])
        return OperatingPoint(
            self.owner[vertex],
            threshold if np.isfinite(threshold) else None,
            float(self.fpr[vertex]),
            float(self.tpr[vertex]),
        )


def hull(curves: Mapping[str, Curve]) -> Hull:
    """Return the convex hull by monotone chain on integer counts, which is exact; points on an edge are not vertices.

    InputError if there is no curve, or the curves are not over the same problems.
    """
    sizes = {(curve.negatives, curve.positives) for curve in curves.values()}
    if len(sizes) != 1:
        raise InputError(
            "a hull needs curves over the same problems",
            found=sorted(sizes),
            expected="the same proportion of same-author problems in all curves",
        )
    negatives, positives = sizes.pop()
    best: dict[int, tuple[int, float, str | None]] = {0: (0, np.inf, None)}
    for name, roc in curves.items():
        for false_accepts, true_accepts, threshold in zip(
            roc.false.tolist(), roc.true.tolist(), roc.threshold.tolist(), strict=True
        ):
            if false_accepts not in best or true_accepts > best[false_accepts][0]:
                best[false_accepts] = (true_accepts, threshold, name)
    chain: list[tuple[int, int, float, str | None]] = [(0, 0, np.inf, None)]
    if best[0][0] > 0:
        chain.append((0, *best[0]))
    for false_accepts in sorted(best)[1:]:
        true_accepts, threshold, system = best[false_accepts]
        while len(chain) > 1 and _not_above(chain[-2], chain[-1], false_accepts, true_accepts):
            chain.pop()
        chain.append(
            (
                false_accepts,
                true_accepts,
                threshold,
                system if (false_accepts, true_accepts) != (negatives, positives) else None,
            )
        )
    xs, ys, thresholds, owner = zip(*chain, strict=True)
    return Hull(
        np.array(xs) / negatives, np.array(ys) / positives, np.array(thresholds, dtype=float), owner
    )


def _not_above(
    a: tuple[int, int, float, str | None], b: tuple[int, int, float, str | None], x: int, y: int
) -> bool:
    return (b[0] - a[0]) * (y - a[1]) >= (b[1] - a[1]) * (x - a[0])
