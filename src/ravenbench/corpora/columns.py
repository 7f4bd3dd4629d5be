"""Which column of a table holds texts, authors and topics, where nobody said: by their names, then by their content."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from ravenbench.errors import FormatError, did_you_mean

NAMES: dict[str, tuple[str, ...]] = {
    "text": ("text", "body", "content", "fulltext", "rawtext", "document", "message", "post", "review", "article",
             "comment", "essay", "tweet", "story"),
    "author": ("author", "authorid", "authorname", "user", "userid", "username", "writer", "poster", "reviewer",
               "screenname", "speaker", "blogger", "sender"),
    "topic": ("topic", "category", "subreddit", "forum", "board", "newsgroup", "section", "genre", "domain", "theme",
              "fandom", "subject", "group", "prompt", "product"),
    "id": ("id", "docid", "documentid", "textid", "postid", "reviewid", "uid", "guid"),
    "language": ("language", "lang"),
}  # fmt: skip
"""Names that tables use, the surest first; case, spaces and underscores do not matter."""
LOOKED_AT = 200
"""Rows from which a column's content is judged."""


def guess(path: Path, rows: Sequence[Mapping[str, Any]], asked: Mapping[str, str | None]) -> dict[str, str | None]:
    """Complete the names of columns that were left at their defaults and are not in this table.

    A column is taken by its name. Texts are also recognised by their length: one column of strings that are several
    times as long as all others and of more than a few words.

    Parameters
    ----------
    path : Path
        The table, for messages.
    rows : sequence of mappings
        Its first rows.
    asked : mapping
        Role (text, author, topic, id, language) to column; a topic of None stays None.

    Returns
    -------
    dict
        The same with the columns that were found; a role that nobody named and nothing fills keeps its default where
        the table may do without it (id, language).

    Raises
    ------
    FormatError
        If texts, authors or topics are found nowhere, with the columns there are and what is in them.
    """
    here = list(dict.fromkeys(str(key) for row in rows for key in row if key is not None))
    found = dict(asked)
    used = {column for column in asked.values() if column in here}
    for role in ("text", "author", "topic", "id", "language"):
        column = asked[role]
        if column is None or column in here or column != role:
            continue
        plain = {_plain(name): name for name in reversed(here) if name not in used}
        taken = next((plain[name] for name in NAMES[role] if name in plain), None)
        if taken is None and role == "text":
            taken = _longest(rows, [name for name in here if name not in used])
        if taken is not None:
            found[role] = taken
            used.add(taken)
        elif role in ("text", "author", "topic"):
            raise _nothing(path, role, rows, here)
    return found


def _plain(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())


def _longest(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str | None:
    """The one column whose strings are long, if the next longest is less than a third of it."""
    lengths = sorted(((median(len(str(row.get(name) or "")) for row in rows), name) for name in columns), reverse=True)
    if not lengths or not all(isinstance(row.get(lengths[0][1]), str | None) for row in rows):
        return None
    first, second = lengths[0][0], lengths[1][0] if len(lengths) > 1 else 0
    return lengths[0][1] if first >= 60 and first > 3 * second else None


def _nothing(path: Path, role: str, rows: Sequence[Mapping[str, Any]], here: Sequence[str]) -> FormatError:
    told = []
    for name in here:
        values = [row.get(name) for row in rows if row.get(name) is not None]
        told.append(f"{name} ({len(set(map(str, values))):,})")
    near = did_you_mean(role, here, listing=False, cutoff=0.75)
    folder = path.stem
    fix = f"name it: raven corpus import {path} --out {folder} --{role} COLUMN, and take {folder} from then on"
    if role == "topic":
        fix += f"; without topics: --topic none, and raven run {folder} extracts them"
    return FormatError(
        f"there is no column {role!r}, and none that looks like it",
        file=path,
        found=f"{', '.join(told)}; in brackets: different values in {len(rows):,} rows",
        expected=f"a column named {', '.join(NAMES[role][:6])} …",
        fix=fix if near is None else f"{fix} ({near})",
    )
