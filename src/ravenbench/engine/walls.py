"""Shuts a process in by namespaces of the kernel, without rights: what others' code does there stays there (Linux).

In: for ``view`` modules, texts that may name files, and the folder of a run; for ``close`` a view and an empty folder
to build it in.
Out: ``obstacle`` why there are no walls ("" = there are); ``enter`` forks a process behind walls (0 there, its number
here); ``close`` has it see a view alone, which ``view`` gives as words for ``walls.sh``; ``inside`` variables of the
environment there. OSError from ``enter`` and ``close`` where the system refuses.

Behind walls a process has process ids, IPC, a network without devices, /tmp and /dev/shm of its own, which end with it.
Of the file system it sees, and cannot write, the system's own folders, Python, installed packages, the code (modules
and packages) in other folders that Python imports from, files that a parameter names, and models of the Hugging Face
hub; not, through any link, the run, what a command reads (``hide``), Raven's cache and corpora; nor the user's home. It
has no rights to change that. The state of the machine (its load, the files in its memory, locks on shared files) stays
visible.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ravenbench import files

SWITCH = "RAVEN_WALLS"
"""The environment variable that is "off" if no method should be confined."""
READ = "RAVEN_READ"
"""The environment variable that has the places of what a command reads."""
DATA = (
    "background",
    "batch",
    "candidates",
    "conditions",
    "corpus",
    "data",
    "each",
    "grades",
    "known",
    "problems",
    "questioned",
    "rankings",
    "rewritings",
    "source",
    "test",
    "train",
    "unknown",
    "validated",
)
"""Options that name these, of all tasks."""
NAMESPACES = 0x10000000 | 0x20000 | 0x20000000 | 0x40000000 | 0x08000000
"""Of users, mounts, processes, networks and IPC."""
SET_ATTRIBUTES = 442
READ_ONLY, RECURSIVE = 1, 0x8000
JOIN_KEYRING = {"x86_64": 250, "aarch64": 219}
"""Numbers of system calls."""
NO_NEW_RIGHTS = 38
SEEN = "a confined method sees only its own code and the files that its parameters name"
PRIVATE_FOLDERS = ("/tmp", "/dev/shm")  # noqa: S108


def _called(name: str, *args: object) -> None:
    """Call a function of C that gives 0 where it did what it should."""
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*args):
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def _set(path: str, flags: int, *set_and_cleared: int) -> None:
    """Set and clear attributes of a mount."""
    attributes = (ctypes.c_uint64 * 4)(*set_and_cleared)
    _called("syscall", SET_ATTRIBUTES, -100, path.encode(), flags, attributes, 32)


@cache
def obstacle() -> str:
    """Why nothing can be shut in here, "" where it can; found out by trying, in a process without threads."""
    if os.environ.get(SWITCH) == "off":
        return f"{SWITCH}=off"
    if sys.platform != "linux":
        return "this system does not have namespaces"
    if platform.machine() not in JOIN_KEYRING:
        return f"Raven cannot confine a program on this type of machine, {platform.machine()}"
    read, write = os.pipe()
    if not (child := os.fork()):
        try:
            if not enter():
                close(tempfile.gettempdir(), [])
                os.write(write, b"closed")
        except BaseException as error:
            os.write(write, str(error).encode()[:200])
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read().decode(errors="replace")
    os.waitpid(child, 0)
    return "" if said == "closed" else f"user namespaces are not available: {said}"


def enter() -> int:
    """Fork a process into namespaces of its own, of which it is the first; 0 there, its number here."""
    user, group = os.getuid(), os.getgid()
    _called("unshare", NAMESPACES)
    for name, line in (
        ("setgroups", "deny"),
        ("uid_map", f"0 {user} 1"),
        ("gid_map", f"0 {group} 1"),
    ):
        Path("/proc/self", name).write_text(line)
    return os.fork()


def close(root: str, view: list[str]) -> None:
    """See a view alone, which cannot be written, and private folders; give up all rights, for good, and the keyring
    that others share."""
    script = str(Path(__file__).with_name("walls.sh"))
    done = subprocess.run(["/bin/sh", script, root, *view], capture_output=True)
    if done.returncode:
        raise OSError(done.stderr.decode(errors="replace").strip())
    _set("/", RECURSIVE, READ_ONLY)
    for path in (*PRIVATE_FOLDERS, *filter(os.path.ismount, _kernels())):
        _set(path, 0, 0, READ_ONLY)
    c = ctypes.CDLL(None)
    c.syscall(JOIN_KEYRING[platform.machine()], 1, None)
    head = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _called("capset", head, (ctypes.c_uint32 * 6)())
    _called("prctl", NO_NEW_RIGHTS, ctypes.c_ulong(1), 0, 0, 0)


def _kernels() -> set[str]:
    """The folders of Raven's code that numba keeps compiled functions in: it must be able to write there."""
    package = Path(files.__file__).parent
    return {str(file.parent) for file in package.glob("*/__pycache__/*.nbi")}


def view(modules: Iterable[str], texts: Iterable[str], run: Path | None) -> list[str]:
    """Return what code of these modules may read: files that these texts name, but not the folder of a run."""
    shown = [sys.prefix, sys.base_prefix]
    for module in {"ravenbench", *(name.partition(".")[0] for name in modules)}:
        with suppress(Exception):
            spec = find_spec(module)
            if spec and spec.origin:  # else it is a folder that holds no code
                shown += spec.submodule_search_locations or [spec.origin]
    imported = [Path(one).absolute() for one in (".", *sys.path)]
    shown += [str(one) for one in imported if one.name in ("site-packages", "dist-packages")]
    code = [one for one in imported if not any(one.is_relative_to(path) for path in shown)]
    for text in texts:
        with suppress(OSError, ValueError):
            path = Path(os.path.normpath(Path(text).expanduser().absolute()))
            folder = os.sep in text and path.is_dir()
            whole = any(one.is_relative_to(path) for one in (Path.cwd(), Path.home()))
            shown += [str(path)] if path.is_file() or (folder and not whole) else []
    shown += map(str, Path(_hub()).glob("models--*"))
    data = (os.environ.get(f"{name}_DATA") for name in ("RAVEN", "SCIKIT_LEARN", "NLTK"))
    hidden: list[str | Path] = [files.cache_folder(), *filter(None, data)]
    hidden += os.environ.get(READ, "").split(os.pathsep)
    hidden += [] if run is None or files.is_remote(run) else [run]
    words = {
        "hide": (str(Path(one).absolute()) for one in hidden if one),
        "code": map(str, code),
        "show": filter(os.path.isabs, shown),
        "copy": _kernels(),
    }
    return [
        text
        for word, paths in words.items()
        for path in dict.fromkeys(paths)
        for text in (word, path)
    ]


def hide(options: Mapping[str, Any]) -> None:
    """Have no method see the data that these options of a command name; nor in processes that this one starts."""
    texts = [str(options[name]) for name in DATA if options.get(name) is not None]
    texts += [part for text in texts for part in re.findall(r"[^\[\]()\"',]+", text)]
    hidden = list[str]()
    for text in filter(str.strip, texts):
        with suppress(OSError, ValueError):
            path = Path(text).resolve()
            if path.exists() and not Path.cwd().is_relative_to(path):  # its code lies here
                hidden.append(str(path))
    os.environ[READ] = os.pathsep.join(hidden)


def _hub() -> str:
    """The folder with models of the Hugging Face hub."""
    home = os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface"
    return os.environ.get("HF_HUB_CACHE") or str(Path(home, "hub"))


def inside() -> dict[str, str]:
    """What the environment says behind walls: where files may be kept for a while, and that there is no network."""
    caches = dict.fromkeys(("XDG_CACHE_HOME", "RAVEN_CACHE"), PRIVATE_FOLDERS[1])
    return {**caches, "HF_HUB_CACHE": _hub(), "HF_HUB_OFFLINE": "1"}
