"""Reads tables whose rows are pairs of texts: text1,text2,label.

In: an open ``Archive`` and the name of a table.
Out: ``TableRoles`` (its columns), ``Pair``s, the truth by id; ``FORMAT``. Lines count from 1. FormatError for rows that
lack a text or a label.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ravenbench.errors import (
    FormatError,
    MissingPart,
    counted,
    remark,
)
from ravenbench.reading.account import Note, fault, noted
from ravenbench.reading.archive import Archive, Split
from ravenbench.reading.decoding import Faults, checked_name
from ravenbench.reading.problem_sets import (
    ID_TWICE,
    OF_TRUTH,
    SWAPPED,
    ProblemBuilder,
    ProblemFormat,
    ProblemSet,
)
from ravenbench.reading.tabular import (
    table_kind,
    table_rows,
)
from ravenbench.reading.text_pairs import Pair, PairTruth, nobody, set_of_pairs, two_names
from ravenbench.text.mail import listed
from ravenbench.text.names import (
    is_nobody,
    name_key,
)

_TEXTS = [tuple(pair.split("/")) for pair in listed("columns", "pair texts")]


_LABELS, OPPOSITES, _IDS = (
    listed("columns", f"pair {kind}") for kind in ("labels", "opposites", "ids")
)
"""Columns that mark same authors, and columns that mark different authors (yes, 1 or a high number)."""


SAME = {
    **dict.fromkeys(listed("columns", "same"), True),
    **dict.fromkeys(listed("columns", "different"), False),
}
"""Spellings of columns and labels in tables of pairs, by their letters and figures."""


class TableRoles(NamedTuple):
    """Columns of a table of pairs: both texts, the label and the id (None if absent), further labels, both
    authors if present, and the other columns if none of these marks same authors."""

    texts: tuple[str, ...]
    label: str | None
    id: str | None
    further: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def has_truth(self) -> bool:
        """Return whether labels or authors show which pairs are by the same author."""
        return self.label is not None or bool(self.authors)

    def says_by_authors(self, file: str) -> list[Note]:
        """Return a note if Raven derives truth from the authors, or if there is none and other columns are not read."""
        if self.others:
            return noted("no-label", self.others, file=file)
        follows = self.authors if self.label is None else ()
        return noted("truth-by-authors", follows, file=file)

    def are_nobody(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row names two authors who are nobody in particular."""
        authors = [str(row.get(column) or "").strip() for column in self.authors]
        return bool(authors) and all(authors) and all(map(is_nobody, authors))


_UNNUMBERED = re.compile(r"(?:(?<!\d)\d++|(?<=text)[a-z])\Z")


def plain_key(name: object) -> str:
    """Return the letters and digits of a column's name or a label, in lower case."""
    return re.sub(r"[^a-z0-9.-]", "", str(name).casefold())


def pair_table(archive: Archive, name: str) -> TableRoles | None:
    """Return the columns of a table whose rows have two texts (``text1,text2,label``); None for other tables."""
    if table_kind(name) is None:
        return None
    try:
        _, row = next(table_rows(archive, name), (0, {}))
    except (FormatError, MissingPart):
        if archive.single:
            raise
        return None
    columns_by_key = {plain_key(column): column for column in row}
    text_columns = next(
        (pair for pair in _TEXTS if pair[0] in columns_by_key and pair[1] in columns_by_key), None
    )
    if text_columns is None or "pair" in row:
        return None
    return _table_roles(
        (columns_by_key[text_columns[0]], columns_by_key[text_columns[1]]), columns_by_key
    )


def _table_roles(texts: tuple[str, ...], columns_by_key: Mapping[str, str]) -> TableRoles:
    """The columns of a table whose texts are known, by their ``plain_key``."""
    labels = [columns_by_key[n] for n in (*_LABELS, *OPPOSITES) if n in columns_by_key]
    further = tuple(column for column in labels[1:] if re.search("same|differ", plain_key(column)))
    authors = tuple(
        columns_by_key[name] for name in ("author1", "author2") if name in columns_by_key
    )
    own_id = next((columns_by_key[n] for n in _IDS if n in columns_by_key), None)
    authors = authors if len(authors) == 2 else ()
    remaining = (
        column
        for column in columns_by_key.values()
        if column not in (*texts, own_id) and "topic" not in plain_key(column)
    )
    others = () if labels or authors else tuple(remaining)
    return TableRoles(texts, next(iter(labels), None), own_id, further, authors, others)


def own_label(record: Mapping[str, Any]) -> str | None:
    """Return the key under which a record says whether a pair is by one author; None if there is none. For a pair, any
    label counts; otherwise only a key that cannot mean anything else."""
    label = _table_roles((), {plain_key(key): key for key in record}).label
    return label if "pair" in record or plain_key(label) in OPPOSITES else None


def check_no_further_text(
    row: Mapping[str, Any], texts: Sequence[str], file: str | Path, line: int, fix: str
) -> None:
    """Raise FormatError if a table has a third column of texts whose name differs only in the number: text3."""
    stems = {_UNNUMBERED.sub("", plain_key(column)) for column in texts}
    text_columns = [
        column
        for column in row
        if column not in texts
        and _UNNUMBERED.sub("", plain_key(column)) in stems - {plain_key(column)}
    ]
    if text_columns:
        raise fault(
            "column-of-texts-left-unread",
            file=file,
            line=line,
            found=", ".join(text_columns),
            expected=" and ".join(texts),
            fix=fix,
        )


def read_pair_table(
    archive: Archive,
    name: str,
    roles: TableRoles,
    truth: dict[str, PairTruth],
    notes: list[Note],
    skip: bool = False,
) -> Iterator[Pair]:
    """Read the pairs of a table, and add the truth from labels or authors to ``truth`` before each.

    FormatError, after the last row, lists all rows that lack a text or a valid label; with ``skip``, these are listed in
    ``notes`` instead, unless most labels contradict the authors. Pairs whose authors are both nobody in particular
    are left out and counted there, unless this is true of all pairs."""
    named = any(not roles.are_nobody(row) for _, row in table_rows(archive, name))
    given_ids: set[str] = set()
    faults = Faults("unusable rows")
    several = 0
    nobodies = 0
    values = Counter[str]()
    for number, (line, row) in enumerate(table_rows(archive, name), start=1):
        location = archive.located(name, line)
        if number == 1:
            check_no_further_text(
                row, roles.texts, **location, fix="write a row for each pair of texts"
            )
        pair = None
        several = number
        if named and roles.are_nobody(row):
            nobodies += 1
            continue
        if (value := row.get(roles.label or "")) not in (None, ""):
            values[str(value)] += 1
        with faults.gathered():
            pair = _table_pair(
                row, roles, _row_id(row, roles, number, given_ids, location), truth, location
            )
        if pair is not None:
            yield pair
    notes += noted("pairs-of-nobody", count=nobodies)
    problems = [fault.problem for fault in faults.since(0)]
    if 2 * (turned := problems.count(_CONTRADICTS)) > several:
        raise fault(
            "labels-contradict-two-authors-rows",
            file=archive.label(name),
            found=f"in the first: {faults.since(0)[problems.index(_CONTRADICTS)].found}",
            turned=turned,
            several=several,
            label=roles.label,
        )
    neither = sum(_NEITHER in problem for problem in problems)
    if neither and len({pair_truth.same for pair_truth in truth.values()}) < 2 and len(values) <= 4:
        raise fault(
            "whole-class-not-read",
            file=archive.label(name),
            found=", ".join(
                f"{value} ({counted(count, 'row')})" for value, count in values.most_common()
            ),
            label=roles.label,
            neither=_NEITHER,
            neither_2=neither,
            several=several,
            value=" and ".join(values),
        )
    if not skip:
        faults.check(
            "" if {*problems} == {ID_TWICE} else ", or leave these rows out with --skip-faulty"
        )
    else:
        notes += noted(
            "faulty-rows", (f"line {fault.line}: {fault.problem}" for fault in faults.since(0))
        )


_CONTRADICTS = "the label contradicts the two authors"


_NEITHER = "means neither same nor different"


def _table_pair(
    row: Mapping[str, Any],
    roles: TableRoles,
    key: str,
    truth: dict[str, PairTruth],
    location: dict[str, Any],
) -> Pair:
    texts = [row.get(column) for column in roles.texts]
    for column, text in zip(roles.texts, texts, strict=True):
        if not isinstance(text, str) or not text.strip():
            raise fault("no-text-in-column", **location, found=text, column=column)
    topic = [row.get(f"topic{number}") or row.get(f"topic_{number}") for number in (1, 2)]
    if roles.has_truth:
        truth[key] = _row_truth(row, roles, location)
    first, second = (str(text).lstrip("\ufeff").replace("\r\n", "\n") for text in texts)
    return Pair(
        key,
        (first, second),
        (None, None) if None in topic else (str(topic[0]), str(topic[1])),
        location["line"],
    )


def _row_truth(row: Mapping[str, Any], roles: TableRoles, location: dict[str, Any]) -> PairTruth:
    """What a row's label says, or where there is none its authors show. FormatError if it is none, or both differ."""
    authors = [row.get(column) for column in roles.authors]
    named = (
        None
        if None in authors
        else two_names(authors, "an author", location["file"], location["line"])
    )
    if named is not None and nobody(*named):
        named = None
    if named is None and roles.label is None:
        raise fault(
            "no-label-and-no-authors", **location, found=authors, value=" and ".join(roles.authors)
        )
    by_names = None if named is None else name_key(named[0]) == name_key(named[1])
    same = bool(by_names) if roles.label is None else _label(row, roles, location)
    if by_names not in (None, same):
        sentence = (
            f"{roles.label} is {row.get(roles.label or '')}, authors are"
            f" {' and '.join(named or ())}"
        )
        raise FormatError(
            _CONTRADICTS, **location, found=sentence, fix="correct the value that is wrong"
        )
    return PairTruth(same, named)


def _row_id(
    row: Mapping[str, Any],
    roles: TableRoles,
    number: int,
    given_ids: set[str],
    location: dict[str, Any],
) -> str:
    value = number if roles.id is None else row.get(roles.id)
    key = str(value).strip()
    if value is None or not key:
        raise fault("row-no-id", **location)
    if key in given_ids:
        fix = (
            f"make the ids differ, or remove the column {roles.id}, so that Raven numbers the rows"
        )
        raise FormatError(ID_TWICE, **location, found=key, fix=fix)
    given_ids.add(key)
    return checked_name(key, "an id", location["file"], location["line"])


def _label(row: Mapping[str, Any], roles: TableRoles, location: dict[str, Any]) -> bool:
    value_by_column = {
        column: says_same(row, column) for column in (roles.label or "", *roles.further)
    }
    same = value_by_column[roles.label or ""]
    empty = row.get(roles.label or "") in (None, "")
    if same is None or (not same) in value_by_column.values():
        opposed = "contradict each other" if same is not None else _NEITHER
        raise FormatError(
            f"{' and '.join(value_by_column)} {'is empty' if empty else opposed}",
            **location,
            expected="1 or 0, true, false, Y or N",
            found=None
            if empty
            else " and ".join(str(row.get(column)) for column in value_by_column),
            fix="fill it in" if empty else "rename a column that is not a label",
        )
    return same


def says_same(row: Mapping[str, Any], column: str) -> bool | None:
    """Return whether a column says that two texts are by the same author; None if it says neither."""
    value = plain_key(row.get(column))
    same = SAME.get(value)
    turned = plain_key(column) in OPPOSITES and not value.startswith(("same", "differ"))
    return None if same is None else same != turned


def table_truth(archive: Archive, name: str, roles: TableRoles) -> dict[str, PairTruth]:
    """Return the truth in a table, of pairs or by id."""
    truth: dict[str, PairTruth] = {}
    if roles.texts:
        notes = roles.says_by_authors(archive.label(name))
        for _ in read_pair_table(archive, name, roles, truth, notes):
            pass
        remark(notes, archive.path)
    else:
        given_ids: set[str] = set()
        faults = Faults(OF_TRUTH)
        for number, (line, row) in enumerate(table_rows(archive, name), start=1):
            location = archive.located(name, line)
            own_roles = _table_roles((), {plain_key(column): column for column in row})
            if not own_roles.has_truth or own_roles.id is None:
                swapped = SWAPPED if "value" in row else "name the columns id and same"
                raise fault("table-no-truth", **location, found=", ".join(row), fix=swapped)
            with faults.gathered():
                key = _row_id(row, own_roles, number, given_ids, location)
                truth[key] = _row_truth(row, own_roles, location)
        faults.check()
    if not truth:
        raise fault("no-truth-table", file=archive.label(name))
    return truth


def _find(archive: Archive) -> dict[str, TableRoles]:
    tables = {name: pair_table(archive, name) for name in archive.names}
    return {name: roles for name, roles in tables.items() if roles is not None}


def _read(
    archive: Archive, tables: dict[str, TableRoles], split: Split | None, skip_faulty: bool
) -> list[ProblemSet]:
    return [_set_of(archive, name, roles, skip_faulty) for name, roles in tables.items()]


def _set_of(archive: Archive, name: str, roles: TableRoles, skip_faulty: bool) -> ProblemSet:
    builder = ProblemBuilder()
    truth: dict[str, PairTruth] = {}
    pairs = read_pair_table(archive, name, roles, truth, builder.notes, skip_faulty)
    builder.notes += roles.says_by_authors(archive.label(name))
    return set_of_pairs(archive, name, builder, pairs, truth if roles.has_truth else None)


FORMAT = ProblemFormat(3, _find, _read)
