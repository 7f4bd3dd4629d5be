"""Reads and writes PAN16 author-masking output: a JSON list of parts with original, offsets, rewriting and id.

In: ``Part``s (stretches of a text with their rewriting), or the path of a part file and optionally the original text.
Out: the file, its bytes or its JSON list, or ``Part``s that cover the original without gaps; offsets are half-open, in
code points from 0. ``find_rewritings``: a ``FoundRewriting`` by id, of a folder or a table. FormatError for a file that
is not a part list or does not fit the original. ``parts_file`` gives the path that belongs to a text.

References
----------
Potthast, Hagen, Stein (2016), Author Obfuscation: Attacking the State of the Art in Authorship Verification;
the key names are those of the PAN 2016 task page.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ravenbench.errors import FormatError
from ravenbench.files import json_bytes, read_ordinary, write_bytes
from ravenbench.reading.account import fault
from ravenbench.reading.archive import Archive, whole
from ravenbench.reading.decoding import check_whole, decode, from_json
from ravenbench.reading.tabular import read_rows, table_kind

KEYS = (
    "original",
    "original-start-charpos",
    "original-end-charpos",
    "obfuscation",
    "obfuscation-id",
)


@dataclass(frozen=True)
class Part:
    """One stretch of a text and its rewriting.

    ``start`` and ``end`` are half-open code-point offsets into the original text; ``operations`` name the
    operations applied here, in order.
    """

    start: int
    end: int
    original: str
    obfuscation: str
    operations: tuple[str, ...] = ()


def parts_to_json(parts: Iterable[Part]) -> list[dict[str, Any]]:
    """Return the list in PAN16's form, with ids from 1; ``operations`` is Raven's addition."""
    return [
        dict(
            zip(KEYS, (part.original, part.start, part.end, part.obfuscation, number), strict=True)
        )
        | ({"operations": list(part.operations)} if part.operations else {})
        for number, part in enumerate(parts, start=1)
    ]


def write_parts(path: str | Path, parts: Iterable[Part]) -> None:
    """Write the part file atomically."""
    write_bytes(Path(path), parts_bytes(parts))


def parts_bytes(parts: Iterable[Part]) -> bytes:
    """Return the bytes of a part file."""
    return json_bytes(parts_to_json(parts))


def parts_file(text: Path) -> Path:
    """Return the path of the part file of a single text: ``essay.txt`` → ``essay.obfuscation.json``."""
    return text.with_name(f"{text.stem}.obfuscation.json")


def read_parts(path: str | Path, original: str | None = None) -> tuple[Part, ...]:
    """Read the ``Part``s of a PAN16 file, in order of their ids; they cover the original without gaps.

    Published files disagree on whether ends are inclusive, so Raven finds parts by their strings. White space between
    two parts that neither includes goes to the part before it (to the first, at the start). FormatError if the file is
    not a part list, has a duplicate id, or a part does not occur in the original in this order. ``original`` is the text
    that was rewritten; the default is the concatenation of the parts' originals.
    """
    try:
        rows = from_json(decode(read_ordinary(Path(path)), path), path, problem="not JSON")
    except OSError as error:
        raise fault("part-cannot-be-read", file=path, strerror=error.strerror) from None
    if not isinstance(rows, list):
        raise fault("not-list-parts", file=path, expected="[{" + ", ".join(KEYS) + "}, …]")
    by_id: dict[int, dict[str, Any]] = {}
    for row in rows:
        number = row.get("obfuscation-id") if isinstance(row, dict) else None
        if not isinstance(number, int) or not all(
            isinstance(row.get(k), str) for k in ("original", "obfuscation")
        ):
            raise fault("no-part-of-rewriting", file=path, found=row, expected=", ".join(KEYS))
        check_whole(row["original"] + row["obfuscation"], f"part {number}", path)
        if number in by_id:
            raise fault("obfuscation-id-stands-twice", file=path, number=number)
        by_id[number] = row
    ordered = [by_id[number] for number in sorted(by_id)]
    if original is None:
        original = "".join(row["original"] for row in ordered)
    return tuple(_locate(path, original, ordered))


def _locate(path: str | Path, original: str, rows: list[dict[str, Any]]) -> Iterable[Part]:
    starts = []
    position = 0
    for row in rows:
        begins = original.find(row["original"], position)
        if begins < 0 or original[position:begins].strip():
            raise fault(
                "part-not-follow-original",
                file=path,
                found=row["original"][:80],
                expected=repr(original[position : position + 80]),
                value=row["obfuscation-id"],
            )
        starts.append(begins)
        position = begins + len(row["original"])
    if original[position:].strip():
        problem = "the parts end before the original ends" if rows else "the file has no parts"
        raise FormatError(problem, file=path, found=original[position : position + 80])
    if not rows:
        return
    bounds = [0, *starts[1:], len(original)]
    for row, at, start, end in zip(rows, starts, bounds[:-1], bounds[1:], strict=True):
        # Unclaimed white space was left as it was.
        text_before = original[start:at]
        text_after = original[at + len(row["original"]) : end]
        yield Part(
            start,
            end,
            original[start:end],
            text_before + row["obfuscation"] + text_after,
            tuple(str(name) for name in row.get("operations", ())),
        )


_NAMES = ("obfuscation.json", "obfuscated.txt", "unknown.txt")
_SUFFIXES = (".obfuscation.json", ".json", ".txt", "")
_OF_SETS = ("known", "same-author", "original")


@dataclass(frozen=True)
class FoundRewriting:
    """A rewriting that was found: its place, and its text or the file of its parts.

    ``original`` is the rewritten text and ``digest`` its SHA-256, if the rewriting names them.
    """

    place: str
    line: int | None = None
    text: str | None = None
    parts: Path | None = None
    original: str | None = None
    digest: str | None = None


def find_rewritings(place: Path) -> dict[str, FoundRewriting]:
    """Find every rewriting in a folder or a table, by id.

    FormatError if the place contains no rewritings, or a table cannot be read.
    """
    if place.is_dir():
        return _of_folder(place)
    if table_kind(place.name) is None:
        raise fault("no-rewritings", file=place)
    return _of_table(place)


def _of_folder(place: Path) -> dict[str, FoundRewriting]:
    files: dict[str, str] = {}
    with Archive(place) as archive:
        for inside in archive.names:
            folder, _, name = inside.rpartition("/")
            if folder and name in _NAMES:
                earlier = files.get(folder, _NAMES[-1]).rpartition("/")[2]
                if folder not in files or _NAMES.index(name) < _NAMES.index(earlier):
                    files[folder] = inside
                continue
            suffix = next(s for s in _SUFFIXES if inside.endswith(s))
            if not suffix or inside in ("contents.json", "truth.txt") or name.startswith(_OF_SETS):
                continue
            # Parts say more than the text beside them.
            if not files.get(inside.removesuffix(suffix), "").endswith(".json"):
                files[inside.removesuffix(suffix)] = inside
        return {id: _found(archive, inside) for id, inside in files.items()}


def _found(archive: Archive, name: str) -> FoundRewriting:
    label = archive.label(name)
    if name.endswith(".json"):
        return FoundRewriting(label, parts=Path(label))
    return FoundRewriting(label, text=whole(archive.read(name), label))


def _of_table(place: Path) -> dict[str, FoundRewriting]:
    rewritings: dict[str, FoundRewriting] = {}
    for line, row in read_rows(place):
        name = row.get("id")
        text = row.get("text")
        if not isinstance(name, str) or not isinstance(text, str):
            raise fault("not-rewriting", file=place, line=line, found=row)
        if name in rewritings:
            raise fault("id-twice", file=place, line=line, name=name)
        original, digest = (
            value if isinstance(value := row.get(key), str) and value else None
            for key in ("original", "original_sha256")
        )
        rewritings[name] = FoundRewriting(str(place), line, text, None, original, digest)
    return rewritings
