"""Holds what a run may use: a device ("auto", "cpu", "cuda", "cuda:1"), and seconds for a cell (one method's result).

In: ``RunLimits(device, cell_timeout)`` for ``hold`` and ``within``, or the environment variables RAVEN_DEVICE and
RAVEN_CELL_TIMEOUT (seconds). Out: ``device`` gives text; ``cell_timeout`` seconds as a float (for training, and again
for answering a test set), or None without a limit; ``limits_here`` the ``RunLimits``. ``hold`` sets them for this
process, ``within`` for a ``with`` block. SpecError from ``RunLimits`` for a value that cannot be used, from
``cell_timeout`` for one in the environment. ``collect_seldom`` has Python look for unused memory less often.

No answer depends on these limits, and they are no part of a run's identity. Whatever process does a run's work has
them; the environment says what was not given.
"""

from __future__ import annotations

import atexit
import gc
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache

from ravenbench.errors import SpecError

DEVICE = "RAVEN_DEVICE"
TIMEOUT = "RAVEN_CELL_TIMEOUT"
"""Environment variables for those who give none."""
LONGEST = 365 * 24 * 3600
"""Seconds of the longest limit; clocks take no endless one."""
ENDING = [number for number in signal.Signals if number.name in ("SIGINT", "SIGTERM", "SIGHUP")]
"""Signals that end a command: Ctrl-C, what schedulers send, and a terminal that closes."""


@dataclass(frozen=True)
class RunLimits:
    """Where networks run, seconds of training a method and again of answering a test set; None where it was not given.
    SpecError for a value that cannot be used."""

    device: str | None = None
    cell_timeout: float | None = None

    def __post_init__(self) -> None:
        if self.device is not None and not re.fullmatch(r"auto|cpu|cuda(:\d+)?", self.device):
            expected = "auto, cpu, cuda or cuda:NUMBER"
            raise SpecError("unknown device", found=f"--device {self.device}", expected=expected)
        if self.cell_timeout is not None:
            _seconds(self.cell_timeout, "--cell-timeout")


_here = [RunLimits()]


def limits_here() -> RunLimits:
    """Return the limits of this process."""
    return _here[-1]


def hold(limits: RunLimits) -> None:
    """Set the limits of this process."""
    _here[:] = [limits]


@contextmanager
def within(limits: RunLimits) -> Iterator[None]:
    """Hold these limits meanwhile; what they do not say stays as it is."""
    limits_before = limits_here()
    hold(
        RunLimits(
            **asdict(limits_before)
            | {name: value for name, value in asdict(limits).items() if value is not None}
        )
    )
    try:
        yield
    finally:
        hold(limits_before)


@cache
def collect_seldom() -> None:
    """For a process that ends: hardly anything here dies in rings; to look for them as often as Python does takes a
    thirtieth of a first report, and once more at its end, where all memory is given back, another.
    """
    gc.set_threshold(50_000, 10, 10)
    atexit.register(gc.freeze)


def device() -> str:
    """Where networks run: auto, cpu, cuda or cuda:NUMBER."""
    return limits_here().device or os.environ.get(DEVICE) or "auto"


def cell_timeout() -> float | None:
    """Seconds of a cell, None without a limit; SpecError if the environment says what is none."""
    timeout = limits_here().cell_timeout
    if timeout is None and (limit := os.environ.get(TIMEOUT)):
        return _seconds(limit, TIMEOUT)
    return timeout


def _seconds(duration: str | float, name: str) -> float:
    try:
        seconds = float(duration)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= LONGEST:
        raise SpecError(
            f"{name} must be a number of seconds above 0 and at most {LONGEST}", found=duration
        )
    return seconds
