"""Runs an outside program: private folder, cleared environment, limits, and nothing of it left behind."""

from __future__ import annotations

import os
import selectors
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ravenbench.errors import ProgramError
from ravenbench.programs.confinement import View, confined
from ravenbench.programs.usage import Limits, usage

FLOOD = 64 * 2**20
"""Most bytes a program may say on stdout and stderr together."""
_TAIL = 2000
_BLOCK = 1 << 16
_GRACE = 1.0
_LOOK = 0.25
"""Seconds between two looks at what a program uses."""
_SUPERVISOR = Path(__file__).with_name("supervisor.py")


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


def run_program(
    argv: Sequence[str], folder: Path, timeout: float, view: View | None = None, limits: Limits | None = None
) -> Ran:
    """Run a program in a folder to its end, with no input, and kill whatever it started.

    Parameters
    ----------
    argv : sequence of str
        Absolute path of the program, and arguments.
    folder : Path
        Working folder, home and place for temporary files; what lies below its parent counts as the program's.
    timeout : float
        Seconds.
    view : View, optional
        Confine it to what this shows; without one it runs as the user.
    limits : Limits, optional
        The most that it may use.

    Raises
    ------
    ProgramError
        If it cannot be started, exits with another code than 0, runs too long, says more than ``FLOOD`` bytes, uses
        more than it may or, unconfined, leaves processes behind.
    """
    limits = limits or Limits()
    line = [*argv] if view is None else confined(argv, folder, view)
    reading, writing = os.pipe()
    numbers = (os.getpid(), writing, limits.files, limits.disk, _GRACE)
    supervised = [sys.executable, "-I", "-S", str(_SUPERVISOR), *map(str, numbers), *line]
    try:
        process = subprocess.Popen(
            supervised, cwd=folder, env=_environment(folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True, pass_fds=(writing,),
        )  # fmt: skip
    except OSError as error:
        os.close(reading)
        raise ProgramError(f"{shlex.join(argv)} cannot be started ({error.strerror})") from error
    finally:
        os.close(writing)
    try:
        said, fault = _watch(process, timeout, folder.parent, limits)
    finally:
        _stop(process)
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        with os.fdopen(reading, "rb") as status:
            ended = status.read().decode()
    fault = fault or _fault(ended, view is not None)
    if fault is not None:
        raise ProgramError(f"{shlex.join(argv)}: {fault}{said.tail()}")
    return said


def _environment(folder: Path) -> dict[str, str]:
    """All that a program is told: where programs lie, a home of its own, and one thread for linear algebra."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {
        "PATH": os.environ.get("PATH", os.defpath), "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1", **threads,
    }  # fmt: skip


def _watch(process: subprocess.Popen[bytes], timeout: float, place: Path, limits: Limits) -> tuple[Ran, str | None]:
    """What a program said until it ended, and why it had to be stopped, if so."""
    assert process.stdout is not None and process.stderr is not None
    ends = {"stdout": b"", "stderr": b""}
    total = 0
    fault: str | None = None
    until = time.monotonic() + timeout
    look = time.monotonic() + _LOOK
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
            elif not over and time.monotonic() > look:
                began = time.monotonic()
                fault = usage(process.pid, place).beyond(limits)
                # A look into large folders takes its time; it never takes more than a tenth of all.
                look = time.monotonic() + max(_LOOK, 10 * (time.monotonic() - began))
            if fault is not None or (over and not ready):
                return Ran(ends["stdout"], ends["stderr"]), fault


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the supervisor, which ends all that the program started; what does not obey is killed."""
    if process.poll() is None:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(15)
    if process.poll() is None:
        process.kill()
        process.wait()


def _fault(ended: str, inside: bool) -> str | None:
    """What is wrong with how a program ended, in words; a confined one tells its signal as a code above 128."""
    what, _, rest = ended.partition(" ")
    number = int(rest.split()[0]) if rest else 0
    if what == "start":
        return f"it cannot be started ({os.strerror(number)})"
    if what == "left":
        return "it ended but left processes running"
    if what == "exit" and not (inside and number > 128):
        return f"it ended with code {number}" if number else None
    if what in ("exit", "signal"):
        number -= 128 if what == "exit" else 0
        with suppress(ValueError):
            return f"it was ended by {signal.Signals(number).name}"
        return f"it was ended by signal {number}"
    return "it was killed with the process that watches it"
