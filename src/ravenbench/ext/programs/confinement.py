"""Shutting an outside program in: with bubblewrap it has files, processes and a network of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store")
_TABLES = "/etc"
_SECRET = ("shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "sudoers.d", "ssl/private", "ssh", "krb5.keytab")
_SCRATCH = 2**30
"""Bytes that may lie in /tmp and /dev/shm, which exist for the program alone, in memory."""
_NAMED = re.compile(r"/[^\s'\";|&<>()$]+")
_NAMESPACES = ("--unshare-all", "--die-with-parent", "--cap-drop", "ALL")


@dataclass(frozen=True)
class FilesystemView:
    """What a confined program sees of the file system besides the system itself.

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
    """Why programs cannot be confined here, None where they can; found out by trying."""
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap (the program bwrap) is not installed"
    true = shutil.which("true") or "/bin/true"
    command = [program, *_NAMESPACES, *_system(), "--proc", "/proc", "--dev", "/dev", true]
    try:
        tried = subprocess.run(command, capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        return f"bubblewrap cannot be started ({error})"
    if tried.returncode:
        said = tried.stderr.decode(errors="replace").strip()
        return f"bubblewrap may not make namespaces here ({said[-200:] or f'code {tried.returncode}'})"
    return None


def confined(argv: Sequence[str], folder: Path, view: FilesystemView) -> list[str]:
    """The command line that runs a program in a sandbox.

    The system's folders are there to read, ``view`` besides, and nothing else: no home, no other's temporary files. It
    sees no other processes (and all it starts end with it), no network and no rights of an administrator.
    """
    program = shutil.which("bwrap") or "bwrap"
    space = ["--size", str(_SCRATCH), "--tmpfs"]
    line = [program, *_NAMESPACES, *_system(), "--proc", "/proc", "--dev", "/dev", *space, "/dev/shm", *space, "/tmp"]
    for path in view.shown:
        line += ["--dev-bind" if path.is_relative_to("/dev") else "--ro-bind", str(path), str(path)]
        # A run that lies there holds truth.
        for place in (*path.glob("*/run.json"), *path.glob("*/*/run.json")):
            line += ["--tmpfs", str(place.parent)]
    for path in view.written:
        line += ["--bind", str(path), str(path)]
    return [*line, "--remount-ro", "/", "--chdir", str(folder), "--", *argv]


def needed(argv: Sequence[str]) -> list[Path]:
    """Files and folders that a command line names and the system's folders do not hold.

    A program in an environment (of ``venv``, conda, pyenv) needs it whole, and the one it was made from.
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
    return [path, *(home / part for part in ("bin", "lib", "lib64", "libexec", "include", "share/R"))]


def _is_system(path: Path) -> bool:
    return any(path.is_relative_to(name) for name in (*_SYSTEM, _TABLES, "/proc", "/dev"))


def _too_much(path: Path) -> bool:
    """Whether a place is no program's: the root, a home, or a folder that holds homes or everybody's files."""
    return Path.home().is_relative_to(path) or path in (Path("/tmp"), Path("/var"), Path("/var/tmp"), Path("/home"))
