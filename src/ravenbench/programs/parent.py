"""A process that works for another ends within seconds of it, however that ends.

Where the kernel does so (Linux: ``PR_SET_PDEATHSIG``) it is killed at once, also within native code; elsewhere, and
where a thread of the other that may end before it started it, a thread looks once a second.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Any

_PARENT_DEATH = 1


@cache
def end_with(parent: int, at_once: bool = False) -> None:
    """From now on this process ends when ``parent``, which started it, does; now, if that has ended meanwhile.

    ``at_once``: the main thread of the parent started it, so that the kernel may be asked: it looks after that thread.
    """
    if at_once and sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    if os.getppid() != parent:
        os._exit(1)
    threading.Thread(target=watch, daemon=True).start()


def me() -> tuple[int, bool]:
    """This process as ``end_with`` takes it in one that is started here and now."""
    return os.getpid(), threading.current_thread() is threading.main_thread()


def ending_with_me() -> dict[str, Callable[..., Any] | tuple[int, bool]]:
    """What a pool takes so that its workers do this before anything else."""
    return {"initializer": end_with, "initargs": me()}
