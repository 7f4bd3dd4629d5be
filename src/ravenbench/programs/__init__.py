"""Ends worker processes within seconds after their parent; removes private folders; records program runs.

In: for ``end_with`` the number of the parent process and a signal; for ``end_descendants`` and ``sweep`` the maximum
seconds to wait; for ``parent_of`` a process number; for ``note`` how a program was run (text); nothing for the others.
Out: ``private_folder`` returns a path that is removed after its block, ``parent_of`` a process number (0 = unknown),
``me`` the arguments of ``end_with`` for a process started here, ``ending_with_me`` those of a pool, ``ways`` what
``note`` recorded since ``noted`` began (text: "confined", "not confined" and why; "" = none was run). ``end_with``,
``die_with_parent``, ``adopt_orphans`` and ``end_descendants`` (Linux), ``sweep`` and ``note`` return nothing. None
raises an error of its own.

If the kernel supports it (Linux: ``PR_SET_PDEATHSIG``), it kills the process at once, also within native code.
Otherwise, and if a thread of the parent that may end earlier started it, a thread checks once a second.
Private folders of processes that no longer run are removed.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

from ravenbench.files import lives, machine, owner, process_stat

_PARENT_DEATH = 1
_SUBREAPER = 36
_PREFIX = "raven-program"


@cache
def end_with(parent: int, at_once: bool = False, by: int = signal.SIGKILL) -> None:
    """End this process when ``parent``, which started it, ends; at once if it has already ended.

    ``at_once``: the main thread of the parent started it, so the kernel may watch that thread.
    ``by`` is the signal that ends it.
    """
    if at_once:
        _ask_kernel(_PARENT_DEATH, by)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os.kill(os.getpid(), by)

    if os.getppid() != parent:
        os._exit(1)
    threading.Thread(target=watch, daemon=True).start()


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends (Linux)."""
    _ask_kernel(_PARENT_DEATH, signal.SIGKILL)


def adopt_orphans() -> None:
    """Make orphaned descendants children of this process, in any session (Linux)."""
    _ask_kernel(_SUBREAPER, 1)


def end_descendants(patience: float = 10.0) -> None:
    """Kill the children of a process that adopts orphans; their children become its own and are killed next, until there are
    none, for at most ``patience`` seconds. It reads ``/proc`` (Linux)."""
    until = time.monotonic() + patience
    with suppress(ChildProcessError):
        while time.monotonic() < until:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            for process in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208
                if parent_of(int(process)) == os.getpid():
                    with suppress(OSError):
                        os.kill(int(process), signal.SIGKILL)
            time.sleep(0.005)


def _ask_kernel(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), 0, 0, 0)


def me() -> tuple[int, bool]:
    """Return the arguments of ``end_with`` for a process that this process starts now."""
    return os.getpid(), threading.current_thread() is threading.main_thread()


def ending_with_me() -> dict[str, Callable[..., Any] | tuple[int, bool]]:
    """Return the arguments of a pool whose workers then end with this process."""
    return {"initializer": end_with, "initargs": me()}


@contextmanager
def private_folder() -> Iterator[Path]:
    """Give a folder that no other user can read; it is removed when the block ends, also after an error.

    Its name contains this machine and process, so that a folder of a killed process can be recognised.
    """
    sweep()
    with tempfile.TemporaryDirectory(
        prefix=f"{_PREFIX}-{owner()}-", ignore_cleanup_errors=True
    ) as at:
        yield Path(at)


def sweep(patience: float = 0.0) -> None:
    """Remove the private folders of this machine's processes that no longer run.

    Parameters
    ----------
    patience : float
        Seconds to wait for the children of this process that still have a folder.
    """
    until = time.monotonic() + patience
    while True:
        waiting = False
        for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}-{machine()}-*"):
            with suppress(ValueError, IndexError, OSError):
                process = int(folder.name.split("-")[3])
                if folder.stat().st_uid != os.getuid():
                    continue
                if not lives(process):
                    shutil.rmtree(folder, ignore_errors=True)
                elif process != os.getpid() and parent_of(process) == os.getpid():
                    waiting = True
        if not waiting or time.monotonic() >= until:
            return
        time.sleep(0.1)


def parent_of(process: int) -> int:
    """Return the parent of a process, 0 if unknown."""
    return int(fields[1]) if len(fields := process_stat(process)) > 1 else 0


_ran: ContextVar[list[str] | None] = ContextVar("ran", default=None)


@contextmanager
def noted() -> Iterator[None]:
    """Record how outside programs are run within the block."""
    token = _ran.set([])
    try:
        yield
    finally:
        _ran.reset(token)


def note(call: str) -> None:
    """Record how an outside program was run."""
    if (calls := _ran.get()) is not None and call not in calls:
        calls.append(call)


def ways() -> str:
    """Return how outside programs were run since ``noted`` began: "confined", or "not confined" and why; "" if none ran."""
    return "; ".join(_ran.get() or ())
