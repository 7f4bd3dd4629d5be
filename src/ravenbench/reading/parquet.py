"""Refuses Parquet files that would unpack to too much: a few kilobytes may unpack to gigabytes.

In: the path of a file (``check_unpacked``), or its sizes unpacked and packed, in bytes (``check_size``).
Out: nothing; FormatError if its footer promises too many bytes, rows or values. A footer that cannot be read passes:
the file's reader reports the error.
"""

from __future__ import annotations

from collections import deque
from itertools import islice
from pathlib import Path
from typing import Any

from ravenbench.reading.account import fault
from ravenbench.reading.archive import SUM_FLOOR, SUM_RATIO

_ROWS = 2**19
_VALUES = 2**24
"""Limits for a small file; a larger file may have half as many rows and 16 times as many values as bytes."""


def check_unpacked(path: Path) -> None:
    """Raise FormatError if a Parquet file unpacks to far more than tables of texts do; its reader reports other errors."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 8))
        file.seek(max(0, size - 8 - int.from_bytes(file.read(4), "little")))
        footer = _Footer(file.read())
    try:
        about = footer.record()
        chunks = [chunk[3] for group in about[4] for chunk in group[1]]
        rows = about[3]
        values = sum(chunk[5] for chunk in chunks)
        unpacked = sum(chunk[6] for chunk in chunks)
    except (StopIteration, KeyError, TypeError, ValueError, RecursionError):
        return
    check_size(path, unpacked, size)
    if rows > max(_ROWS, size // 2) or values > max(_VALUES, 16 * size):
        raise fault(
            "table-holds-far-more-rows",
            file=path,
            found=f"{rows:,} rows, {values:,} values, {size:,} bytes",
        )


def check_size(path: str | Path, unpacked: int, packed: int) -> None:
    """Raise FormatError if ``unpacked`` bytes are far more than a table of texts packs into ``packed`` bytes."""
    if unpacked > max(SUM_FLOOR, SUM_RATIO * packed):
        raise fault(
            "table-unpacks-far-more-than",
            file=path,
            found=f"{packed:,} bytes unpack to {unpacked:,} or more",
            sum_ratio=SUM_RATIO,
        )


class _Footer:
    """Bytes in Thrift's compact protocol, of which a Parquet file's footer is a record."""

    def __init__(self, data: bytes) -> None:
        self._bytes = iter(data)

    def record(self) -> dict[int, Any]:
        """Fields by their numbers; texts and fractions are passed over."""
        fields: dict[int, Any] = {}
        number = 0
        while head := next(self._bytes):
            number = number + (head >> 4) if head >> 4 else self._whole()
            fields[number] = self._value(head & 15)
        return fields

    def _value(self, kind: int) -> Any:
        if kind in (4, 5, 6):
            return self._whole()
        if kind in (9, 10):
            head = next(self._bytes)
            length = head >> 4 if head >> 4 < 15 else self._varint()
            return [self._value(3 if head & 15 < 3 else head & 15) for _ in range(length)]
        if kind == 12:
            return self.record()
        length = {1: 0, 2: 0, 3: 1, 7: 8}[kind] if kind != 8 else self._varint()
        deque(islice(self._bytes, length), maxlen=0)
        return None

    def _varint(self) -> int:
        value = shift = 0
        while (byte := next(self._bytes)) > 127:
            value |= (byte & 127) << shift
            shift += 7
        return value | byte << shift

    def _whole(self) -> int:
        return ((value := self._varint()) >> 1) ^ -(value & 1)
