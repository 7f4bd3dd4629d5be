"""What a task returns to Python."""

from __future__ import annotations

from dataclasses import dataclass

from ravenbench.bench.shared.store import Store


@dataclass(frozen=True)
class RunResult:
    """A finished run of any task: its store, and the errors of the cells that failed."""

    store: Store
    errors: tuple[str, ...]
