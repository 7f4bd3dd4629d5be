"""Counts of texts as they are kept: the id of a unit and its count in four bytes, and apart what does not fit there."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.types import Int32s, Ints

Packed = NDArray[np.uint32]
Many = dict[int, tuple[int, int]]
"""Id and count of the entries that stand apart, by their place."""
MANY = 255
"""An entry with a count of so many or more, or an id of more than 24 bits, stands apart."""


def pack(ids: Int32s, counts: Int32s, packed: Packed, first: int, many: Many) -> None:
    """Fill ``packed``, the entries from place ``first`` on."""
    np.left_shift(ids, 8, out=packed.view(np.int32))
    packed |= np.minimum(counts, MANY).view(np.uint32)
    if counts.max(initial=0) >= MANY or ids.max(initial=0) >= 1 << 24:
        for at in np.flatnonzero((counts >= MANY) | (ids >= 1 << 24)):
            packed[at] |= MANY
            many[first + int(at)] = int(ids[at]), int(counts[at])


def unpack(packed: Packed, many: Many, starts: Ints, stops: Ints, ids: Int32s, counts: Int32s) -> None:
    """Fill ids and counts with the entries from each start to its stop, one text after the other."""
    if spread(packed, starts, stops, ids, counts):
        ends = np.cumsum(stops - starts)
        for at in np.flatnonzero(counts == MANY):
            row = np.searchsorted(ends, at, side="right")
            ids[at], counts[at] = many[int(stops[row] + at - ends[row])]


# Kernels count places in unsigned numbers: a signed one may be negative, which Python counts from the end, and asking
# whether it is takes up to nine tenths of the time.


@njit(cache=True)
def spread(packed: Packed, starts: Ints, stops: Ints, ids: Int32s, counts: Int32s) -> bool:
    """What fits of ``unpack``; whether any entry stands apart."""
    filled, most = np.uint64(0), np.uint32(0)
    for row in range(len(starts)):
        first = np.uint64(starts[row])
        size = np.uint64(stops[row]) - first
        for j in range(size):
            entry = packed[first + j]
            ids[filled + j] = entry >> np.uint32(8)
            count = entry & np.uint32(255)
            counts[filled + j] = count
            most = max(most, count)
        filled += size
    return bool(most == MANY)
