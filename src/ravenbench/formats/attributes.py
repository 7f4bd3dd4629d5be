"""Dividing problems into parts by an attribute (length, topic distance, genre …) from a CSV or JSONL file."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ravenbench.errors import FormatError, InputError, did_you_mean
from ravenbench.formats.archive import Archive
from ravenbench.formats.decoding import UTF8
from ravenbench.formats.pan_pairs import record_id
from ravenbench.formats.tabular import table_rows
from ravenbench.types import Floats, Labels

BINS = 4
MOST_PARTS = 30


@dataclass(frozen=True, eq=False)
class Attribute:
    """A division of n problems into parts: ``part`` (n,) in the order to show, −1 where a problem belongs to none."""

    name: str
    part: Labels


def read_attribute(spec: str, ids: Sequence[str], encoding: str | None = UTF8) -> Attribute:
    """Divide problems by one column of a file: quantiles of numbers, categories of text.

    Parameters
    ----------
    spec : str
        ``FILE:COLUMN`` or ``FILE:COLUMN:PARTS``; the file has a column (or key) ``id`` beside it. CSV, TSV or JSONL.
    ids : sequence of str
        Problems, in the order wanted; the file may hold others.
    encoding : str or None
        Of a file that is not UTF-8, as ``decode`` takes it.

    Raises
    ------
    InputError
        If the file, the column or a value cannot be used, or it names none of the problems.
    """
    path, column, bins = _parse(spec)
    values: dict[str, Any] = {}
    with Archive(path, encoding) as archive:
        if not archive.single:
            raise FormatError("attributes are read from one file", file=path, expected="a CSV, TSV or JSONL file")
        name = archive.names[0]
        label = archive.label(name)
        for line, fields in table_rows(archive, name):
            row = {name: value.strip() if isinstance(value, str) else value for name, value in fields.items()}
            key = record_id(row, archive, name, line)
            if key in values:
                raise FormatError("an id stands twice", file=label, line=line, found=key)
            if column not in row:
                known = sorted(str(k) for k in row if k != "id")
                raise FormatError(
                    f"there is no {column!r} here", file=label, line=line, found=known, fix=did_you_mean(column, known)
                )
            values[key] = _value(row[column], label, line)
    found = [values.get(i) for i in ids]
    if all(v is None for v in found):
        raise FormatError(
            "this file has no value for any problem of truth", file=label, found=", ".join([*values][:3]) or "nothing",
            expected=f"ids such as {ids[0]}" if len(ids) else None,
        )  # fmt: skip
    given = [v for v in found if v is not None]
    if any(isinstance(v, str) for v in given):
        labels = Labels.of(None if v is None else str(v) for v in found)
        if len(labels.names) > MOST_PARTS:
            raise FormatError(
                f"{column} has too many different values to break results down by", file=label,
                found=len(labels.names), expected=f"numbers, or at most {MOST_PARTS} different texts",
            )  # fmt: skip
        return Attribute(column, labels)
    return Attribute(column, quantiles(np.array([math.nan if v is None else v for v in found]), bins))


def quantiles(values: Floats, parts: int = BINS) -> Labels:
    """Divide numbers into parts of about equal size, by rising value; equal values stay together, NaN is in none."""
    known = ~np.isnan(values)
    edges = np.unique(np.quantile(values[known], np.arange(1, parts) / parts))
    codes = np.where(known, np.searchsorted(edges, values, side="left"), -1)
    used = np.unique(codes[known])
    codes = np.where(known, np.searchsorted(used, codes), -1).astype(np.int64)
    names = []
    for i in range(len(used)):
        inside = values[codes == i]
        low, high = f"{inside.min():.4g}", f"{inside.max():.4g}"
        names.append(f"{i + 1}: {low}" if low == high else f"{i + 1}: {low} to {high}")
    return Labels(codes, tuple(names))


def _parse(spec: str) -> tuple[str, str, int]:
    head, colon, tail = spec.rpartition(":")
    bins = BINS
    if colon and tail.isdecimal() and ":" in head:
        bins = int(tail)
        head, colon, tail = head.rpartition(":")
    if not (head and tail) or not 2 <= bins <= MOST_PARTS:
        raise InputError(
            "break-downs are by the problems' groups or by a file's column", found=spec,
            expected=f"group, FILE:COLUMN or FILE:COLUMN:PARTS with 2 to {MOST_PARTS} parts",
        )  # fmt: skip
    return head, tail, bins


def _value(value: object, file: str, line: int) -> float | str | None:
    """A number, a text, or None where nothing is given."""
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        if isinstance(value, bool):
            return json.dumps(value)
        raise FormatError("an attribute must be a number or a text", file=file, line=line, found=value)
    try:
        number = float(value)
    except ValueError:
        return str(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise FormatError("an attribute must be finite", file=file, line=line, found=value, expected="a number")
    return number
