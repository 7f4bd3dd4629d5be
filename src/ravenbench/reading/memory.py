"""Writes tables and corpora in memory to files, which the readers of files then read (there is no other way into Raven).

In: a data frame (pandas, polars), a pyarrow table, a list of records (mappings), a ``Corpus``, or lists, tuples and
mappings of these.
Out: the path of a file or folder in the cache with this content (for several, a list or dict of paths); any other value
is returned unchanged. InputError if a table has no rows or cannot be stored, or a system's name cannot be a folder's;
FormatError for values that a table cannot store and for two columns of the same name.

A table is a data frame of pandas or polars, a table of pyarrow, or a list of records (mappings). Raven writes it as
JSON lines in the cache folder, under the hash of its content, so that the same table is the same input in a later
run. Its columns decide what it is:

    text, author, topic …           a corpus, as ``read_table`` takes it
    id, pair (two texts), same      problems, with ``known`` and ``questioned`` in place of ``pair`` too
    id, same                        truth
    id, value                       answers, of several systems where there is a column ``system``
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ravenbench.errors import FormatError, InputError, StoreError, damaged, remedy
from ravenbench.files import made_cache, make_folder, make_room, sha256, write_bytes
from ravenbench.reading.account import fault
from ravenbench.reading.decoding import check_whole
from ravenbench.reading.kept import MOST
from ravenbench.reading.load import open_corpus, save_corpus
from ravenbench.reading.tabular import AS_TEXT, check_each_once, no_rows
from ravenbench.types import Corpus

Record = Mapping[str, Any]
FOLDER = "tables"
"""Name of the folder in the cache folder."""
ROWS: dict[str, Sequence[Any]] = {}
"""The names of a table's rows, by line; keyed by the table's folder."""


def as_place(value: Any, name: str = "table") -> Any:
    """Return a table or corpus as the path of a file or folder; also in sequences and mappings, with their names; any other
    value is returned unchanged.

    InputError if a table has no rows or cannot be stored.
    """
    if isinstance(value, Corpus):
        return _kept_corpus(value)
    if (records := _records(value, f"the table {name!r}")) is not None:
        place = _kept(_files(records, re.sub(r"[^\w.-]+", "-", name)))
        ROWS[(place if place.is_dir() else place.parent).name] = _called(value, len(records))
        return place
    if isinstance(value, Mapping):
        _check_columns(value, f"the table {name!r}")
        return {key: as_place(item, str(key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_place(item, f"{name}-{number}") for number, item in enumerate(value, start=1)]
    return value


def _records(value: Any, label: str) -> list[dict[str, Any]] | None:
    """The rows of a table as JSON has them, each by column; None for anything else. FormatError if there is none, two
    columns have one name, or a value cannot be written. ``label`` names the table."""
    with damaged("Raven cannot read this table", Path(label), "correct what its package reports"):
        if (rows := _rows(value, label)) is None:
            return None
        if not any(rows):
            raise no_rows(label)
        records = [
            _record(row, {"file": f"{label}, row {name!r}"})
            for name, row in zip(_called(value, len(rows)), rows, strict=True)
        ]
        return _with_whole_numbers(records)


def _called(table: Any, count: int) -> Sequence[Any]:
    """What a table calls its rows: a frame of pandas by its index, others by their number from 0."""
    return list(table.index) if hasattr(table, "iloc") else range(count)


def _with_whole_numbers(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Records whose whole numbers are such again in columns where some are missing, of which pandas makes floats."""
    for column in records[0]:
        known = [record for record in records if record.get(column) is not None]
        if len(known) < len(records) and all(
            isinstance(record[column], float) and record[column].is_integer() for record in known
        ):
            for record in known:
                record[column] = int(record[column])
    return records


def _rows(value: Any, label: str) -> list[Mapping[Any, Any]] | None:
    """The rows of a table as its package gives them. No package of tables is imported for it."""
    if isinstance(value, list | tuple):
        return list(value) if value and all(isinstance(row, Mapping) for row in value) else None
    if hasattr(value, "collect_schema"):  # a frame of polars, lazy or not
        return list(value.lazy().collect().to_dicts())
    if hasattr(value, "to_pylist") and hasattr(value, "column_names"):
        _check_columns(value.column_names, label)
        return list(value.to_pylist())
    if hasattr(value, "to_dict") and hasattr(value, "columns"):
        _check_columns(value.columns, label)
        return list(value.to_dict(orient="records"))
    return None


def _record(row: Mapping[Any, Any], location: dict[str, Any], column: str = "") -> dict[str, Any]:
    """What JSON holds of a row, or of a mapping in a column, so that readers say of it what they say of files.
    FormatError if keys are equal as text, or a value is none of a table's."""
    _check_columns(row, **location)
    return {str(key): _plain(value, column or str(key), location) for key, value in row.items()}


def _check_columns(names: Iterable[Any], file: str, line: int | None = None) -> None:
    """FormatError if two names are equal as text, or half a character stands in one."""
    columns = [check_whole(str(name), "the name of a column", file, line) for name in names]
    check_each_once(columns, file, line)


def _plain(value: Any, column: str, location: dict[str, Any]) -> Any:
    """A value as JSON has it: what is missing in pandas is None, arrays are lists, and of bytes, which are neither a
    name nor a text, only their number is kept."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, (str, *AS_TEXT)):
        return check_whole(str(value), column, **location)
    if isinstance(value, bool | int | float) and column == "same" and value in (0, 1):
        return bool(value)
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return None if value != value else value
    if isinstance(value, list | tuple):
        return [_plain(item, column, location) for item in value]
    if isinstance(value, Mapping):
        return _record(value, location, column)
    if isinstance(value, bytes):
        return {"bytes": len(value)}
    if hasattr(value, "tolist"):  # of NumPy and pandas
        return _plain(value.tolist(), column, location)
    raise fault("value-no-table-holds", **location, column=column, name=type(value).__name__)


def _files(records: Sequence[Record], name: str) -> dict[str, bytes]:
    """What is written for a table, by name of the file."""
    columns = {key for record in records for key in record}
    if "pair" in columns or {"known", "questioned"} <= columns:
        texts = {"pair", "known", "questioned"}
        pairs = [{"pair": [row.get("known"), row.get("questioned")]} | dict(row) for row in records]
        files = {
            "pairs.jsonl": _lines(
                _without_columns(pairs, {"same", "authors", "known", "questioned"})
            )
        }
        return files | (
            {"truth.jsonl": _lines(_without_columns(records, texts))} if "same" in columns else {}
        )
    if "same" in columns and "text" not in columns:
        return {"truth.jsonl": _lines(records)}
    if "value" in columns and "system" in columns:
        systems: dict[str, list[Record]] = {}
        for row in records:
            systems.setdefault(repr(row.get("system")), []).append(row)
        names = [_file_name(rows[0].get("system")) for rows in systems.values()]
        check_each_once(names, f"the table {name!r}", label="system")
        # A folder each: a file may not be called as readers call truth, or all answers.
        return {
            f"{system}/answers.jsonl": _lines(_without_columns(rows, {"system"}))
            for system, rows in zip(names, systems.values(), strict=True)
        }
    # A file of that name would be called after its folder.
    return {f"{'system' if name == 'answers' else name}.jsonl": _lines(records)}


def _file_name(system: Any) -> str:
    """A system's name, which becomes the name of a folder. InputError if it cannot be one."""
    name = str(system) if isinstance(system, str | int) else ""
    if name[:1] in ("", ".") or name.isspace() or {*name} & {*"/\\\0"}:
        expected = "a name without / and \\ that does not begin with a dot"
        raise fault("no-folder-can-system-name", found=system, expected=expected)
    return name


def _without_columns(records: Iterable[Record], columns: set[str]) -> list[Record]:
    return [{key: value for key, value in row.items() if key not in columns} for row in records]


def _lines(records: Iterable[Record]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in records).encode()


def _kept(files: Mapping[str, bytes]) -> Path:
    """The file, or the folder of several, that holds this; written where it is missing or damaged."""
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    key = hashlib.sha256(repr(sorted(hashes.items())).encode()).hexdigest()[:16]
    try:
        folder = made_cache() / FOLDER / key
        make_folder(folder, private=True)
        for name, data in files.items():
            if not (folder / name).is_file() or sha256(folder / name) != hashes[name]:
                make_room(folder.parent.iterdir(), MOST)
                (folder / name).parent.mkdir(exist_ok=True)
                write_bytes(folder / name, data)
    except OSError as error:
        raise _unkept(error) from error
    return folder / next(iter(files)) if len(files) == 1 else folder


def _kept_corpus(corpus: Corpus) -> Path:
    """The folder that holds a corpus; written where it is missing or damaged."""
    columns = {"": corpus.language, **corpus.columns}
    labels = [
        (key, labels.names, labels.codes.tobytes())
        for key, labels in columns.items()
        if labels is not None
    ]
    key = hashlib.sha256(repr([corpus.digest(), labels, dict(corpus.notes)]).encode()).hexdigest()[
        :16
    ]
    try:
        # Its own name may come from a stranger's file, and lead anywhere.
        folder = made_cache() / FOLDER / key / "corpus"
        try:
            open_corpus(folder)
        except (FormatError, StoreError):
            make_folder(folder.parent, private=True)
            make_room(folder.parent.parent.iterdir(), MOST)
            save_corpus(corpus, folder)
    except OSError as error:
        raise _unkept(error) from error
    return folder


def _unkept(error: OSError) -> InputError:
    return fault(
        "table-cannot-kept", file=str(error.filename), strerror=error.strerror, error=remedy(error)
    )
