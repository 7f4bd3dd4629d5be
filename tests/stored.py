"""What the cells of a run's folder hold."""

from __future__ import annotations

from pathlib import Path

from ravenbench.store.records import CellRecord, read_packed


def answers(folder: Path) -> dict[str, bytes]:
    """Bytes of every array, by key of the cell and name; nothing is there of failed and damaged cells."""
    found = {}
    for place in sorted((folder / "cells").glob("*.cell")):
        record, arrays = read_packed(place, CellRecord)
        found |= {f"{record.key}/{name}": array.tobytes() for name, array in arrays.items()}
    return found
