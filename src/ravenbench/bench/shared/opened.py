"""A run's folder, kept open by a worker that does several units of it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from ravenbench import files
from ravenbench.bench.shared.store import Store


def open_store(path: Path) -> Store:
    """A run's folder, kept open by a worker that does several units of it, as long as its plan stays the same."""
    # A worker can outlive a folder: what lies at the path now may be another run.
    return _opened(path, _mark(path / "plan.json"))


def _mark(plan: Path) -> tuple[object, ...]:
    """What tells a plan from another that was written in its place, found without reading it."""
    if files.is_remote(plan):
        place: Any = plan
        place.fs.invalidate_cache(place.parent.path)
        return (place.fs.ukey(place.path),)
    stat = plan.stat()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


@lru_cache(maxsize=2)
def _opened(path: Path, mark: tuple[object, ...]) -> Store:
    return Store(path)
