"""Runs an outside program in a private folder with a cleared environment and limits, confined where possible.

In: ``run_program``: a command as a list, a folder, a timeout in seconds, a ``FilesystemView`` (what it may read and
write; None = not confined), ``Limits`` (bytes, numbers of processes and files); ``Rules.run`` the same from ``Rules``
(GiB); ``arguments``: a command line as text, a folder, values for ``$name``.
Out: a ``Ran`` with the ends of its stdout and stderr as bytes; ProgramError if it fails. ``arguments`` returns a command
as a list (SpecError if it does not parse, InputError if the program is not found), ``confined`` a command in a sandbox,
``needed`` paths; ``Rules.check`` nothing (SpecError, InputError), ``usage`` and ``machine_memory`` bytes, ``obstacle``
why programs cannot be confined (or None); ``check_plain`` refuses links (ProgramError).
"""

from __future__ import annotations

import os
import re
import selectors
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ravenbench.errors import InputError, ProgramError, SpecError
from ravenbench.programs import note, parent_of

_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/gnu/store",
)
_TABLES = "/etc"
_SECRET = (
    "shadow",
    "shadow-",
    "gshadow",
    "gshadow-",
    "sudoers",
    "sudoers.d",
    "ssl/private",
    "ssh",
    "krb5.keytab",
)
_SCRATCH = 2**30
"""Maximum bytes in /tmp and /dev/shm, which only the program sees, in memory."""
_NAMED = re.compile(r"/[^\s'\";|&<>()$]+")
_NAMESPACES = ("--unshare-all", "--die-with-parent", "--cap-drop", "ALL")


@dataclass(frozen=True)
class FilesystemView:
    """The part of the file system that a confined program sees, besides the system itself.

    Attributes
    ----------
    shown : tuple of Path
        Files and folders it may read.
    written : tuple of Path
        Folders it may write to.
    """

    shown: tuple[Path, ...]
    written: tuple[Path, ...]


@cache
def obstacle() -> str | None:
    """Try to confine a program; return why this is not possible here, or None."""
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap (the program bwrap) is not installed"
    true = shutil.which("true") or "/bin/true"
    command = [program, *_NAMESPACES, *_system(), "--proc", "/proc", "--dev", "/dev", true]
    try:
        tried = subprocess.run(command, capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        return f"Raven cannot start bubblewrap ({error})"
    if tried.returncode:
        said = tried.stderr.decode(errors="replace").strip()
        return f"bubblewrap has no permission to make namespaces here ({said[-200:] or f'code {tried.returncode}'})"
    return None


def confined(argv: Sequence[str], folder: Path, view: FilesystemView) -> list[str]:
    """Return the command line (list of arguments) that runs a program in a sandbox.

    The program can read the system's folders and ``view``, and nothing else: no home, no temporary files of others. It
    sees no other processes (and all processes it starts end with it), has no network and no administrator rights.
    """
    program = shutil.which("bwrap") or "bwrap"
    space = ["--size", str(_SCRATCH), "--tmpfs"]
    line = [
        program,
        *_NAMESPACES,
        *_system(),
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        *space,
        "/dev/shm",
        *space,
        "/tmp",
    ]
    for path in view.shown:
        line += ["--dev-bind" if path.is_relative_to("/dev") else "--ro-bind", str(path), str(path)]
        # A run that lies there holds truth.
        for place in (*path.glob("*/run.json"), *path.glob("*/*/run.json")):
            line += ["--tmpfs", str(place.parent)]
    for path in view.written:
        line += ["--bind", str(path), str(path)]
    return [*line, "--remount-ro", "/", "--chdir", str(folder), "--", *argv]


def needed(argv: Sequence[str]) -> list[Path]:
    """Return files and folders that a command line names and that are not in the system's folders.

    A program in an environment (``venv``, conda, pyenv) needs the complete environment, and the one it was made from.
    """
    words = [argv[0], *(paths for part in argv[1:] for paths in _NAMED.findall(part))]
    paths: dict[Path, None] = {}
    for word in words:
        for path in _links(Path(os.path.normpath(word))):
            for need in _whole(path):
                if need.exists() and not _is_system(need) and not _too_much(need):
                    paths[need] = None
    return list(paths)


def _system() -> list[str]:
    """The system's folders to read; where one is a link (``/bin`` → ``usr/bin``) it stays one."""
    line: list[str] = []
    for name in _SYSTEM:
        path = Path(name)
        if path.is_symlink():
            line += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            line += ["--ro-bind", name, name]
    line += ["--ro-bind", _TABLES, _TABLES]
    for name in _SECRET:
        path = Path(_TABLES, name)
        if path.is_symlink():
            continue
        if path.is_dir():
            line += ["--tmpfs", str(path)]
        elif path.exists():
            line += ["--ro-bind", "/dev/null", str(path)]
    return line


def _links(path: Path) -> Iterator[Path]:
    """A path and those that it leads to, link by link."""
    for _ in range(40):
        yield path
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    yield path.resolve()


def _whole(path: Path) -> Iterable[Path]:
    """What must be there for a file to work: an interpreter's environment, or the file alone."""
    home = path.parent.parent
    if path.parent.name not in ("bin", "Scripts"):
        return [path]
    if (home / "pyvenv.cfg").exists() or (home / "conda-meta").exists():
        return [home]
    return [
        path,
        *(home / part for part in ("bin", "lib", "lib64", "libexec", "include", "share/R")),
    ]


def _is_system(path: Path) -> bool:
    return any(path.is_relative_to(name) for name in (*_SYSTEM, _TABLES, "/proc", "/dev"))


def _too_much(path: Path) -> bool:
    """Whether a place is no program's: the root, a home, or a folder that holds homes or everybody's files."""
    return Path.home().is_relative_to(path) or path in (
        Path("/tmp"),
        Path("/var"),
        Path("/var/tmp"),
        Path("/home"),
    )


def arguments(
    command: str, folder: str, places: Mapping[str, str | Path], usual: str = ""
) -> list[str]:
    """Split a command as a shell does, without starting a shell, and insert values for ``$name`` and ``${name}``.

    Parameters
    ----------
    command : str
        Program and arguments.
    folder : str
        The folder of files named in the command: arguments that name a file there become absolute.
    places : mapping
        Values by name.
    usual : str
        Arguments to add if the command contains none of the names.

    Returns
    -------
    list of str
        The absolute path of the program, and its arguments.

    Raises
    ------
    SpecError
        If the command does not parse or is empty.
    InputError
        If the program is not found.
    """
    try:
        parts = shlex.split(command)
    except ValueError as error:
        raise SpecError(f"the command does not parse ({error})", found=command) from None
    if not parts:
        raise SpecError("the command is empty", expected="a program and its arguments")
    if not any(f"${name}" in command or f"${{{name}}}" in command for name in places):
        parts += shlex.split(usual)
    base = Path(folder).absolute()
    executable = shutil.which(parts[0]) or shutil.which(str(base / parts[0]))
    if executable is None:
        raise InputError(
            "program not found",
            found=parts[0],
            expected=f"a program on PATH, or a file below {base}",
        )
    rest = [str(base / part) if (base / part).is_file() else part for part in parts[1:]]
    for name, value in places.items():
        rest = [
            part.replace(f"${{{name}}}", str(value)).replace(f"${name}", str(value))
            for part in rest
        ]
    return [str(Path(executable).absolute()), *rest]


_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_GIB = 2**30


@dataclass(frozen=True)
class Limits:
    """The limits of a program.

    Attributes
    ----------
    processes : int
        Maximum processes at one time, without threads.
    memory : int
        Maximum bytes of memory of its processes together, without shared memory.
    disk : int
        Maximum bytes in its folders, and of a single file.
    files : int
        Maximum files open in one process.
    """

    processes: int = 512
    memory: int = 0
    disk: int = 10 * _GIB
    files: int = 4096


@dataclass(frozen=True)
class Usage:
    """What a program uses now: number of processes, bytes of memory and of disk."""

    processes: int
    memory: int
    disk: int

    def beyond(self, limits: Limits) -> str | None:
        """Return which limit is exceeded, in words, or None."""
        if self.processes > limits.processes:
            return f"it had {self.processes:,} processes, more than {limits.processes:,}"
        most = limits.memory or machine_memory()
        if most and self.memory > most:
            return (
                f"its processes used {self.memory / _GIB:.2f} GiB of memory, more than"
                f" {most / _GIB:.2f}"
            )
        if self.disk > limits.disk:
            return f"it wrote {self.disk / _GIB:.2f} GiB, more than {limits.disk / _GIB:.2f}"
        return None


def usage(root: int, folder: Path) -> Usage:
    """Return processes and bytes of memory of the descendants of process ``root``, and bytes of the files below a folder."""
    children = defaultdict(list)
    for place in Path("/proc").glob("[0-9]*"):
        children[parent_of(int(place.name))].append(int(place.name))
    processes: list[int] = []
    waiting = [root]
    while waiting:
        below = children.get(waiting.pop(), [])
        processes += below
        waiting += below
    return Usage(len(processes), sum(_own_memory(process) for process in processes), _size(folder))


def machine_memory() -> int:
    """Return four fifths of this machine's memory in bytes; 0 if unknown."""
    try:
        return int(os.sysconf("SC_PHYS_PAGES")) * _PAGE * 4 // 5
    except (ValueError, OSError, AttributeError):
        return 0


def _own_memory(process: int) -> int:
    with suppress(OSError, IndexError, ValueError):
        _, resident, shared, *_ = Path(f"/proc/{process}/statm").read_text().split()
        return (int(resident) - int(shared)) * _PAGE
    return 0


def _size(folder: Path) -> int:
    total = 0
    for place, _, files in os.walk(folder):
        for name in files:
            with suppress(OSError):
                total += Path(place, name).lstat().st_blocks * 512
    return total


FLOOD = 64 * 2**20
"""Maximum bytes that a program may write to stdout and stderr together."""
_TAIL = 2000
_BLOCK = 1 << 16
_GRACE = 1.0
_LOOK = 0.25
"""Seconds between two looks at what a program uses."""
_SUPERVISOR = Path(__file__).with_name("supervisor.py")


@dataclass(frozen=True)
class Ran:
    """What a program wrote: the ends of its stdout and stderr, as bytes."""

    stdout: bytes
    stderr: bytes

    def tail(self) -> str:
        """Return the end of its stderr (or of its stdout if stderr is empty), for a message."""
        for name, said in (("stderr", self.stderr), ("stdout", self.stdout)):
            if text := said[-_TAIL:].decode(errors="replace").strip():
                return f"\n  {name} ends: {text}"
        return "\n  it printed nothing"


def run_program(
    argv: Sequence[str],
    folder: Path,
    timeout: float,
    view: FilesystemView | None = None,
    limits: Limits | None = None,
) -> Ran:
    """Run a program in a folder to its end, without input; return the ends of its stdout and stderr. All processes that it
    started are killed.

    Parameters
    ----------
    argv : sequence of str
        Absolute path of the program, and arguments.
    folder : Path
        Working folder, home and place for temporary files; everything below its parent counts as the program's.
    timeout : float
        Seconds.
    view : FilesystemView, optional
        Confine it to this view; without a view it runs as the user.
    limits : Limits, optional
        The limits of the program.

    Raises
    ------
    ProgramError
        If it cannot be started, exits with another code than 0, runs too long, prints more than ``FLOOD`` bytes,
        exceeds a limit or, unconfined, leaves processes behind.
    """
    limits = limits or Limits()
    line = [*argv] if view is None else confined(argv, folder, view)
    reading, writing = os.pipe()
    numbers = (os.getpid(), writing, limits.files, limits.disk, _GRACE)
    supervised = [sys.executable, "-I", "-S", str(_SUPERVISOR), *map(str, numbers), *line]
    try:
        process = subprocess.Popen(
            supervised,
            cwd=folder,
            env=_environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=(writing,),
        )
    except OSError as error:
        os.close(reading)
        raise ProgramError(f"Raven cannot start {shlex.join(argv)} ({error.strerror})") from error
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
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        **threads,
    }


def _watch(
    process: subprocess.Popen[bytes], timeout: float, place: Path, limits: Limits
) -> tuple[Ran, str | None]:
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
                fault = f"it printed more than {FLOOD:,} bytes"
            elif not over and time.monotonic() > until:
                fault = f"Raven stopped it after {timeout:g} seconds"
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
        return f"Raven cannot start it ({os.strerror(number)})"
    if what == "left":
        return "it ended but left processes running"
    if what == "exit" and not (inside and number > 128):
        return f"it ended with code {number}" if number else None
    if what in ("exit", "signal"):
        number -= 128 if what == "exit" else 0
        with suppress(ValueError):
            return f"{signal.Signals(number).name} ended it"
        return f"signal {number} ended it"
    return "it was killed with the process that watches it"


_HINT = 'it ran confined; readable=[…] gives it access to more files, confine="off" to all that you can read'


@dataclass(frozen=True)
class Rules:
    """The rules of a component for the programs that it runs.

    Attributes
    ----------
    confine : {"auto", "required", "off"}
        Confine them if this system can; refuse to run them if it cannot; or let them run as the user.
    readable : sequence of str
        Files and folders that a confined program may read besides those that its command names.
    memory, disk : float
        Maximum GiB of memory of its processes together (0: four fifths of the machine's), and GiB that it may write.
    processes : int
        Maximum processes at one time.
    """

    confine: str = "auto"
    readable: Sequence[str] = ()
    memory: float = 0.0
    disk: float = 10.0
    processes: int = 512

    def check(self) -> None:
        """Raise an error for rules that cannot be kept.

        SpecError if a rule is invalid. InputError if confinement is required and not possible, or a readable path is
        not found.
        """
        if self.confine not in ("auto", "required", "off"):
            raise SpecError(
                "unknown confinement", found=self.confine, expected="auto, required or off"
            )
        if not (self.memory >= 0 and self.disk > 0 and self.processes > 0):
            limits = f"memory={self.memory}, disk={self.disk}, processes={self.processes}"
            raise SpecError("a limit of a command must be positive", found=limits)
        if self.confine == "required" and (why := obstacle()) is not None:
            raise InputError(
                "Raven cannot confine outside programs here",
                found=why,
                fix=(
                    'install bubblewrap, or set confine="off" for a program that you trust with all'
                    " that you can read"
                ),
            )
        for name in self.readable:
            if not Path(name).exists():
                raise InputError("a path of readable is not found", file=name)

    def run(
        self,
        argv: Sequence[str],
        work: Path,
        timeout: float,
        reads: Sequence[Path] = (),
        writes: Sequence[Path] = (),
    ) -> Ran:
        """Run a program like ``run_program``, confined if possible unless ``confine`` is off; record how it ran.

        Parameters
        ----------
        work : Path
            Its working folder, in a private folder with everything that it writes.
        reads, writes : sequence of Path
            Files and folders that it may read, and folders besides ``work`` that it may write to, if it is confined.
        """
        limits = Limits(self.processes, int(self.memory * 2**30), int(self.disk * 2**30))
        why = "confinement is switched off" if self.confine == "off" else obstacle()
        if why is not None:
            note(f"not confined: {why}")
            ran = run_program(argv, work, timeout, None, limits)
            check_plain(writes)
            return ran
        note("confined")
        # Its private folders stand in its arguments too.
        named = [path for path in needed(argv) if not path.is_relative_to(work.parent)]
        shown = (*named, *(Path(name).absolute() for name in self.readable), *reads)
        try:
            ran = run_program(argv, work, timeout, FilesystemView(shown, (work, *writes)), limits)
        except ProgramError as error:
            raise ProgramError(f"{error}\n  {_HINT}") from None
        check_plain(writes)
        return ran


def check_plain(folders: Sequence[Path]) -> None:
    """Raise an error if a program left something other than files and folders.

    Raven would follow a link with the rights of the user, also to files that the program itself could not read. ProgramError
    if there is a link, a pipe or a device.
    """
    for folder in folders:
        for root, inner, names in os.walk(folder):
            for place in (folder, *(Path(root, name) for name in (*inner, *names))):
                mode = place.lstat().st_mode
                if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                    name = "its output folder" if place == folder else place.name
                    what = "a link" if stat.S_ISLNK(mode) else "something other than a file"
                    raise ProgramError(f"the program left {what} instead of a file: {name}")
