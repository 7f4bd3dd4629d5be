"""Reads a corpus from a table with one document in each row.

In: the path of a table (Parquet or a folder of its parts, JSON, JSON lines, CSV, TSV or a workbook), the names of its
columns for text, author, topic, id and language, and options of reading (encoding, quoting, faulty rows).
Out: a ``Corpus``, one row for each document; its ``notes`` say what was guessed and left out. InputError if the table does
not exist or memory is too small, FormatError for bad content, CorpusError for a corpus that cannot be used. Helpers:
``guess`` takes a table's first rows and returns the column for each role (topic None = no topics); ``kind_of`` takes a
path and returns the kind of table by its name: parquet, csv (TSV too), jsonl, json or xlsx, None = not a table.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from statistics import median
from typing import Any

from ravenbench import registry
from ravenbench.errors import (
    FormatError,
    InputError,
    counted,
    did_you_mean,
    remarks_gathered,
)
from ravenbench.files import check_not_forked
from ravenbench.reading.account import ACCOUNT, Note, fault, noted
from ravenbench.reading.archive import Archive, no_such
from ravenbench.reading.build import CorpusBuilder, ImportLog
from ravenbench.reading.decoding import UTF8, Faults, check_controls
from ravenbench.reading.parquet import check_size, check_unpacked
from ravenbench.reading.tabular import (
    AS_TEXT,
    ENDINGS,
    Row,
    is_nothing,
    no_rows,
    stem_of,
    table_kind,
    table_rows,
)
from ravenbench.text.copies import unescaped
from ravenbench.text.mail import listed, without_quotations
from ravenbench.types import Corpus

NAMES = {role: listed("columns", role) for role in ("text", "author", "topic", "id", "language")}
"""Names that tables use, the most certain first; case, spaces and underscores do not matter."""
LOOKED_AT = 200
"""Number of rows from which Raven judges a column's content."""


def guess(
    path: Path,
    rows: Sequence[Mapping[str, Any]],
    columns: Mapping[str, str | None],
    level: str | None = None,
) -> dict[str, str | None]:
    """Return role to column; for a role whose default column is missing, Raven looks for another column.

    A column is recognised by its name. Texts are also recognised by their length: the one column of strings that are
    several times as long as all others and have more than a few words. FormatError if texts, authors or topics are not
    found; it lists the columns and their content.

    Parameters
    ----------
    path : Path
        The table, for messages.
    rows : sequence of mappings
        Its first rows.
    columns : mapping
        Role (text, author, topic, id, language) to column; a topic of None stays None.
    level : str, optional
        The level of topic that will be used: a column of this name is the topic if no column is called topic;
        a level made from the texts needs no topics.

    Returns
    -------
    dict
        The same with the columns that were found; a role that was not named or found keeps its default if
        the table does not need it (id, language).
    """
    present = list(dict.fromkeys(str(key) for row in rows for key in row if key is not None))
    roles = dict(columns)
    used_columns = {column for column in columns.values() if column in present}
    for role in ("text", "author", "topic", "id", "language"):
        column = columns[role]
        named = column in [
            other_column
            for other_role, other_column in columns.items()
            if other_role not in (role, other_column)
        ]
        if column is None or (column in present and not named) or column != role:
            continue
        if role == "topic" and level in present:
            roles[role] = level
            continue
        plain = {letters(name): name for name in reversed(present) if name not in used_columns}
        chosen = next((plain[name] for name in NAMES[role] if name in plain), None)
        if chosen is None and role == "text":
            chosen = _longest(rows, [name for name in present if name not in used_columns])
        if chosen is not None:
            roles[role] = chosen
            used_columns.add(chosen)
        elif (
            role == "topic"
            and level is not None
            and ("(" in level or level == "none" or level in registry.names("topics"))
        ):
            roles[role] = None
        elif role in ("text", "author", "topic"):
            raise _no_column(path, role, rows, present)
        elif named:  # the column that is called so is another's
            roles[role] = ""
    return roles


def letters(name: str) -> str:
    """Return the letters of a column's name, in lower case."""
    return re.sub(r"[^a-z]", "", name.lower())


def _longest(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str | None:
    """The one column whose strings are long, if the next longest is less than a third of it."""
    lengths = sorted(
        ((median(len(str(row.get(name) or "")) for row in rows), name) for name in columns),
        reverse=True,
    )
    if not lengths or not all(isinstance(row.get(lengths[0][1]), str | None) for row in rows):
        return None
    longest = lengths[0][0]
    second = lengths[1][0] if len(lengths) > 1 else 0
    return lengths[0][1] if longest >= 60 and longest > 3 * second else None


def _no_column(
    path: Path, role: str, rows: Sequence[Mapping[str, Any]], present: Sequence[str]
) -> FormatError:
    lines = []
    for name in present:
        values = [row.get(name) for row in rows if row.get(name) is not None]
        lines.append(f"{name} ({len(set(map(str, values))):,})")
    near = did_you_mean(role, present, listing=False, cutoff=0.75)
    fix = f"rename it to {role!r}, or name it with --{role} COLUMN if the command has this option"
    name_columns = [name for name in present if letters(name) in (*_FIRST, *_LAST)]
    if role == "author" and len(name_columns) > 1:
        fix = (
            f"write {' and '.join(name_columns)} into one column author: surnames without first"
            " names make several people one author"
        )
    if role == "topic":
        fix += (
            "; if there are none, use --topic none, or topics made from the texts: --topic"
            " 'extract(clusters=20)'"
        )
    return fault(
        "no-column-none-looks-like",
        file=path,
        found=f"{', '.join(lines)}; the number of different values in {counted(len(rows), 'row')}"
        " is in brackets",
        fix=fix if near is None else f"{fix} ({near})",
        role=role,
        value=", ".join(NAMES[role][:6]),
    )


_FIRST = listed("columns", "first name")
_LAST = listed("columns", "last name")


def _doubts_of_columns(rows: Sequence[Mapping[str, Any]], text: str, author: str) -> list[Note]:
    """Notes on columns that may be meant in the place of those that are read: of whole texts beside their beginnings,
    of first names beside surnames."""
    notes = []
    for name in {str(key): None for row in rows for key in row if key not in (text, None)}:
        longer = sum(_begins_with(str(row.get(text)), str(row.get(name))) for row in rows)
        if len(rows) > 2 and longer > len(rows) / 2:
            notes += noted("column-of-whole-texts", [name], text=text)
        if letters(name) in _FIRST and not any(" " in str(row.get(author)) for row in rows):
            notes += noted("column-of-first-names", [name], author=author)
    return notes


def _begins_with(part: str, longer: str) -> bool:
    """Whether a text of some length is the beginning of a longer one, but for signs that it was cut."""
    return len(longer) > len(part) + 20 > 70 and longer.startswith(part[:-20])


_SPARE = 128 * 2**20
"""Bytes of free memory that a trial leaves unused, because mapped memory varies."""
_PATIENCE = 300.0
_TRIAL = """
import resource, sys
import polars as pl
room, rows, *files = sys.argv[1:]
mapped = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (mapped + int(room), resource.RLIM_INFINITY))
kept = []
for file in files:
    for batch in pl.scan_parquet(file).collect_batches(chunk_size=int(rows), maintain_order=True):
        kept += [str(value) for row in batch.iter_rows() for value in row]
"""


def check_room(files: Sequence[Path], rows: int) -> None:
    """Raise an error if a trial in another process shows that reading Parquet takes too much memory.

    Raven makes no trial if memory has no limit (``ulimit -v``), or the system does not report memory use.
    InputError if the trial ran out of memory. ``rows`` are read at once.
    """
    try:
        import resource

        limit, hard_limit = resource.getrlimit(resource.RLIMIT_AS)
        bytes_used = (
            int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
        )
    except (ImportError, OSError, ValueError, IndexError):
        return
    if limit == resource.RLIM_INFINITY:
        return

    trial = _TRIAL.replace("resource.RLIM_INFINITY", str(hard_limit))
    room = max(0, limit - bytes_used - _SPARE)
    command = [sys.executable, "-c", trial, str(room), str(rows)]
    try:
        finished = subprocess.run(
            [*command, *map(str, files)], capture_output=True, check=False, timeout=_PATIENCE
        )
        # What polars says of a damaged file, the reading itself will say.
        failed = finished.returncode != 0 and b"polars.exceptions" not in finished.stderr
    except (
        subprocess.TimeoutExpired
    ):  # threads that could not be started are waited for without end
        failed = True
    if failed:
        raise fault(
            "parquet-file-cannot-read-memory",
            file=files[0],
            found=f"{(limit - bytes_used) // 2**20:,} MB left of {limit // 2**20:,} MB (ulimit -v)",
        )


KINDS = {".parquet": "parquet", ".pq": "parquet", **ENDINGS}
_RESERVED = {"id", "author", "topic", "language", "text"}
_BATCH = 500


def read_table(
    path: str | Path,
    *,
    text: str = "text",
    author: str = "author",
    topic: str | None = "topic",
    id: str = "id",
    language: str = "language",
    fold_case: bool = False,
    name: str | None = None,
    log: ImportLog | None = None,
    encoding: str | None = UTF8,
    pairs: bool = True,
    level: str | None = None,
    anonymous: bool = False,
    unquoted: bool = False,
    skip_faulty: bool = False,
) -> Corpus:
    """Read the ``Corpus`` of one table with a document in each row; a folder of Parquet parts is one table.

    InputError if the file does not exist or is a folder; FormatError if its format does not match its name, it lacks a
    column, is not UTF-8, or a row lacks a text, an author or a topic or has a duplicate id; CorpusError if no same-author
    or no different-author pair exists, or two topics differ only in case.

    Parameters
    ----------
    text, author, topic, id, language : str
        Names of the columns. Raven guesses a column with a default name that is missing (``columns.guess``), and
        ``notes["columns"]`` says so. ``id`` and ``language`` may be absent (ids are then row numbers); with
        ``topic=None`` documents have no topic, for topic extraction. Every other column of single values becomes
        one of ``Corpus.columns``.
    fold_case : bool
        Join topics that differ only in case, instead of raising an error.
    name : str, optional
        The corpus's name; the default is the file's name.
    encoding : str or None
        The encoding of a table that is not UTF-8, as for ``decode``.
    log : ImportLog, optional
        The log of documents read so far, also in an earlier call.
    unquoted : bool
        For CSV and TSV: quotation marks are part of the texts, and each line is a row.
    skip_faulty : bool
        Leave out and count rows that lack a text, an author or a topic, have a duplicate id or another fault;
        without it, one error lists all faults.
    """
    path = Path(path)
    kind = "parquet" if is_parts_folder(path) else checked_kind(path)
    rows = _parquet(path) if kind == "parquet" else _text(path, encoding, unquoted)
    with remarks_gathered() as account:
        first_rows = list(islice(rows, LOOKED_AT))
    if not first_rows:
        raise no_rows(path)
    columns_by_role = {
        "text": text,
        "author": author,
        "topic": topic,
        "id": id,
        "language": language,
    }
    chosen = guess(path, [row for _, row in first_rows], columns_by_role, level)
    text, author, id, language = (
        str(chosen[role]) for role in ("text", "author", "id", "language")
    )
    topic = chosen["topic"]
    role_columns = [text, author] + ([] if topic is None else [topic])
    builder = CorpusBuilder(path, log, anonymous)
    ignored: set[str] = set()
    faults = Faults("unusable rows")
    of_reddit = text in ("body", "selftext") and "subreddit" in first_rows[0][1]
    account += _doubts_of_columns([row for _, row in first_rows], text, author)
    only_quotation: list[bool] = []
    kind_of_label: dict[tuple[str, str], type] = {}
    of_two_kinds: dict[str, None] = {}
    headers: list[int] = []
    number = 0
    for number, (line, row) in enumerate(chain(first_rows, rows)):
        if (
            number == 0
            and (absent := next((column for column in role_columns if column not in row), None))
            is not None
        ):
            raise _missing(path, line, absent, row, True)
        if all(row.get(column) == column for column in role_columns):
            headers.append(line)
            continue
        with faults.gathered():
            for column in role_columns:
                if is_nothing(row.get(column)):
                    raise _missing(path, line, column, row, False)
            body = row[text]
            if not isinstance(body, str):
                fix = "is this a row of sums? If not, write it as text"
                if isinstance(body, list | dict | bytes):
                    fix = _decoded(body) or (
                        "join its parts to one string, or name the column of texts with --text"
                    )
                if isinstance(body, dict) and all(
                    isinstance(value, dict) for value in row.values()
                ):
                    fix = (
                        "this is a complete table, as pandas writes it without lines=True: rename"
                        " the file to .json"
                    )
                raise fault("text-not-string", file=path, line=line, found=body, fix=fix)
            if (
                of_reddit
                and (own_words := without_quotations(unescaped_body := unescaped(body))) != body
            ):
                only_quotation += [not own_words.strip()] * (own_words != unescaped_body)
                if own_words != unescaped_body and not own_words.strip():
                    continue
                body = own_words
            check_controls(body, path, line, encoding)
            for column in role_columns[1:]:
                label = column, str(row[column])
                if kind_of_label.setdefault(label, type(row[column])) is not type(row[column]):
                    of_two_kinds[" ".join(label)] = None
            columns = {}
            for key, value in row.items():
                if key in (text, author, topic, id, language) or key is None:
                    continue
                if key in _RESERVED or isinstance(value, list | dict | bytes):
                    ignored.add(key)
                else:
                    columns[key] = None if is_nothing(value) else str(value)
            builder.add(
                f"{number:06d}" if is_nothing(row.get(id)) else _plain(path, line, id, row[id]),
                body.lstrip("\ufeff").replace("\r\n", "\n"),
                _label(path, line, author, row[author]),
                None if topic is None else _label(path, line, topic, row[topic]),
                line,
                (
                    None
                    if is_nothing(row.get(language))
                    else _plain(path, line, language, row[language])
                ),
                columns,
            )
    if not skip_faulty:
        faults.check(_help(faults, 1 + number, author))
    notes: dict[str, Any] = {"source": path.name, "format": kind}
    guessed = {
        role: column for role, column in chosen.items() if column not in ("", columns_by_role[role])
    }
    if guessed:
        notes["columns"] = guessed
    if ignored:
        notes["ignored columns"] = sorted(ignored)
    account += [
        *noted("header-again", map(str, headers), first=next(iter(headers), 0)),
        *noted("types-joined", of_two_kinds),
        *noted("reddit-quotations", count=len(only_quotation)),
        *noted("quotations-only", count=sum(only_quotation)),
        *noted("faulty-rows", (f"line {fault.line}: {fault.problem}" for fault in faults.since(0))),
    ]
    if account:
        notes[ACCOUNT] = account
    return builder.finish(
        name or (path.resolve().name if path.is_dir() else stem_of(path.name)),
        notes,
        fold_case,
        pairs,
    )


def _help(faults: Faults, rows: int, author: str) -> str:
    """What else mends faulty rows: to leave them out, unless most would go."""
    empty = sum(fault.problem == f"{author} is empty" for fault in faults.since(0))
    if empty and 2 * empty > rows:
        return ", or if cells were merged, fill each name down into its rows"
    return ", or leave these rows out with --skip-faulty" if 2 * len(faults) <= rows else ""


_SET = re.compile(
    r"(train|test|val|dev|held-?out)(?:ing|id|idation|elopment)?(?![^\W\d_])", re.IGNORECASE
)


def _check_one_part(path: Path, files: Sequence[Path]) -> None:
    """FormatError if Parquet files of one folder are of several parts of a data set by their names."""
    sets = sorted(
        {match[1].lower() for part in files if (match := _SET.match(part.name)) is not None}
    )
    if len(sets) > 1:
        raise fault("parts-data-set-one-test", file=path, found=", ".join(sets))


def is_parts_folder(path: Path) -> bool:
    """Return whether a folder contains a table in Parquet parts (Spark, Dask …) and no other table."""
    return path.is_dir() and {kind_of(file) for file in _part_files(path)} == {"parquet"}


def kind_of(path: Path) -> str | None:
    """Return what kind of table a file is by its name; None if it is not one."""
    return KINDS.get(path.suffix.lower()) or table_kind(path.name)


def _part_files(path: Path) -> list[Path]:
    return sorted(
        file
        for file in path.iterdir()
        if kind_of(file) not in (None, "json") and not file.name.startswith(".")
    )


_IN_R = {".rds": "readRDS({})", ".rda": "get(load({}))", ".rdata": "get(load({}))"}


def _as_table(path: Path) -> str:
    """How a file that is no table by its name is read as one."""
    if opened := _IN_R.get(path.suffix.lower()):
        given, made = (
            json.dumps(name, ensure_ascii=False) for name in (str(path), f"{path.stem}.csv")
        )
        return f"in R: write.csv(as.data.frame({opened.format(given)}), {made}, row.names = FALSE)"
    kind = "csv"
    with suppress(OSError), path.open("rb") as file:
        first = file.readline(2**16).strip()
        kind = "jsonl" if first[:1] == b"{" else "tsv" if b"\t" in first else kind
    moved = shlex.join(["mv", str(path), str(path.with_suffix(f".{kind}"))])
    return f"if it is a table, its first line looks like .{kind}: {moved}"


def checked_kind(path: Path) -> str:
    """Return what kind of table this is, by its name and first bytes. InputError if it is not one, or they disagree."""
    if path.is_dir():
        raise fault("folder-stands-where-table-should", file=path)
    if not path.is_file():
        raise no_such(path)
    kind = kind_of(path)
    if kind is None:
        packed = path.suffix.lower() in (
            ".gz",
            ".tar",
            ".tgz",
            ".bz2",
            ".xz",
            ".zst",
            ".7z",
            ".rar",
        )
        raise fault(
            "not-table-raven-reads",
            file=path,
            found=path.suffix or "no ending",
            expected=", ".join(sorted(KINDS)),
            fix="unpack it" if packed else _as_table(path),
        )
    with path.open("rb") as file:
        head = file.read(4)
    if not head:
        raise fault("file-empty", file=path)
    binary = {b"PAR1": "Parquet", b"PK\x03\x04": "a zip", b"\x1f\x8b": "gzip"}
    described = next(
        (file_kind for magic, file_kind in binary.items() if head.startswith(magic)), None
    )
    expected_kind = (
        "gzip"
        if path.suffix.lower() == ".gz"
        else {"parquet": "Parquet", "xlsx": "a zip"}.get(kind)
    )
    if described != expected_kind:
        raise fault(
            "file-not-what-name-says",
            file=path,
            found=described or f"it begins with {head!r}",
            expected=expected_kind or f"{kind} text",
        )
    return kind


def _parquet(path: Path) -> Iterator[Row]:
    """Rows of a file, or of a folder's files in order of their names, numbered through."""
    number = 0
    files = [path] if path.is_file() else _part_files(path)
    _check_one_part(path, files)
    for part in files:
        check_unpacked(part)
    check_room(files, _BATCH)
    import polars as pl

    check_not_forked()
    texts = pl.selectors.string(include_categorical=True)
    unpacked = 0
    packed = sum(part.stat().st_size for part in files)
    for part in files:
        try:
            for batch in pl.scan_parquet(part).collect_batches(
                chunk_size=_BATCH, maintain_order=True
            ):
                lengths = batch.select(texts.cast(pl.String).str.len_bytes().cast(pl.Int64).sum())
                unpacked += sum(lengths.row(0)) if lengths.width else 0
                check_size(part, unpacked, packed)
                for row in batch.iter_rows(named=True):
                    number += 1
                    yield number, row
        except pl.exceptions.PolarsError as error:
            raise fault("parquet-file-cannot-read", file=part, error=error) from None


def _text(path: Path, encoding: str | None, unquoted: bool) -> Iterator[Row]:
    """Rows of a table that is text, or a workbook."""
    with Archive(path, encoding) as archive:
        yield from table_rows(archive, path.name, unquoted)


def _missing(
    path: Path, line: int, column: str, row: dict[str, Any], is_first_row: bool
) -> InputError:
    if column not in row:
        return fault(
            "no-column",
            file=path,
            line=None if is_first_row else line,
            found=", ".join(map(str, row)),
            column=column,
            column_2=did_you_mean(column, [str(k) for k in row]),
        )
    return fault("column-empty", file=path, line=line, column=column)


def _label(path: Path, line: int, column: str, value: Any) -> str:
    if (
        not isinstance(value, (str, int, *AS_TEXT))
        or isinstance(value, bool)
        or not str(value).strip()
    ):
        raise _no_name(path, line, column, value)
    return str(value)


def _plain(path: Path, line: int, column: str, value: Any) -> str:
    """An id or a language, which may be any single value that is not binary."""
    if isinstance(value, bytes | list | dict):
        raise _no_name(path, line, column, value)
    return str(value)


def _decoded(value: Any) -> str | None:
    """What makes a text of bytes, of which a table in memory keeps the number; None for other values."""
    binary = isinstance(value, bytes) or (isinstance(value, dict) and "bytes" in value)
    return "it is bytes: decode them, for example with .str.decode('utf-8')" if binary else None


def _no_name(path: Path, line: int, column: str, value: Any) -> FormatError:
    fix = _decoded(value)
    if fix is None and isinstance(value, dict):
        names = [cell for cell in value.values() if isinstance(cell, str)]
        name = next(
            (cell for key, cell in value.items() if "name" in str(key).lower() and cell in names),
            None,
        )
        fix = f"put the name itself in its place: {column}: {name or next(iter(names), 'NAME')}"
    return fault("no-name-in-column", file=path, line=line, found=value, fix=fix, column=column)
