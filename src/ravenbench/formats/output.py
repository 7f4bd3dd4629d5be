"""Output that is there whole or not at all: folders and streamed files under a temporary name, then renamed.

A place in an object store has no rename: what goes there is built in a temporary folder here and copied at the end.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from ravenbench.errors import InputError
from ravenbench.files import is_remote, location, replacing, write_bytes


def check_fresh(path: str | Path) -> None:
    """Refuse, before any long work, a place where no new folder can be written.

    Raises
    ------
    InputError
        If something other than an empty folder is there, or the place cannot be written.
    """
    path = location(path)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise InputError("the output folder is not empty", file=path, fix="give a new one, or remove it")
    if is_remote(path):
        return
    near = path.absolute().parent
    while not near.exists():
        near = near.parent
    try:
        # Asking for permission is not enough: some file systems refuse all the same.
        Path(tempfile.mkdtemp(prefix=".raven.", dir=near)).rmdir()
    except OSError as error:
        raise InputError(
            f"the output folder cannot be written ({error.strerror})", file=path, fix=f"choose a place outside {near}"
        ) from None


@contextmanager
def fresh_folder(path: str | Path) -> Iterator[Path]:
    """Give a folder that is built beside its place and renamed when the block ends well.

    Raises
    ------
    InputError
        If the place is taken by something that is not an empty folder, or cannot be written.
    """
    path = location(path)
    check_fresh(path)
    if is_remote(path):
        with tempfile.TemporaryDirectory(prefix="raven-") as made:
            yield Path(made)
            for file in sorted(p for p in Path(made).rglob("*") if p.is_file()):
                place = path / file.relative_to(made).as_posix()
                place.parent.mkdir(parents=True, exist_ok=True)
                write_bytes(place, file.read_bytes())
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    except OSError as error:
        raise InputError(f"the output folder cannot be written ({error.strerror})", file=path) from None
    try:
        folder.chmod(0o755)
        yield folder
        if path.exists():
            path.rmdir()
        folder.rename(path)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """Give a file that is written under a temporary name and renamed when the block ends well.

    Raises
    ------
    InputError
        If it cannot be written there.
    """
    path = location(path)
    if is_remote(path):
        buffer = io.BytesIO()
        yield buffer
        write_bytes(path, buffer.getvalue())
        return
    with ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = stack.enter_context(replacing(path))
        except OSError as error:
            raise InputError(f"this file cannot be written ({error.strerror})", file=path) from None
        yield file
