"""Two commands never write one folder at the same time: the second is refused and told who is at work there.

On this machine's disks the operating system holds the lock, so that of a process that died is free at once. Where it
cannot (an object store, some network disks) the lock is a file that says who wrote it: that of a process of this
machine that lives no more is taken over, and one of another machine must be removed by hand. There two commands that
start within the same moment may both pass, for such stores have no way to decide who was first.
"""

from __future__ import annotations

import errno
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from ravenbench.errors import InputError
from ravenbench.files import is_remote

NAME = ".lock"
"""File of the lock, in the folder that it guards."""


class _Lock:
    def __init__(self, folder: Path) -> None:
        self.place = folder / NAME
        self.handle: int | None = None
        self.written = False

    def acquire(self) -> None:
        if self.handle is not None or self.written:
            return
        if is_remote(self.place) or not self._by_system():
            self._by_file()

    def release(self) -> None:
        if self.handle is not None or self.written:
            with suppress(OSError):
                self.place.unlink()
        if self.handle is not None:
            os.close(self.handle)
        self.handle, self.written = None, False

    def _by_system(self) -> bool:
        """Whether the system keeps locks here, and then hold one."""
        try:
            import fcntl
        except ImportError:
            return False
        while True:
            try:
                handle = os.open(self.place, os.O_RDWR | os.O_CREAT, 0o644)
            except OSError:
                # Whoever cannot write here is told so when the first file is written.
                return True
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                with suppress(FileNotFoundError):
                    if os.path.samestat(os.fstat(handle), self.place.stat()):
                        os.ftruncate(handle, 0)
                        os.write(handle, _signature())
                        self.handle = handle
                        return True
            except OSError as error:
                os.close(handle)
                if error.errno in (errno.EAGAIN, errno.EACCES):
                    raise self._held() from None
                return False
            # Its holder removed the file before we held it: there is a new one, or none.
            os.close(handle)

    def _by_file(self) -> None:
        with suppress(FileNotFoundError):
            if not _dead(self._who()):
                raise self._held()
        self.place.write_bytes(_signature())
        self.written = True

    def _who(self) -> dict[str, object]:
        data = self.place.read_bytes()
        try:
            found = json.loads(data)
        except ValueError:
            found = None
        return found if isinstance(found, dict) else {}

    def _held(self) -> InputError:
        try:
            who = self._who()
        except OSError:
            who = {}
        told = f"process {who.get('pid', '?')} on {who.get('host', '?')}, since {who.get('since', '?')}"
        return InputError(
            "another command is writing this folder", file=self.place.parent, found=told,
            fix=f"wait until it ends or stop it, or give another --out; if it lives no more, remove {self.place}",
        )  # fmt: skip


_WANTED: dict[str, _Lock] = {}


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Be the only one who writes a run's folder; one that does not exist yet is locked by ``hold`` when it is made.

    Raises
    ------
    InputError
        If another process, or another thread of this one, writes it.
    """
    name, lock = str(folder), _Lock(folder)
    if name in _WANTED:
        raise lock._held()
    _WANTED[name] = lock
    try:
        # Whether an object store answers is found out first, by ``open_or_create``.
        if not is_remote(folder) and folder.is_dir():
            lock.acquire()
        yield
    finally:
        del _WANTED[name]
        lock.release()


def hold(folder: Path) -> None:
    """Lock a folder that has just been made, if this process means to be alone in it.

    Raises
    ------
    InputError
        If another process was faster.
    """
    if (lock := _WANTED.get(str(folder))) is not None:
        lock.acquire()


def _signature() -> bytes:
    who = {"host": socket.gethostname(), "pid": os.getpid(), "since": datetime.now(UTC).isoformat(" ", "seconds")}
    return json.dumps(who).encode()


def _dead(who: dict[str, object]) -> bool:
    """Whether a lock's owner was a process of this machine that lives no more."""
    pid = who.get("pid")
    if who.get("host") != socket.gethostname() or not isinstance(pid, int):
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
