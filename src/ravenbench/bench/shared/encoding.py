"""Texts that a fixed model encodes, encoded once before the cells that ask about them.

Without this, workers that begin with different folds of one corpus would encode the texts of both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from ravenbench.bench.shared.care import guarded
from ravenbench.bench.shared.opened import open_store
from ravenbench.bench.shared.store import Store
from ravenbench.components import Component

MOST, FEWEST = 3072, 512
"""Texts in a unit: large ones leave less of their batches empty, small ones at the end let workers end together."""


@runtime_checkable
class Prepares(Protocol):
    """A method that can encode texts before it is asked about them."""

    def prepare(self, texts: list[str]) -> None:
        """Encode them and keep what was found where every process finds it."""


@dataclass(frozen=True)
class EncodeUnit:
    """Some texts of a run for one model."""

    run: Path
    method: Prepares
    rows: tuple[int, ...]

    def work(self) -> list[str]:
        """Encode them. What fails here fails again, with its reason, in the cells that need it."""
        texts = open_store(self.run).texts
        with suppress(Exception), guarded():
            self.method.prepare([texts[row] for row in self.rows])
        return []


def plan_encoding(store: Store, components: Mapping[str, Component], folds: Sequence[str]) -> list[EncodeUnit]:
    """Units for all texts of these folds; texts of about equal length together, for a batch is as wide as its longest.

    A method counts that reads whole texts as they are: by itself, or as the scorer of a calibrated one.
    """
    parts = {str(part): part for one in components.values() for part in (one, getattr(one, "scorer", None))}
    methods = [part for part in parts.values() if isinstance(part, Prepares)]
    if not methods:
        return []
    rows = store.documents(folds)
    rows = rows[np.argsort(store.texts.offsets[rows] - store.texts.offsets[rows + 1], kind="stable")]
    blocks = list[tuple[int, ...]]()
    while len(rows):
        size = min(MOST, max(FEWEST, len(rows) // 6))
        blocks.append(tuple(rows[:size].tolist()))
        rows = rows[size:]
    return [EncodeUnit(store.path, method, block) for method in methods for block in blocks]
