"""Defines the typed, versioned records in a run's folder, which only this module reads and writes.

In: a path, and a record (with arrays by name for ``write_packed``), or the class that a record has to be of.
Out: a file and its SHA-256 (hexadecimal), or the record (``Head``, ``Plan``, ``CellRecord`` …), with arrays by name
from ``read_packed``; numbers in records are counts, shares (0 to 1) or seconds. StoreError for a damaged file,
OtherFormat (a StoreError) for one of another version, ValueError for what cannot be written; the ``…_or_none``
functions give None instead.

Each file is one envelope, ``{"format", "kind", "sha256", "record"}``. The hash covers the kind and the record's bytes,
so that one flipped digit is seen. The records that all tasks share are below; each task adds its own plan beside its
code (``tasks.run.record`` …).

A result is one file too (``write_packed``): such an envelope on the first line, with ``arrays``, which lists each
array's name, type (as NumPy writes it, such as ``<f8``) and shape; the bytes of the arrays follow in that order, rows
first, with nothing in between. The hash covers them, so that a file that is there is the commit mark of its result. One
file costs one write and one rename where a folder of arrays and a record cost four of each.

msgspec checks and decodes: it loads in a third of the time that pydantic takes (32 against 105 ms here, measured as
whole processes), needs no other package, and reads a plan of 20,000 cells in milliseconds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from ravenbench import files, registry
from ravenbench.errors import StoreError
from ravenbench.types import Arrays

FORMAT = 4
"""Raised whenever a record or the layout changes; format 1 had neither kinds nor hashes, format 2 a folder a cell,
format 3 cases of a class that were judged by parts."""

KINDS = (
    "run",
    "verify",
    "pan14",
    "attribute",
    "safety",
    "evaluate",
    "obfuscate",
)
"""Tasks of Raven's own that a folder may belong to; packages add theirs (``kinds``)."""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Base class of all records. Reading a record with a missing field or a field of another type is an error."""


R = TypeVar("R", bound=Record)


class Head(Record, frozen=True, kw_only=True):
    """``run.json``: what decides the run, and the versions that made it; written first.

    ``spec`` is the task's resolved spec, ``data`` the hash of every input by name, ``seed`` the seed of all draws.
    """

    spec: dict[str, Any]
    data: dict[str, str]
    raven: str
    python: str
    packages: dict[str, str]
    seed: int = 0


class PairsRecord(Record, frozen=True, kw_only=True):
    """Counts of pairs (or problems): ``same`` have one author, ``different`` have two authors."""

    same: int
    different: int

    @property
    def total(self) -> int:
        """Count of pairs of both classes."""
        return self.same + self.different


class PairCounts(Record, frozen=True, kw_only=True):
    """Counts of pairs for training, calibration and testing."""

    fit: PairsRecord
    calibrate: PairsRecord
    test: PairsRecord


class Sides(Record, frozen=True, kw_only=True):
    """How many documents or authors are in the training set, in the test set and in both (None: not known)."""

    train: int | None
    test: int | None
    both: int | None = None


class Composition(Record, frozen=True, kw_only=True):
    """Proportion (0 to 1) of test pairs within one topic, among same-author and among different-author pairs (None: not
    known)."""

    same: float | None
    different: float | None


class FoldRecord(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One fold: its source, its content, and the hashes of both sides.

    ``setup``, ``pool``, ``fold``, ``repetition``, ``null``, ``version``, ``obfuscator``, ``seed`` and ``attack`` are
    labels, set by the tasks that use them; they never enter a key. ``labels`` has further labels of a fold.
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


GOOD_FAITH = "not confined: in good faith"


class VerifierRecord(Record, frozen=True, kw_only=True):
    """A method of a plan: its displayed name, its spec, everything that decides its answers, and its provenance.

    ``source`` is a hash of the files of classes that are not Raven's own, and of models; ``foreign`` says whether there
    are classes of other authors, except scikit-learn's; None in plans made before this was noted. ``reads_grammar`` is
    ``Component.reads_grammar``, of any part of it.
    """

    name: str
    spec: str
    identity: Any
    version: int
    provenance: str | None = None
    source: str | None = None
    foreign: bool | None = None
    reads_grammar: bool | msgspec.UnsetType = msgspec.UNSET

    @property
    def confinement(self) -> str:
        """The note on a method with classes of other authors wherever content or programs are reported; "" for Raven's
        methods, and for programs, whose cells say how they ran. An old plan without this field is assumed to have these
        classes.
        """
        is_foreign = self.source is not None if self.foreign is None else self.foreign
        return GOOD_FAITH if is_foreign else ""


class CellPlace(Record, frozen=True, kw_only=True):
    """The verifier and the fold of a cell, and its key."""

    key: str
    verifier: str
    fold: str


class Plan(Record, frozen=True, kw_only=True):
    """``plan.json``: the content of every task's plan; written last in planning.

    ``files`` has the SHA-256 of everything that planning wrote.
    """

    folds: dict[str, FoldRecord]
    verifiers: list[VerifierRecord]
    cells: list[CellPlace]
    files: dict[str, str] = {}

    @property
    def planned(self) -> list[tuple[str, str, str]]:
        """Return method, fold and key of every result that the folder should have."""
        return [(cell.verifier, cell.fold, cell.key) for cell in self.cells]


class Seconds(Record, frozen=True, kw_only=True):
    """Seconds that a cell took: ``fit`` for training, ``score`` for answering."""

    fit: float
    score: float


class CellRecord(Record, frozen=True, kw_only=True):
    """The record of a cell; its arrays are in the same file.

    ``n`` counts its problems. A failed cell has an ``error`` and no arrays. ``faults`` says by problem why it is
    unanswered. ``programs`` says how outside programs ran, "confined" or "not confined" and why; "" without programs.
    ``exposed`` says why a method that is not Raven's own may know more than its input, "" where it does not.
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
    exposed: str | msgspec.UnsetType = msgspec.UNSET


class _Envelope(msgspec.Struct):
    format: int
    kind: str
    sha256: str
    record: msgspec.Raw
    arrays: msgspec.Raw = msgspec.Raw(b"")


def kinds() -> tuple[str, ...]:
    """Return every task that a folder may belong to: Raven's tasks and those of installed packages."""
    return (*KINDS, *(name for name in registry.targets("task") if name not in KINDS))


def write_record(path: Path, kind: str, record: Record) -> str:
    """Write a record in its envelope, completely or not at all, and return the SHA-256 of the file. Raises ValueError
    if it contains a number that is not finite, or no task has this kind."""
    check_kind(kind)
    plain = json.dumps(msgspec.to_builtins(record), ensure_ascii=False, allow_nan=False)
    body = msgspec.json.format(files.escaped_json(plain).encode(), indent=1)
    head = f'{{\n"format": {FORMAT},\n"kind": "{kind}",\n"sha256": "{hash_of(kind, body)}",\n"record": '
    return files.write_bytes(path, head.encode() + body + b"\n}\n")


def read_record(path: Path, shape: type[R]) -> R:
    """Return the record of a file; StoreError if it has another format, is damaged or has other fields."""
    return decode(path, open_record(path)[1], shape)


def record_or_none(path: Path, shape: type[R]) -> R | None:
    """Return the record of a file, None if it is missing or damaged: it is then made again."""
    try:
        return read_record(path, shape)
    except (OSError, StoreError):
        return None


def open_record(path: Path) -> tuple[str, bytes]:
    """Return the kind of a file and its record as bytes, after checking its hash; StoreError as of ``read_record``."""
    envelope = _opened(path, files.read_ordinary(path))
    return envelope.kind, bytes(envelope.record)


def write_packed(
    path: Path, kind: str, record: Record, arrays: Arrays, *, sync: bool = True
) -> None:
    """Write a record and its arrays as one file, completely or not at all.

    ``sync`` waits until the disk has it. Otherwise a killed process loses nothing, but a power cut may take what the
    system had not written yet; such a file is missing or does not have its hash, and ``files.sync_folder`` rules it
    out. ValueError as of ``write_record``, and if an array contains Python objects.
    """
    check_kind(kind)
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    if any(array.dtype.hasobject for array in whole.values()):
        raise ValueError("arrays of Python objects cannot be saved")
    shapes = msgspec.json.encode(
        [(name, a.dtype.str, np.shape(arrays[name])) for name, a in whole.items()]
    )
    body = json.dumps(msgspec.to_builtins(record), ensure_ascii=False, allow_nan=False).encode()
    payload = b"".join(array.tobytes() for array in whole.values())
    sha = hash_of(kind, shapes, body, payload)
    head = f'{{"format": {FORMAT}, "kind": "{kind}", "sha256": "{sha}", "arrays": '
    files.write_bytes(
        path, b"".join((head.encode(), shapes, b', "record": ', body, b"}\n", payload)), sync=sync
    )


def read_packed(path: Path, shape: type[R]) -> tuple[R, dict[str, NDArray[Any]]]:
    """Return the record and the arrays of a file; StoreError as in ``read_record``."""
    data = files.read_ordinary(path)
    end = data.find(b"\n") + 1
    envelope = _opened(path, data[:end], memoryview(data)[end:])
    arrays = dict(_arrays(path, bytes(envelope.arrays), data, end))
    return decode(path, bytes(envelope.record), shape), arrays


def packed_or_none(path: Path, shape: type[R]) -> tuple[R, dict[str, NDArray[Any]]] | None:
    """Return the same, None if it is missing or damaged."""
    try:
        return read_packed(path, shape)
    except (OSError, ValueError, StoreError):
        return None


def _arrays(
    path: Path, shapes: bytes, data: bytes, place: int
) -> Iterable[tuple[str, NDArray[Any]]]:
    for name, kind, shape in msgspec.json.decode(
        shapes, type=list[tuple[str, str, tuple[int, ...]]]
    ):
        dtype = np.dtype(kind)
        count = int(np.prod(shape, dtype=np.int64))
        if dtype.hasobject:
            raise damaged(path, "an array of Python objects")
        yield name, np.frombuffer(data, dtype, count, place).reshape(shape).copy()
        place += count * dtype.itemsize


def decode(path: Path, body: bytes, shape: type[R]) -> R:
    """Return a record from its bytes, whose hash was correct; OtherFormat if it is undamaged but has another form,
    because repeating the command would not repair it, StoreError if it is damaged."""
    try:
        return msgspec.json.decode(body, type=shape)
    except msgspec.ValidationError as error:
        raise another_format(path, str(error)) from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise damaged(path, error) from None


def _opened(path: Path, text: bytes, payload: memoryview | None = None) -> _Envelope:
    """Return an envelope of this format with a correct hash, also over the ``payload`` of arrays, and a known kind."""
    try:
        envelope = msgspec.json.decode(text, type=_Envelope)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if _is_old(text):
            raise another_format(path, "format 1") from None
        raise damaged(path, error) from None
    if envelope.format != FORMAT:
        raise another_format(path, f"format {envelope.format}")
    body = bytes(envelope.record)
    parts: tuple[bytes | memoryview, ...] = (
        (body,) if payload is None else (bytes(envelope.arrays), body, payload)
    )
    if hash_of(envelope.kind, *parts) != envelope.sha256:
        raise damaged(path, "its hash does not match its content")
    if envelope.kind not in KINDS and envelope.kind not in kinds():
        raise OtherFormat(
            f"{path}: this folder belongs to an unknown task\n  found: {envelope.kind}\n"
            f"  expected: {', '.join(kinds())}\n  fix: read it with the version or the package"
            " of Raven that wrote it, or give another folder"
        )
    return envelope


def hash_of(kind: str, *parts: bytes | memoryview) -> str:
    """Return the SHA-256 of a word and the bytes after it."""
    digest = hashlib.sha256(kind.encode())
    for part in parts:
        digest.update(b"\n")
        digest.update(part)
    return digest.hexdigest()


def check_kind(kind: str) -> None:
    """Raise ValueError for a kind that could not be read again."""
    if kind not in KINDS and kind not in kinds():
        raise ValueError(
            f"unknown task {kind!r}; known: {', '.join(kinds())}; a package adds its tasks by"
            " entry points in the group ravenbench.task"
        )


class OtherFormat(StoreError):
    """Another version of Raven wrote the folder."""


def damaged(path: Path, reason: object) -> StoreError:
    """Return the error for a file of a run that cannot be used."""
    return StoreError(
        f"{path}: this file of a run is damaged ({reason})\n  fix: repeat the command that"
        " made this run, which repairs its folder"
    )


def another_format(path: Path, written_as: str) -> OtherFormat:
    """Return the error for a folder that another version of Raven wrote."""
    return OtherFormat(
        f"{path}: another version of Raven wrote this folder\n  found: {written_as}\n"
        f"  expected: format {FORMAT}, which this version writes\n  fix: give another folder,"
        " or remove the folder and run again; the version of Raven that wrote it can still"
        " read it"
    )


def _is_old(text: bytes) -> bool:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(value, dict)
        and "format" not in value
        and bool({"spec", "cells", "key"} & value.keys())
    )
