"""Tables and corpora in memory as files, which the readers of files then read: there is no second way into Raven.

A table is a data frame of pandas or polars, a table of pyarrow, or a list of records (mappings). It is written as JSON
lines below the cache folder, under the hash of its content, so that the same table is the same input of a later run.
Its columns say what it is:

    text, author, topic …           a corpus, as ``read_table`` takes it
    id, pair (two texts), same      problems, with ``known`` and ``questioned`` in place of ``pair`` too
    id, same                        truth
    id, value                       answers, of several systems where there is a column ``system``
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ravenbench.corpora.kept import MOST
from ravenbench.corpora.load import open_corpus, save_corpus
from ravenbench.errors import FormatError, InputError, StoreError, remedy
from ravenbench.files import made_cache, make_folder, make_room, sha256, write_bytes
from ravenbench.types import Corpus

Record = Mapping[str, Any]
FOLDER = "tables"
"""Below the cache folder."""


def as_place(value: Any, name: str = "table") -> Any:
    """A table or corpus as the path of a file or folder that holds it; sequences and mappings of such too, with their
    names; anything else as it is.

    InputError if a table has no rows or cannot be kept.
    """
    if isinstance(value, Corpus):
        return _kept_corpus(value)
    if (records := _records(value)) is not None:
        if not records:
            raise InputError("this table has no rows", found=f"a {type(value).__name__}", expected="at least one row")
        return _kept(_files(records, re.sub(r"[^\w.-]+", "-", name)))
    if isinstance(value, Mapping):
        return {key: as_place(each, str(key)) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [as_place(each, f"{name}-{number}") for number, each in enumerate(value, start=1)]
    return value


def _records(value: Any) -> list[Record] | None:
    """The rows of a table, each by column; None for anything else. No package of tables is imported for it."""
    if isinstance(value, list | tuple):
        return list(value) if value and all(isinstance(each, Mapping) for each in value) else None
    if hasattr(value, "to_dicts"):
        return list(value.to_dicts())
    if hasattr(value, "collect_schema"):  # a lazy frame of polars
        return list(value.collect().to_dicts())
    if hasattr(value, "to_pylist") and hasattr(value, "column_names"):
        return list(value.to_pylist())
    if hasattr(value, "to_dict") and hasattr(value, "columns"):
        return list(value.to_dict(orient="records"))
    return None


def _files(records: list[Record], name: str) -> dict[str, bytes]:
    """What is written for a table, by name of the file."""
    columns = {str(key) for record in records for key in record}
    if "pair" in columns or {"known", "questioned"} <= columns:
        texts = {"pair", "known", "questioned"}
        pairs = [{"pair": [row.get("known"), row.get("questioned")]} | dict(row) for row in records]
        files = {"pairs.jsonl": _lines(_without(pairs, {"same", "authors", "known", "questioned"}))}
        return files | ({"truth.jsonl": _lines(_without(records, texts))} if "same" in columns else {})
    if "same" in columns and "text" not in columns:
        return {"truth.jsonl": _lines(records)}
    if "value" in columns and "system" in columns:
        systems: dict[str, list[Record]] = {}
        for row in records:
            systems.setdefault(_file_name(str(row["system"])), []).append(row)
        return {f"{system}.jsonl": _lines(_without(rows, {"system"})) for system, rows in systems.items()}
    # A file of that name would be called after its folder.
    return {f"{'system' if name == 'answers' else name}.jsonl": _lines(records)}


def _file_name(system: str) -> str:
    """A system's name, which becomes the name of a file. InputError if it cannot be one."""
    if not system.strip(". ") or set(system) & set("/\\\0"):
        raise InputError("no file can have this system's name", found=system, expected="a name without / and \\")
    return system


def _without(records: Iterable[Record], columns: set[str]) -> list[Record]:
    return [{key: value for key, value in row.items() if key not in columns} for row in records]


def _lines(records: Iterable[Record]) -> bytes:
    rows = ({str(key): _plain(value) for key, value in row.items()} for row in records)
    return "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows).encode("utf-8", "replace")


def _plain(value: Any) -> Any:
    """A value as JSON has it: what is missing in pandas is None, arrays are lists."""
    if type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value.tolist() if hasattr(value, "tolist") else value


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
                write_bytes(folder / name, data)
    except OSError as error:
        raise _unkept(error) from error
    return folder / next(iter(files)) if len(files) == 1 else folder


def _kept_corpus(corpus: Corpus) -> Path:
    """The folder that holds a corpus; written where it is missing or damaged."""
    columns = {"": corpus.language, **corpus.columns}
    labels = [(key, each.names, each.codes.tobytes()) for key, each in columns.items() if each is not None]
    key = hashlib.sha256(repr([corpus.digest(), labels, dict(corpus.notes)]).encode()).hexdigest()[:16]
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
    return InputError(
        f"this table cannot be kept ({error.strerror})", file=str(error.filename),
        fix=f"{remedy(error)}; the environment variable RAVEN_CACHE names another folder",
    )  # fmt: skip
