"""The kernel behind ``Pieces.splice``."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.types import Int32s, Ints


@njit(cache=True)
def spliced(
    pieces: Int32s, bounds: Ints, words: Int32s, givers: Ints, case: NDArray[np.int8], forms: Int32s,
    data: NDArray[np.uint8], ends: Ints, stops: Ints,
) -> NDArray[np.uint8]:  # fmt: skip
    """The texts one after the other; fills ``stops``."""
    total = 0
    for row in range(len(bounds) - 1):
        taken = givers[row]
        for at in range(bounds[row], bounds[row + 1]):
            piece = np.uint32(pieces[at])
            if case[piece] >= 0:
                if taken == givers[row + 1]:
                    taken = givers[row]
                piece = np.uint32(forms[words[taken], case[piece]])
                pieces[at] = piece
                taken += 1
            total += ends[piece + 1] - ends[piece]
        stops[row + 1] = total
    made = np.empty(total, np.uint8)
    filled = 0
    for at in range(len(pieces)):
        piece = np.uint32(pieces[at])
        for place in range(ends[piece], ends[piece + 1]):
            made[filled] = data[place]
            filled += 1
    return made
