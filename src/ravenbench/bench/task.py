"""What a task would do if it were started, and what of that is done already: ``--plan``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ravenbench.store.records import Kind
from ravenbench.store.store import Store


@dataclass(frozen=True)
class Outlook:
    """What a task would do; nothing was written and no method was run to find it out.

    ``problems`` counts problems by the set they stand in, ``cells`` the results that the task keeps one by one,
    ``done`` those that lie in ``folder`` already, ``fits`` how often a method has yet to be trained. ``notes`` are
    sentences; ``cpu_seconds`` is a rough estimate of what is left to do, where a task makes one.
    """

    task: Kind
    folder: str
    problems: Mapping[str, int]
    cells: int
    done: int
    fits: int
    notes: tuple[str, ...] = ()
    cpu_seconds: float | None = None

    def to_json(self) -> dict[str, Any]:
        """One object of plain values."""
        return asdict(self)


@dataclass(frozen=True)
class RunResult:
    """A finished run of any task: its store, and the errors of the cells that failed."""

    store: Store
    errors: tuple[str, ...]
