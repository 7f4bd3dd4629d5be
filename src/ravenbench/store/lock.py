"""Two commands never write one folder at the same time: the second is refused, and learns which process writes it.

On this machine's disks the operating system holds the lock (``filelock``), so that of a process that died is free at
once. Where it cannot (an object store, some network disks) the lock is a file that says who wrote it: that of a process
of this machine that has ended is taken over, and one of another machine must be removed by hand. There two commands
that start within the same moment may both pass, for such stores have no way to decide who was first.
"""

from __future__ import annotations

import errno
import json
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from ravenbench.errors import InputError
from ravenbench.files import is_remote, lives

NAME = ".lock"
"""File of the lock, in the folder that it guards."""
NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL}
"""What a disk says that keeps no locks."""
_WANTED: dict[str, ExitStack] = {}
"""Folders that this process means to write, and what gives their locks back."""
_HELD: set[str] = set()


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Be the only one who writes a run's folder; one that does not exist yet is locked by ``hold`` when it is made.
    Raises InputError if another process, or another thread of this one, writes it."""
    name = str(folder)
    if name in _WANTED:
        raise _refusal(folder)
    with ExitStack() as stack:
        _WANTED[name] = stack
        stack.callback(_WANTED.pop, name)
        # Whether an object store answers is found out first, by ``open_or_create``.
        if not is_remote(folder) and folder.is_dir():
            hold(folder)
        yield


def hold(folder: Path) -> None:
    """Lock a folder that has just been made, if this process is to write it; InputError if another was faster."""
    from filelock import FileLock, Timeout

    name, place = str(folder), folder / NAME
    if name not in _WANTED or name in _HELD:
        return
    system = None if is_remote(folder) else FileLock(place, timeout=0, fallback_to_soft=False)
    try:
        if system is not None:
            system.acquire()
            _WANTED[name].callback(system.release)
    except Timeout:
        raise _refusal(folder) from None
    except OSError as error:
        if error.errno not in NO_LOCKS:
            # That nothing can be written here is reported with the first file.
            return
        system = None
    if system is None and not _abandoned(place):
        raise _refusal(folder)
    who = {"host": socket.gethostname(), "pid": os.getpid(), "since": datetime.now(UTC).isoformat(" ", "seconds")}
    place.write_bytes(json.dumps(who).encode())
    _HELD.add(name)

    def give_back() -> None:
        _HELD.discard(name)
        with suppress(OSError):
            place.unlink()

    _WANTED[name].callback(give_back)


def _holder(place: Path) -> dict[str, object]:
    """What the file of a lock says of who wrote it; nothing where it says nothing."""
    try:
        who = json.loads(place.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return who if isinstance(who, dict) else {}


def _abandoned(place: Path) -> bool:
    """Whether no lock holds: no file, an empty one, or that of a process of this machine that has ended."""
    try:
        empty = not place.read_bytes()
    except FileNotFoundError:
        return True
    who = _holder(place)
    return empty or (
        who.get("host") == socket.gethostname() and isinstance(pid := who.get("pid"), int) and not lives(pid)
    )


def _refusal(folder: Path) -> InputError:
    who = _holder(folder / NAME)
    return InputError(
        "another command is writing this folder", file=folder,
        found=f"process {who.get('pid', '?')} on {who.get('host', '?')}, since {who.get('since', '?')}",
        fix=f"wait until it ends or stop it, or give another --out; if it has ended, remove {folder / NAME}",
    )  # fmt: skip
