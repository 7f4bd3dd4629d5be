"""Private folders for outside programs; those that a killed process left are removed by the next."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ravenbench.files import lives, machine, owner
from ravenbench.programs.usage import parent_of

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
