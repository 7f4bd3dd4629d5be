"""Sums under many weightings of the problems at once: the kernel of bootstrap and randomization.

Problems are sorted once a system; one sweep then yields the sums of a whole block of weightings. Everything but
the squared error is an integer, kept in float64, so results are exact and do not depend on order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.metrics.base import Metric, measure
from ravenbench.metrics.sums import Sums, categories
from ravenbench.types import Bools, Floats

BLOCK = 16
"""Weightings swept together: a row of the weights is then one cache line of int32."""

Weights = NDArray[np.int32]


class Ranked(NamedTuple):
    """A system's problems in ascending order of value.

    ``order`` (n,) is their row in the weights, ``category`` (n,) their field of :class:`Sums`, ``close`` (n,)
    marks where pairs so far may be counted, ``loss`` (n,) is the squared error, ``value`` (n,) the answer.
    """

    order: NDArray[np.int32]
    category: NDArray[np.uint8]
    close: Bools
    loss: Floats
    value: Floats


def rank(same: Bools, value: Floats, decision: Floats) -> Ranked:
    """Sort a system's problems for :func:`weighted_sums` (checked arrays)."""
    order = np.argsort(value, kind="stable")
    category, sorted_value = categories(same, decision)[order], value[order]
    positive = category < 3
    ends = np.flatnonzero(np.append(np.diff(sorted_value) > 0, True))
    starts = np.append(0, ends[:-1] + 1)
    share = np.add.reduceat(positive.astype(np.int64), starts) / (ends - starts + 1)
    # A tie group of one class, followed by another of that class, can wait: no pair lies between them.
    waits = np.append((share[:-1] == share[1:]) & np.isin(share[:-1], (0.0, 1.0)), False)
    close = np.zeros(len(value), dtype=np.bool_)
    close[ends[~waits]] = True
    return Ranked(order.astype(np.int32), category, close, np.square(value - same)[order], sorted_value)


@njit(cache=True, nogil=True)
def _sweep(
    order: NDArray[np.int32], category: NDArray[np.uint8], close: Bools, loss: Floats, weights: Weights, out: Floats
) -> None:
    """Add up ``out`` (8, BLOCK), in the order of the fields of Sums, for ``weights`` (rows, BLOCK)."""
    below = np.zeros(BLOCK)
    group = np.zeros((2, BLOCK))
    out[:] = 0.0
    for k in range(len(order)):
        row = weights[order[k]]
        cell = out[category[k]]
        side = group[category[k] // 3]
        for j in range(BLOCK):
            w = float(row[j])
            cell[j] += w
            side[j] += w
            out[7, j] += w * loss[k]
        if close[k]:
            for j in range(BLOCK):
                out[6, j] += group[0, j] * (2.0 * below[j] + group[1, j])
                below[j] += group[1, j]
                group[0, j] = 0.0
                group[1, j] = 0.0


def weighted_sums(ranked: Ranked, weights: Weights) -> Sums:
    """Sums of one system under BLOCK weightings.

    ``weights``, (n, BLOCK), say how often each problem occurs in each weighting.

    Returns
    -------
    Sums
        Arrays of shape (BLOCK,).
    """
    out = np.empty((8, BLOCK))
    _sweep(ranked.order, ranked.category, ranked.close, ranked.loss, weights, out)
    return Sums(*out)


def replicated(metric: Metric, ranked: Ranked, weights: Weights) -> Floats:
    """Any metric of one system under weightings (n, b), (b,): its problems repeated as often as they weigh."""
    truth, rows = ranked.category < 3, weights[ranked.order]
    return np.array([measure(metric, np.repeat(truth, w), np.repeat(ranked.value, w)) for w in rows.T])
