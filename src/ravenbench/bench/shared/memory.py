"""What the C library does with memory that was freed. Only glibc keeps much of it, and can be told so."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from functools import cache

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Options of ``mallopt``."""


def give_back() -> None:
    """Have it returned to the system: workers need the memory that planning took."""
    _ask("malloc_trim", 0)


@cache
def keep_memory() -> None:
    """From now on this worker uses memory that it has freed again, as other processes do.

    Dask has glibc return all beyond 64 KB at once, and to ask for as much anew takes half as long as the work.
    """
    _ask("mallopt", _TRIM_THRESHOLD, 1 << 28)
    _ask("mallopt", _MMAP_THRESHOLD, 1 << 25)


def _ask(function: str, *values: int) -> None:
    with suppress(AttributeError, OSError, TypeError):
        getattr(ctypes.CDLL(None), function)(*values)
