"""The documents of a problem that teach a head, those it is asked about, and what several cost together."""

from __future__ import annotations

from typing import Any

import numpy as np

from ravenbench.types import Floats, Ints, Problems
from ravenbench.verifiers.neural.bagnall.model import IGNORED

_SWAP = 0.9


def roles(problems: Problems, i: int, read: dict[int, Ints]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Documents that teach a head, and those it is asked about: the known and the questioned, or the other way round
    where the questioned text is the longer by more than a tenth."""
    known = tuple(sorted({int(row) for row in problems.known(i)}))
    questioned = (int(problems.questioned_index[i]),)
    swap = sum(len(read[r]) for r in known) < _SWAP * len(read[questioned[0]])
    return (questioned, known) if swap else (known, questioned)


def sum_of(rows: tuple[int, ...], read: dict[int, Ints], bits: Any) -> Floats:
    """Bits a character over several documents, long ones counting more."""
    weights = np.array([max(len(read[r]) - IGNORED, 0) for r in rows], dtype=np.float64)
    if not weights.any():
        return np.asarray(bits(rows[0]), dtype=np.float64)
    return np.asarray(sum(w * bits(r) for w, r in zip(weights, rows, strict=True)) / weights.sum(), dtype=np.float64)
