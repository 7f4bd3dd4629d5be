"""Opens a task's folder: one command at a time writes it; an earlier one of the same spec is resumed, or a new one
begun.

In: a folder, the task's name, its resolved spec, the hashes of its data by name, a function that plans a new folder.
Out: ``open_or_create`` gives a planned ``Store``, ``earlier`` one or None; ``data_hash`` a hash (text), ``changed``
names, ``written`` hashes of what a run has written elsewhere (``note`` adds one). InputError if another process writes
the folder or it contains other files, StoreError if another version of Raven wrote it, SpecError for unknown data.
``folder_lock`` and ``hold`` lock it.

Two commands never write one folder at the same time: the second is refused, and learns which process writes it. On
this machine's disks the operating system keeps the lock (``filelock``), so that of a process that died is free at once.
Where it cannot (an object store, some network disks) the lock is a file that says who wrote it: that of a process of
this machine that has ended is taken over, and one of another machine must be removed by hand. There two commands that
start within the same moment may both pass, for such stores have no way to decide who was first.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import platform
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from ravenbench import __version__, files, registry
from ravenbench.components import identity_hash, source_hash
from ravenbench.errors import InputError, SpecError, StoreError, did_you_mean
from ravenbench.outputs import check_apart, check_folder, digest
from ravenbench.reading.archive import no_such, zip_around
from ravenbench.reading.catalogue import fetched
from ravenbench.store.records import Head, OtherFormat, open_record, write_record
from ravenbench.store.store import Store

LOCK = ".lock"
"""File of the lock, in the folder that it guards."""
NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL}
"""What a disk says that keeps no locks."""
_WANTED: dict[str, ExitStack] = {}
"""Folders that this process means to write, and what gives their locks back."""
_HELD: set[str] = set()


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Lock the folder of a run, so that nobody else writes it; ``hold`` locks a new folder when it is made.
    Raises InputError if another process, or another thread of this one, writes it."""
    name = str(folder)
    if name in _WANTED:
        raise _refusal(folder)
    with ExitStack() as stack:
        _WANTED[name] = stack
        stack.callback(_WANTED.pop, name)
        # Whether an object store answers is found out first, by ``open_or_create``.
        if not files.is_remote(folder) and folder.is_dir():
            hold(folder)
        yield


def hold(folder: Path) -> None:
    """Lock a new folder if this process will write it; InputError if another process was faster."""
    from filelock import FileLock, Timeout

    name = str(folder)
    lock_file = folder / LOCK
    if name not in _WANTED or name in _HELD:
        return
    system = (
        None if files.is_remote(folder) else FileLock(lock_file, timeout=0, fallback_to_soft=False)
    )
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
    if system is None and not _abandoned(lock_file):
        raise _refusal(folder)
    holder = {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "since": datetime.now(UTC).isoformat(" ", "seconds"),
    }
    lock_file.write_bytes(json.dumps(holder).encode())
    _HELD.add(name)

    def give_back() -> None:
        _HELD.discard(name)
        with suppress(OSError):
            lock_file.unlink()

    _WANTED[name].callback(give_back)


def _holder(lock_file: Path) -> dict[str, object]:
    """What the file of a lock says of who wrote it; nothing where it says nothing."""
    try:
        holder = json.loads(lock_file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return holder if isinstance(holder, dict) else {}


def _abandoned(lock_file: Path) -> bool:
    """Say whether the lock is free: no file, an empty one, or that of a process of this machine that has ended."""
    try:
        empty = not lock_file.read_bytes()
    except FileNotFoundError:
        return True
    holder = _holder(lock_file)
    return empty or (
        holder.get("host") == socket.gethostname()
        and isinstance(pid := holder.get("pid"), int)
        and not files.lives(pid)
    )


def _refusal(folder: Path) -> InputError:
    holder = _holder(folder / LOCK)
    return InputError(
        "another command is writing this folder",
        file=folder,
        found=(
            f"process {holder.get('pid', '?')} on {holder.get('host', '?')}, since"
            f" {holder.get('since', '?')}"
        ),
        fix=(
            "wait until it ends, stop it, or give another folder; if it has ended, remove "
            f"{folder / LOCK}"
        ),
    )


logger = logging.getLogger(__name__)
MADE_WITH = ("numpy", "scipy", "scikit-learn", "numba", "polars")
"""Packages whose versions are recorded: answers may depend on them."""
Planner = Callable[[Store, Callable[[], None]], None]
"""Writes a plan into a store; calls its second argument, which writes ``run.json``, before it writes anything else."""


def open_or_create(
    folder: Path,
    kind: str,
    spec: Mapping[str, Any],
    data: dict[str, str],
    plan: Planner,
    inputs: Iterable[str] = (),
) -> Store:
    """Return a planned folder for this spec and data: an earlier one, or a new one that ``plan`` fills.

    ``data`` has the identity of data and methods by name, ``inputs`` places of data that the spec does not name. If
    ``plan`` raises before it begins, nothing was written. InputError if the folder contains other files or cannot be
    written, StoreError if another version of Raven wrote it.
    """
    files.check_reachable(folder)
    if files.is_remote(folder):
        hold(folder)
    head = _head(spec, data)
    check_apart(folder, [*_local_paths(spec), *inputs])
    resumed = _earlier(folder, kind, head)
    _clean(folder, kind)
    if resumed is not None:
        _name_edited(resumed)
        return resumed
    if not folder.exists() and not files.is_remote(folder):
        check_folder(folder)
    run_exists = (folder / "run.json").is_file()

    def start() -> None:
        nonlocal run_exists
        _begin(folder, kind, head, anew=not run_exists)
        run_exists = True

    store = Store(folder)
    plan(store, start)
    return store


def _local_paths(spec: Mapping[str, Any]) -> Iterator[str]:
    """Return the data on this machine that a spec names, except single texts and folders of texts: these are read by
    their endings, so that a run beside them changes nothing."""
    for name, value in spec.items():
        for path in value if isinstance(value, list | tuple) else [value]:
            if isinstance(path, str) and path and name not in ("known", "questioned"):
                with suppress(OSError, ValueError):  # too long for a path
                    if Path(path).exists():
                        yield path


def _clean(folder: Path, kind: str) -> None:
    """Remove what a killed command left half-written in a run, and refuse a report that is not the run's."""
    if files.is_remote(folder) or not folder.is_dir():
        return
    for place in (
        folder,
        *(inner for inner in folder.iterdir() if inner.is_dir() and not inner.is_symlink()),
    ):
        files.sweep(place)
    check_folder(folder / "report", kind=kind)


def _name_edited(store: Store) -> None:
    """Say which classes were edited since the plan was made though their ``version`` is the same, and whose model has
    other weights. One whose printed form finds no class, or whose model is gone, is passed over, and so is one whose
    module this command has not imported: a folder that was handed over imports nothing.
    """
    for record in store.plan.verifiers:
        if record.source is None:
            continue
        try:
            with registry.importing("nothing"):
                named = source_hash(registry.parse("verifier", record.spec))
        except InputError:
            continue
        if named != record.source:
            logger.warning(
                f"{record.name}: its file changed since this run began, but its version is"
                f" still {record.version}. Answers that already exist come from the earlier"
                " file.\n  fix: if the change matters, raise `version` in the class and give"
                " another folder"
            )


def earlier(folder: Path, kind: str, spec: Mapping[str, Any], data: dict[str, str]) -> Store | None:
    """Return the planned folder that ``open_or_create`` would resume, None if it would start again; nothing is written.
    Errors are the same."""
    return _earlier(folder, kind, _head(spec, data))


def _head(spec: Mapping[str, Any], data: dict[str, str]) -> Head:
    return Head(
        # As it comes back from a file: a tuple is a list there, and no other spec.
        spec=msgspec.json.decode(msgspec.json.encode(dict(spec))),
        data=data,
        raven=__version__,
        python=platform.python_version(),
        packages={name: version(name) for name in MADE_WITH},
        seed=spec.get("seed", 0),
    )


def _earlier(folder: Path, kind: str, head: Head) -> Store | None:
    store = Store(folder)
    complete = False
    if folder.exists() and not folder.is_dir():
        raise InputError("the output is not a folder", file=folder, fix="give another folder")
    if (folder / "run.json").is_file():
        complete = _check_same(store, kind, head)
    elif folder.exists() and any(map(_foreign, folder.iterdir())) and not _headless(folder, kind):
        raise InputError(
            "this folder contains other files", file=folder, fix="give an empty or new folder"
        )
    return store if complete and store.planned else None


def _foreign(inner: Path) -> bool:
    """Whether a file is other than the first two of a run: its lock, and its head as it is before it has its name."""
    return inner.name != LOCK and not inner.name.startswith(".run.json.")


def _headless(folder: Path, kind: str) -> bool:
    """Say whether this is a planned run of this task that lost its ``run.json``, which is then written again."""
    try:
        return open_record(folder / "plan.json")[0] == kind
    except (OSError, StoreError):
        return False


def _begin(folder: Path, kind: str, head: Head, *, anew: bool) -> None:
    """Make the folder and its ``run.json``; refuse, if ``anew``, what another command has begun there meanwhile."""
    try:
        files.make_folder(folder, private=True)
        hold(folder)
        if anew and (folder / "run.json").is_file():
            raise InputError(
                "another command started a run in this folder in the meantime",
                file=folder,
                fix="repeat the command, or give another folder",
            )
        write_record(folder / "run.json", kind, head)
        files.sync_folder(
            folder
        )  # by its name the folder is known for a run's, whatever else a power cut leaves
    except OSError as error:
        raise InputError(
            f"the output folder cannot be written ({error.strerror})",
            file=folder,
            fix="give another folder",
        ) from error


def data_hash(data_name: str) -> str:
    """Return the identity of a file, a folder or a built-in corpus; SpecError for anything else."""
    if not data_name.strip():
        raise SpecError(
            "an empty name is not a corpus, file or folder", fix="for the current folder write ."
        )
    path = files.local_copy(fetched(data_name))
    if path.exists():
        return digest(path)
    if (within := zip_around(path)) is not None:
        return identity_hash([digest(within[0]), within[1]])
    try:
        return identity_hash(registry.parse("corpus", data_name))
    except SpecError as error:
        if data_name.partition("(")[0].strip() in registry.names("corpus"):
            raise
        raise SpecError(
            f"{data_name!r} is not a file, a folder or a known corpus",
            fix=no_such(path).fix or did_you_mean(data_name, registry.names("corpus")),
        ) from error


def changed(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Return the names whose values differ between two sets of hashes."""
    return [key for key in sorted({*old, *new}) if old.get(key) != new.get(key)]


def _check_same(store: Store, kind: str, wanted: Head) -> bool:
    """Refuse a folder of another task, spec or data; False for a damaged ``run.json``, which is then written again."""
    try:
        run = store.run
    except OtherFormat:
        raise
    except StoreError:
        return False
    fix = "give another folder, or remove the folder"
    if store.kind != kind:
        raise InputError(
            f"this folder contains a run of another command (raven {store.kind})",
            file=store.path,
            expected=f"raven {kind}",
            fix=fix,
        )
    # What a spec does not name is None: a field that came later is no difference.
    if keys := sorted(
        k for k in {*run.spec, *wanted.spec} if run.spec.get(k) != wanted.spec.get(k)
    ):
        differences = (f"{k}: {run.spec.get(k)!r} there, {wanted.spec.get(k)!r} now" for k in keys)
        raise InputError(
            "this folder contains a run with another spec",
            file=store.path,
            found="; ".join(differences),
            fix=fix,
        )
    if run.data != wanted.data:
        raise InputError(
            "the data or the methods of this run changed after it began",
            file=store.path,
            found=", ".join(changed(run.data, wanted.data)),
            fix=fix + " and run again",
        )
    return True


def written(folder: Path) -> frozenset[str]:
    """Return the hashes of files that a run has written elsewhere; none for a new run."""
    products = folder / "products"
    return frozenset(path.name for path in products.iterdir()) if products.is_dir() else frozenset()


def note(folder: Path, digest: str) -> None:
    """Record a product before it is moved to its place, so that it counts as Raven's even if the process ends."""
    files.make_folder(folder / "products")
    files.write_bytes(folder / "products" / digest, b"")
