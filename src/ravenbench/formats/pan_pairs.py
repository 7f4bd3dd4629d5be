"""Reading and writing PAN20–23 pairs: ``pairs.jsonl`` with ``truth.jsonl``, also ``X.jsonl`` with ``X-truth.jsonl``.

A pair: {"id", "pair": [text, text], "fandoms": [a, b]} (2020, 2021) or "discourse_types" (2022, 2023);
its truth: {"id", "same", "authors": [a, b]}.

References
----------
Kestemont et al., Overview of the Cross-Domain Authorship Verification Task at PAN 2020 and 2021; Stamatatos et
al., the same for 2022 and 2023 (CLEF working notes).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from ravenbench.errors import FormatError, InputError
from ravenbench.formats.archive import Archive, Split, split_roots
from ravenbench.formats.decoding import UTF8
from ravenbench.formats.names import checked_name
from ravenbench.formats.output import whole_file
from ravenbench.formats.pan_problems import corpus_name
from ravenbench.formats.problem_set import ProblemBuilder, ProblemSet
from ravenbench.formats.tabular import is_lines, records
from ravenbench.types import Bools, Labels, Problems

_TRUTH = re.compile(r"(?:.*[-_.])?truth\Z", re.IGNORECASE)


@dataclass(frozen=True)
class PairTruth:
    """The truth of one pair; authors are None where the file does not name them."""

    same: bool
    authors: tuple[str, str] | None


@dataclass(frozen=True)
class Pair:
    """One line of a pairs file: two texts and their topics (fandom or discourse type)."""

    id: str
    texts: tuple[str, str]
    topics: tuple[str | None, str | None]
    line: int


def pairs_files(archive: Archive) -> dict[str, str | None]:
    """Pairs files inside an archive and the truth file of each (None where there is none)."""
    lines = [name for name in archive.names if is_lines(name)]
    pairs = [name for name in lines if not is_truth(name) and "pair" in first_record(archive, name)]
    found: dict[str, str | None] = {}
    for name in pairs:
        place, stem = PurePosixPath(name).parent, PurePosixPath(name).stem
        wanted = [f"{stem}-truth", f"{stem}_truth", stem.replace("pairs", "truth")]
        if len(pairs) == 1 or stem == "pairs":
            wanted.append("truth")
        near = [PurePosixPath(n).name for n in lines if PurePosixPath(n).parent == place] + archive.siblings()
        truths = [n for w in wanted for n in near if is_truth(n) and is_lines(n) and PurePosixPath(n).stem == w]
        found[name] = str(place / truths[0]) if truths else None
    return found


def is_truth(name: str) -> bool:
    """Whether a file holds truth by its name."""
    return _TRUTH.match(PurePosixPath(name).stem) is not None


def first_record(archive: Archive, name: str) -> dict[str, Any]:
    """The first line of a JSON-lines file, {} where it is none."""
    try:
        _, line = next(archive.lines(name), (0, ""))
        record = json.loads(line)
    except (ValueError, RecursionError, FormatError):
        return {}
    return record if isinstance(record, dict) else {}


def record_id(record: dict[str, Any], archive: Archive, name: str, line: int) -> str:
    """Return the id of a record.

    Raises
    ------
    FormatError
        If it has none or an empty one.
    """
    value = record.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value:
        raise FormatError(
            "this line has no id" if value is None else "an id must be a string", file=archive.label(name), line=line,
            found=value if value is not None else sorted(record), expected='"id": "…"',
            fix="give every record the id of its problem, as text",
        )  # fmt: skip
    return checked_name(value, "an id", archive.label(name), line)


def read_truth_records(archive: Archive, name: str) -> dict[str, PairTruth]:
    """Read a ``truth.jsonl`` into the truth of each pair by its id.

    Raises
    ------
    FormatError
        If a line is not truth (answers are recognised), an id stands twice, or the file is empty.
    """
    truth: dict[str, PairTruth] = {}
    for line, record in records(archive, name):
        where: dict[str, Any] = {"file": archive.label(name), "line": line}
        if "same" not in record and "value" in record:
            raise FormatError(
                "these are answers, not truth", **where, found=sorted(record), expected='{"id", "same"}',
                fix="are truth and answers swapped?",
            )  # fmt: skip
        key = record_id(record, archive, name, line)
        same = record.get("same")
        if not isinstance(same, bool):
            raise FormatError("truth has no same: true or false", **where, found=record, expected='{"id", "same"}')
        if key in truth:
            raise FormatError("an id stands twice", **where, found=key)
        authors = _two(record.get("authors"), "an author", **where)
        truth[key] = PairTruth(same, authors)
        if authors is not None and (authors[0] == authors[1]) != same:
            raise FormatError("same contradicts the two authors", **where, found=record)
    if not truth:
        raise FormatError("the truth file is empty", file=archive.label(name))
    return truth


def read_pairs(archive: Archive, name: str) -> Iterator[Pair | tuple[str, str]]:
    """Read the pairs of one file; (id, reason) stands in place of a pair that cannot be used.

    Raises
    ------
    FormatError
        If a line is not JSON, has no id, or repeats one.
    """
    seen: set[str] = set()
    for line, record in records(archive, name):
        key = record_id(record, archive, name, line)
        if key in seen:
            raise FormatError("an id stands twice", file=archive.label(name), line=line, found=key)
        seen.add(key)
        texts = record.get("pair")
        if not isinstance(texts, list) or len(texts) != 2 or not all(isinstance(t, str) for t in texts):
            yield key, f"line {line} has no pair of two texts"
            continue
        topics = next((record[k] for k in ("fandoms", "discourse_types", "discourse_type") if k in record), None)
        if isinstance(topics, str):
            topics = [topics, topics]
        first, second = (t.lstrip("\ufeff").replace("\r\n", "\n") for t in texts)
        where: dict[str, Any] = {"file": archive.label(name), "line": line}
        yield Pair(key, (first, second), _two(topics, "a topic", **where) or (None, None), line)


def read_pan_pairs(
    path: str | Path,
    truth: str | Path | None = None,
    split: Split | None = None,
    encoding: str | None = UTF8,
) -> list[ProblemSet]:
    """Read every set of pairs in a file, folder or zip.

    The first text of a pair is the known, the second the questioned document. Authors and topics of the documents
    are labels of ``problems`` where the files give them.

    Parameters
    ----------
    truth : path, optional
        A truth file elsewhere; otherwise the one beside the pairs.
    encoding : str or None
        Of files that are not UTF-8, as ``decode`` takes it.

    Raises
    ------
    FormatError
        If no pairs are found, a file does not parse, or no pair can be used.
    """
    with Archive(path, encoding) as archive:
        files = pairs_files(archive)
        if not files:
            given_truth = any(is_truth(name) for name in archive.names)
            raise FormatError(
                "there are no PAN20–23 pairs here", file=path, expected='lines {"id", "pair": [text, text]}',
                fix="this is the truth file: give the pairs file" if given_truth else None,
            )  # fmt: skip
        kept = set(split_roots(sorted({str(PurePosixPath(n).parent) for n in files}), split, path))
        sets = []
        for name, beside in files.items():
            if str(PurePosixPath(name).parent) not in kept:
                continue
            if truth is not None:
                with Archive(truth, encoding) as other:
                    known = read_truth_records(other, only_truth(other))
            else:
                known = read_truth_records(archive, beside) if beside is not None else {}
            sets.append(_problems(archive, name, known or None))
        return sets


def only_truth(archive: Archive) -> str:
    """Find the one truth file (JSON lines) of an archive.

    Raises
    ------
    FormatError
        If there is none, or there are several.
    """
    found = archive.names if len(archive.sizes) == 1 else [n for n in archive.names if is_truth(n)]
    found = [n for n in found if is_lines(n)]
    if len(found) != 1:
        raise FormatError("expected one truth.jsonl here", file=archive.path, found=", ".join(found[:5]) or "none")
    return found[0]


def write_pan_pairs(folder: str | Path, problems: Problems, same: Bools | None = None) -> Path:
    """Write ``pairs.jsonl``, and ``truth.jsonl`` where ``same`` is given, one line at a time.

    Topics become ``fandoms`` and authors stand in the truth where ``problems`` has them.

    Raises
    ------
    InputError
        If a problem has several known documents, or the folder cannot be written.
    """
    folder = Path(folder)
    if np.any(problems.sizes != 1):
        i = int(np.argmax(problems.sizes != 1))
        raise InputError(
            "only problems with one known document can be written as pairs",
            found=f"{problems.ids[i]} with {problems.sizes[i]}", fix="write them as a PAN13–15 folder",
        )  # fmt: skip
    sides = list(zip(problems.known_index.tolist(), problems.questioned_index.tolist(), strict=True))

    def both(labels: Labels | None, i: int) -> list[str] | None:
        pair = [labels[row] for row in sides[i]] if labels is not None else [None]
        return None if None in pair else [str(v) for v in pair]

    with whole_file(folder / "pairs.jsonl") as file:
        for i, name in enumerate(problems.ids.tolist()):
            record: dict[str, Any] = {"id": name}
            if (topics := both(problems.topic, i)) is not None:
                record["fandoms"] = topics
            record["pair"] = [problems.texts[row] for row in sides[i]]
            file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
    if same is not None:
        with whole_file(folder / "truth.jsonl") as file:
            for i, name in enumerate(problems.ids.tolist()):
                record = {"id": name, "same": bool(same[i])}
                if (authors := both(problems.author, i)) is not None:
                    record["authors"] = authors
                file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
    return folder


def _problems(archive: Archive, name: str, truth: dict[str, PairTruth] | None) -> ProblemSet:
    builder = ProblemBuilder()
    faults: dict[str, str] = {}
    same: list[bool] = []
    author: dict[int, str | None] = {}
    topic: dict[int, str | None] = {}
    for pair in read_pairs(archive, name):
        if isinstance(pair, tuple):
            faults[pair[0]] = pair[1]
            continue
        if truth is not None and pair.id not in truth:
            faults[pair.id] = "the truth file does not name it"
            continue
        try:
            (first,), second = builder.add(pair.id, [pair.texts[0]], pair.texts[1])
        except FormatError as error:
            faults[pair.id] = str(error).replace("\n  ", "; ")
            continue
        authors: tuple[str | None, str | None] = (None, None)
        if truth is not None:
            same.append(truth[pair.id].same)
            authors = truth[pair.id].authors or authors
        for row, who, what in zip((first, second), authors, pair.topics, strict=True):
            # One text under two authors has no author.
            author[row] = who if author.setdefault(row, who) == who else None
            topic.setdefault(row, what)
    present = {*builder.ids, *faults}
    for key in truth or {}:
        if key not in present:
            faults[key] = "the truth file names it but the pairs file does not"
    if not builder.ids:
        first_id = next(iter(faults), None)
        found = f"{first_id}: {faults[first_id]}" if first_id is not None else "an empty file"
        raise FormatError("no pair can be used", file=archive.label(name), found=found)
    rows = range(len(builder.texts))
    labels = {
        key: Labels.of([values.get(row) for row in rows]) if any(v is not None for v in values.values()) else None
        for key, values in (("author", author), ("topic", topic))
    }
    corpus, split = corpus_name(archive, "" if "/" not in name else str(PurePosixPath(name).parent))
    return ProblemSet(
        corpus, builder.finish(**labels), None if truth is None else np.array(same, dtype=bool), split, faults,
        {key: truth[key].same for key in faults if key in truth} if truth else {}, notes=tuple(builder.notes),
    )  # fmt: skip


def _two(values: object, what: str, file: str, line: int) -> tuple[str, str] | None:
    if isinstance(values, list) and len(values) == 2 and all(isinstance(v, str | int) for v in values):
        first, second = (checked_name(str(v), what, file, line) for v in values)
        return first, second
    return None
