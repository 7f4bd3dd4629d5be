"""``--cell-timeout``: how long a method may take."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from ravenbench.engine.guard import LIMIT, LONGEST


def _tell(seconds: float | None) -> float | None:
    """Tell this process and its workers; no part of a run's identity, since no answer depends on it."""
    if seconds is not None:
        os.environ[LIMIT] = str(seconds)
    return seconds


CellTimeout = Annotated[
    float | None,
    typer.Option(
        "--cell-timeout",
        min=1,
        max=LONGEST,
        envvar=LIMIT,
        callback=_tell,
        metavar="SECONDS",
        help="Longest time for a method to learn, and again to answer one set; a cell over it fails, others go on.",
    ),
]
