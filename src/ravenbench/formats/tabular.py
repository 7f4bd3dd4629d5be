"""One way into tables: rows of CSV, TSV and JSON lines, each with the line where it begins."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from ravenbench.errors import FormatError
from ravenbench.formats.archive import DOCUMENT_LIMIT, Archive
from ravenbench.formats.decoding import old_mac
from ravenbench.formats.names import checked_name

ENDINGS = {".csv": "csv", ".tsv": "csv", ".tab": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
"""Kinds of tables that are text, by how a name ends."""

Row = tuple[int, dict[str, Any]]


def is_lines(name: str) -> bool:
    """Whether a file is JSON lines by its name."""
    return name.lower().endswith((".jsonl", ".ndjson"))


def table_rows(archive: Archive, name: str) -> Iterator[Row]:
    """Rows of a table by its ending.

    Raises
    ------
    FormatError
        If it has another ending, or as ``csv_rows`` and ``records``.
    """
    kind = ENDINGS.get(PurePosixPath(name).suffix.lower())
    if kind is None:
        raise FormatError(
            "not a table that Raven reads", file=archive.label(name), found=PurePosixPath(name).suffix or "no ending",
            expected=", ".join(sorted(ENDINGS)),
        )  # fmt: skip
    return csv_rows(archive, name) if kind == "csv" else records(archive, name)


def csv_rows(archive: Archive, name: str) -> Iterator[Row]:
    """Rows of a CSV by the names in its first line; commas, semicolons or tabs stand between fields.

    An empty field is None. Fields with delimiters, quotes or line ends stand in double quotes.

    Raises
    ------
    FormatError
        If a row has more or fewer fields than the first line, a name of a column stands twice there, a quote is left
        open, or the lines end as on old Macs.
    """
    label = archive.label(name)
    csv.field_size_limit(DOCUMENT_LIMIT)
    # Blank lines count: they may stand inside a quoted text.
    lines = (block + "\n" for _, block in archive.lines(name, blank=True))
    header = next(lines, "")
    if "\r" in header:
        raise old_mac(label, 1)
    delimiter = "\t" if name.lower().endswith((".tsv", ".tab")) else max(",;\t", key=header.count)
    start = 1
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        names = [field.strip() for field in next(csv.reader([header], delimiter=delimiter, strict=True), [])]
        _check_header(names, label)
        start = 2
        for values in reader:
            if values:
                if len(values) != len(names):
                    raise FormatError(
                        "this row has another number of fields than the header", file=label, line=start,
                        found=len(values), expected=f"{len(names)} ({', '.join(names)})",
                        fix="fields with commas, quotes or line ends must stand in double quotes",
                    )  # fmt: skip
                yield start, {k: v if v != "" else None for k, v in zip(names, values, strict=True)}
            start = reader.line_num + 2
    except csv.Error as error:
        raise FormatError(
            f"this is not CSV ({error})", file=label, line=start,
            found="a row that begins here", fix="fields with commas, quotes or line ends must stand in double quotes, "
            "and a quote within them twice",
        ) from None  # fmt: skip


def records(archive: Archive, name: str) -> Iterator[Row]:
    """Records of a file of JSON lines.

    Raises
    ------
    FormatError
        If a line is not a JSON object.
    """
    for number, line in archive.lines(name):
        fix = "write each record on a line of its own, as json.dumps does"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FormatError(
                f"this line is not JSON ({error})", file=archive.label(name), line=number, found=line,
                expected="one JSON object a line", fix=fix,
            ) from None  # fmt: skip
        if not isinstance(record, dict):
            raise FormatError(
                "not a JSON object", file=archive.label(name), line=number, found=line,
                expected="one JSON object a line", fix=fix,
            )  # fmt: skip
        yield number, record


def _check_header(names: list[str], label: str) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise FormatError(
            "a column stands twice in the header", file=label, line=1, found=", ".join(map(repr, repeated)),
            expected="each name once", fix="rename or remove one of the columns",
        )  # fmt: skip
    for name in names:
        checked_name(name, "the name of a column", label, 1)
