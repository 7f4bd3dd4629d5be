"""A bar with loss and time left, on a terminal only."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[float, float], None]
"""Called with epochs done (with a fraction) and the mean loss of the epoch so far."""


@contextmanager
def bar(name: str, epochs: int, done: int = 0) -> Iterator[Progress]:
    """Draw training on stderr; nothing where that is no terminal, or in a worker process, whose lines would mix."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Drawn

    console = Console(stderr=True)
    hidden = not console.is_terminal or multiprocessing.parent_process() is not None
    columns = (
        TextColumn("{task.description:<22}", markup=False),
        BarColumn(bar_width=None),
        TextColumn("epoch {task.fields[epoch]}/{task.total:.0f} · loss {task.fields[loss]}", markup=False),
        TimeRemainingColumn(),
    )
    with Drawn(*columns, console=console, transient=True, disable=hidden) as drawn:
        task = drawn.add_task(name, total=epochs, completed=done, epoch=done, loss="–")

        def progress(finished: float, loss: float) -> None:
            drawn.update(task, completed=finished, epoch=min(int(finished) + 1, epochs), loss=f"{loss:.4f}")

        yield progress
