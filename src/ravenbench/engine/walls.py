"""Shuts a process in by namespaces of the kernel, without rights: what others' code does there stays there (Linux).

In: folders and files to show and to hide (paths), an empty folder to build the view in; ``view`` takes modules and
texts that may name files.
Out: ``obstacle`` why there are no walls ("" = there are); ``enter`` forks a process behind walls (0 there, its number
here); ``close`` builds the view there; ``view`` gives the paths to show and to hide. OSError from ``enter`` and
``close`` where the system refuses.

Behind walls a process has process ids, IPC, a network without devices, /tmp and /dev/shm of its own, which end with it.
Of the file system it sees, and cannot write, the system's own folders, Python, installed packages, the code (modules
and packages) in other folders that Python imports from, files that a parameter names, and models of the Hugging Face
hub; not the run, Raven's cache, corpora and the user's home. It has no rights to change that.
"""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from ravenbench import files

SWITCH = "RAVEN_WALLS"
"""The environment variable that is "off" where nothing is to be shut in."""
NAMESPACES = 0x10000000 | 0x20000 | 0x20000000 | 0x40000000 | 0x08000000
"""Of users, mounts, processes, networks and IPC."""
BIND, PRIVATE, DETACH = 0x1000 | 0x4000, 0x40000 | 0x4000, 2
SET_ATTRIBUTES = 442
READ_ONLY, RECURSIVE = 1, 0x8000
JOIN_KEYRING = {"x86_64": 250, "aarch64": 219}
"""Numbers of system calls."""
DROP_BOUNDING, NO_NEW_RIGHTS, MOST_RIGHTS = 24, 38, 64
SYSTEM: tuple[str, ...] = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/sys")
SYSTEM += (
    "/nix/store",
    "/gnu/store",
    *(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom")),
)
SYSTEM += tuple(
    f"/etc/{name}"
    for name in ("ld.so.cache", "passwd", "group", "nsswitch.conf", "localtime", "alternatives")
)
SEEN = "behind walls a method sees its own code, and files that its parameters name"
DEVICES = ("nvidia*", "dri", "kfd")
CODE = ("*.py", "*.so", "*.pyd", "*-info", "*/__init__.py")
INSTALLED = ("site-packages", "dist-packages")
PRIVATE_FOLDERS = ("/tmp", "/dev/shm")  # noqa: S108


def _called(name: str, *args: object) -> None:
    """Call a function of C that gives 0 where it did what it should."""
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*args):
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def _mount(kind: bytes, source: str, target: str, flags: int = 0) -> None:
    _called("mount", source.encode(), target.encode(), kind, ctypes.c_ulong(flags), None)


def _set(path: str, flags: int, set_and_cleared: tuple[int, int]) -> None:
    """Set and clear attributes of a mount."""
    attributes = (ctypes.c_uint64 * 4)(*set_and_cleared, 0, 0)
    _called("syscall", SET_ATTRIBUTES, -100, path.encode(), flags, attributes, 32)


@cache
def obstacle() -> str:
    """Why nothing can be shut in here, "" where it can; found out by trying, in a process without threads."""
    if os.environ.get(SWITCH) == "off":
        return f"{SWITCH}=off"
    if sys.platform != "linux":
        return "this system has no namespaces"
    read, write = os.pipe()
    if not (child := os.fork()):
        try:
            if not enter():
                close(tempfile.gettempdir(), SYSTEM, ())
                os.write(write, b"closed")
        except BaseException as error:
            os.write(write, str(error).encode()[:200])
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read().decode(errors="replace")
    os.waitpid(child, 0)
    return "" if said == "closed" else f"no user namespaces here: {said}"


def enter() -> int:
    """Fork a process into namespaces of its own, of which it is the first; 0 there, its number here."""
    user, group = os.getuid(), os.getgid()
    _called("unshare", NAMESPACES)
    for name, line in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        Path("/proc/self", name).write_text(line)
    return os.fork()


def close(root: str, shown: Iterable[str], hidden: Iterable[str]) -> None:
    """See these paths alone, of which none can be written, and private folders; give up all rights."""
    _mount(b"", "", "/", PRIVATE)
    for path in ("", *PRIVATE_FOLDERS):
        os.makedirs(root + path, exist_ok=True)  # noqa: PTH103
        _mount(b"tmpfs", "tmpfs", root + path)
    for path in shown:
        _show(path, root + path)
    for path in hidden:
        if os.path.isdir(root + path):  # noqa: PTH112
            _mount(b"tmpfs", "tmpfs", root + path)
        elif os.path.lexists(root + path):
            _mount(b"", "/dev/null", root + path, BIND)
    for path in ("/proc", os.getcwd()):  # noqa: PTH109
        os.makedirs(root + path, exist_ok=True)  # noqa: PTH103
    kernels = [one for one in _kernels() if os.path.isdir(root + one)]  # noqa: PTH112
    for name, target in (("fd", "/proc/self/fd"), ("stdin", "/proc/self/fd/0")):
        Path(root, "dev", name).symlink_to(target)
    _set(root, RECURSIVE, (READ_ONLY, 0))
    for path in PRIVATE_FOLDERS:
        _set(root + path, 0, (0, READ_ONLY))
    for folder in kernels:
        _mount(b"tmpfs", "tmpfs", root + folder)
        shutil.copytree(folder, root + folder, dirs_exist_ok=True)
    _mount(b"proc", "proc", root + "/proc")
    os.chdir(root)
    _called("pivot_root", b".", b".")
    _called("umount2", b".", DETACH)
    os.chdir("/")
    _give_up()


def _show(path: str, at: str) -> None:
    """Have a path here under another one, a link as what it leads to; what is not here is left out."""
    with suppress(OSError):
        if os.path.isdir(path):  # noqa: PTH112
            os.makedirs(at, exist_ok=True)  # noqa: PTH103
        elif os.path.exists(path):  # noqa: PTH110
            os.makedirs(os.path.dirname(at), exist_ok=True)  # noqa: PTH103, PTH120
            Path(at).touch()
        else:
            return
        _mount(b"", path, at, BIND)


def _kernels() -> set[str]:
    """The folders of Raven's code that numba keeps compiled functions in: it must be able to write there."""
    package = Path(files.__file__).parent
    return {str(file.parent) for file in package.glob("*/__pycache__/*.nbi")}


def _give_up() -> None:
    """Give up all rights in these namespaces, for good, and the keyring that others share."""
    if number := JOIN_KEYRING.get(platform.machine()):
        ctypes.CDLL(None).syscall(number, 1, None)
    prctl = ctypes.CDLL(None).prctl
    for right in range(MOST_RIGHTS):
        prctl(DROP_BOUNDING, ctypes.c_ulong(right), 0, 0, 0)
    head = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _called("capset", head, (ctypes.c_uint32 * 6)())
    prctl(NO_NEW_RIGHTS, ctypes.c_ulong(1), 0, 0, 0)


def view(
    modules: Iterable[str], named: Iterable[str], run: Path | None
) -> tuple[list[str], list[str]]:
    """The paths to show to code of these modules, which may read files that are named, and those to hide."""
    shown = [*SYSTEM, *(str(one) for name in DEVICES for one in Path("/dev").glob(name))]
    shown += [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
    for module in {name.partition(".")[0] for name in modules}:
        with suppress(Exception):
            spec = find_spec(module)
            shown += [] if spec is None else spec.submodule_search_locations or [spec.origin or ""]
    for folder in map(Path, [str(Path.cwd()), *sys.path]):
        if folder.name in INSTALLED:
            shown.append(str(folder))
        elif not any(folder.is_relative_to(path) for path in shown):
            code = (one for pattern in CODE for one in folder.glob(pattern))
            shown += [str(one.parent if one.name == "__init__.py" else one) for one in code]
    shown += [str(Path(one).absolute()) for one in named]
    shown += map(str, Path(_hub()).glob("models--*"))
    data = ("RAVEN_DATA", "SCIKIT_LEARN_DATA", "NLTK_DATA")
    hidden = [files.cache_folder(), *(Path(os.environ[one]) for one in data if one in os.environ)]
    hidden += [] if run is None or files.is_remote(run) else [run]
    return _outermost(shown), [str(one) for path in hidden for one in {path, path.resolve()}]


def _hub() -> str:
    """The folder with models of the Hugging Face hub."""
    home = os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface"
    return os.environ.get("HF_HUB_CACHE") or str(Path(home, "hub"))


def inside() -> dict[str, str]:
    """What the environment says behind walls: where files may be kept for a while, and that there is no network."""
    caches = dict.fromkeys(("XDG_CACHE_HOME", "RAVEN_CACHE"), PRIVATE_FOLDERS[1])
    return {**caches, "HF_HUB_CACHE": _hub(), "HF_HUB_OFFLINE": "1"}


def _outermost(paths: Sequence[str]) -> list[str]:
    """Paths that lie in none of the others, and where a link leads elsewhere, that place."""
    places = {path for one in paths if one for path in (one, os.path.realpath(one))}
    chosen = list[str]()
    for path in sorted(places):
        if path != "/" and not any(Path(path).is_relative_to(one) for one in chosen):
            chosen.append(path)
    return chosen


def named_files(values: Iterable[str]) -> list[str]:
    """The files among these texts, and the folders that are written as paths."""
    chosen = list[str]()
    for value in values:
        with suppress(OSError, ValueError):
            path = Path(value).expanduser()
            if path.is_file() or (os.sep in value and path.is_dir()):
                chosen.append(str(path))
    return chosen
