"""Checks where a command may write, and writes outputs that are there complete or not at all.

In: the path of an output, the paths of inputs, hashes of earlier products, the name of the command that wrote them
(``kind``; None = nothing may be replaced).
Out: ``check_folder`` and ``check_file`` the checked path, ``fresh_folder`` and ``whole_file`` (``with`` blocks) a
folder or open file that takes its place when complete, ``check_apart`` and ``check_folder_of_many`` nothing; InputError
where the place is taken, is an input or cannot be written. ``digest``: SHA-256 in hexadecimal; ``begins``: True or False;
``pages_of_texts``: names of files.

One rule: an output is new, empty, or an earlier product of the same command; it is never an input, does not contain an
input and is not in an input. A folder that may be replaced says in ``.raven.json`` which command wrote it and which
files: if it also contains another file, it is not replaced. What a run wrote elsewhere it knows by its hash
(``store.resume``).

Folders and files are built under a temporary name, then renamed. A place in an object store has no rename: what goes
there is built in a temporary folder here and copied at the end.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from ravenbench import files
from ravenbench.errors import InputError

MARK = ".raven.json"
"""In a folder that may be replaced: the command that wrote it, and its files."""
REPORT = ("index.html", "report.json", "tables", "figures", "meta")
"""What a report has, for those from before the mark."""
TEXTS_PAGES = frozenset({"index.html", "texts.json", "authors.csv", "texts.csv", "left-out.csv"})
"""What ``raven texts`` writes beside texts by author."""
RUN = "run.json"
"""What marks a run's folder, in which other commands may write what they make of it."""


def check_apart(path: str | Path, inputs: Iterable[str | Path]) -> None:
    """Refuse an output that is an input, contains an input, or is in an input; or a link to nothing.

    The folder of a run may contain products of the run: only data must stay as they are. InputError if it is one of
    these.
    """
    output = files.location(path)
    target = output if files.is_remote(output) else output.resolve()
    if target is not output and output.is_symlink() and not target.exists():
        raise InputError(
            "the output is a link to a file or folder that does not exist",
            file=path,
            found=str(target),
            fix="name the file or folder itself",
        )
    for input_path in inputs:
        input_location = files.location(input_path)
        if (
            files.is_remote(input_location) != files.is_remote(output)
            or not input_location.exists()
        ):
            continue
        source = input_location if files.is_remote(input_location) else input_location.resolve()
        if source == target or (
            not files.is_remote(output) and output.exists() and output.samefile(input_location)
        ):
            raise InputError(
                "the output is also an input, which Raven would overwrite",
                file=path,
                fix="give another place",
            )
        if target in source.parents and not (target / RUN).is_file():
            raise InputError(
                "an input is in the output folder",
                file=path,
                found=str(input_path),
                fix="give a separate folder",
            )
        if source in target.parents and not (source / RUN).is_file():
            raise InputError(
                "the output is in an input folder, and would become part of the input",
                file=path,
                found=str(input_path),
                fix="give a place outside the input folders",
            )


def check_folder(
    path: str | Path,
    *,
    inputs: Iterable[str | Path] = (),
    kind: str | None = None,
    known: Collection[str] = (),
) -> Path:
    """The place of a folder, once it is sure before any long work that it may be written.

    InputError if something else is there, or the place cannot be written.

    Parameters
    ----------
    inputs : iterable of paths
        What is read, as far as it is a place: none of it may be the output.
    kind : str, optional
        Command whose earlier product may be replaced; without one the folder must be new or empty.
    known : collection of str
        Hashes (``digest``) of earlier products that may be here.
    """
    output = files.location(path)
    check_apart(output, inputs)
    if output.exists() and not output.is_dir():
        raise InputError(
            "the output folder is a file",
            file=output,
            fix="give a new folder, or remove the file",
        )
    if output.exists() and any(output.iterdir()):
        if kind is not None:
            _check_product(output, kind)
        elif not known or digest(output) not in known:
            raise InputError(
                "the output folder is not empty",
                file=output,
                fix="give a new folder, or empty this one",
            )
    if files.is_remote(output):
        files.check_reachable(output)
        return output
    near = output.resolve().parent
    while not near.exists():
        near = near.parent
    files.sweep(near)
    try:
        # Asking for permission is not enough: some file systems refuse all the same.
        Path(tempfile.mkdtemp(prefix=".raven.", dir=near)).rmdir()
    except OSError as error:
        raise InputError(
            f"the output folder cannot be written ({error.strerror})",
            file=path,
            fix=f"choose a place outside {near}",
        ) from None
    return output


def check_folder_of_many(path: str | Path, inputs: Iterable[str | Path]) -> None:
    """Refuse a folder that several commands share, each file under a hash, where it is an input or no folder.

    InputError if it is one of these.
    """
    output = files.location(path)
    check_apart(output, inputs)
    if output.exists() and not output.is_dir():
        raise InputError("not a folder, but a file", file=path, fix="give a folder, or a new name")


def check_file(
    path: str | Path,
    *,
    inputs: Iterable[str | Path] = (),
    known: Collection[str] = (),
    mark: bytes | None = None,
) -> Path:
    """The place of a file, once it is sure before any long work that it may be written.

    InputError if something else is there, or the place cannot be written. ``inputs`` and ``known`` are those of
    ``check_folder``; ``mark`` is what an earlier product of the same command has in its first 4096 bytes.
    """
    output = files.location(path)
    if output.is_dir():
        raise InputError(
            "the output is a file, and this is a folder", file=path, fix="give the name of a file"
        )
    check_apart(output, inputs)
    if files.is_remote(output):
        files.check_reachable(output.parent)
    if output.exists():
        if not files.is_remote(output) and not output.is_file():
            raise InputError(
                "the output is not an ordinary file", file=path, fix="give the name of a new file"
            )
        if (
            output.stat().st_size
            and not (known and digest(output) in known)
            and not (mark and begins(output, mark))
        ):
            raise InputError(
                "the output exists, and another command wrote it",
                file=path,
                fix="give a new name, or remove the file",
            )
    if files.is_remote(output):
        return output
    files.sweep(output.parent)
    try:
        with whole_file(trial := output.with_name(f".{output.name}.trial")):
            pass
    except InputError as error:
        raise InputError(error.problem, file=path, fix="choose another place") from None
    trial.unlink()
    return output


def begins(path: Path, mark: bytes) -> bool:
    """Return whether a mark is in the first 4096 bytes of a file."""
    with path.open("rb") as file:
        return mark in file.read(4096)


def _check_product(folder: Path, kind: str) -> None:
    """Refuse to replace what is not an earlier product of this command, or contains files that the command did not
    write."""
    mark = _marked(folder)
    if mark.get("kind") != kind:
        raise InputError(
            "this folder contains other files, which would be lost",
            file=folder,
            expected=f"a new or empty folder, or an earlier one of raven {kind}",
            fix="give another folder",
        )
    written = mark.get("files")
    if not isinstance(written, list):
        written = [
            *REPORT,
            *(
                file.relative_to(folder).as_posix()
                for name in REPORT
                for file in (folder / name).rglob("*")
            ),
        ]
    for inner in sorted(
        file for file in folder.rglob("*") if not file.is_dir() and file.name != MARK
    ):
        if inner.relative_to(folder).as_posix() not in written:
            raise InputError(
                "this file is in a folder that Raven wrote and will replace as a whole",
                file=inner,
                fix="move the file elsewhere, then repeat the command",
            )


def _marked(folder: Path) -> dict[str, Any]:
    """What a folder says of the command that wrote it; reports from before the mark have a kind in ``report.json``."""
    for name in (MARK, "report.json"):
        try:
            mark = json.loads((folder / name).read_bytes())
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(mark, dict):
            return mark
    return {}


def pages_of_texts(folder: Path) -> frozenset[str]:
    """The page and tables that ``raven texts`` put beside its texts: no documents."""
    return TEXTS_PAGES if _marked(folder).get("kind") == "texts" else frozenset()


def digest(path: Path) -> str:
    """The SHA-256 (hexadecimal) of a file, or of all files in a folder, by name."""
    if path.is_file():
        return files.sha256(path)
    inner = sorted(file for file in path.rglob("*") if file.is_file())
    lines = [f"{file.relative_to(path).as_posix()}\t{files.sha256(file)}" for file in inner]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


@contextmanager
def fresh_folder(
    path: str | Path, *, kind: str | None = None, known: Collection[str] = (), private: bool = True
) -> Iterator[Path]:
    """Give a folder that is built beside its place and takes that when the block ends well.

    InputError if the place is taken or cannot be written. ``kind`` and ``known`` say what may be replaced, as for
    ``check_folder``; with a kind the folder is marked as its product. A ``private`` folder contains texts, and only the
    user may enter it; otherwise its mode follows the umask.
    """
    path = check_folder(path, kind=kind, known=known)
    if files.is_remote(path):
        with tempfile.TemporaryDirectory(prefix="raven-") as temporary:
            yield Path(temporary)
            _mark(Path(temporary), kind)
            _upload(Path(temporary), path)
        return
    # A link to a folder stays; what it leads to is replaced.
    target = path.resolve()
    try:
        files.make_folder(target.parent)
        folder = files.temporary_name(target)
        folder.mkdir(files.PRIVATE if private else 0o777)
    except OSError as error:
        raise InputError(
            f"the output folder cannot be written ({error.strerror})", file=path
        ) from None
    try:
        yield folder
        _mark(folder, kind)
        _replace(folder, target)
    finally:
        files.remove_within(folder)


def _names(folder: Path) -> list[str]:
    return sorted(
        file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()
    )


def _mark(folder: Path, kind: str | None) -> None:
    if kind is not None:
        listed = {"kind": kind, "files": _names(folder)}
        files.write_bytes(folder / MARK, json.dumps(listed, indent=1).encode() + b"\n")


def _replace(folder: Path, target: Path) -> None:
    if not target.exists():
        folder.rename(target)
    elif not any(target.iterdir()):
        # The user may have made it for others to read.
        folder.chmod(target.stat().st_mode & 0o7777)
        target.rmdir()
        folder.rename(target)
    else:
        aside = files.temporary_name(target, aside=True)
        folder.chmod(target.stat().st_mode & 0o7777)
        target.rename(aside)
        try:
            folder.rename(target)
        except BaseException:
            aside.rename(target)
            raise
        shutil.rmtree(aside, ignore_errors=True)


def _upload(folder: Path, target: Path) -> None:
    """Put every file, the page last; other files of an earlier folder are removed."""
    names = sorted(_names(folder), key=lambda name: name == "index.html")
    earlier = [file for file in target.rglob("*") if file.is_file()] if target.exists() else []
    for name in names:
        target_file = target / name
        target_file.parent.mkdir(parents=True, exist_ok=True)
        files.write_bytes(target_file, (folder / name).read_bytes())
    written = {str(target / name) for name in names}
    for target_file in earlier:
        if str(target_file) not in written:
            target_file.unlink()


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """Give a file that is written under a temporary name and renamed when the block ends well.

    InputError if it cannot be written there.
    """
    path = files.location(path)
    if files.is_remote(path):
        buffer = io.BytesIO()
        yield buffer
        files.write_bytes(path, buffer.getvalue())
        return
    with ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = stack.enter_context(files.replacing(path))
        except OSError as error:
            raise InputError(f"this file cannot be written ({error.strerror})", file=path) from None
        yield file
