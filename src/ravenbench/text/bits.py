"""Which bit of a 64-bit word is set."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

_DE_BRUIJN = 0x03F79D71B4CB0A89
_PLACE = np.zeros(64, np.int64)
_PLACE[[((1 << bit) * _DE_BRUIJN & (1 << 64) - 1) >> 58 for bit in range(64)]] = np.arange(64)
_SEQUENCE, _58 = np.uint64(_DE_BRUIJN), np.uint64(58)


@njit(cache=True, inline="always")
def place_of_bit(word: Any) -> Any:
    """The place of a word's only bit: its product with a De Bruijn sequence begins with six bits that tell."""
    return _PLACE[(word * _SEQUENCE) >> _58]
