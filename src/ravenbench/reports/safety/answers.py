"""Answers of a safety run's cells, or why there are none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ravenbench.store.store import Cell, Store
from ravenbench.types import Floats


def cell_of(store: Store, method: str, fold: str) -> Cell | str:
    """What a method said of a fold, or the reason why there is nothing."""
    cell = store.cell(method, fold)
    if cell is None:
        return "its answers are missing: repeat the command"
    return cell if cell.error is None else f"it failed: {cell.error.splitlines()[0]}"


def answers_of(store: Store, verifier: str, fold: str) -> Floats | str:
    """A verifier's answers to a fold, or the reason why there are none."""
    cell = cell_of(store, verifier, fold)
    if isinstance(cell, str):
        return cell
    assert cell.answers is not None
    return cell.answers


def mean(values: Sequence[float | None]) -> float | None:
    """The mean; None where there are no values or one is None."""
    made = [v for v in values if v is not None]
    return float(np.mean(made)) if made and len(made) == len(values) else None
