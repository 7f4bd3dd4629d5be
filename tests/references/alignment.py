"""The length of a longest common subsequence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def common_reference(
    a: Sequence[int] | NDArray[np.int64], b: Sequence[int] | NDArray[np.int64]
) -> int:
    """The length of a longest common subsequence by its textbook recursion."""
    above = [0] * (len(b) + 1)
    for x in a:
        row = [0]
        for j, y in enumerate(b):
            row.append(above[j] + 1 if x == y else max(above[j + 1], row[j]))
        above = row
    return above[-1]
