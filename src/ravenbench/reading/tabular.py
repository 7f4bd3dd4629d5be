"""Reads tables row by row, and divides problems into parts by a column.

In: an open ``Archive`` and the name of a table in it (CSV, TSV, JSON lines, JSON, workbook); for ``read_attribute``
``FILE:COLUMN`` or ``FILE:COLUMN:PARTS`` and the ids of n problems; for ``quantiles`` numbers (n,).
Out: pairs (line where the row begins, from 1; row as a mapping of column to value); or ``ProblemAttribute``, a part
(code from 0, −1 = none) for each of n problems. FormatError for a table or value that cannot be used, InputError for a
bad ``FILE:COLUMN``, MissingPart for a workbook without its package. Helpers return a table's kind, a column's names for
a role, an id.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import numpy as np

from ravenbench.errors import (
    FormatError,
    MissingPart,
    did_you_mean,
    install,
    remark,
)
from ravenbench.reading.account import fault, noted
from ravenbench.reading.archive import DOCUMENT_LIMIT, Archive, check_members, no_such
from ravenbench.reading.decoding import NAME_LIMIT, UTF8, checked_name, from_json, old_mac
from ravenbench.reading.parquet import check_size
from ravenbench.reading.remarks import ids_apart, spelt_alike
from ravenbench.types import Floats, Labels

ENDINGS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".xlsx": "xlsx",
}
"""Kinds of tables that are text, or workbooks, by the ending of the name."""

Row = tuple[int, dict[str, Any]]


AS_TEXT = (date, time, timedelta, Decimal)
"""Types of values that Raven reads as text from every table, as in CSV and JSON."""


def is_nothing(value: Any) -> bool:
    """Return whether a cell is empty: null, an empty text, or NaN."""
    return value is None or value == "" or value != value


def is_lines(name: str) -> bool:
    """Return whether a file is JSON lines, by its name."""
    return table_kind(name) == "jsonl"


def table_kind(name: str) -> str | None:
    """Return what kind of text table a file is by its name, packed or not; None if it is not one."""
    return ENDINGS.get(PurePosixPath(name.lower().removesuffix(".gz").removesuffix(".zst")).suffix)


def stem_of(name: str) -> str:
    """Return a file's name without its ending, packed or not."""
    return PurePosixPath(PurePosixPath(name).name.removesuffix(".gz").removesuffix(".zst")).stem


def table_rows(archive: Archive, name: str, unquoted: bool = False) -> Iterator[Row]:
    """Yield rows of a table as pairs (line, mapping), by its ending. FormatError if it has another ending, or as for
    ``csv_rows`` and ``records``."""
    kind = table_kind(name)
    if kind is None:
        raise fault(
            "no-table-raven-reads",
            file=archive.label(name),
            found=PurePosixPath(name).suffix or "no ending",
            expected=", ".join(sorted(ENDINGS)),
        )
    if kind in ("json", "xlsx"):
        return _array(archive, name) if kind == "json" else _sheet(archive, name)
    return csv_rows(archive, name, unquoted) if kind == "csv" else records(archive, name)


def read_rows(path: Path, encoding: str | None = UTF8) -> list[Row]:
    """Read all rows of a table at a path, as ``table_rows`` yields them. InputError if the file does not exist."""
    if not path.is_file():
        raise no_such(path)
    with Archive(path, encoding) as archive:
        return list(table_rows(archive, path.name))


def _array(archive: Archive, name: str) -> Iterator[Row]:
    """Records of a JSON array or of a frame as pandas writes it, numbered from 1; records of JSON lines too.
    FormatError if it is none of these."""
    lines = iter(archive.lines(name))
    first_line, second = (next(lines, (0, ""))[1].strip() for _ in range(2))
    label = archive.label(name)
    one_line = first_line.startswith("{") and first_line.endswith("}")
    if one_line and (second or _frame(parsed(first_line, archive, name, 1), label) is None):
        yield from records(archive, name)
        return
    listed = from_json(archive.text(name), label) if first_line else None
    rows = _frame(listed, label) if isinstance(listed, dict) else None
    listed = listed if rows is None else rows
    if not listed or listed == [{}]:
        raise no_rows(label)
    if not isinstance(listed, list) or not all(isinstance(record, dict) for record in listed):
        raise fault("json-no-list-records", file=label, found=type(listed).__name__)
    yield from enumerate(listed, start=1)


def no_rows(file: str | Path) -> FormatError:
    """Return the error for an empty table."""
    return fault("table-no-rows", file=file)


def _frame(table: dict[str, Any], label: str) -> list[dict[str, Any]] | None:
    """Rows of a table as pandas' ``to_json`` writes it with any orientation, or of lists by column; None of others."""
    rows = table.get("data")
    names = table.get("columns")
    if (
        isinstance(rows, list)
        and isinstance(names, list)
        and {*table} <= {"data", "columns", "index"}
    ):
        check_each_once([*map(str, names)], label)
        is_rectangular = all(isinstance(row, list) and len(row) == len(names) for row in rows)
        return (
            [dict(zip(map(str, names), row, strict=True)) for row in rows]
            if is_rectangular
            else None
        )
    if isinstance(rows, list) and {*table} == {"schema", "data"}:
        return rows
    columns = list(table.values())
    if len(columns) < 2 or {*map(type, columns)} not in ({list}, {dict}):
        return None
    inner = [
        cell
        for column in columns
        for cell in (column.values() if isinstance(column, dict) else column)
    ]
    if (
        any(isinstance(cell, dict | list) for cell in inner)
        or len({len(column) for column in columns}) > 1
    ):
        return None
    if isinstance(columns[0], list):
        return [dict(zip(table, row, strict=True)) for row in zip(*columns, strict=True)]
    if any(column.keys() != columns[0].keys() for column in columns):
        return None
    # Rows are called by numbers, or are those of which there are more.
    numbered = all(map(str.isdecimal, table)), all(map(str.isdecimal, columns[0]))
    by_row = len(table) > len(columns[0]) if numbered[0] == numbered[1] else numbered[0]
    return columns if by_row else [{key: table[key][row] for key in table} for row in columns[0]]


def _sheet(archive: Archive, name: str) -> Iterator[Row]:
    """Rows of the one sheet of a workbook that is a table. FormatError if several are; MissingPart without
    python-calamine."""
    try:
        from python_calamine import CalamineWorkbook
    except ImportError:
        label = archive.label(name)
        raise MissingPart(
            "reading .xlsx needs python-calamine", file=label, fix=install("documents")
        ) from None
    try:
        with archive.open(name) as file:
            data = file.read()
        _check_sheets(data, archive.label(name))
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        sheets = {sheet: _filled(book.get_sheet_by_name(sheet)) for sheet in book.sheet_names}
    except FormatError:
        raise
    except Exception as error:  # whatever the library makes of a damaged file
        problem = f"Raven cannot read this workbook ({error})"
        raise FormatError(problem, file=archive.label(name), fix="save it as .csv") from None
    filled = {sheet: rows for sheet, rows in sheets.items() if len(rows) > 1 and len(rows[0]) > 1}
    if len(filled) > 1:
        raise fault(
            "several-sheets-workbook-tables", file=archive.label(name), found=", ".join(filled)
        )
    header, *rows = next(iter(filled.values()), None) or next(filter(None, sheets.values()), [[]])
    names = [str(column).strip() for column in header]
    begins = next(
        (
            n
            for n, values in enumerate(rows[:10], start=2)
            if sum(value != "" for value in values) > 1
        ),
        None,
    )
    if begins is not None and len(list(filter(None, names))) == 1:
        raise fault(
            "first-row-sheet-title-not",
            file=archive.label(name),
            line=1,
            found=" ".join(names).strip(),
            begins=begins,
        )
    check_each_once([*filter(None, names)], archive.label(name), 1)
    for number, values in enumerate(rows, start=2):
        if any(value != "" for value in values):
            yield (
                number,
                {
                    column: _cell(cell)
                    for column, cell in zip(names, values, strict=False)
                    if column
                },
            )


def _filled(sheet: Any) -> list[list[Any]]:
    """Rows of a sheet; what stands in merged cells stands in each of them."""
    rows: list[list[Any]] = sheet.to_python(skip_empty_area=False)
    left_over = len(rows) * len(rows[0]) if rows else 0
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        left_over -= len(rows[top : bottom + 1]) * len(rows[0][left : right + 1]) if rows else 0
        if left_over < 0:
            raise ValueError("merged cells overlap")
        for row in rows[top : bottom + 1]:
            row[left : right + 1] = [rows[top][left]] * len(row[left : right + 1])
    return rows


def _cell(value: object) -> object:
    """What a cell of a workbook holds: a whole number as one, None where it is empty, and a number of more figures than
    a cell keeps as workbooks show it, for nobody knows the others."""
    if isinstance(value, float) and value.is_integer():
        return int(value) if abs(value) < 1e15 else f"{value:.14E}"
    return None if value == "" else value


_CELL = re.compile(rb"""<(?:\w{1,20}:)?(?:c|row) [^<>]*?\br=["']([A-Za-z]*+)(\d*+)""")
_HIDDEN = re.compile(rb"<(?:\w{1,20}:)?row [^<>]*?\bhidden=[\"'](?:1|true)")
_MOST_CELLS = 2**24
_SPARSE = 16
"""Cells that all sheets span, empty ones too, and how many more for each that is filled."""
_STRING = re.compile(rb"<(?:\w{1,20}:)?si[\s>]")
_SHARED = re.compile(rb"""t=["']s["'][^<>]{0,200}+>\s*+<(?:\w{1,20}:)?v>(\d{1,9})<""")


def _check_sheets(data: bytes, label: str) -> None:
    """FormatError if a workbook unpacks to far more than text can, or spans so many cells, empty ones too, that their
    library ends the process."""
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        names = check_members(Path(label), book, len(data))
        strings = b"".join(book.read(name) for name in names if name.endswith("sharedStrings.xml"))
        starts = [string.start() for string in _STRING.finditer(strings)]
        lengths = [end - start for start, end in pairwise([*starts, len(strings)])]
        unpacked = spanned = 0
        cells_left = _MOST_CELLS
        for sheet in (name for name in names if "worksheets/" in name):
            columns = {b"A"}
            rows = 1
            cells = book.read(sheet)
            if hidden := len(_HIDDEN.findall(cells)):
                remark(noted("hidden-rows", count=hidden, file=label), label)
            unpacked += sum(
                lengths[i] for cell in _SHARED.finditer(cells) if (i := int(cell[1])) < len(lengths)
            )
            check_size(label, unpacked, len(data))
            for cell in _CELL.finditer(cells):
                columns.add(cell[1][:8].upper())
                rows = max(rows, int(cell[2][:12] or 1))
                cells_left += _SPARSE
            width = 0
            for letter in max(columns, key=lambda column: (len(column), column)):
                width = 26 * width + letter - 64
            spanned += rows * width
            if spanned > min(cells_left, 2 * _MOST_CELLS):
                raise fault(
                    "sheet-workbook-spans-too-many",
                    file=label,
                    found=f"{rows:,} rows of {width:,}",
                    most_cells=_MOST_CELLS,
                )


UNQUOTED = "--unquoted reads quotation marks as part of the texts, and each line as a row"
"""The fix for tables written without quoting."""
_SEPARATOR = re.compile(r'"?sep=(.)"?\s*\Z')


def csv_rows(archive: Archive, name: str, unquoted: bool = False) -> Iterator[Row]:
    """Yield rows (line, mapping) of a CSV, by the names in its first line; the separator is a comma, semicolon, tab or
    pipe, or what a line ``sep=;`` before the header says.

    An empty field is None; columns at the end without a name and a value are left out. Fields with delimiters, quotes
    or line ends must be in double quotes, unless the table is read ``unquoted``. FormatError if a row has more or fewer
    fields than the first line, a column name is duplicate, a quote is left open or has swallowed further rows,
    or the lines end as on old Macs.
    """
    label = archive.label(name)
    unquoted = unquoted or archive.unquoted
    csv.field_size_limit(DOCUMENT_LIMIT)
    # Blank lines count: they may stand inside a quoted text.
    source = archive.lines(name, blank=True)
    header = next(source, (1, ""))[1] + "\n"
    start = 1
    separator = _SEPARATOR.match(header)
    if separator is not None:
        header = next(source, (2, ""))[1] + "\n"
        start = 2
    if "\r" in header:
        raise old_mac(label, start)
    delimiter = (
        separator[1]
        if separator is not None
        else "\t"
        if "\t" in header
        else max(",;|", key=header.count)
    )
    raw: list[str] = []

    def noted() -> Iterator[str]:
        for _, block in source:
            raw.append(block)
            yield block + "\n"

    quoting: Literal[0, 3] = 3 if unquoted else 0  # csv.QUOTE_NONE, csv.QUOTE_MINIMAL
    reader = csv.reader(noted(), delimiter=delimiter, strict=not unquoted, quoting=quoting)
    first_line = start + 1
    width = 0
    try:
        names = [
            n.strip()
            for n in next(
                csv.reader([header], delimiter=delimiter, strict=not unquoted, quoting=quoting), []
            )
        ]
        width = len(names)
        while names and not names[-1]:
            names.pop()
        _check_header(names, label)
        start = first_line
        sure = False
        for values in reader:
            if (
                not sure
                and len(raw) > 1
                and all(line.count(delimiter) == width - 1 for line in raw)
            ):
                _check_swallowed(archive, name, delimiter, width, start)
                sure = True
            raw.clear()
            if values:
                if len(values) != width or any(values[len(names) :]):
                    raise fault(
                        "row-of-other-width",
                        file=label,
                        line=start,
                        found=len(values),
                        fix="put fields with commas, quotes or line ends in double quotes"
                        if len(names) > 1
                        else (
                            "name the columns in the first line, with commas, semicolons, tabs"
                            " or pipes between them; lines above it, such as a title, are not"
                            " part of a table: remove them"
                        ),
                        names=len(names),
                        value=", ".join(names),
                    )
                yield (
                    start,
                    {
                        k: value if value != "" else None
                        for k, value in zip(names, values, strict=False)
                    },
                )
            start = first_line + reader.line_num
    except csv.Error as error:
        plain = _one_row_a_line(archive, name, delimiter, width)
        raise fault(
            "not-csv",
            file=label,
            line=start,
            found="a row that begins here",
            fix=(
                "put fields with commas, quotes or line ends in double quotes, "
                "and write each quote inside them twice"
            )
            + (f"; or {UNQUOTED}" if plain else ""),
            error=error,
        ) from None


def _check_swallowed(archive: Archive, name: str, delimiter: str, width: int, line: int) -> None:
    """FormatError if a field that goes on over several lines is several rows of a table without quoting."""
    if _one_row_a_line(archive, name, delimiter, width):
        raise fault(
            "quotation-mark-joins-rows",
            file=archive.label(name),
            line=line,
            found=f"lines with as many separators as a row ({width - 1})",
            unquoted=UNQUOTED,
        )


def _one_row_a_line(archive: Archive, name: str, delimiter: str, width: int) -> bool:
    """Whether nearly all lines of a table have as many separators as its header."""
    counts = [
        line.count(delimiter) == width - 1
        for _, line in archive.lines(name, blank=True)
        if line.strip()
    ]
    return width > 1 and sum(counts) >= 0.9 * len(counts)


def records(archive: Archive, name: str) -> Iterator[Row]:
    """Yield records (line from 1, mapping) of a file of JSON lines. FormatError if a line is not a JSON object."""
    return ((number, parsed(line, archive, name, number)) for number, line in archive.lines(name))


_ONE_A_LINE: dict[str, Any] = {
    "expected": "one JSON object in each line",
    "fix": "write each record on a separate line, as json.dumps does",
}


def parsed(line: str, archive: Archive, name: str, number: int) -> dict[str, Any]:
    """Return the record of one JSON line. FormatError if it is not a JSON object."""
    record = from_json(
        line,
        archive.label(name),
        number,
        problem="this line is not JSON",
        found=line,
        **_ONE_A_LINE,
    )
    if record in ([], [{}]) or (record == {} and number == 1):
        raise no_rows(archive.label(name))
    if not isinstance(record, dict):
        raise fault(
            "not-json-object-bare", file=archive.label(name), line=number, found=line, **_ONE_A_LINE
        )
    return record


def record_id(record: dict[str, Any], archive: Archive, name: str, line: int) -> str:
    """Return the id of a record. FormatError if it has none or an empty one."""
    value = record.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value:
        raise FormatError(
            "no id in this line" if value is None else "an id must be a string",
            file=archive.label(name),
            line=line,
            found=value if value is not None else sorted(record),
            expected='"id": "…"',
            fix="add the id of its problem to every record, as text",
        )
    return checked_name(value, "an id", archive.label(name), line)


def check_each_once(
    names: Sequence[str], file: str | Path, line: int | None = None, label: str = "column"
) -> None:
    """Raise FormatError if a table has two columns of the same name, or a duplicate name of a ``label``."""
    if len({*names}) == len(names):
        return
    repeated = [name for name, count in Counter(names).items() if count > 1]
    raise fault(
        "name-twice", file=file, line=line, found=", ".join(map(repr, repeated)), label=label
    )


def _check_header(names: list[str], label: str) -> None:
    check_each_once(names, label, 1)
    if any(len(name) > NAME_LIMIT or name.count(" ") > 15 for name in names):
        raise fault("no-header", file=label, line=1, found=max(names, key=len)[:80])
    for name in names:
        checked_name(name, "the name of a column", label, 1)


BINS = 4
MOST_PARTS = 30


@dataclass(frozen=True, eq=False)
class ProblemAttribute:
    """A division of n problems into parts: ``part`` (n,) in the order to show, −1 if a problem belongs to none."""

    name: str
    part: Labels


def read_attribute(spec: str, ids: Sequence[str], encoding: str | None = UTF8) -> ProblemAttribute:
    """Return the part of each problem by one column of a file, as ``ProblemAttribute``: quantiles of numbers, or categories.

    InputError if the file, the column or a value cannot be used, or it names none of the problems.

    Parameters
    ----------
    spec : str
        ``FILE:COLUMN`` or ``FILE:COLUMN:PARTS``; the file also has a column (or key) ``id``. CSV, TSV or JSONL.
    ids : sequence of str
        Problems, in the order of the result; the file may contain others.
    encoding : str or None
        The encoding of a file that is not UTF-8, as for ``decode``.
    """
    path, column, bins = _parse(spec)
    values: dict[str, Any] = {}
    with Archive(path, encoding) as archive:
        if not archive.single:
            raise fault("attributes-read-from-one-file", file=path)
        name = archive.names[0]
        label = archive.label(name)
        for line, fields in table_rows(archive, name):
            row = {
                name: value.strip() if isinstance(value, str) else value
                for name, value in fields.items()
            }
            key = record_id(row, archive, name, line)
            if key in values:
                raise fault("id-twice-unresolved", file=label, line=line, found=key)
            if column not in row:
                attribute_names = sorted(str(k) for k in row if k != "id")
                raise fault(
                    "no-column-here",
                    file=label,
                    line=line,
                    found=attribute_names,
                    fix=did_you_mean(column, attribute_names),
                    column=column,
                )
            values[key] = _value(row[column], label, line)
    column_values = [values.get(i) for i in ids]
    lacking = [i for i in ids if values.get(i) is None]
    zeros = ids_apart(ids, values)
    if len(lacking) == len(ids):
        raise fault(
            "no-value-for-any-problem",
            file=label,
            found=", ".join([*values][:3]) or "nothing",
            expected=f"ids such as {ids[0]}" if len(ids) else None,
            fix=str(zeros[0]) if zeros else None,
        )
    notes = noted("lacking-attribute", lacking, total=len(ids), column=column, file=name)
    notes += zeros
    present = [value for value in column_values if value is not None]
    if any(isinstance(value, str) for value in present):
        labels = Labels.of(
            spelt_alike(
                [None if value is None else str(value) for value in column_values],
                notes,
                repr(column),
            )
        )
        if len(labels.names) > MOST_PARTS:
            raise fault(
                "too-many-different-values-break",
                file=label,
                found=len(labels.names),
                column=column,
                most_parts=MOST_PARTS,
            )
    else:
        labels = quantiles(
            np.array([math.nan if value is None else value for value in column_values]), bins
        )
    remark(notes, path)
    return ProblemAttribute(column, labels)


def quantiles(values: Floats, parts: int = BINS) -> Labels:
    """Return ``Labels`` (n,) that divide numbers (n,) into parts of about equal size, by rising value; equal values stay
    together, NaN is in no part."""
    is_known = ~np.isnan(values)
    edges = np.unique(np.quantile(values[is_known], np.arange(1, parts) / parts))
    codes = np.where(is_known, np.searchsorted(edges, values, side="left"), -1)
    used_codes = np.unique(codes[is_known])
    codes = np.where(is_known, np.searchsorted(used_codes, codes), -1).astype(np.int64)
    names = []
    for i in range(len(used_codes)):
        inside = values[codes == i]
        low = f"{inside.min():.4g}"
        high = f"{inside.max():.4g}"
        names.append(f"{i + 1}: {low}" if low == high else f"{i + 1}: {low} to {high}")
    return Labels(codes, tuple(names))


def _parse(spec: str) -> tuple[str, str, int]:
    head, colon, tail = spec.rpartition(":")
    bins = BINS
    if colon and tail.isdecimal() and len(tail) < 10 and ":" in head:
        bins = int(tail)
        head, colon, tail = head.rpartition(":")
    if not (head and tail) or not 2 <= bins <= MOST_PARTS:
        raise fault("no-such-break-down", found=spec, most_parts=MOST_PARTS)
    return head, tail, bins


def _value(value: object, file: str, line: int) -> float | str | None:
    """A number, a text, or None where nothing is given."""
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        if isinstance(value, bool):
            return json.dumps(value)
        raise fault("attribute-neither-number-nor-text", file=file, line=line, found=value)
    try:
        number = float(value)
    except ValueError:
        return str(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise fault("attribute-not-finite", file=file, line=line, found=value)
    return number
