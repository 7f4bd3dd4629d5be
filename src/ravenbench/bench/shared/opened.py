"""A run's folder, kept open by a worker that does several units of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ravenbench import files
from ravenbench.bench.shared.store import Store

_open: dict[Path, tuple[object, Store]] = {}
"""The two runs worked on last, and what marked their plans then."""


def open_store(path: Path) -> Store:
    """A run's folder, kept open by a worker that does several units of it, as long as its plan stays the same."""
    # A worker can outlive a folder: what lies at the path now may be another run.
    mark, store = _open.get(path, (None, None))
    return store if store is not None and mark == _mark(path / "plan.json") else keep_open(Store(path))


def keep_open(store: Store) -> Store:
    """Have ``open_store`` give this one, which knows the folds that were planned or read here."""
    _open.pop(store.path, None)
    for path in list(_open)[:-1]:
        _open.pop(path, None)
    _open[store.path] = _mark(store.path / "plan.json"), store
    return store


def _mark(plan: Path) -> tuple[object, ...]:
    """What tells a plan from another that was written in its place, found without reading it."""
    if files.is_remote(plan):
        place: Any = plan
        place.fs.invalidate_cache(place.parent.path)
        return (place.fs.ukey(place.path),)
    stat = plan.stat()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns
