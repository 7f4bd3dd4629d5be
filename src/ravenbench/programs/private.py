"""Private folders, which go with the process that made them, however that ends."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ravenbench.files import lives, machine, owner

_PREFIX = "raven-program"


@contextmanager
def private_folder() -> Iterator[Path]:
    """A folder that no other user can read and that is gone when the block ends, however it ends.

    Its name holds this machine and process, so that a folder left by a process that was killed is known as such.
    """
    sweep()
    with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}-{owner()}-", ignore_cleanup_errors=True) as at:
        yield Path(at)


def sweep(patience: float = 0.0) -> None:
    """Remove the private folders of processes of this machine that live no more.

    Parameters
    ----------
    patience : float
        Seconds to wait for the children of this process that still have one.
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


def process_stat(process: int) -> list[str]:
    """State, parent and further numbers of a process (``proc(5)``); [] where there is none or the system hides it."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].decode().split()
    return []


def parent_of(process: int) -> int:
    """The parent of a process, 0 where it is not known."""
    return int(fields[1]) if len(fields := process_stat(process)) > 1 else 0
