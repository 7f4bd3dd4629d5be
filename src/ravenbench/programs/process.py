"""Runs an outside program: private folder, cleared environment, time limit, and nothing of it left behind."""

from __future__ import annotations

import os
import selectors
import shlex
import signal
import subprocess
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ravenbench.errors import ProgramError

FLOOD = 64 * 2**20
"""Most bytes a program may say on stdout and stderr together."""
_TAIL = 2000
_BLOCK = 1 << 16
_GRACE = 1.0
_MARK = "RAVEN_PROGRAM"


@dataclass(frozen=True)
class Ran:
    """What a program said: the ends of its stdout and stderr."""

    stdout: bytes
    stderr: bytes

    def tail(self) -> str:
        """The end of its stderr (of its stdout where that is empty), for a message."""
        for name, said in (("stderr", self.stderr), ("stdout", self.stdout)):
            if text := said[-_TAIL:].decode(errors="replace").strip():
                return f"\n  {name} ends: {text}"
        return "\n  it said nothing"


def run_program(argv: Sequence[str], folder: Path, timeout: float) -> Ran:
    """Run a program in a folder to its end, with no input, and kill whatever it started.

    Parameters
    ----------
    argv : sequence of str
        Absolute path of the program, and arguments.
    folder : Path
        Working folder, home and place for temporary files.
    timeout : float
        Seconds.

    Raises
    ------
    ProgramError
        If it cannot be started, exits with another code than 0, runs too long, says more than ``FLOOD`` bytes or
        leaves processes behind.
    """
    mark = uuid.uuid4().hex
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    environment = {
        "PATH": os.environ.get("PATH", os.defpath), "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1", _MARK: mark, **threads,
    }  # fmt: skip
    try:
        process = subprocess.Popen(
            argv, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise ProgramError(f"{shlex.join(argv)} cannot be started ({error.strerror})") from error
    try:
        said, fault = _watch(process, timeout)
        if fault is None and _stays(process.pid, mark):
            fault = "it ended but left processes running"
    finally:
        _kill(process.pid, mark)
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
    if fault is None and process.returncode:
        fault = _ended(process.returncode)
    if fault is not None:
        raise ProgramError(f"{shlex.join(argv)}: {fault}{said.tail()}")
    return said


def _watch(process: subprocess.Popen[bytes], timeout: float) -> tuple[Ran, str | None]:
    """What a program said until it ended, and why it had to be stopped, if so."""
    assert process.stdout is not None and process.stderr is not None
    ends = {"stdout": b"", "stderr": b""}
    total = 0
    fault: str | None = None
    until = time.monotonic() + timeout
    with selectors.DefaultSelector() as selector:
        for name, pipe in (("stdout", process.stdout), ("stderr", process.stderr)):
            os.set_blocking(pipe.fileno(), False)
            selector.register(pipe, selectors.EVENT_READ, name)
        while True:
            over = process.poll() is not None
            ready = selector.select(0 if over else 0.05)
            for key, _ in ready:
                block = os.read(key.fd, _BLOCK)
                total += len(block)
                ends[key.data] = (ends[key.data] + block)[-_TAIL:]
                if not block:
                    selector.unregister(key.fileobj)
            if total > FLOOD:
                fault = f"it said more than {FLOOD:,} bytes"
            elif not over and time.monotonic() > until:
                fault = f"it was stopped after {timeout:g} seconds"
            if fault is not None or (over and not ready):
                return Ran(ends["stdout"], ends["stderr"]), fault


def _stays(group: int, mark: str) -> bool:
    """True if something the program started still runs after a moment's grace."""
    until = time.monotonic() + _GRACE
    while _marked(mark) if Path("/proc/self").exists() else _alive(group):
        if time.monotonic() > until:
            return True
        time.sleep(0.05)
    return False


def _kill(group: int, mark: str) -> None:
    """Kill the process group, and what left it but still carries the mark."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    for _ in range(100):
        left = _marked(mark)
        for process in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        if not left:
            return


def _marked(mark: str) -> list[int]:
    """Living processes whose environment holds the mark; [] where the system does not show environments."""
    wanted = f"{_MARK}={mark}".encode()
    found = []
    for place in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if wanted in place.read_bytes():
                found.append(int(place.parent.name))
    return found


def _alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _ended(code: int) -> str:
    if code > 0:
        return f"it ended with code {code}"
    with suppress(ValueError):
        return f"it was ended by {signal.Signals(-code).name}"
    return f"it was ended by signal {-code}"
