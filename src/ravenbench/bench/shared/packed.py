"""One file for one result: its record and its arrays, under one hash.

The first line is an envelope in JSON, ``{"format", "kind", "sha256", "arrays", "record"}``, where ``arrays`` lists each
array's name, type (as NumPy writes it, such as ``<f8``) and shape. Their bytes follow in that order, rows first, with
nothing in between. The hash covers the kind, the list, the record and all bytes, so a file that was cut short or
changed anywhere is seen, and a file that is there is the commit mark of its result.

One file costs one write and one rename where a folder of arrays and a record cost four of each, and reading it back
needs no parser beside that of the first line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from ravenbench import files
from ravenbench.bench.shared.record import (
    FORMAT,
    KINDS,
    Record,
    another_format,
    check_kind,
    damaged,
    decode,
    unknown_kind,
)

R = TypeVar("R", bound=Record)
Arrays = Mapping[str, NDArray[Any]]
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


class _Envelope(msgspec.Struct):
    format: int
    kind: str
    sha256: str
    arrays: msgspec.Raw
    record: msgspec.Raw


def write_packed(path: Path, kind: str, record: Record, arrays: Arrays, *, sync: bool = True) -> None:
    """Write a record and its arrays as one file, whole or not at all.

    Parameters
    ----------
    sync : bool
        Wait until the disk has it. Otherwise a killed process loses nothing, but a power cut may take what the system
        had not written yet; such a file is missing or does not have its hash, and ``files.sync_folder`` rules it out.

    Raises
    ------
    ValueError
        If the record holds a number that is not finite, an array holds Python objects, or the kind is unknown.
    """
    check_kind(kind)
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    if any(array.dtype.hasobject for array in whole.values()):
        raise ValueError("arrays of Python objects are not kept")
    shapes = msgspec.json.encode([(name, a.dtype.str, np.shape(arrays[name])) for name, a in whole.items()])
    body = _encode(msgspec.to_builtins(record)).encode()
    payload = b"".join(array.tobytes() for array in whole.values())
    head = f'{{"format": {FORMAT}, "kind": "{kind}", "sha256": "{_hash(kind, shapes, body, payload)}", "arrays": '
    files.write_bytes(path, b"".join((head.encode(), shapes, b', "record": ', body, b"}\n", payload)), sync=sync)


def read_packed(path: Path, shape: type[R]) -> tuple[R, dict[str, NDArray[Any]]]:
    """The record and the arrays of a file.

    Raises
    ------
    StoreError
        If the file is of another format, damaged or of another shape.
    OSError
        If it cannot be read.
    """
    data = path.read_bytes()
    end = data.find(b"\n") + 1
    try:
        envelope = msgspec.json.decode(data[:end], type=_Envelope)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise damaged(path, error) from None
    if envelope.format != FORMAT:
        raise another_format(path, f"format {envelope.format}")
    parts = bytes(envelope.arrays), bytes(envelope.record), memoryview(data)[end:]
    if _hash(envelope.kind, *parts) != envelope.sha256:
        raise damaged(path, "its hash is not that of its content")
    if envelope.kind not in KINDS:
        raise unknown_kind(path, envelope.kind)
    return decode(path, parts[1], shape), dict(_arrays(path, parts[0], data, end))


def _arrays(path: Path, shapes: bytes, data: bytes, place: int) -> Iterable[tuple[str, NDArray[Any]]]:
    for name, kind, shape in msgspec.json.decode(shapes, type=list[tuple[str, str, tuple[int, ...]]]):
        dtype, count = np.dtype(kind), int(np.prod(shape, dtype=np.int64))
        if dtype.hasobject:
            raise damaged(path, "an array of Python objects")
        yield name, np.frombuffer(data, dtype, count, place).reshape(shape).copy()
        place += count * dtype.itemsize


def _hash(kind: str, shapes: bytes, body: bytes, payload: bytes | memoryview) -> str:
    found = hashlib.sha256(kind.encode() + b"\n" + shapes + b"\n" + body + b"\n")
    found.update(payload)
    return found.hexdigest()
