"""Care for code of strangers: whatever a method does, short of ending the process, fails its cell and nothing else."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any

from ravenbench.errors import MethodError, SpecError, said

LIMIT = "RAVEN_CELL_TIMEOUT"
"""Environment variable: the seconds that a method may take to learn, and again for each set it answers."""
LONGEST = 365 * 24 * 3600
"""Seconds; clocks take no endless limit."""
_received: list[int] = []
"""Signals to end that were noted in this process."""
_watching: dict[int, Any] = {}
"""What handles them while they are noted."""
_worker: list[int] = []
"""The process that called ``in_worker``, if it is this one."""


class _TimeUp(BaseException):
    """No ``Exception``, for methods catch those."""


@contextmanager
def guarded() -> Iterator[None]:
    """Make a plain exception of whatever a method raises to leave the program; Ctrl-C of the user still ends it.

    Raises
    ------
    MethodError
        In the place of ``SystemExit``, of a ``KeyboardInterrupt`` that no signal caused, and of other exceptions that
        are none of ``Exception``; and where the method took longer than the limit.
    """
    with watched() as noted:
        before = len(noted)
        try:
            with _limited():
                yield
        except _TimeUp as late:
            raise MethodError(f"the method took longer than {late} seconds, the limit (--cell-timeout)") from None
        except Exception:
            if len(noted) > before:
                raise KeyboardInterrupt from None
            raise
        except BaseException as error:
            if len(noted) > before or isinstance(error, GeneratorExit):
                raise
            raise MethodError(f"the method tried to end the program ({type(error).__name__}: {said(error)})") from error
        if len(noted) > before:
            # The method caught what the signal raised.
            raise KeyboardInterrupt


def in_worker() -> None:
    """Say that this process may be ended: another takes its place."""
    _worker[:] = [os.getpid()]


def time_limit() -> float | None:
    """The limit that is set, in seconds.

    Raises
    ------
    SpecError
        If the environment variable holds no number of seconds above 0, or more than a year.
    """
    given = os.environ.get(LIMIT)
    try:
        seconds = float(given) if given else None
    except ValueError:
        seconds = 0.0
    if seconds is not None and not 0 < seconds <= LONGEST:
        raise SpecError(f"{LIMIT} must be a number of seconds above 0, at most {LONGEST}", found=given)
    return seconds


@contextmanager
def _limited() -> Iterator[None]:
    """Raise ``_TimeUp`` where Python runs when time is up; a worker that does not come back for it is ended."""
    seconds = time_limit()
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: Any) -> None:
        raise _TimeUp(f"{seconds:g}")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    if _worker == [os.getpid()]:
        faulthandler.dump_traceback_later(seconds + min(seconds, 10.0), exit=True)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGALRM, before)


@contextmanager
def watched() -> Iterator[list[int]]:
    """Note signals to end that arrive meanwhile, once for all guarded within; only the main thread gets them."""
    if threading.current_thread() is not threading.main_thread():
        yield []
        return
    if _watching and all(signal.getsignal(asked) is handler for asked, handler in _watching.items()):
        yield _received
        return
    before: dict[int, Any] = {asked: signal.getsignal(asked) for asked in (signal.SIGINT, signal.SIGTERM)}
    outer = _watching.copy()

    def note(number: int, frame: Any) -> None:
        _received.append(number)
        before[number](number, frame)

    for asked, handler in before.items():
        _watching[asked] = note if callable(handler) else handler
        if callable(handler):
            signal.signal(asked, note)
    try:
        yield _received
    finally:
        _watching.clear()
        _watching.update(outer)
        for number, handler in before.items():
            # A handler may have put another in its own place.
            if signal.getsignal(number) is note:
                signal.signal(number, handler)


@contextmanager
def stdout_kept() -> Iterator[None]:
    """What methods and the libraries below them print goes to stderr: stdout is for results.

    In other threads than the main one, as on a Dask worker, only what Python prints can be led elsewhere.
    """
    with redirect_stdout(sys.stderr):
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        _flush()
        try:
            kept = os.dup(1)
        except OSError:  # closed
            yield
            return
        try:
            with suppress(OSError):
                os.dup2(2, 1)
            yield
        finally:
            _flush()
            os.dup2(kept, 1)
            os.close(kept)


def _flush() -> None:
    """Write what Python and C still hold back of stdout to where it was printed."""
    with suppress(OSError, ValueError, AttributeError):
        if sys.__stdout__ is not None:
            sys.__stdout__.flush()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).fflush(None)
