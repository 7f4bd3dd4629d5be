"""Writes documents as plain texts by author, and a page of what was taken and left out (``raven texts``).

In: paths of documents or folders, a folder to write, the kind of author (sender or folder), optionally an encoding.
Out: ``Extracted``, with one ``Taken`` for each text (its place, author and number of words) and the files left out with
reasons, as tables and JSON; files ``OUT/AUTHOR/TEXT.txt``, ``texts.json`` and an index page. InputError if there is no
document, FormatError if none can be read.

Nothing is compared here: a person checks first. An author is the sender of a mail or message, otherwise the document's
folder in the inbox, or the name that Moodle writes before a submitted file; the name in a file's
metadata is shown as a hint, and never used.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from ravenbench.engine.pool import Progress, silent
from ravenbench.errors import first_names
from ravenbench.files import sync_file_system, sync_folder, write_bytes, write_json, write_text
from ravenbench.outputs import TEXTS_PAGES, check_folder, fresh_folder
from ravenbench.reading.document import Document
from ravenbench.reading.load import UNKNOWN
from ravenbench.reading.remarks import Seen, doubtful_names, shared
from ravenbench.reading.texts import read_inbox
from ravenbench.reports.page import render
from ravenbench.reports.view import Table, col, rows_json, table, to_csv
from ravenbench.text.damage import MOST
from ravenbench.text.names import (
    handed_in_by,
    is_nobody,
    is_part,
    lookalikes,
    name_key,
    one_name_each,
    plain_name,
)
from ravenbench.text.tokens import count_words
from ravenbench.texts import composed
from ravenbench.types import Labels

By = Literal["sender", "folder"]
_SHOWN = 20_000
"""Most characters of a text that the page shows."""
_PAGE = 4_000_000
"""Most characters of all texts together."""
_LONGEST = 80
_SYNCED = 2000
"""Files after which the disk is waited for."""
_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"/\\|?*\u200e\u200f\u202a-\u202e\u2066-\u2069]+')


@dataclass(frozen=True)
class Taken:
    """A text that was written: its document, its place in the output, how its author is known, and its number of
    words."""

    document: Document
    source: str
    file: str
    author: str
    known_by: str
    words: int
    notes: tuple[str, ...]


@dataclass
class Extracted:
    """The texts that were written, and the files that were left out, by name with the reason and what to do."""

    folder: Path
    texts: list[Taken] = field(default_factory=list)
    left_out: list[tuple[str, str, str]] = field(default_factory=list)
    joined: dict[str, str] = field(default_factory=dict)
    """Spellings of a name that are not used, and the spelling that is used instead."""

    @property
    def authors(self) -> dict[str, list[Taken]]:
        """Return texts by author, with the authors sorted."""
        by: dict[str, list[Taken]] = {}
        for one in self.texts:
            by.setdefault(one.author, []).append(one)
        return dict(sorted(by.items()))

    nobody: Counter[str] = field(default_factory=Counter)
    """Number of texts by names of nobody in particular."""

    @property
    def people(self) -> list[str]:
        """Return the authors, without the group of texts of unknown author."""
        return [author for author in self.authors if author != UNKNOWN]

    @cached_property
    def shared(self) -> list[str]:
        """Return a sentence on passages that several authors share, or an empty list."""
        looked_at = self.texts[:MOST]
        names = [one.file for one in looked_at]
        authors = Labels.of(one.author for one in looked_at)
        return list(
            map(str, shared(Seen([one.document.text for one in looked_at], authors, names)))
        )

    @property
    def remarks(self) -> list[str]:
        """Return notes on the authors, to read before their texts are compared."""
        folders = [one.author for one in self.texts if one.known_by == "folder"]
        nobody = ", ".join(f"{name} ({count:,})" for name, count in self.nobody.most_common(5))
        return [
            *(
                f"one name in two spellings: Raven puts texts of {one} under {author}"
                for one, author in self.joined.items()
            ),
            *[f"Raven puts texts by nobody in particular under {UNKNOWN}: {nobody}"] * bool(nobody),
            *(
                f"Raven reads this as an author, but it may be a part of a data set: {one}"
                for one in dict.fromkeys(folders)
                if is_part(one)
            ),
            *(
                f"{sentence}; put the texts of each person into one folder before you compare"
                for sentence in [*doubtful_names(self.people), *self._own_names()]
            ),
            *self.shared,
        ]

    def _own_names(self) -> list[str]:
        """A sentence on authors whose mails give one name, or that of another author here; nothing where none do."""
        of_name: dict[str, set[str]] = {}
        for one in self.texts:
            for name in {one.author, one.document.sender_name} - {"", UNKNOWN}:
                of_name.setdefault(name, set()).add(one.author)
        groups = [(name,) for name in of_name] + lookalikes(of_name)
        alike = {
            frozenset.union(*(frozenset(of_name[name]) for name in group)) - {UNKNOWN}
            for group in groups
        }
        around: dict[str, list[frozenset[str]]] = {}
        for group in {*alike, *map(frozenset, lookalikes(self.people))}:
            for author in group:
                around.setdefault(author, []).append(group)
        several = [
            " / ".join(sorted(of))
            for of in alike
            if len(of) > 1
            and not any(of < one for one in min(map(around.__getitem__, of), key=len))
        ]
        shown = f"authors whose mails give the same name: {first_names(sorted(several))}"
        return [shown] * bool(several)

    def tables(self) -> dict[str, Table]:
        """Return the result as tables: authors, texts, files left out."""
        return {
            "authors": table(
                "authors",
                "Texts by author",
                self.authors.items(),
                _words("author", "0"),
                col("texts", lambda r: len(r[1]), digits=0, json="texts"),
                col("words", lambda r: sum(one.words for one in r[1]), digits=0, json="words"),
                _words(
                    "known by",
                    lambda r: " ".join(sorted({one.known_by for one in r[1]})),
                ),
            ),
            "texts": table(
                "texts",
                "Texts taken",
                self.texts,
                _words("document", "source"),
                _words("part", "document.part"),
                _words("text", "file"),
                _words("author", "author"),
                _words("known by", "known_by"),
                _words("date", "document.date"),
                col("words", "words", digits=0, json="words"),
                _words("left out", "document.account"),
                _words("notes", lambda t: " ".join(f"{note}." for note in t.notes)),
                _words("SHA-256 of the document", "document.file_sha256", "document_sha256"),
                _words("SHA-256 of the text", "document.text_sha256", "text_sha256"),
            ),
            "left-out": table(
                "left-out",
                "Files left out",
                self.left_out,
                _words("file", "0"),
                _words("why", "1"),
                _words("what to do", "2", "fix"),
            ),
        }

    def to_json(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        tables = {name: rows_json(one) for name, one in self.tables().items()}
        return {
            "folder": str(self.folder),
            **tables,
            "joined": self.joined,
            "remarks": self.remarks,
        }


def _words(title: str, path: str | Callable[[Any], str], key: str = "") -> Any:
    """A column of words; ``key`` is its name in JSON, that of its title unless it is given."""
    return col(title, path, text=True, json=key or title.replace(" ", "_"))


def extract_texts(
    inbox: str | Path | Iterable[str | Path],
    out: str | Path,
    *,
    by: By = "sender",
    encoding: str | None = None,
    progress: Progress = silent,
) -> Extracted:
    """Write the texts of documents as ``OUT/AUTHOR/TEXT.txt``, with ``index.html``, ``texts.json`` and tables.

    Parameters
    ----------
    inbox : path or paths
        A folder of documents, or documents.
    out : path
        A new or empty folder, or one that this function wrote earlier; it appears when it is complete.
    by : "sender" or "folder"
        Whether the sender of a mail or message is the author, or the document's folder.
    encoding : str, optional
        The encoding of texts that are not UTF-8. By default Raven detects it, and the page shows a line.

    Raises
    ------
    InputError
        If there is no document, none can be read, or the folder is taken. The error names unreadable files.
    """
    inboxes = [Path(inbox)] if isinstance(inbox, str | Path) else [Path(one) for one in inbox]
    check_folder(out, inputs=inboxes, kind="texts")
    read, left_out = read_inbox(inboxes, encoding, progress)
    result = Extracted(Path(out), left_out=left_out)
    every_text: list[tuple[Taken, str]] = []
    for source, document, notes in read:
        folder = source.parts[0] if len(source.parts) > 1 else ""
        sender = document.author if by == "sender" else None
        person = handed_in_by(folder or source.name) or folder
        author = sender or person or UNKNOWN
        known_by = "folder" if folder else "file name" if person else "nothing"
        known_by = ("header" if document.title else "sender") if sender else known_by
        if is_nobody(author):
            if author != UNKNOWN:
                result.nobody[plain_name(author)] += 1
            author = UNKNOWN
            known_by = "nothing"
        person = (document.identity if author == sender else "") or name_key(author)
        words = count_words(document.text)
        text = Taken(document, source.as_posix(), "", author, known_by, words, notes)
        every_text.append((text, person))
    _put_by_author(result, every_text)
    with fresh_folder(out, kind="texts") as place:
        _write(result, place)
    return result


def _put_by_author(result: Extracted, every_text: Sequence[tuple[Taken, str]]) -> None:
    """Put texts, each with what is equal for all of its author's names, under one name of each person, once."""
    names = _Names()
    seen = dict[tuple[str, str], str]()
    spelt: dict[str, dict[str, None]] = {}
    shown = one_name_each([(plain_name(one.author), person) for one, person in every_text])
    for (one, _), author in zip(every_text, shown, strict=True):
        assert author is not None
        spelt.setdefault(author, {})[one.author] = None
        name = f"{one.source} {one.document.part}".strip()
        first = seen.setdefault((author, one.document.text_sha256), name)
        if first == name:
            result.texts.append(replace(one, author=author, file=names.of(author, one.document)))
        else:
            result.left_out.append((name, f"it repeats {first}", ""))
    for author, spellings in spelt.items():
        result.joined |= {one: author for one in spellings if len(spellings) > 1 and one != author}


class _Names:
    """Places for texts, each once whatever case the file system folds."""

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}
        self._taken = set(TEXTS_PAGES)
        self._numbers = dict[str, int]()

    def of(self, author: str, document: Document) -> str:
        if author not in self._folders:
            self._folders[author] = self._free(_safe(author), "")
        part = document.part if document.part.startswith(("mail ", "text ")) else ""
        return self._free(
            f"{self._folders[author]}/{_safe(f'{document.path.stem} {part}'.strip())}", ".txt"
        )

    def _free(self, name: str, suffix: str) -> str:
        number = self._numbers.get(name, 1)
        while (
            free := f"{name}{f' {number}' if number > 1 else ''}{suffix}"
        ).casefold() in self._taken:
            number += 1
        self._taken.add(free.casefold())
        self._numbers[name] = number
        return free


def _safe(name: str) -> str:
    plain = _UNSAFE.sub("_", composed(name)).strip(" .")
    cut = plain.encode()[: 2 * _LONGEST].decode(errors="ignore")[:_LONGEST].strip(" .")
    return cut or "_"


def _write(result: Extracted, place: Path) -> None:
    for number, one in enumerate(result.texts, start=1):
        (place / one.file).parent.mkdir(exist_ok=True)
        write_bytes(place / one.file, one.document.text.encode(), sync=False)
        if number % _SYNCED == 0:
            sync_file_system(place)
    sync_folder(place)
    tables = result.tables()
    for name, one_table in tables.items():
        if one_table.rows:
            write_text(place / f"{name}.csv", to_csv(one_table))
    write_json(
        place / "texts.json", {name: rows_json(one_table) for name, one_table in tables.items()}
    )
    shown = min(_SHOWN, max(500, _PAGE // len(result.texts)))
    page = render(
        "ravenbench.ext.documents:template.html.j2",
        result=result,
        shown=shown,
        unknown=UNKNOWN,
        tables=[one for name, one in tables.items() if name != "texts"],
    )
    write_text(place / "index.html", page)
