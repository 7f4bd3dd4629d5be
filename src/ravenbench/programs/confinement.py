"""Whether outside programs were confined: noted where they are started, asked for where their answers are kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ran: ContextVar[list[str] | None] = ContextVar("ran", default=None)


@contextmanager
def noted() -> Iterator[None]:
    """Note how outside programs are run while the block lasts."""
    before = _ran.set([])
    try:
        yield
    finally:
        _ran.reset(before)


def note(way: str) -> None:
    """Note how an outside program was run."""
    if (ways := _ran.get()) is not None and way not in ways:
        ways.append(way)


def ways() -> str:
    """How outside programs were run since ``noted`` began: "confined", or "not confined" and why; "" where none was."""
    return "; ".join(_ran.get() or ())
