"""A run's folder, kept open by a worker that does several units of it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ravenbench import files
from ravenbench.bench.shared.store import Store


def open_store(path: Path) -> Store:
    """A run's folder, kept open by a worker that does several units of it, as long as its plan stays the same."""
    # A worker can outlive a folder: what lies at the path now may be another run.
    return _opened(path, files.sha256(path / "plan.json"))


@lru_cache(maxsize=2)
def _opened(path: Path, plan_sha256: str) -> Store:
    return Store(path)
