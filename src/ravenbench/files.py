"""Writes files so that each is there complete or not at all: temporary name, fsync, rename.

In: ``write_bytes``, ``write_text``, ``write_json``, ``write_array``: a path (or fsspec URL) and bytes, text, a JSON
value or an array; readers: a path; seconds or bytes as limits where named.
Out: the file, and the SHA-256 (hexadecimal text) of what was written; readers (``read_array``, ``map_array``,
``read_ordinary``) give the same back. InputError if a place cannot be used, MissingPart for a URL without its package,
OSError or ValueError from readers of bad files, ValueError for NaN in JSON. Further functions: the cache folder and its
size (bytes), folders and syncing, temporary names and their removal, processes that live.

A temporary name says which process of which machine made it, so that what a killed one left is known and removed.
Modes are those that the user's umask allows; only the user may enter folders with texts.

Object stores have no rename, but putting an object is all or nothing there, so a path of an fsspec file system
(``s3://…``, a ``UPath``) is written directly.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import platform
import re
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ravenbench.errors import OBEYED, InputError, MissingPart, RavenError, install

PRIVATE = 0o700
"""Mode of folders that contain texts of people."""
ONE_BY_ONE = 64
"""Files of a folder that are synced each for itself; that of another takes milliseconds on a busy disk."""


_USED: list[int] = []
"""The process that used polars first."""


def check_not_forked() -> None:
    """Say before polars is used that this process is a fork of one that used it; RavenError if it is.

    Its threads are not in the fork, which would wait for them without end.
    """
    if _USED and _USED[0] != os.getpid():
        raise RavenError(
            "this process was forked from one that used Raven, so it cannot read tables;"
            " start it in another way: multiprocessing.get_context('spawn')"
        )
    _USED[:] = [os.getpid()]


def location(path: str | Path) -> Path:
    """Turn a string into a path, or into the place of an fsspec URL such as ``s3://bucket/run`` (same methods).

    MissingPart if a URL is given and the extra that reads it is not installed; InputError if it is neither.
    """
    if not isinstance(path, str | os.PathLike) and not is_remote(path):
        raise InputError("this is not a path", found=path, expected="a path or URL, as text")
    if "://" not in str(path) or is_remote(path):
        return Path(path) if isinstance(path, str) else path
    try:
        from upath import UPath

        address: Any = UPath(path)
    except (ImportError, ValueError) as error:
        raise MissingPart(
            f"{path} cannot be opened here ({error})", fix=install("distributed")
        ) from error
    return address  # type: ignore[no-any-return]


def is_remote(path: str | Path) -> bool:
    """Whether this is a place of an fsspec file system other than the local one."""
    return hasattr(path, "fs") and hasattr(path, "protocol")


def check_reachable(path: Path) -> None:
    """Refuse, before any long work, an fsspec place that does not answer or cannot be written.

    InputError if it does not.
    """
    if not is_remote(path):
        return
    probe = path / ".raven-probe"
    try:
        probe.write_bytes(b"")
        probe.unlink()
    except Exception as error:  # every file system has its own errors
        raise InputError(
            f"the place cannot be written ({type(error).__name__}: {error})",
            file=str(path),
            fix="check the URL, the endpoint and your permissions there",
        ) from error


def local_copy(place: str | Path) -> Path:
    """Fetch a file of a URL into the cache folder; a local path is returned as it is.

    InputError if the URL cannot be read.
    """
    if "://" not in str(place):
        return Path(place)
    path = location(place)
    try:
        data = path.read_bytes()
    except Exception as error:  # every file system has its own errors
        raise InputError(f"the URL cannot be read ({error})", file=str(place)) from error
    folder = made_cache() / "fetched" / hashlib.sha256(str(place).encode()).hexdigest()[:16]
    make_folder(folder)
    write_bytes(folder / path.name, data)
    make_room(
        (entry for entry in folder.parent.iterdir() if entry != folder),
        max(MOST_FETCHED - len(data), 0),
    )
    return folder / path.name


MOST_FETCHED = 4 * 2**30
"""Bytes of files from URLs that are kept, the newest aside."""


def cache_folder() -> Path:
    """The path of the folder where Raven keeps what it can make again: RAVEN_CACHE, or the user's cache folder."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("RAVEN_CACHE") or Path(base) / "ravenbench")


def stand_alone() -> None:
    """From now on this process shares no cache by content with others: its files show what others read."""
    _standing_alone.append(True)


def stands_alone() -> bool:
    """Whether ``stand_alone`` was called here."""
    return bool(_standing_alone)


_standing_alone: list[bool] = []


def made_cache() -> Path:
    """``cache_folder``, made where it was missing; it may contain texts, and only the user may enter it."""
    folder = cache_folder()
    make_folder(folder, private=True)
    return folder


def make_room(paths: Iterable[Path], most_bytes: int) -> None:
    """Remove the files and folders that were used longest ago, until ``most_bytes`` bytes are left of all of them; what
    another process removes meanwhile is gone."""
    sized = list[tuple[float, int, Path]]()
    for path in paths:
        with suppress(OSError):
            sized.append((path.stat().st_mtime, size_of(path), path))
    size = sum(size for _, size, _ in sized)
    for _, file_size, path in sorted(sized):
        if size <= most_bytes:
            break
        with suppress(OSError):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        size -= file_size


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files in a folder."""
    return (
        sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        if path.is_dir()
        else path.stat().st_size
    )


@cache
def code_of(*folders: Path) -> str:
    """One SHA-256 (hexadecimal) of all Python files in these folders and of the lists below: what is kept is of what
    made it."""
    sources = sorted(
        path for folder in folders for kind in ("*.py", "*/*.txt") for path in folder.glob(kind)
    )
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()


def owner() -> str:
    """This process in a name: this machine (with its numbering of processes, which a container has of its own), and
    the number."""
    return f"{machine()}-{os.getpid()}"


@cache
def machine() -> str:
    """This machine and its numbering of processes: a container may share a folder but not the numbers."""
    numbering = ""
    with suppress(OSError):
        numbering = str(Path("/proc/self/ns/pid").readlink())
    return hashlib.sha256(f"{platform.node()} {numbering}".encode()).hexdigest()[:8]


def process_stat(process: int) -> list[str]:
    """State, parent and further numbers of a process (``proc(5)``); [] where there is none or the system hides it."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].decode().split()
    return []


def lives(process: int) -> bool:
    """Whether a process of this machine lives; one that has ended and was not yet buried is dead."""
    if Path("/proc/self").exists():
        return process_stat(process)[:1] not in ([], ["Z"])
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def temporary_name(path: Path, *, aside: bool = False) -> Path:
    """A name beside this one, for what takes its place when it is whole, or for what is replaced, until it is
    (``aside``); ``sweep`` knows both, and puts the latter back where nothing replaced it."""
    return path.with_name(f".{path.name}.raven-{'old-' * aside}{owner()}-{os.urandom(4).hex()}")


def sweep(folder: Path) -> None:
    """Remove what processes of this machine that were killed left under temporary names, in this folder only."""
    if is_remote(folder) or not folder.is_dir():
        return
    with os.scandir(folder) as inner:
        leftovers = [match for entry in inner if (match := _LEFT.fullmatch(entry.name)) is not None]
    for match in leftovers:
        if match["machine"] != machine() or lives(int(match["process"])):
            continue
        leftover = folder / match[0]
        target = folder / match["target"]
        with suppress(OSError):
            if match["aside"] and not target.exists():
                leftover.rename(target)
            elif leftover.is_dir() and not leftover.is_symlink():
                shutil.rmtree(leftover)
            else:
                leftover.unlink()


def remove_within(folder: Path, seconds: float = 0.3) -> None:
    """Remove a folder under a temporary name, for so many seconds at most: ``sweep`` removes later what is left."""
    until = time.monotonic() + seconds
    for directory, _, names in os.walk(folder, topdown=False):
        for name in names:
            if time.monotonic() >= until:
                return
            with suppress(OSError):
                Path(directory, name).unlink()
    shutil.rmtree(folder, ignore_errors=True)


_LEFT = re.compile(
    r"\.(?P<target>.+)\.raven-(?P<aside>old-)?(?P<machine>[0-9a-f]{8})-(?P<process>\d+)-[0-9a-f]{8}"
)


def write_bytes(path: Path, data: bytes | memoryview, *, sync: bool = True) -> str:
    """Write atomically and return the SHA-256 of what was written; ``sync`` as in ``replacing``."""
    if is_remote(path):
        path.write_bytes(bytes(data))
        return hashlib.sha256(data).hexdigest()
    with replacing(path, sync=sync) as file:
        file.write(data)
    return hashlib.sha256(data).hexdigest()


@contextmanager
def replacing(path: Path, *, sync: bool = True) -> Iterator[IO[bytes]]:
    """Give a local file, written under a temporary name, that takes its place on disk when the block ends well.

    ``sync`` waits until the disk has it; otherwise it outlives the process at once, and a power cut after
    ``sync_folder``. InputError if a folder with files has its name; an empty one is removed.
    """
    temporary = temporary_name(path)
    file = temporary.open("xb", buffering=2**16)
    try:
        with file:
            yield file
            file.flush()
            if sync:
                os.fsync(file.fileno())
        try:
            temporary.replace(path)
        except OSError:
            if not path.is_dir():
                raise
            _remove_empty(path)
            temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _remove_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError as error:
        raise InputError(
            "this is a folder, and Raven needs a file with this name",
            file=folder,
            expected="a file, or nothing",
            fix="move or remove the folder, then repeat the command",
        ) from error


def make_folder(folder: Path, *, private: bool = False) -> None:
    """Make a folder and those around it where they are missing.

    ``private``: only the user may enter it, because it contains texts; a folder that exists keeps its mode. InputError
    if a file has its name.
    """
    try:
        folder.mkdir(PRIVATE if private else 0o777, parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(
            "this is a file, and Raven needs a folder with this name",
            file=folder,
            expected="a folder, or nothing",
            fix="move or remove the file, then repeat the command",
        ) from error


def sync_folder(folder: Path) -> None:
    """Wait until every file in a local folder and its subfolders is on the disk.

    Few files are synced one by one, many by asking the system (Linux) to write all of their file system at once.
    """
    if is_remote(folder) or not folder.is_dir():
        return
    inner = [
        (Path(directory), [Path(directory, name) for name in names])
        for directory, _, names in os.walk(folder)
    ]
    paths = [
        path for directory, files in inner for path in (directory, *files) if not path.is_symlink()
    ]
    if len(paths) <= ONE_BY_ONE or not sync_file_system(folder):
        for path in paths:
            _sync(path)


def sync_file_system(folder: Path) -> bool:
    """Wait until the disk has all of a folder's file system; whether the system has a call for that, and it went well.

    Signals are ignored meanwhile, so code that writes many files calls this from time to time.
    """
    import ctypes

    try:
        call = ctypes.CDLL(None).syncfs
    except (AttributeError, OSError, TypeError):  # other systems
        return False
    handle = os.open(folder, os.O_RDONLY)
    try:
        return int(call(handle)) == 0
    finally:
        os.close(handle)


def _sync(path: Path) -> None:
    try:
        handle = os.open(path, os.O_RDONLY)
    except (FileNotFoundError, PermissionError):  # taken away meanwhile; Windows opens no folders
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_text(path: Path, text: str) -> str:
    """Write UTF-8 text atomically and return its SHA-256."""
    return write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> str:
    """Write JSON atomically and return its SHA-256; NaN is refused, undefined values are null."""
    return write_bytes(path, json_bytes(value))


def json_bytes(value: Any) -> bytes:
    """The bytes of JSON as ``write_json`` writes it."""
    return (
        escaped_json(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)) + "\n"
    ).encode()


def escaped_json(text: str) -> str:
    """JSON in which the characters that a terminal or a page would obey are written as its escapes."""
    return OBEYED.sub(lambda match: f"\\u{ord(match[0]):04x}" if match[0] > " " else match[0], text)


def write_array(path: Path, array: NDArray[Any]) -> str:
    """Write one ``.npy`` atomically and return its SHA-256."""
    return write_bytes(path, array_bytes(array))


def array_bytes(array: NDArray[Any]) -> bytes:
    """The bytes of the ``.npy`` form of an array."""
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(array), allow_pickle=False)
    return buffer.getvalue()


def write_hashed(folder: Path, array: NDArray[Any], name: str = "") -> Path:
    """Write an array into a file whose name ends with its hash; return the file's path."""
    data = array_bytes(array)
    path = folder / f"{name}{hashlib.sha256(data).hexdigest()[:32]}.npy"
    write_bytes(path, data, sync=False)
    return path


def map_hashed(path: Path) -> NDArray[Any] | None:
    """The array of such a file, as ``map_array``; None where it is damaged or gone."""
    try:
        return map_array(path) if path.stem.endswith(sha256(path)[:32]) else None
    except (OSError, ValueError):
        return None


def kept_array(folder: Path, name: str, make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
    """The array of this name that a folder of the cache keeps, else what ``make`` gives, which is kept there.

    A damaged one is made again; where nothing can be written, nothing is kept.
    """
    with suppress(OSError):
        os.utime(folder)
    for path in sorted(folder.glob(f"{name}*.npy")):
        if (array := map_hashed(path)) is not None:
            return array
    array = make()
    with suppress(OSError, InputError):
        made_cache()
        make_folder(folder)
        write_hashed(folder, array, name)
    return array


def sha256(path: Path) -> str:
    """The SHA-256 of a file (hexadecimal), read in blocks."""
    if is_remote(path):
        return hashlib.sha256(path.read_bytes()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_ordinary(path: Path) -> bytes:
    """The bytes of a file. OSError too if it is a pipe or a device, which is waited for or never ends."""
    if (
        not is_remote(path)
        and not stat.S_ISREG(mode := path.stat().st_mode)
        and not stat.S_ISDIR(mode)
    ):
        raise OSError(errno.EINVAL, "not an ordinary file", str(path))
    return path.read_bytes()


def read_array(path: Path) -> NDArray[Any]:
    """Read an array written by ``write_array``; pickled objects are refused."""
    array: NDArray[Any] = np.load(io.BytesIO(path.read_bytes()), allow_pickle=False)
    return array


def array_of(data: bytes) -> NDArray[Any]:
    """The array whose ``.npy`` form these bytes are, as a view of them; pickled objects are refused.

    ValueError if they are no such form.
    """
    start = 10 + int.from_bytes(data[8:10], "little")
    shape, by_columns, dtype = _form(data[:start])
    if dtype.hasobject:
        raise ValueError("an array of Python objects")
    array: NDArray[Any] = np.frombuffer(data, dtype, offset=start).reshape(
        shape, order="F" if by_columns else "C"
    )
    return array


@lru_cache(maxsize=4096)
def _form(head: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order and type that the head of a ``.npy`` form states: NumPy parses it as a Python expression."""
    file = io.BytesIO(head)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("an array in another version of the format")
    return np.lib.format.read_array_header_1_0(file)


def map_array(path: Path) -> NDArray[Any]:
    """Open an array memory-mapped where it is a local file, so that only what is used of it is read."""
    if is_remote(path):
        return read_array(path)
    array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    return array


def expanded(folder: Path) -> Path:
    """The folder with its ~ replaced; as it is where the system knows no such home."""
    try:
        return folder.expanduser()
    except RuntimeError:
        return folder
