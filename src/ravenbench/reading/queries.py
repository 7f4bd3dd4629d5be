"""Reads files of a search: queries and candidates in the formats of AuthBench, HIATUS and LUAR, and rankings.

In: the path of a folder or zip of JSON lines, of a TREC run or of JSON lines of rankings; an encoding.
Out: ``read_queries``: ``QueryFiles`` with an ``ItemRow`` for each query and candidate, rows (from 0) of each query's true
candidates, and faults of labels by kind; ``ranking_entries``: an ``Entry`` for each line. FormatError for a file or line.
``letters_of`` and ``first_of`` look up names in a record.

AuthBench (its code, ``processing/sampling.py``): ``candidates.jsonl`` with candidate_id, author_id, lang, genre,
content, source; ``queries.jsonl`` with query_id and the same but the author; ``ground_truth.jsonl`` with query_id,
positive_ids, author_id. HIATUS: ``…_queries.jsonl`` and ``…_candidates.jsonl`` with documentID, fullText and authorIDs
or authorSetIDs, where the texts of an author are one episode. LUAR: ``…_queries.jsonl`` and ``…_targets.jsonl`` with
author_id and a list of texts (syms).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from sys import intern
from typing import Any, NamedTuple

from ravenbench.errors import remark
from ravenbench.reading.account import fault
from ravenbench.reading.archive import Archive
from ravenbench.reading.collector import checked_text
from ravenbench.reading.decoding import UTF8, checked_name
from ravenbench.reading.remarks import ids_apart
from ravenbench.reading.tabular import records, table_kind
from ravenbench.text.mail import listed
from ravenbench.texts import TextTable

COLUMNS = ("author", "topic", "language", "genre", "source", "date")
"""Labels that a query or a candidate may have."""
NAMES = {role: listed("columns", f"search {role}") for role in ("id", "text", *COLUMNS)}
"""Names of columns, the most certain first; case, spaces and underscores do not matter."""
POSITIVE = listed("columns", "search positive")
QUERY = tuple(name for name in NAMES["id"] if name not in POSITIVE)
EPISODES = ("authorids", "authorsetids")
"""Columns of authors in which all texts of an author are one episode."""
SIDES = {
    "queries": ("queries",),
    "candidates": ("candidates", "targets"),
    "truth": ("ground_truth", "groundtruth"),
}
Entry = tuple[int, str, str, int, float]
"""Line, query, candidate, rank and score."""


class ItemRow(NamedTuple):
    """One query or candidate as read: its id, its texts, and its labels by column."""

    id: str
    texts: Sequence[str]
    labels: Mapping[str, str | None]


class QueryFiles(NamedTuple):
    """The content of a search's files; ``true`` lists each query's true candidates, None if no file has them.

    ``faults``: true candidates that do not exist (``absent``) and queries of the truth that do not (``strangers``).
    """

    name: str
    queries: list[ItemRow]
    candidates: list[ItemRow]
    true: list[list[int]] | None
    faults: dict[str, list[str]]


def read_queries(path: str | Path, encoding: str | None = UTF8) -> QueryFiles | None:
    """Read queries and candidates from a folder or zip with ``queries.jsonl`` and ``candidates.jsonl``; None otherwise.

    FormatError if a file or a line has another form.
    """
    with Archive(path, encoding) as archive:
        files = {} if archive.single else _files(archive)
        if not files:
            return None
        queries, candidates = (_rows(archive, files[side]) for side in ("queries", "candidates"))
        if "truth" not in files:
            return QueryFiles(archive.stem, queries, candidates, None, {})
        place = {row.id: i for i, row in enumerate(candidates)}
        positive: dict[str, set[int]] = {}
        writers: dict[str, str | None] = {}
        absent = list[str]()
        for name, author, ids in _truth(archive, files["truth"]):
            absent += [i for i in ids if i not in place]
            positive.setdefault(name, set()).update(place[i] for i in ids if i in place)
            writers[name] = author
    remark(ids_apart(absent, place), path)
    true = [sorted(positive.get(row.id, ())) for row in queries]
    queries = [
        row._replace(labels={**row.labels, "author": row.labels["author"] or writers.get(row.id)})
        for row in queries
    ]
    strangers = sorted(positive.keys() - {row.id for row in queries})
    faults = {kind: ids for kind, ids in (("absent", absent), ("strangers", strangers)) if ids}
    return QueryFiles(archive.stem, queries, candidates, true, faults)


def _truth(archive: Archive, name: str) -> Iterator[tuple[str, str | None, list[str]]]:
    """Each query with its author, if one is named, and its true candidates."""
    where = archive.label(name)
    for line, record in records(archive, name):
        keys = letters_of(record)
        query = _name(first_of(keys, QUERY), where, line)
        given = first_of(keys, POSITIVE)
        if query is None or given is None:
            raise fault("line-not-say-candidates-true", file=where, line=line, found=sorted(record))
        try:
            relevance = float(keys.get("relevance", 1))
            if math.isnan(relevance):
                raise ValueError("not a number")
        except (TypeError, ValueError):
            raise fault(
                "relevance-must-number", file=where, line=line, found=keys["relevance"]
            ) from None
        if relevance > 0:
            values = given if isinstance(given, list) else [given]
            ids = [_name(value, where, line) or "" for value in values]
            yield query, _label(keys, "author", where, line), ids


def _files(archive: Archive) -> dict[str, str]:
    """Files of queries, candidates and truth by side; those of a part called test where several lie here."""
    by_side: dict[str, str] = {}
    for side, endings in SIDES.items():
        names = [
            n for n in archive.names if n.endswith(tuple(f"{ending}.jsonl" for ending in endings))
        ]
        names.sort(
            key=lambda name: (
                not re.search(r"(^|/)test[/_]|(^|/)[^/]*$", name),
                name.count("/"),
                name,
            )
        )
        if names:
            by_side[side] = names[0]
    if not (here := {"queries", "candidates"} & by_side.keys()):
        return {}
    if missing := {"queries", "candidates"} - here:
        raise fault("no-jsonl", file=archive.path, found=by_side[here.pop()], value=missing.pop())
    place = by_side["queries"].rpartition("/")[0]
    return {side: name for side, name in by_side.items() if name.rpartition("/")[0] == place}


def _rows(archive: Archive, name: str) -> list[ItemRow]:
    where = archive.label(name)
    rows = dict[str, ItemRow]()
    places = dict[str, list[int]]()
    known = dict[tuple[str | None, ...], dict[str, str | None]]()

    def gathered() -> Iterator[str]:
        episodes = False
        count = 0
        for line, record in records(archive, name):
            keys = letters_of(record)
            texts = first_of(keys, NAMES["text"])
            texts = texts if isinstance(texts, list) else [texts]
            if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
                raise fault(
                    "line-no-text",
                    file=where,
                    line=line,
                    found=[f"{key}: {str(value)[:20]!r}" for key, value in sorted(record.items())],
                )
            values = tuple(_label(keys, column, where, line) for column in COLUMNS)
            labels = known.setdefault(values, dict(zip(COLUMNS, values, strict=True)))
            episodes = episodes or any(k in keys for k in EPISODES)
            id = labels["author"] if episodes else None
            id = id or _name(first_of(keys, NAMES["id"]), where, line) or f"{len(rows):06d}"
            if id in rows and not episodes:
                raise fault("this-id-twice", file=where, line=line, found=id)
            rows.setdefault(id, ItemRow(id, (), labels))
            places.setdefault(id, []).extend(range(count, count + len(texts)))
            count += len(texts)
            yield from (checked_text(text, where, line) for text in texts)

    # A million texts are not held in memory.
    table, place = TextTable.collect(gathered())
    return [row._replace(texts=table.view(place[places[id]])) for id, row in rows.items()]


def _label(keys: Mapping[str, Any], column: str, where: str, line: int) -> str | None:
    value = next(
        (keys[k] for k in NAMES[column] if k in keys and keys[k] not in (None, "", [])), None
    )
    name = _name(value, where, line)
    return name and intern(name)


def _name(value: Any, where: str, line: int) -> str | None:
    """A name from what a record holds; of a list its first."""
    value = value[0] if isinstance(value, list) and value else value
    if value is None or value == "":
        return None
    if isinstance(value, dict | list):
        raise fault("name-must-text-or-number", file=where, line=line, found=value)
    return checked_name(str(value), "a name", where, line)


def letters_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with the letters of its names as keys."""
    return {re.sub(r"[^a-z]", "", name.lower()): value for name, value in record.items()}


def first_of(keys: Mapping[str, Any], names: Iterable[str]) -> Any:
    """Return the value of the first of these names that the record has."""
    return next((keys[name] for name in names if name in keys), None)


Tell = Callable[[str, int, Any], None]
"""Receives the kind of a fault, the line, and what was found there."""


def is_full_ranking(file: str | Path) -> bool:
    """Return whether a file is a TREC run, with a line and a score for each candidate."""
    return table_kind(Path(file).name) != "jsonl"


def ranking_entries(file: str | Path, tell: Tell) -> Iterator[Entry]:
    """Yield the entries of a TREC run or of JSON lines; ``tell`` receives faults. FormatError if this is not a file."""
    with Archive(file) as archive:
        if not archive.single:
            raise fault("ranking-one-file", file=file)
        yield from (_runs if is_full_ranking(file) else _records)(archive, tell)


def _runs(archive: Archive, tell: Tell) -> Iterator[Entry]:
    """Lines of a TREC run."""
    for line, text in archive.lines(archive.names[0]):
        fields = text.split()
        if len(fields) != 6:
            tell("form", line, text)
        elif not fields[3].isdecimal() or len(fields[3]) > 18 or not _finite(fields[4]):
            tell("number", line, text)
        else:
            yield line, fields[0], fields[2], int(fields[3]), float(fields[4])


def _records(archive: Archive, tell: Tell) -> Iterator[Entry]:
    """Candidates of queries in JSON lines."""
    for line, record in records(archive, archive.names[0]):
        keys = letters_of(record)
        query, ids = (first_of(keys, names) for names in (QUERY, POSITIVE))
        scores = keys.get(
            "scores", [-place for place in range(len(ids))] if isinstance(ids, list) else None
        )
        if not isinstance(query, str | int) or not isinstance(ids, list):
            tell("form", line, record)
        elif (
            not isinstance(scores, list) or len(scores) != len(ids) or not all(map(_finite, scores))
        ):
            tell("number", line, record)
        else:
            yield from (
                (line, str(query), str(one), place, float(scores[place]))
                for place, one in enumerate(ids)
            )


def _finite(value: Any) -> bool:
    try:
        return math.isfinite(float(value))
    except (TypeError, ValueError, OverflowError):
        return False
