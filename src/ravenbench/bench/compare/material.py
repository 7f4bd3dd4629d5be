"""The texts of a comparison: questioned ones, those of each candidate, and the cases they make."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ravenbench.bench.compare.spec import CompareSpec
from ravenbench.errors import FormatError, InputError, SpecError
from ravenbench.formats.archive import decode, no_such
from ravenbench.text.lengths import count_words

OFFICE = {".docx", ".doc", ".odt", ".rtf", ".pdf", ".pages", ".epub"}


@dataclass(frozen=True)
class Text:
    """A text: the path it was given by, the text itself without byte order mark and carriage returns, its words."""

    path: Path
    text: str
    words: int

    @property
    def name(self) -> str:
        """What it is called on the page."""
        return self.path.name


@dataclass(frozen=True)
class Candidate:
    """Someone who may have written a questioned text, and what they are known to have written."""

    name: str
    texts: tuple[Text, ...]


@dataclass(frozen=True)
class Case:
    """One question: did this candidate write this text?"""

    id: str
    questioned: Text
    candidate: Candidate


@dataclass(frozen=True)
class Material:
    """All cases, in the order they were asked in, and ``notes`` on what was passed over."""

    cases: tuple[Case, ...]
    notes: tuple[str, ...]

    def paths(self) -> dict[str, Path]:
        """Every text's path by a name for it."""
        found: dict[str, Path] = {}
        for case in self.cases:
            found[f"questioned {case.questioned.path}"] = case.questioned.path
            for text in case.candidate.texts:
                found[f"known {case.candidate.name} {text.path}"] = text.path
        return found


def read_material(spec: CompareSpec) -> Material:
    """Read every text that was asked for.

    Raises
    ------
    SpecError
        If there is nothing to compare, or both a batch and single texts are given.
    InputError
        If a text is missing, empty, no UTF-8 text, or a folder holds no text.
    """
    if not spec.background:
        raise SpecError(
            "nothing to judge by: --background is missing", expected="texts by other people, by author",
            fix="--background FOLDER with author/text.txt, as what others wrote on the same occasion: forty authors"
            " with five texts each serve well, ten with two are the least",
        )  # fmt: skip
    if spec.batch is not None:
        if spec.questioned or spec.known:
            raise SpecError("a batch file names all texts itself", fix="leave --questioned and --known out")
        return _batch(Path(spec.batch))
    for name, given in (("questioned", spec.questioned), ("known", spec.known)):
        if not given:
            raise SpecError(
                f"nothing to compare: --{name} is missing", expected="--questioned TEXT --known TEXT|FOLDER"
            )
    notes: list[str] = []
    asked = [read_text(Path(path)) for path in spec.questioned]
    candidates = [Candidate(name, tuple(_texts(paths, notes))) for name, paths in _by_name(spec.known).items()]
    several = len(asked) > 1, len(candidates) > 1
    cases = [Case(_id(text, one, *several), text, one) for text in asked for one in candidates]
    _check_ids(cases)
    return Material(tuple(cases), tuple(notes))


def read_text(path: Path) -> Text:
    """One plain text.

    Raises
    ------
    InputError
        If there is none, it is empty, or it is no UTF-8 text.
    """
    if path.is_dir():
        raise InputError("a folder stands where one text should be", file=path, expected="a .txt file")
    if not path.is_file():
        raise no_such(path)
    if path.suffix.lower() in OFFICE:
        raise FormatError(
            "Raven reads plain text only", file=path, found=path.suffix, expected="UTF-8 text (.txt)",
            fix="save the document as plain text, take headers, page numbers and quotations out, and give that file",
        )  # fmt: skip
    data = path.read_bytes()
    if b"\0" in data and data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        raise FormatError("this is no text: it holds null bytes", file=path, expected="UTF-8 text (.txt)")
    text = decode(data, path).replace("\r\n", "\n").replace("\r", "\n")
    words = count_words(text)
    if not words:
        raise FormatError("the text is empty", file=path, expected="a text by one author")
    return Text(path, text, words)


def _texts(paths: Sequence[Path], notes: list[str]) -> list[Text]:
    """The texts of files and folders."""
    found: list[Text] = []
    for path in paths:
        if not path.is_dir():
            found.append(read_text(path))
            continue
        inner = sorted(p for p in path.rglob("*") if p.is_file() and not p.name.startswith("."))
        texts = [p for p in inner if p.suffix.lower() == ".txt"]
        if not texts:
            raise InputError(
                "this folder holds no text", file=path, found=", ".join(p.name for p in inner[:4]) or "nothing",
                expected="UTF-8 files whose names end in .txt",
            )  # fmt: skip
        if others := [p.name for p in inner if p not in texts]:
            notes.append(f"{path.name}: {len(others)} files that do not end in .txt were not read ({others[0]} …)")
        found += map(read_text, texts)
    kept: dict[str, Text] = {}
    for text in found:
        first = kept.setdefault(" ".join(text.text.split()), text)
        if first is not text:
            notes.append(f"{text.name} repeats {first.name}, and is taken once")
    return list(kept.values())


def _by_name(known: Sequence[str]) -> dict[str, list[Path]]:
    """Paths by candidate."""
    named = [value.partition("=") for value in known]
    found: dict[str, list[Path]] = {}
    if not any(equals for _, equals, _ in named):
        paths = [Path(value) for value in known]
        return {_called(paths): paths}
    for value, (name, equals, path) in zip(known, named, strict=True):
        if not equals or not name.strip() or not path:
            raise SpecError("of several candidates each has a name", found=value, expected="--known NAME=PATH")
        found.setdefault(name.strip(), []).append(Path(path))
    return found


def _called(paths: Sequence[Path]) -> str:
    """What a candidate without a name is called: as their folder is, unless that says nothing of them."""
    name = paths[0].resolve().name
    plain = len(paths) > 1 or not paths[0].is_dir() or name.lower() in ("known", "candidate", "texts")
    return "the candidate" if plain else name


def _id(text: Text, candidate: Candidate, texts: bool, candidates: bool) -> str:
    if texts and candidates:
        return f"{text.path.stem} / {candidate.name}"
    return candidate.name if candidates else text.path.stem


def _check_ids(cases: Sequence[Case]) -> None:
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise InputError("two cases have one name", found=case.id, fix="rename a file, or give a batch with names")
        seen.add(case.id)


def _batch(path: Path) -> Material:
    """Cases of a table; paths count from the table's folder."""
    if not path.is_file():
        raise no_such(path)
    notes: list[str] = []
    cases = []
    read: dict[tuple[Path, ...], list[Text]] = {}
    for line, row in _rows(path):
        for column in ("questioned", "known"):
            if not row.get(column):
                raise FormatError(f"there is no {column!r}", file=path, line=line, expected="questioned, known")
        asked = read_text(path.parent / str(row["questioned"]))
        given = row["known"] if isinstance(row["known"], list) else str(row["known"]).split(";")
        places = tuple(path.parent / str(place).strip() for place in given)
        if places not in read:
            read[places] = _texts(places, notes)
        name = str(row.get("candidate") or _called(places))
        cases.append(
            Case(str(row.get("case") or f"{asked.path.stem} / {name}"), asked, Candidate(name, tuple(read[places])))
        )
    if not cases:
        raise FormatError("the batch holds no case", file=path, expected="a line for each case")
    _check_ids(cases)
    return Material(tuple(cases), tuple(notes))


def _rows(path: Path) -> list[tuple[int, dict[str, Any]]]:
    text = decode(path.read_bytes(), path)
    kind = path.suffix.lower()
    if kind in (".csv", ".tsv"):
        reader = csv.DictReader(io.StringIO(text), delimiter="\t" if kind == ".tsv" else ",")
        return [(number, dict(row)) for number, row in enumerate(reader, start=2)]
    if kind not in (".jsonl", ".ndjson"):
        raise FormatError(
            "not a batch that Raven reads", file=path, found=kind or "no ending", expected=".csv, .tsv, .jsonl"
        )
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise FormatError(f"this line is not JSON ({error})", file=path, line=number, found=line) from None
            if not isinstance(row, dict):
                raise FormatError("not a JSON object", file=path, line=number, found=line)
            found.append((number, row))
    return found
