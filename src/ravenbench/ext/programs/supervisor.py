"""Starts one program, controls all processes that it starts, and ends with it: run as a script, never imported.

In: the arguments below (process number, file descriptor, count of open files, bytes a file, seconds of GRACE). Out:
one line on STATUS_FD with how the program ended.

    python -I -S supervisor.py PARENT STATUS_FD OPEN_FILES FILE_BYTES GRACE PROGRAM [ARGUMENT …]

Processes that a program starts may clear their environment and begin a new session; they stay descendants of this
process, which inherits the orphans among its descendants (Linux: ``PR_SET_CHILD_SUBREAPER``). It kills them all when the
program has ended, when it receives SIGTERM, and when its parent dies (``PR_SET_PDEATHSIG``). It writes how
the program ended to STATUS_FD: ``exit CODE``, ``signal NUMBER``, ``left`` or ``start ERRNO``.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import time
from contextlib import suppress
from typing import NoReturn

_PARENT_DEATH = 1
_SUBREAPER = 36
_LAST = 10.0
"""Seconds in which descendants must be gone once they are killed."""


class Stop(BaseException):
    """The supervisor received the signal to stop."""


def main(arguments: list[str]) -> None:
    """Run the program to its end, or until told to stop."""
    parent, status, files, size = (int(value) for value in arguments[:4])
    os.set_inheritable(status, False)
    signal.signal(signal.SIGTERM, _stop)
    program = 0
    said = "stopped"
    try:
        _ask(_PARENT_DEATH, signal.SIGTERM)
        _ask(_SUBREAPER, 1)
        if os.getppid() == parent:
            me = os.getpid()
            program = os.fork()
            if program == 0:
                _become(
                    arguments[5:],
                    me,
                    status,
                    {resource.RLIMIT_NOFILE: files, resource.RLIMIT_FSIZE: size},
                )
            said = _await(program, float(arguments[4]))
    except Stop:
        pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _end_all(program)
    os.write(status, said.encode())


def _stop(number: int, frame: object) -> None:
    # Once is enough: told twice, it would be interrupted in ending what it started.
    signal.signal(number, signal.SIG_IGN)
    raise Stop


def _ask(option: int, value: int) -> None:
    """One wish to the kernel; another system than Linux does not know it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), 0, 0, 0)


def _become(program: list[str], parent: int, status: int, limits: dict[int, int]) -> NoReturn:
    """Turn into the program, in a session of its own, that dies with the supervisor."""
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.setsid()
        _ask(_PARENT_DEATH, signal.SIGKILL)
        if (
            os.getppid() != parent
        ):  # killed before the wish was known: nobody would ever end this process
            os._exit(127)
        for what, most in {**limits, resource.RLIMIT_CORE: 0}.items():
            hard = resource.getrlimit(what)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(what, (most, most))
        os.execv(program[0], program)
    except OSError as error:
        os.write(status, f"start {error.errno} ".encode())
    os._exit(127)


def _await(program: int, grace: float) -> str:
    """How the program ended; ``left`` where something that it started still runs after a moment's grace."""
    while True:
        process, code = os.waitpid(-1, 0)
        if process == program:
            break
    until = time.monotonic() + grace
    try:
        while time.monotonic() < until:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.02)
        return "left"
    except ChildProcessError:
        return (
            f"signal {os.WTERMSIG(code)}"
            if os.WIFSIGNALED(code)
            else f"exit {os.WEXITSTATUS(code)}"
        )


def _end_all(program: int) -> None:
    """Kill the children; theirs become ours and are killed next, until there are none."""
    until = time.monotonic() + _LAST
    while time.monotonic() < until:
        for process in _children():
            _kill(process)
        if program:
            _kill_group(program)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def _children() -> list[int]:
    """Processes whose parent this is; [] where the system does not show processes as files."""
    me = str(os.getpid())
    children = []
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else []:  # noqa: PTH112, PTH208
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                    if file.read().rpartition(b")")[2].split()[1].decode() == me:
                        children.append(int(name))
            except (OSError, IndexError):
                pass
    return children


def _kill(process: int) -> None:
    with suppress(OSError):
        os.kill(process, signal.SIGKILL)


def _kill_group(group: int) -> None:
    with suppress(OSError):
        os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1:])
