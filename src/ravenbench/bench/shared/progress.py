"""How a task tells what it is doing."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total); a total of 0 means that it is not known."""


def silent(stage: str, done: int, total: int) -> None:
    """Show no progress."""
