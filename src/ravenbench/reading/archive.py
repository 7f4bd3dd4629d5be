"""Opens a file, a folder or a zip in the same way, without extracting anything.

In: a path (also into a zip), an encoding; for ``whole`` bytes.
Out: ``Archive``: names inside with their sizes in bytes, and of each name its bytes, its text, or its lines numbered
from 1. InputError if nothing is there, FormatError for unreadable files and for zips that unpack to too much (bytes,
number of files), MissingPart for Zstandard without its package. Helpers: ``walk`` and ``check_members`` give names
with bytes, ``read_whole`` one text, ``split_roots`` places of the train or test part.
"""

from __future__ import annotations

import gzip
import io
import lzma
import math
import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import IO, Any, Literal, Self, cast

from ravenbench.errors import (
    FormatError,
    InputError,
    MissingPart,
    RavenError,
    install,
    near_name,
    remark,
    said,
    writable,
)
from ravenbench.outputs import pages_of_texts
from ravenbench.reading.account import Note, fault, noted
from ravenbench.reading.decoding import UTF8, check_controls, decode, known_encoding, old_mac

Split = Literal["train", "test"]

MEMBER_LIMIT = 2_000_000
"""Maximum number of files in one folder or zip."""
DOCUMENT_LIMIT = 64 * 2**20
"""Maximum size in bytes of a file read in one piece; files read line by line may be larger."""
RATIO_LIMIT = 200
"""Raven refuses a zip member that grows by more than this factor (beyond a megabyte); text grows by less than 20."""
SUM_RATIO = 50
"""Raven refuses a zip whose members together are this many times as large, beyond ``SUM_FLOOR`` bytes."""
SUM_FLOOR = 256 * 2**20
PACKED_RATIO = 20
PACKED_FLOOR = 8 * 2**20
"""Floor for a single packed file of lines: Raven reads these one by one, so there may be many."""

_AGAIN = "download it again, or give the folder"
_IGNORED = {"__MACOSX", "Thumbs.db"}
_DAMAGE = (zipfile.BadZipFile, EOFError, OSError, zlib.error, lzma.LZMAError)


LINE_LIMIT = DOCUMENT_LIMIT
"""Maximum size in bytes of one line of a file read line by line."""


class Archive:
    """A file, folder or zip as a sorted mapping of relative POSIX paths to sizes in bytes.

    Hidden files are left out. A single file is an archive that contains itself. A path may lead into a zip, and into a
    zip within it (``sets.zip/english.zip/train``). InputError if nothing is found at the path; FormatError if it is not
    a readable zip, has unsafe names or would unpack to too much.

    Parameters
    ----------
    encoding : str or None
        The encoding of texts inside that are not UTF-8, as for ``decode``.
    unquoted : bool
        Whether fields of tables inside are not quoted.
    """

    def __init__(
        self, path: str | Path, encoding: str | None = UTF8, unquoted: bool = False
    ) -> None:
        self.path = Path(path)
        self.unquoted = unquoted
        self.encoding = encoding
        self._zip: zipfile.ZipFile | None = None
        self._inside = ""
        self._labels: dict[str, str] = {}
        self.unread: dict[str, str] = {}
        self._at: tuple[str | Path, int | None] = (self.path, None)
        self.root = self.path
        inner_path = zip_around(self.path)
        if self.path.is_dir():
            self.sizes, self.unread = walk(self.path)
            if led_out := [name for name, why in self.unread.items() if why == LED_OUT]:
                raise fault(
                    "link-leads-out-folder-not", file=self.path, found=led_out[0], links=LINKS
                )
            remark(self.account(), self.path)
        elif inner_path is not None:
            self._open_within(*inner_path)
        elif not self.path.is_file():
            raise no_such(self.path)
        elif self.path.suffix.lower() != ".xlsx" and zipfile.is_zipfile(self.path):
            try:
                self._zip = zipfile.ZipFile(self.path)
            except (zipfile.BadZipFile, OSError, RuntimeError, UnicodeDecodeError) as error:
                raise fault("zip-cannot-read", file=self.path, fix=_AGAIN, error=error) from None
            self.sizes = check_members(self.path, self._zip)
        elif self.path.suffix.lower() == ".zip":
            raise fault("not-zip-file", file=self.path, fix=_AGAIN)
        else:
            self.root = self.path.parent
            self.sizes = {self.path.name: self.path.stat().st_size}
        for name in self.sizes:
            _check_file_name(name, self.path)
        if len(self.sizes) > MEMBER_LIMIT:
            raise fault(
                "too-many-files", file=self.path, found=len(self.sizes), member_limit=MEMBER_LIMIT
            )

    def _open_within(self, outer: Path, inner: str) -> None:
        """What lies at a place within a zip: a folder, a zip, or a file."""
        archive = Archive(outer, self.encoding)
        steps = PurePosixPath(inner).parts
        for count in range(1, len(steps) + 1):
            name = "/".join(steps[:count])
            if name not in archive or not name.lower().endswith(".zip"):
                continue
            try:
                file = tempfile.TemporaryFile()  # noqa: SIM115 (as long as this object)
                with archive.open(name) as packed:
                    shutil.copyfileobj(packed, file)
                self._zip = zipfile.ZipFile(file)
            except _DAMAGE as error:
                raise fault(
                    "zip-cannot-read", file=archive.label(name), fix=_AGAIN, error=error
                ) from None
            archive.close()
            self.sizes = check_members(outer / name, self._zip, archive.sizes[name])
            inner = "/".join(steps[count:])
            break
        else:
            self._zip = archive._zip
            self.sizes = archive.sizes
        if inner in self.sizes:
            self._inside = inner.rpartition("/")[0] + "/" if "/" in inner else ""
            self.sizes = {PurePosixPath(inner).name: self.sizes[inner]}
        elif inner:
            self._inside = f"{inner}/"
            self.sizes = {
                n[len(inner) + 1 :]: size
                for n, size in self.sizes.items()
                if n.startswith(self._inside)
            }
        if not self.sizes:
            raise fault("nothing-there-in-zip", file=outer, found=inner)

    def account(self) -> list[Note]:
        """Return a note on links and other entries of a folder that are not files, each with the reason."""
        return noted("not-files", (f"{name}: {why}" for name, why in self.unread.items()))

    @property
    def stem(self) -> str:
        """Return a name for the archive: the folder's name, or the file's name without its ending."""
        path = self.path.resolve()
        return path.name if path.is_dir() else path.stem

    @property
    def names(self) -> list[str]:
        """Return the paths inside the archive, sorted."""
        return list(self.sizes)

    def __contains__(self, name: str) -> bool:
        return name in self.sizes

    @property
    def single(self) -> bool:
        """Return whether the archive is one plain file."""
        return self._zip is None and not self.path.is_dir()

    def siblings(self) -> list[str]:
        """Return the names of files next to an archive that is a single file (``open`` accepts them); [] for others."""
        if not self.single:
            return []
        return sorted(file.name for file in self.root.iterdir() if file.is_file())

    def label(self, name: str) -> str:
        """Return the name that messages use for a file inside the archive."""
        # Asked for with every line, so kept.
        if name not in self._labels:
            self._labels[name] = (
                f"{self.path}!{name}" if self._zip is not None else str(self.root / name)
            )
        return self._labels[name]

    def located(self, name: str, line: int) -> dict[str, Any]:
        """Return a line of a file as messages name it."""
        return {"file": self.label(name), "line": line}

    @contextmanager
    def guarded(self, what: str) -> Iterator[None]:
        """Raise FormatError, with the file and the last line read, for any error of a reader on bad data that is not
        already an error of Raven's; ``what`` names the expected data."""
        try:
            yield
        except (RavenError, MemoryError):
            raise
        except Exception as error:  # a library's OSError without a number is no error of the system
            if getattr(error, "errno", None) is not None:
                raise
            file, line = self._at
            problem = f"not a valid {what} ({type(error).__name__}: {said(error)[:200]})"
            raise FormatError(problem, file=file, line=line, fix="correct or remove it") from error

    def open(self, name: str) -> IO[bytes]:
        """Open one file for reading in binary; of a ``.gz`` or ``.zst`` file, read the unpacked content.

        FormatError if Raven cannot read it (no permission; in a zip: encrypted, damaged, unknown compression); MissingPart
        if it is packed by Zstandard and the extra ``collections`` is not installed.
        """
        self._at = (self.label(name), None)
        try:
            file = (
                (self.root / name).open("rb")
                if self._zip is None
                else self._zip.open(self._inside + name)
            )
            if name.lower().endswith(".gz"):
                return cast("IO[bytes]", gzip.open(file))
            return io.BufferedReader(_Zst(file), 2**20) if name.lower().endswith(".zst") else file
        except OSError as error:
            raise fault(
                "cannot-be-read-damaged", file=self.label(name), value=error.strerror or error
            ) from None
        except KeyError:
            raise fault("zip-stands-where-one-file", file=self.path) from None
        except (zipfile.BadZipFile, RuntimeError) as error:
            raise fault("cannot-unpacked", file=self.label(name), fix=_AGAIN, error=error) from None

    def read(self, name: str) -> bytes:
        """Read the bytes of one file of at most ``DOCUMENT_LIMIT``."""
        with self.open(name) as file:
            try:
                data = file.read(DOCUMENT_LIMIT + 1)
            except _DAMAGE as error:
                raise fault(
                    "cannot-be-read", file=self.label(name), fix=_AGAIN, error=error
                ) from None
        if len(data) > DOCUMENT_LIMIT:
            raise fault(
                "too-large-one-document", file=self.label(name), document_limit=DOCUMENT_LIMIT
            )
        return data

    def text(self, name: str, *, published: bool = False) -> str:
        """Read one file as text, without byte order mark, line ends as ``\\n``.

        FormatError if it is neither UTF-8 nor in the given encoding, or was saved in a wrong encoding.

        Parameters
        ----------
        published : bool
            The file belongs to a published collection; Raven reads it unchanged, with control characters.
        """
        text = decode(self.read(name), self.label(name), encoding=self.encoding)
        if not published:
            check_controls(text, self.label(name), encoding=self.encoding)
        return text.replace("\r\n", "\n").replace("\r", "\n")

    @contextmanager
    def on_disk(self, name: str) -> Iterator[Path]:
        """Give the path of one file; if it is in a zip, a temporary copy."""
        if self._zip is None:
            yield self.root / name
            return
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, PurePosixPath(name).name)
            path.write_bytes(self.read(name))
            yield path

    def _head(self, name: str, size: int = 2**18) -> bytes:
        with self.open(name) as file:
            return file.read(size)

    def lines(self, name: str, blank: bool = False) -> Iterator[tuple[int, str]]:
        """Yield numbered lines (from 1) without line ends; by default without blank lines.

        FormatError if a line is not UTF-8, is longer than ``LINE_LIMIT``, or ends as on old Macs (only with ``\\r``).
        """
        offset = 0
        byte_limit = max(PACKED_FLOOR, PACKED_RATIO * self._packed(name))
        with self._by_lines(name) as file:
            number = 0
            while True:
                try:
                    block = file.readline(LINE_LIMIT + 1)
                except _DAMAGE as error:
                    raise fault(
                        "cannot-be-read-damaged",
                        file=self.label(name),
                        line=number + 1,
                        fix=_AGAIN,
                        value=error,
                    ) from None
                if not block:
                    return
                number += 1
                offset += len(block)
                if offset > byte_limit:
                    raise fault(
                        "unpacks-far-more-than-text",
                        file=self.label(name),
                        line=number,
                        packed_ratio=PACKED_RATIO,
                    )
                if not blank and block.isspace():
                    continue
                self._at = (self.label(name), number)
                if len(block) > LINE_LIMIT:
                    raise fault(
                        "line-too-long",
                        file=self.label(name),
                        line=number,
                        found=f"more than {LINE_LIMIT:,} bytes",
                        line_limit=LINE_LIMIT,
                    )
                start = offset - len(block)
                line = decode(
                    block,
                    self.label(name),
                    start,
                    number,
                    encoding=self.encoding,
                    around=lambda: self._head(name),
                ).strip("\r\n")
                if "\r" in line and not blank:
                    raise old_mac(self.label(name), number)
                if blank or line.strip():
                    yield number, line

    def _packed(self, name: str) -> float:
        """Bytes of a file that is packed by itself; of another, whose size is known before, no bound follows."""
        return (
            self.sizes.get(name, math.inf) if name.lower().endswith((".gz", ".zst")) else math.inf
        )

    def _by_lines(self, name: str) -> IO[bytes]:
        """A file whose lines end with the byte ``\\n``: one in UTF-16 or UTF-32, where that is named, as UTF-8."""
        if self.encoding is None or "\n".encode(known_encoding(self.encoding)) == b"\n":
            return self.open(name)
        return io.BytesIO(
            decode(self.read(name), self.label(name), encoding=self.encoding).encode()
        )

    def close(self) -> None:
        """Close the zip file, if there is one."""
        if self._zip is not None:
            self._zip.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Zst(io.RawIOBase):
    """What a Zstandard file holds, read as a stream; damage is an OSError. Some need windows of 2 GB."""

    def __init__(self, file: IO[bytes]) -> None:
        try:
            import zstandard
        except ImportError:
            raise MissingPart(
                "reading files packed by Zstandard needs another package",
                fix=install("collections"),
            ) from None
        self._file = file
        self._error = zstandard.ZstdError
        self._stream = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(
            file, read_across_frames=True
        )

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._stream.read(len(buffer))
        except self._error as error:
            raise OSError(str(error)) from None
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


def _check_file_name(name: str, path: Path) -> None:
    if not writable(name):
        raise fault("file-name-not-utf-8", file=path, found=name)


def split_roots(roots: list[str], split: Split | None, path: str | Path) -> list[str]:
    """Return the places of data (POSIX paths inside an archive) that belong to the given split.

    Of a corpus with ``train/`` and ``test/``, return the given part; for a corpus with neither, everything. FormatError if
    a corpus has only the other part.
    """
    if split is None:
        return roots
    of_split = []
    for root in roots:
        base, part = split_of(root)
        if part == split or part is None:
            of_split.append(root)
        elif not any(split_of(root_of_split) == (base, split) for root_of_split in roots):
            raise fault(
                "folder-but-no-folder",
                file=path,
                value=base or "this corpus",
                part=part,
                split=split,
            )
    return of_split


def split_of(root: str) -> tuple[str, Split | None]:
    """Return a path without its ``train`` or ``test`` part, and which of the two it had (None: neither)."""
    names = PurePosixPath(root).parts
    for position in range(len(names) - 1, -1, -1):
        for split in ("train", "test"):
            if names[position].lower() in (split, f"{split}ing"):
                return "/".join(names[:position] + names[position + 1 :]), split  # type: ignore[return-value]
    return "/".join(names), None


def no_such(path: Path) -> InputError:
    """Return the error for a path that does not exist, with the most similar name."""
    if path.exists():
        return fault("neither-file-nor-folder", file=path)
    if "\\" in str(path) and os.sep == "/":
        return fault("path-of-windows", file=path)
    inside = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    near = near_name(path.name, inside, 0.75)
    hint = f"did you mean {str(path.with_name(near))!r}?" if near else None
    return fault("nothing-there", file=path, fix=hint)


LINKS = "RAVEN_LINKS"
"""Environment variable: with ``follow``, Raven follows links out of a folder."""


LED_OUT = "this link points outside the folder"


def follows_links() -> bool:
    """Return whether Raven follows links out of a folder. InputError if the variable has another value."""
    if (setting := os.environ.get(LINKS, "")) not in ("", "follow"):
        raise fault("unknown-value-of-variable", found=setting, links=LINKS)
    return setting == "follow"


def why_unread(path: Path, folder: Path) -> str:
    """Return why Raven does not read an entry of a folder, with any name: a link that leads out of it or nowhere, not a
    regular file; "" if it can be read."""
    if path.is_symlink():
        if not path.exists():
            return "the target of this link does not exist"
        if not follows_links() and not path.resolve().is_relative_to(folder.resolve()):
            return LED_OUT
    return "" if path.is_file() or path.is_dir() else "it is not a regular file"


def walk(folder: Path) -> tuple[dict[str, int], dict[str, str]]:
    """Return the files below a folder by name, sorted, with their sizes in bytes, and why others are not read; both
    without hidden files."""
    sizes: dict[str, int] = {}
    unread: dict[str, str] = {}
    folder_by_identity: dict[str, str] = {}
    pages = pages_of_texts(folder)
    follows_links()
    for directory, folders, files in os.walk(folder, followlinks=True):
        # A link back to a parent would never end.
        real = os.path.realpath(directory)
        subfolder = Path(directory).relative_to(folder).as_posix()
        if folder_by_identity.setdefault(real, subfolder) != subfolder:
            unread[subfolder] = f"it is a link to {folder_by_identity[real]}"
            folders.clear()
            continue
        for name in (*folders, *files):
            path = Path(directory, name)
            relative = path.relative_to(folder).as_posix()
            if name.startswith(".") or name in _IGNORED or relative in pages:
                continue
            if why := why_unread(path, folder):
                unread[relative] = why
            elif name in files:
                sizes[relative] = path.stat().st_size
        inner = {name for name in folders if not name.startswith(".") and name not in _IGNORED}
        folders[:] = sorted(name for name in inner if not why_unread(Path(directory, name), folder))
        if len(sizes) > MEMBER_LIMIT:
            break
    return dict(sorted(sizes.items())), unread


def zip_around(path: Path) -> tuple[Path, str] | None:
    """Return the zip that a path leads into, and the place in it; None for any other path."""
    for outer in path.parents if not path.exists() else ():
        if outer.is_file():
            return (
                (outer, path.relative_to(outer).as_posix()) if zipfile.is_zipfile(outer) else None
            )
    return None


def is_there(path: Path) -> bool:
    """Return whether a path exists, also in a zip."""
    return path.exists() or zip_around(path) is not None


def check_members(
    path: Path, archive: zipfile.ZipFile, packed: int | None = None
) -> dict[str, int]:
    """Return the members of a zip by name, with their unpacked sizes in bytes.

    FormatError if it unpacks to far more than texts can, is encrypted, or has too many or unsafe names."""
    sizes: dict[str, int] = {}
    inside = archive.infolist()
    if len(inside) > MEMBER_LIMIT:
        raise fault("too-many-files", file=path, found=len(inside), member_limit=MEMBER_LIMIT)
    size = sum(info.file_size for info in inside)
    packed = packed or path.stat().st_size
    if size > SUM_FLOOR and size > SUM_RATIO * packed:
        raise fault(
            "files-zip-unpack-far-more",
            file=path,
            found=f"{packed:,} bytes unpack to {size:,} in {len(inside):,} files",
            sum_ratio=SUM_RATIO,
        )
    for info in inside:
        names = (
            inner := PurePosixPath(info.filename.replace("\\", "/"))
        ).parts  # as programs for Windows write
        if inner.is_absolute() or ".." in names or ":" in info.filename[:2]:
            raise fault("name-zip-leads-out", file=path, found=info.filename)
        folder = info.is_dir() or info.filename.endswith("\\")
        if folder or any(name.startswith(".") or name in _IGNORED for name in names):
            continue
        if info.file_size > 2**20 and info.file_size > RATIO_LIMIT * max(1, info.compress_size):
            raise fault(
                "file-zip-unpacks-far-more",
                file=path,
                found=f"{info.filename}: {info.compress_size} bytes unpack to {info.file_size}",
                ratio_limit=RATIO_LIMIT,
            )
        if info.flag_bits & 1:
            raise fault("zip-encrypted", file=path, found=info.filename)
        if (name := str(inner)) in sizes:
            raise fault("name-twice-in-zip", file=path, found=name)
        archive.NameToInfo[name] = info
        sizes[name] = info.file_size
    return dict(sorted(sizes.items()))


BOM = b"\xef\xbb\xbf"


def read_whole(path: Path, encoding: str | None = UTF8) -> str:
    """Read one text unchanged. InputError if it does not exist, or is neither UTF-8 nor in the given encoding."""
    if not path.is_file():
        raise no_such(path)
    return whole(path.read_bytes(), str(path), encoding)


def whole(data: bytes, label: str, encoding: str | None = UTF8) -> str:
    """Decode a text with its byte order mark and line ends; ``label`` names it in messages."""
    text = decode(data, label, encoding=encoding)
    check_controls(text, label, encoding=encoding)
    return ("\ufeff" if data.startswith(BOM) else "") + text
