"""What a run's folder says of itself: typed, versioned records, read and written here alone.

Each file holds one envelope, ``{"format", "kind", "sha256", "record"}``. The hash covers the kind and the record's
bytes, so that one flipped digit is seen. The records that all tasks share stand below; each task adds its own plan
beside its code (``bench.run.record`` …).

msgspec checks and decodes them: it loads in a third of the time that pydantic takes (32 against 105 ms here, measured
as whole processes), needs no other package, and reads a plan of 20,000 cells in milliseconds.
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

from ravenbench import files, registry
from ravenbench.errors import StoreError

FORMAT = 3
"""Raised whenever a record or the layout changes; format 1 had neither kinds nor hashes, format 2 a folder a cell."""

Kind = str
"""The task that a folder belongs to: one of ``KINDS``, or of a package that names it (``ravenbench.task``)."""

KINDS = ("run", "verify", "pan14", "attribute", "safety", "simulate", "evaluate", "obfuscate", "compare")


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all records. A field that is missing or of another type is an error when it is read."""


R = TypeVar("R", bound=Record)


class Head(Record, frozen=True, kw_only=True):
    """``run.json``: what decides the run, and with what it was made; written first.

    ``spec`` is the task's resolved spec, ``data`` the hash of every input by name, ``seed`` that of all draws.
    """

    spec: dict[str, Any]
    data: dict[str, str]
    raven: str
    python: str
    packages: dict[str, str]
    seed: int = 0


class Pairs(Record, frozen=True, kw_only=True):
    """How many pairs (or problems) have one author and how many have two."""

    same: int
    different: int

    @property
    def total(self) -> int:
        """Pairs of both classes."""
        return self.same + self.different


class PairCounts(Record, frozen=True, kw_only=True):
    """Pairs to learn from, to calibrate on and to test on."""

    fit: Pairs
    calibrate: Pairs
    test: Pairs


class Sides(Record, frozen=True, kw_only=True):
    """How many documents or authors stand in the training set, in the test set and in both (None: not known)."""

    train: int | None
    test: int | None
    both: int | None = None


class Composition(Record, frozen=True, kw_only=True):
    """Share of test pairs within one topic, among same-author and among different-author pairs (None: not known)."""

    same: float | None
    different: float | None


class FoldRecord(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One fold: where it comes from, what lies in it, and the hashes of both its sides.

    ``setup``, ``pool``, ``fold``, ``repetition``, ``null``, ``version``, ``obfuscator``, ``seed`` and ``attack`` are
    labels, set by the tasks that use them; they never enter a key. ``labels`` has what further ones a fold came with.
    """

    train_digest: str
    test_digest: str
    counts: PairCounts | None = None
    documents: Sides | None = None
    authors: Sides | None = None
    composition: Composition | None = None
    dropped: dict[str, int] = {}
    calibration: str | None = None
    train_topics: list[int] = []
    test_topics: list[int] = []
    setup: str | None = None
    pool: int | None = None
    fold: int | None = None
    repetition: int | None = None
    null: int | None = None
    obfuscator: str | None = None
    seed: int | None = None
    attack: str | None = None
    transplanted: str | None = None
    source: str | None = None
    labels: dict[str, Any] = {}


class VerifierRecord(Record, frozen=True, kw_only=True):
    """A method of a plan: the name it is shown under, its spec, all that decides its answers, and its provenance.

    ``source`` is a hash of the files of classes that are not Raven's own.
    """

    name: str
    spec: str
    identity: Any
    version: int
    provenance: str | None = None
    source: str | None = None


class CellPlace(Record, frozen=True, kw_only=True):
    """Which cell answers which fold with which verifier."""

    key: str
    verifier: str
    fold: str


class Plan(Record, frozen=True, kw_only=True):
    """``plan.json``: what every task's plan holds; written last in planning.

    ``files`` has the SHA-256 of everything that planning wrote.
    """

    folds: dict[str, FoldRecord]
    verifiers: list[VerifierRecord]
    cells: list[CellPlace]
    files: dict[str, str] = {}


class Seconds(Record, frozen=True, kw_only=True):
    """Seconds a cell took."""

    fit: float
    score: float


class CellRecord(Record, frozen=True, kw_only=True):
    """What a cell says of itself; its arrays lie in the same file.

    A failed cell has an ``error`` and no arrays. ``faults`` says by problem why it was left unanswered. ``programs``
    says how outside programs were run, "confined" or "not confined" and why; "" where none was.
    """

    key: str
    verifier: str
    identity: Any
    train_digest: str
    test_digest: str
    n: int
    seconds: Seconds
    error: str | None = None
    faults: dict[str, str] = {}
    programs: str = ""


class _Envelope(msgspec.Struct):
    format: int
    kind: str
    sha256: str
    record: msgspec.Raw


def write_record(path: Path, kind: str, record: Record) -> str:
    """Write a record in its envelope, whole or not at all; returns the SHA-256 of the file.

    Raises
    ------
    ValueError
        If it holds a number that is not finite, or the kind is none of ``KINDS``.
    """
    check_kind(kind)
    value = msgspec.to_builtins(record)
    body = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False).encode()
    head = f'{{\n"format": {FORMAT},\n"kind": "{kind}",\n"sha256": "{_hash(kind, body)}",\n"record": '
    return files.write_bytes(path, head.encode() + body + b"\n}\n")


def read_record(path: Path, shape: type[R]) -> R:
    """The record of a file.

    Raises
    ------
    StoreError
        If the file is of another format, damaged or of another shape.
    OSError
        If it cannot be read.
    """
    return decode(path, open_record(path)[1], shape)


def open_record(path: Path) -> tuple[str, bytes]:
    """The kind of a file and its record as bytes, whose hash holds.

    Raises
    ------
    StoreError
        If the file is of another format or damaged.
    OSError
        If it cannot be read.
    """
    data = path.read_bytes()
    try:
        envelope = msgspec.json.decode(data, type=_Envelope)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if _is_old(data):
            raise another_format(path, "format 1") from None
        raise damaged(path, error) from None
    if envelope.format != FORMAT:
        raise another_format(path, f"format {envelope.format}")
    if _hash(envelope.kind, bytes(envelope.record)) != envelope.sha256:
        raise damaged(path, "its hash is not that of its content")
    if not is_kind(envelope.kind):
        raise unknown_kind(path, envelope.kind)
    return envelope.kind, bytes(envelope.record)


def decode(path: Path, body: bytes, shape: type[R]) -> R:
    """A record from its bytes, whose hash held.

    Raises
    ------
    OtherFormat
        If it is sound and has another shape: repeating the command would not mend it.
    StoreError
        If it is damaged.
    """
    try:
        return msgspec.json.decode(body, type=shape)
    except msgspec.ValidationError as error:
        raise another_format(path, str(error)) from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise damaged(path, error) from None


def damaged(path: Path, reason: object) -> StoreError:
    """The error for a file of a run that cannot be used."""
    return StoreError(
        f"{path}: this file of a run is damaged ({reason})\n"
        "  fix: repeat the command that made this run; it mends its folder"
    )


class OtherFormat(StoreError):
    """The folder was written by another version of Raven."""


def is_kind(kind: str) -> bool:
    """Whether a task of this name is here."""
    return kind in KINDS or kind in registry.targets("task")


def check_kind(kind: str) -> None:
    """Raise ValueError for a kind under which nothing can be read again."""
    if not is_kind(kind):
        raise ValueError(f"no task is called {kind!r}; known: {', '.join(KINDS)}")


def unknown_kind(path: Path, found: str) -> OtherFormat:
    """The error for a whole file of a task that this Raven does not have."""
    return OtherFormat(
        f"{path}: this folder belongs to a task of an unknown kind\n  found: {found}\n"
        f"  expected: {', '.join(KINDS)}\n  fix: read it with the version or the package of Raven that wrote it, "
        "or give another --out"
    )


def another_format(path: Path, found: str) -> OtherFormat:
    """The error for a folder that another Raven wrote."""
    return OtherFormat(
        f"{path}: this folder was written by another version of Raven\n  found: {found}\n"
        f"  expected: format {FORMAT}, as this version writes it\n  fix: give another --out, or remove the folder and "
        "run again; the version of Raven that wrote it still reads it"
    )


def _hash(kind: str, body: bytes) -> str:
    return hashlib.sha256(f"{kind}\n".encode() + body).hexdigest()


def _is_old(data: bytes) -> bool:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and "format" not in value and bool({"spec", "cells", "key"} & value.keys())


Arrays = Mapping[str, NDArray[Any]]
_packed_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


class _PackedEnvelope(msgspec.Struct):
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
    body = _packed_json(msgspec.to_builtins(record)).encode()
    payload = b"".join(array.tobytes() for array in whole.values())
    head = (
        f'{{"format": {FORMAT}, "kind": "{kind}", "sha256": "{_packed_hash(kind, shapes, body, payload)}", "arrays": '
    )
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
        envelope = msgspec.json.decode(data[:end], type=_PackedEnvelope)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise damaged(path, error) from None
    if envelope.format != FORMAT:
        raise another_format(path, f"format {envelope.format}")
    parts = bytes(envelope.arrays), bytes(envelope.record), memoryview(data)[end:]
    if _packed_hash(envelope.kind, *parts) != envelope.sha256:
        raise damaged(path, "its hash is not that of its content")
    if not is_kind(envelope.kind):
        raise unknown_kind(path, envelope.kind)
    return decode(path, parts[1], shape), dict(_arrays(path, parts[0], data, end))


def _arrays(path: Path, shapes: bytes, data: bytes, place: int) -> Iterable[tuple[str, NDArray[Any]]]:
    for name, kind, shape in msgspec.json.decode(shapes, type=list[tuple[str, str, tuple[int, ...]]]):
        dtype, count = np.dtype(kind), int(np.prod(shape, dtype=np.int64))
        if dtype.hasobject:
            raise damaged(path, "an array of Python objects")
        yield name, np.frombuffer(data, dtype, count, place).reshape(shape).copy()
        place += count * dtype.itemsize


def _packed_hash(kind: str, shapes: bytes, body: bytes, payload: bytes | memoryview) -> str:
    found = hashlib.sha256(kind.encode() + b"\n" + shapes + b"\n" + body + b"\n")
    found.update(payload)
    return found.hexdigest()
