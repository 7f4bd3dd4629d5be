"""Keeps texts as a table: one memory-mapped block of UTF-8, each distinct text once, known by its content hash.

In: ``TextTable.collect``: texts; ``of_blocks``: (hash, UTF-8 bytes) of each; ``open`` and ``save``: the path of a
folder; methods of a table: row numbers from 0; ``composed``: a text. Out: ``collect`` and ``of_blocks`` give a
``TextTable`` (row to text) and the row (int from 0) of each text given; ``hash`` content hashes (16 bytes, BLAKE2b),
``digest`` 32 hexadecimal digits, ``checksum`` an int; ``composed`` text. InputError for invalid Unicode, StoreError for
a folder that is not a table or is damaged, IndexError for an unknown row. ``TextView`` is some rows as a sequence.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import re
import tempfile
import unicodedata
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count, pairwise
from pathlib import Path
from typing import IO, Any, Literal, overload
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ravenbench.errors import InputError, StoreError, check_type

RESIDENT = 8 * 2**20
"""Bytes of a mapped table that are read before its pages are let go: they would count as memory of the process, up to
four times as many as were read, because the system also maps neighbouring bytes."""


MOST_MARKS = 100
"""Accents in a row that are put in order at once, which takes the square of their number."""
SPOOL_LIMIT = 128 * 2**20
"""Bytes of gathered texts that are kept in memory before they go to disk."""


def let_go(data: object) -> None:
    """Have the system take back what was read of a mapped file; when its pages are read again, they are there again."""
    if isinstance(data, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        data.madvise(mmap.MADV_DONTNEED)


def content_hash(text: str | bytes) -> bytes:
    """The 16-byte identity of a text: BLAKE2b of its UTF-8 form."""
    return hashlib.blake2b(
        text if isinstance(text, bytes) else text.encode(), digest_size=16
    ).digest()


_MARKS = re.compile(rf"[^\w\s\x00-\u02ff]{{{MOST_MARKS},}}")


def composed(text: str, form: Literal["NFC", "NFKC", "NFKD"] = "NFC") -> str:
    """The text with a letter and its accents as one character where there is one (NFC): systems differ in this, writers
    do not. A run of more than ``MOST_MARKS`` accents is composed in pieces."""
    if text.isascii():
        return text
    runs = (range(*run.span(), MOST_MARKS)[1:] for run in _MARKS.finditer(text))
    cuts = [0, *chain.from_iterable(runs), len(text)]
    return "".join(unicodedata.normalize(form, text[start:end]) for start, end in pairwise(cuts))


def _identified(text: str, number: int) -> tuple[bytes, bytes]:
    try:
        block = text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"text number {number} is not valid Unicode",
            found=text[max(0, error.start - 20) : error.start + 20],
            fix="repair the encoding of the file (it contains a lone surrogate)",
        ) from None
    return content_hash(block), block


class TextTable:
    """An immutable sequence of distinct texts.

    Texts are UTF-8 in one buffer; ``offsets`` has shape (n + 1,), ``hashes`` (n, 16). A table that was saved or
    opened is pickled as its path only, so workers never receive texts.
    """

    def __init__(
        self,
        data: bytes | mmap.mmap,
        offsets: NDArray[np.int64],
        hashes: NDArray[np.uint8],
        path: Path | None,
    ) -> None:
        for name, value in (("offsets", offsets), ("hashes", hashes)):
            check_type(f"TextTable: {name}", "ndarray", value)
        check_type("TextTable: data", "bytes | mmap | memoryview", data)
        self._data = data
        self.path = path
        self.offsets = offsets.view()
        self.hashes = hashes.view()
        # All methods of a run read one table: what one of them writes there cuts the texts of all others elsewhere.
        self.offsets.flags.writeable = self.hashes.flags.writeable = False
        self._read = 0

    @classmethod
    def collect(cls, texts: Iterable[str]) -> tuple[TextTable, NDArray[np.int64]]:
        """A table of the distinct texts in order of first occurrence, and the row of each text given.

        InputError if a text cannot be written as UTF-8 (a lone surrogate).
        """
        return cls.of_blocks(map(_identified, texts, count()))

    @classmethod
    def of_blocks(
        cls, blocks: Iterable[tuple[bytes, bytes]]
    ) -> tuple[TextTable, NDArray[np.int64]]:
        """The same for texts that are UTF-8 already, each after its content hash."""
        gathered = Gathered()
        index = np.fromiter((gathered.put(*block) for block in blocks), dtype=np.int64)
        return gathered.table(), index

    @classmethod
    def open(cls, path: str | Path) -> TextTable:
        """Open a saved table, memory-mapped.

        StoreError if the folder is not a text table or its parts do not fit together.
        """
        from ravenbench.files import is_remote, location, read_array

        path = location(path)
        try:
            offsets = read_array(path / "offsets.npy")
            hashes = read_array(path / "hashes.npy")
            data: bytes | mmap.mmap
            if is_remote(path):
                data = (path / "texts.bin").read_bytes()
            else:
                with (path / "texts.bin").open("rb") as file:
                    empty = os.fstat(file.fileno()).st_size == 0
                    data = b"" if empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except Exception as error:  # whatever NumPy makes of a damaged head
            raise StoreError(f"{path}: this text table cannot be read ({error})") from error
        rows = (
            offsets.ndim == 1
            and offsets.dtype.kind in "iu"
            and hashes.ndim == 2
            and len(hashes) + 1 == len(offsets)
        )
        if (
            not rows
            or offsets[0]
            or len(data) != int(offsets[-1])
            or (offsets[1:] < offsets[:-1]).any()
        ):
            raise StoreError(f"{path}: the parts of this text table do not match")
        return cls(data, offsets, hashes, path)

    def save(self, path: str | Path) -> TextTable:
        """Write the table as a folder (each file under a temporary name first) and return it mapped."""
        from ravenbench.files import is_remote, location, replacing, write_array, write_bytes

        path = location(path)
        path.mkdir(parents=True, exist_ok=True)
        data = memoryview(self._data)
        if is_remote(path):
            write_bytes(path / "texts.bin", data)
        else:
            with replacing(path / "texts.bin") as file:
                for start in range(0, len(data), RESIDENT):
                    file.write(data[start : start + RESIDENT])
                    self._let_go()
        write_array(path / "hashes.npy", self.hashes)
        write_array(path / "offsets.npy", self.offsets)
        return TextTable.open(path)

    def __repr__(self) -> str:
        return f"TextTable: {len(self):,} distinct texts"

    def __len__(self) -> int:
        return len(self.hashes)

    def __getitem__(self, row: int | np.integer[Any]) -> str:
        try:
            return self.raw(row).decode()
        except UnicodeDecodeError:
            raise StoreError(f"{self.path}: text {row} of this text table was changed") from None

    def raw(self, row: int | np.integer[Any]) -> bytes:
        """The UTF-8 bytes of one text."""
        if not 0 <= row < len(self.hashes):
            raise IndexError(row)
        data = bytes(self._data[self.offsets.item(row) : self.offsets.item(row + 1)])
        self._read += len(data)
        if self._read > RESIDENT:
            self._let_go()
        return data

    def checksum(self) -> int:
        """CRC-32 (int) of all texts and where each begins: what a power cut or a bad disk does to a table changes
        it."""
        data = memoryview(self._data)
        value = crc32(self.offsets.tobytes())
        for start in range(0, len(data), RESIDENT):
            value = crc32(data[start : start + RESIDENT], value)
            self._let_go()
        return value

    def check(self) -> None:
        """StoreError if a text is not the one of its hash, or no UTF-8; that of all is asked for in ``checksum``."""
        for row, known_hash in enumerate(self.hashes):
            if content_hash(self[row]) != known_hash.tobytes():
                raise StoreError(f"{self.path}: text {row} of this text table was changed")

    def _let_go(self) -> None:
        self._read = 0
        let_go(self._data)

    def __iter__(self) -> Iterator[str]:
        return (self[row] for row in range(len(self)))

    def rows(self, index: Iterable[int] | NDArray[np.int64]) -> list[str]:
        """The texts of these rows."""
        return [self[row] for row in index]

    def blocks(self, rows: Iterable[int] | NDArray[np.int64]) -> Iterator[tuple[bytes, bytes]]:
        """Content hash and UTF-8 bytes of these rows, what ``of_blocks`` takes."""
        return ((self.hash(row), self.raw(row)) for row in rows)

    def view(self, index: NDArray[np.int64]) -> TextView:
        """The texts of these rows, each read when it is needed."""
        return TextView(self, index)

    def hash(self, row: int | np.integer[Any]) -> bytes:
        """The content hash of one text (16 bytes)."""
        return bytes(self.hashes[row].data)

    def digest(self) -> str:
        """One hash (32 hexadecimal digits) over all content hashes in order."""
        return hashlib.blake2b(self.hashes.tobytes(), digest_size=16).hexdigest()

    def __reduce__(self) -> tuple[Any, ...]:
        if self.path is not None:
            return (TextTable.open, (self.path,))
        return (
            TextTable,
            (bytes(self._data), np.asarray(self.offsets), np.asarray(self.hashes), None),
        )


class Gathered:
    """Distinct texts in UTF-8 that come one by one, after their content hashes; beyond ``SPOOL_LIMIT`` they are in an
    unnamed temporary file, or all in ``file`` if it is given (opened to read and write, at its end).
    """

    def __init__(self, file: IO[bytes] | None = None) -> None:
        self.rows: dict[bytes, int] = {}
        self.sizes = array("q")
        # It lives as long as this object.
        self._file: Any = file
        if file is None:
            self._file = tempfile.SpooledTemporaryFile(max_size=SPOOL_LIMIT)  # noqa: SIM115

    def put(self, key: bytes, block: bytes) -> int:
        """Add a text and return its row."""
        row = self.rows.setdefault(key, len(self.rows))
        if row == len(self.sizes):
            self.sizes.append(len(block))
            self._file.write(block)
        return row

    def table(self) -> TextTable:
        """The table of all texts added; nothing can be added afterwards."""
        offsets = np.concatenate([[0], np.cumsum(self.sizes, dtype=np.int64)])
        hashes = np.frombuffer(b"".join(self.rows), dtype=np.uint8).reshape(-1, 16)
        data: bytes | mmap.mmap
        if offsets[-1] > SPOOL_LIMIT:
            self._file.flush()
            data = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        else:
            self._file.seek(0)
            data = self._file.read()
        self._file.close()
        return TextTable(data, offsets, hashes, None)


class TextView(Sequence[str]):
    """Some rows of a table as a sequence without copies of the texts; a slice of it is a list."""

    def __init__(self, table: TextTable, index: NDArray[np.int64]) -> None:
        self._table = table
        self._rows = index

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, position: int | slice) -> str | list[str]:
        return (
            self._table.rows(self._rows[position])
            if isinstance(position, slice)
            else self._table[self._rows[position]]
        )
