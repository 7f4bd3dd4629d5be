"""Defines a manifest: problems without texts, with everything needed to rebuild them from a copy of their corpus.

In: ``read_manifest``: a path; ``text_key``: a text; ``keys_of``, ``exact_hash``: a ``TextTable`` and rows (from 0);
``digest_of``: keys, problems, truth or None, whether ids count; ``packed``: whole numbers from 0, or bytes.
Out: ``read_manifest``: a ``Manifest`` (InputError if there is none, FormatError if damaged) with ``FrozenSet``
problems, truth True for the same author, None if not included; ``text_key``: 12 bytes, ``keys_of``: (texts, 12);
``digest_of``, ``exact_hash``, ``digest_of_all``, ``checksum_of``: text; ``packed``, ``marks_text``: text, ``unpacked``
(ValueError), ``byte_rows``: numbers again; ``column_of``: a ``FrozenColumn``; ``place_in`` (or None), ``hidden_name``:
names; ``made_ids``: bool.

A document is identified by the first 12 bytes of the BLAKE2b hash (16 bytes) of its text (as in ``FORM``), in UTF-8. This
is enough: among a million documents, two share them by chance with a probability of 6e-18. Somebody can make two texts
with the same hash on purpose, but only by choosing both before the manifest is made. A salted name cannot be read, but
it can be guessed: the salt is the manifest's digest, so that the same problems give the same manifest.

Numbers are little-endian, of 1, 2 or 4 bytes (``u2:`` and base64). A set's ``digest`` covers only its problems:
hashes of texts, truth, marks and, if they are not made from the texts, ids. The manifest's digest is made from these, so
that clear or hidden names, another version of Raven or another order of the corpus do not change it.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from ravenbench.errors import FormatError, InputError
from ravenbench.files import read_ordinary
from ravenbench.reading.archive import no_such
from ravenbench.reading.decoding import checked_name
from ravenbench.store.records import Record
from ravenbench.texts import TextTable, composed, content_hash
from ravenbench.types import Bools, Ints, Labels, Problems, name_array

FORMAT = 1
FORM = (
    "NFC; no byte order mark; line ends as \\n; no white space at the end of a line or of the text"
)
HASH = "BLAKE2b of 16 bytes over UTF-8, its first 12"
SIZE = 12
"""Number of bytes of a document's hash."""
SHORT = 6
"""Number of bytes of the hash of a document that is in no problem, and of a hidden name."""
MOST_BYTES = 2**27
LONGEST = 200
"""Maximum number of bytes of a name that is used for a folder."""
COLUMNS = ("author", "topic", "language")
Names = Literal["clear", "hashed"]
Keys = NDArray[np.uint8]


class FrozenColumn(Record, frozen=True, kw_only=True):
    """Labels of documents: ``codes`` are numbers of ``names``, counted from 1; 0 means no label."""

    names: list[str]
    codes: str

    def labels(self, rows: Ints, size: int) -> Labels:
        """Return the labels for a copy of ``size`` documents, in which the documents have these rows (−1: none)."""
        codes: Ints = np.full(size, -1, dtype=np.int64)
        codes[rows[rows >= 0]] = unpacked(self.codes)[rows >= 0] - 1
        return Labels(codes, tuple(self.names))


class FrozenSet(Record, frozen=True, kw_only=True):
    """Problems by numbers of documents; ``sizes`` is null if each has one known document, ``ids`` if they are
    hashes of the two texts, ``same`` if truth is not included."""

    name: str
    digest: str
    problems: int
    known: str
    questioned: str
    sizes: str | None = None
    ids: list[str] | None = None
    same: str | None = None
    calibrate: str | None = None


class Manifest(Record, frozen=True, kw_only=True, dict=True):
    """What ``raven freeze`` writes. ``exact`` is the hash of all texts byte by byte, ``others`` short hashes of the
    corpus's other documents (null: not included), ``rule`` how the problems were made, if a run says it; ``splits`` has
    the part of each document, for example the held-out topic, by the name of the division. The only set
    of a search is its truth: each query with its true candidates. Earlier manifests have ``sketches``, which
    only their checksum reads."""

    format: int
    name: str
    digest: str
    checksum: str
    raven: str
    rule: dict[str, Any]
    seed: int | None
    names: Names
    text: str
    hash: str
    counts: dict[str, int]
    left_out: dict[str, int]
    exact: str
    documents: str
    others: str | None
    ids: list[str] | None
    columns: dict[str, FrozenColumn]
    splits: dict[str, FrozenColumn]
    sets: list[FrozenSet]
    sketches: str | UnsetType = UNSET

    def cited(self) -> str:
        """Return the text with which a paper cites it."""
        several = f" in {len(self.sets)} sets" if len(self.sets) > 1 else ""
        kind = "queries" if self.splits else "problems"
        what = f"{self.counts['problems']:,} {kind}{several} over " if self.sets else ""
        what += f"{self.counts['documents']:,} documents" + "".join(
            f", split by {name}" for name in self.splits
        )
        return f"{self.name}: {what}; frozen with Raven {self.raven}, digest {self.digest}"

    @cached_property
    def keys(self) -> Keys:
        """Return hashes of the documents, (n, 12)."""
        return byte_rows(self.documents, SIZE)

    def shown(self, name: str) -> str:
        """Return a name as this manifest writes it."""
        return name if self.names == "clear" else hidden_name(name, self.digest)

    def problems(self, one: FrozenSet) -> tuple[Problems, Bools | None]:
        """Return a set's problems, whose rows are numbers of documents, over a table without texts, and their truth."""
        known = unpacked(one.known)
        questioned = unpacked(one.questioned)
        n = len(questioned)
        sizes = np.ones(n, dtype=np.int64) if one.sizes is None else unpacked(one.sizes)
        ids = [str(i) for i in range(n)] if one.ids is None else one.ids
        same, marks = map(_bools, (one.same, one.calibrate))
        if {len(ids), one.problems, *(len(m) for m in (same, marks) if m is not None)} != {n}:
            raise ValueError(f"the parts of {one.name} do not fit together")
        if max(int(known.max(initial=-1)), int(questioned.max(initial=-1))) >= len(self.keys):
            raise ValueError(f"{one.name} names documents that do not exist")
        table = TextTable(b"", np.zeros(len(self.keys) + 1, dtype=np.int64), self.keys, None)
        ptr = np.concatenate([[0], np.cumsum(sizes)])
        return Problems(table, name_array(ids), ptr, known, questioned, calibrate=marks), same


class SourcePart(NamedTuple):
    """Problems to freeze, with their truth if it may be included."""

    name: str
    problems: Problems
    same: Bools | None


def place_in(parts: Iterable[SourcePart], row: int) -> str | None:
    """Return the first place where a document is used."""
    for name, problems, _ in parts:
        if len(at := np.flatnonzero(problems.known_index == row)):
            owner = problems.owner[at[0]]
            return (
                f"{name}: known document {at[0] - problems.known_ptr[owner] + 1} of"
                f" {problems.ids[owner]}"
            )
        if len(at := np.flatnonzero(problems.questioned_index == row)):
            return f"{name}: questioned document of {problems.ids[at[0]]}"
    return None


class Source(NamedTuple):
    """Documents, by row of ``texts`` with their ids and labels, and the problems and splits over them; ``rule`` and
    ``seed`` say how these were made, ``left_out`` counts what is missing."""

    texts: TextTable
    ids: Sequence[str] | None = None
    labels: Mapping[str, Labels | None] = {}
    parts: Sequence[SourcePart] = ()
    splits: Mapping[str, Labels] = {}
    name: str = ""
    rule: Mapping[str, Any] = {}
    seed: int | None = None
    left_out: Mapping[str, int] = {}

    def called(self, row: int) -> str:
        """Return the name of a document here."""
        return (
            place_in(self.parts, row) or f"number {row + 1:,}"
            if self.ids is None
            else self.ids[row]
        )

    @property
    def used(self) -> Ints:
        """Return rows of the documents in problems or splits."""
        cited = [part.problems.documents for part in self.parts]
        divided = [np.flatnonzero(one.codes >= 0) for one in self.splits.values()]
        return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *cited, *divided]))


def text_key(text: str) -> bytes:
    """Return the 12 bytes that identify a document."""
    lines = composed(text).lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return content_hash("\n".join(line.rstrip() for line in lines).rstrip())[:SIZE]


def keys_of(texts: TextTable, rows: Iterable[int]) -> Keys:
    """Return hashes of documents by their rows, (len(texts), 12); 0 for the others."""
    keys = np.zeros((len(texts), SIZE), dtype=np.uint8)
    for row in rows:
        keys[row] = np.frombuffer(text_key(texts[row]), dtype=np.uint8)
    return keys


def made_ids(problems: Problems) -> bool:
    """Return whether the ids of problems are hashes of their texts."""
    if (problems.sizes != 1).any():
        return False
    made = Problems.pairs(problems.texts, problems.known_index, problems.questioned_index)
    return bool(made.ids.tolist() == problems.ids.tolist())


def digest_of(keys: Keys, problems: Problems, same: Bools | None, ids: bool) -> str:
    """Return the digest of problems, with their ids or without; row i of their texts has the hash ``keys[i]``."""
    parts = [
        keys[problems.known_index],
        keys[problems.questioned_index],
        problems.sizes.astype("<i8"),
    ]
    parts += [
        np.asarray([] if marks is None else marks, dtype=np.uint8)
        for marks in (same, problems.calibrate)
    ]
    stated = "\x1f".join(problems.ids.tolist()).encode() if ids else b""
    return content_hash(b"|".join([*(part.tobytes() for part in parts), stated])).hex()


def exact_hash(texts: TextTable, rows: Ints) -> str:
    """Return the hash of texts byte by byte."""
    return content_hash(texts.hashes[rows].tobytes()).hex()


_MADE_UP = (TypeError, LookupError, ArithmeticError, AttributeError)
"""What comes of a manifest that nobody froze, beside ValueErrors."""


def read_manifest(place: str | Path) -> Manifest:
    """Read a manifest from a file; InputError if there is none, FormatError if it is damaged or of another format."""
    if (path := Path(place)).is_dir():
        raise InputError(
            "this is a folder, not a manifest",
            file=path,
            fix="raven thaw MANIFEST CORPUS, the manifest first",
        )
    if not path.is_file():
        raise no_such(path)
    try:
        data = read_ordinary(path)
        if data[:2] == b"\x1f\x8b":
            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(MOST_BYTES + 1)
        manifest = msgspec.json.decode(data if len(data) <= MOST_BYTES else b"", type=Manifest)
        if manifest.format != FORMAT:
            raise ValueError(f"not JSON of format {FORMAT}")
        if manifest.checksum != checksum_of(msgspec.to_builtins(manifest)):
            raise ValueError("its checksum is not that of its content")
        _check(manifest, str(place))
    except (
        OSError,
        EOFError,
        zlib.error,
        ValueError,
        msgspec.DecodeError,
        RecursionError,
        *_MADE_UP,
    ) as error:
        raise FormatError(
            f"not a complete manifest of raven freeze ({error})",
            file=place,
            fix="get it again, or freeze the problems again",
        ) from None
    return manifest


def _check(manifest: Manifest, file: str) -> None:
    """ValueError or FormatError unless all parts fit together, and every name can be shown and name a folder."""
    n = len(manifest.keys)
    every = [*manifest.columns.values(), *manifest.splits.values()]
    fitting = all(
        len(c := unpacked(one.codes)) == n and c.max(initial=0) <= len(one.names) for one in every
    )
    sizes = {"documents": n, "problems": sum(one.problems for one in manifest.sets)}
    if manifest.others is not None:
        byte_rows(manifest.others, SHORT)
    if (
        not fitting
        or len(manifest.keys if manifest.ids is None else manifest.ids) != n
        or not sizes.items() <= manifest.counts.items()
    ):
        raise ValueError("its documents and labels do not fit together")
    names = [one.name for one in manifest.sets]
    ids = [manifest.ids or (), *(one.ids or () for one in manifest.sets)]
    stated = (*manifest.splits, *chain.from_iterable([*ids, *(column.names for column in every)]))
    for name in (manifest.name, *names, *stated):
        checked_name(name, "a name", file)
    if not manifest.columns.keys() <= {*COLUMNS} or {"id", "text"} & manifest.splits.keys():
        raise ValueError("it has unknown columns")
    if any(len({*each}) < len(each) for each in ids):
        raise ValueError("it has a duplicate id")
    for name in (*names, *chain.from_iterable(ids[1:])):
        if any(len(part.encode()) > LONGEST for part in name.split("/")):
            raise ValueError(f"{name[:40]}… is too long to name a folder")
    if (
        manifest.sets
        and manifest.splits
        and (len(manifest.sets) > 1 or manifest.splits.keys() != {"role"})
    ):
        stated_parts = ", ".join([*names, *manifest.splits])
        expected = "one set, and one split called role"
        raise FormatError(
            "sets with a split that do not belong to a search",
            file=file,
            found=stated_parts,
            expected=expected,
        )
    for one in manifest.sets:
        if (
            one.name.startswith("/")
            or {"..", "."} & set(one.name.split("/"))
            or {*"\\:"} & set(one.name)
        ):
            raise ValueError(f"{one.name!r} cannot be the name of a folder")
        problems, same = manifest.problems(one)
        if digest_of(manifest.keys, problems, same, one.ids is not None) != one.digest:
            raise ValueError(f"the digest of {one.name} is not that of its problems")
    if len(set(names)) < len(names) or manifest.digest != digest_of_all(
        manifest.keys, manifest.sets, manifest.splits
    ):
        raise ValueError("its digest is not that of its sets")


def packed(numbers: NDArray[Any] | bytes) -> str:
    """Return whole numbers from 0 as text."""
    array = np.frombuffer(numbers, dtype=np.uint8) if isinstance(numbers, bytes) else numbers
    size = next(size for size in (1, 2, 4) if int(array.max(initial=0)) < 2 ** (8 * size))
    return f"u{size}:" + base64.b64encode(array.astype(f"<u{size}").tobytes()).decode()


def unpacked(text: str) -> Ints:
    """Return the numbers of ``packed``; ValueError if the text is invalid."""
    kind, _, data = text.partition(":")
    if kind not in ("u1", "u2", "u4"):
        raise ValueError("not packed numbers")
    return np.frombuffer(base64.b64decode(data, validate=True), dtype=f"<{kind}").astype(np.int64)


def byte_rows(text: str, width: int) -> Keys:
    """Return packed bytes in rows of this width."""
    return unpacked(text).astype(np.uint8).reshape(-1, width)


def marks_text(marks: Bools | None) -> str | None:
    return None if marks is None else "".join("NY"[bool(mark)] for mark in marks)


def _bools(letters: str | None) -> Bools | None:
    return (
        None if letters is None else np.array([letter == "Y" for letter in letters], dtype=np.bool_)
    )


def hidden_name(name: str, salt: str) -> str:
    return hashlib.blake2b(name.encode(), key=salt.encode(), digest_size=SHORT).hexdigest()


def column_of(labels: Labels, rows: Ints) -> FrozenColumn:
    """Return the labels of these rows."""
    used = Labels.of(labels[row] for row in rows)
    return FrozenColumn(names=list(used.names), codes=packed(used.codes + 1))


def split_digest(keys: Keys, column: FrozenColumn) -> str:
    """Return the digest of each document with its part of a split."""
    pairs = zip(map(bytes, keys), unpacked(column.codes).tolist(), strict=True)
    return "\x1f".join(
        sorted(f"{key.hex()} {column.names[code - 1]}" for key, code in pairs if code)
    )


def digest_of_all(keys: Keys, sets: Sequence[FrozenSet], splits: Mapping[str, FrozenColumn]) -> str:
    """Return the digest of the digests of all sets, and of the documents by their part in each split."""
    parts = [one.digest for one in sets]
    for name, column in splits.items():
        parts += [name, *filter(None, [split_digest(keys, column)])]
    return content_hash("\x1f".join(parts)).hex()


def checksum_of(value: Mapping[str, Any]) -> str:
    return content_hash(json.dumps({**value, "checksum": ""}, sort_keys=True)).hex()
