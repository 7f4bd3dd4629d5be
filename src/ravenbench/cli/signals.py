"""SIGTERM, which schedulers and service managers send, is obeyed with the care that Ctrl-C gets."""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import NoReturn

from ravenbench.programs.process import sweep

INTERRUPTED, TERMINATED = 130, 143
"""Exit codes: 128 and the number of the signal, as shells count."""

_told: list[int] = []


def listen() -> None:
    """From now on SIGTERM interrupts; a second one is ignored while the first is obeyed."""
    signal.signal(signal.SIGTERM, _interrupt)


def farewell() -> int:
    """Remove the private folders of workers that were stopped; returns the exit code."""
    sweep(patience=5.0)
    return TERMINATED if _told else INTERRUPTED


def obey() -> None:
    """End now if SIGTERM came, which a library may have kept from being heard.

    Raises
    ------
    SystemExit
        With 143.
    """
    if _told:
        raise SystemExit(farewell())


def last() -> None:
    """From now on, when nothing is left to be done, SIGTERM ends the process at once and with its own code."""
    signal.signal(signal.SIGTERM, lambda number, frame: os._exit(TERMINATED))


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)
    _told.append(number)
    raise KeyboardInterrupt
