"""Texts of a large run counted once, before the fits in which every worker would count them anew."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ravenbench.bench.shared.opened import open_store
from ravenbench.bench.shared.store import Store
from ravenbench.components import Component
from ravenbench.text.counting import Units, count_ahead, folder_of

LARGE = 64 * 2**20
"""Bytes of text from which on it pays."""


@dataclass(frozen=True)
class CountUnit:
    """All texts of a run in one kind of unit."""

    run: Path
    units: Units
    rows: tuple[int, ...]

    def work(self) -> list[str]:
        """Count them. Where this fails, workers count for themselves."""
        with suppress(Exception):
            count_ahead(open_store(self.run).texts, np.array(self.rows, dtype=np.int64), self.units)
        return []

    def lost(self, reason: str) -> list[str]:
        """It has no cells that could fail."""
        return []


@contextmanager
def no_counts_left(store: Store) -> Iterator[None]:
    """Remove counts of texts before and after: those that a killed process left may be those of another version."""
    folder = folder_of(store.texts)
    try:
        _remove(folder)
        yield
    finally:
        _remove(folder)


def _remove(folder: Path | None) -> None:
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def plan_counting(store: Store, fitted: Sequence[Component], folds: Sequence[str]) -> list[CountUnit]:
    """Units for the texts of these folds where they are large, one for every kind that is counted in several fits.

    Parameters
    ----------
    fitted : sequence
        The verifier of every fit; one counts by itself or as the scorer of a calibrated one.
    """
    kinds = [getattr(part, "counted", None) for one in fitted for part in (one, getattr(one, "scorer", None))]
    # A stranger's method may mean something else by the name.
    several = [units for units, fits in Counter(kind for kind in kinds if isinstance(kind, Units)).items() if fits > 1]
    if not several or folder_of(store.texts) is None or store.texts.offsets[-1] < LARGE:
        return []
    rows = store.documents(folds)
    if (store.texts.offsets[rows + 1] - store.texts.offsets[rows]).sum() < LARGE:
        return []
    return [CountUnit(store.path, units, tuple(rows.tolist())) for units in several]
