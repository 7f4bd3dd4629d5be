"""Rows of features brought to one length or one scale."""

from __future__ import annotations

import numpy as np

from ravenbench.types import Floats


def unit(rows: Floats) -> Floats:
    """Rows scaled to length 1; a zero row stays zero."""
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return np.asarray(rows / np.where(length > 0, length, 1.0)[:, None], dtype=np.float64)


def centre_of(rows: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of every column, the deviation of a constant column being 1."""
    deviation = rows.std(axis=0)
    return rows.mean(axis=0), np.where(deviation > 1e-12, deviation, 1.0)
