"""Collects documents into a corpus, with the checks that all sources share; a log lets an interrupted import continue.

In: documents one by one: id, text, author, topic or None, line in the file (from 1), language, further columns.
Out: ``Corpus``, which contains each text once, with counts of dropped texts in ``notes["dropped"]``. FormatError for
an empty or broken text, a bad name or a duplicate id; CorpusError for a corpus without same-author or
different-author pairs. ``ImportLog`` keeps entries in a folder; ``stamp`` gives names, sizes (bytes) and times of
change (ns) of files.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import IO, Any, NamedTuple

import numpy as np

from ravenbench.errors import (
    CorpusError,
    FormatError,
    check_type,
    counted,
    first_names,
)
from ravenbench.files import write_json
from ravenbench.reading.account import ACCOUNT, Note, fault, noted
from ravenbench.reading.collector import TextCollector, identity_key
from ravenbench.reading.decoding import check_whole, checked_name
from ravenbench.reading.remarks import corpus_notes, doubtful_names, spelt_alike
from ravenbench.reading.tabular import check_each_once
from ravenbench.text.damage import is_wordless
from ravenbench.text.names import (
    is_nobody,
    joined_spellings,
    name_key,
    one_name_each,
    plain_name,
)
from ravenbench.texts import TextTable
from ravenbench.types import Corpus, Labels

FORMAT = 2
EVERY = 64 * 2**20
"""Bytes of texts between two marks."""
MOST_COLUMNS = 4096
"""Maximum number of columns; each costs memory and time for every document."""


class Entry(NamedTuple):
    """A document as it was read; ``text`` is the hash and the number of bytes of its text if the corpus contains it, else
    None."""

    name: str
    line: int
    author: str
    topic: str | None
    language: str | None
    columns: dict[str, str | None]
    key: str
    text: tuple[str, int] | None
    identity: str = ""


class ImportLog:
    """The log of one import; an earlier log continues only if its ``source`` is the same."""

    def __init__(self, folder: Path, source: dict[str, Any]) -> None:
        self.folder = folder
        self._source = {"format": FORMAT, **source}
        reached = self._reached()
        if reached is None:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            reached = {"texts": 0, "entries": 0}
        self.texts: IO[bytes] = self._open("texts.bin", reached["texts"])
        self._entries = self._open("entries.jsonl", reached["entries"])
        self._kept = reached["entries"]
        self._since = 0

    def earlier(self) -> Iterator[Entry]:
        """Yield the entries of an earlier call, in order."""
        with (self.folder / "entries.jsonl").open("rb") as file:
            bytes_left = self._kept
            while bytes_left > 0:
                line = file.readline()
                bytes_left -= len(line)
                yield Entry(*json.loads(line))

    def add(self, entry: Entry) -> None:
        """Add a document to the log; its text, if the corpus contains it, is already in ``texts``."""
        self._entries.write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
        self._since += entry.text[1] if entry.text is not None else 0
        if self._since >= EVERY:
            self.mark()

    def mark(self) -> None:
        """Write all entries to disk, so that they survive an interruption."""
        for file in (self.texts, self._entries):
            file.flush()
            os.fsync(file.fileno())
        reached = {"texts": self.texts.tell(), "entries": self._entries.tell()}
        write_json(self.folder / "reached.json", {"source": self._source, **reached})
        self._since = 0

    def remove(self) -> None:
        """Delete the log, because the import is complete."""
        self._entries.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _reached(self) -> dict[str, int] | None:
        try:
            mark = json.loads((self.folder / "reached.json").read_text("utf-8"))
            is_complete = all(
                (self.folder / name).stat().st_size >= mark[key] for name, key in _FILES
            )
        except (OSError, ValueError, RecursionError, KeyError, TypeError):
            return None
        return (
            mark
            if is_complete and mark.get("source") == json.loads(json.dumps(self._source))
            else None
        )

    def _open(self, name: str, size: int) -> IO[bytes]:
        (self.folder / name).touch()
        file = (self.folder / name).open("r+b")
        file.truncate(size)
        file.seek(size)
        return file


_FILES = (("texts.bin", "texts"), ("entries.jsonl", "entries"))


def stamp(path: Path) -> list[list[Any]]:
    """Return names, sizes (bytes) and times of change (nanoseconds) of a file, or of the files in a folder. InputError if
    it does not exist."""
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    try:
        return [[str(file), file.stat().st_size, file.stat().st_mtime_ns] for file in files]
    except OSError as error:
        raise fault("cannot-be-stamped", file=path, strerror=error.strerror) from None


_NO_COLUMNS: Mapping[str, str | None] = {}


class _Row(NamedTuple):
    """A document that is kept, with its labels as read; ``person`` is equal for all spellings of its author's
    name, "" where it has none."""

    name: str
    author: str
    person: str
    topic: str | None
    language: str | None
    columns: Mapping[str, str | None]


class CorpusBuilder:
    """Collects documents into a corpus: drops and counts repeated texts, checks ids and topics.

    Errors name ``file`` and a document's line: set ``file`` for each of several files.

    Names are stored as ``text.names.plain_name`` returns them. Authors with the same ``name_key`` are joined, and so are
    other labels with the same ``label_key``, except topics that differ in letter case.
    A text that its own author repeats is kept once, at its first position. A text of two authors
    has no author: every copy is dropped. Texts are the same if they differ only in white space or BOM.
    Texts by nobody in particular (``is_nobody``) are dropped and counted, or with ``anonymous`` have no author.
    With a ``log``, documents are added to it, and documents from an earlier call are skipped.
    """

    def __init__(
        self, file: str | Path, log: ImportLog | None = None, anonymous: bool = False
    ) -> None:
        check_type("CorpusBuilder: log", "ImportLog | None", log)
        self.file = file
        self._log = log
        self._anonymous = anonymous
        self._texts = TextCollector(None if log is None else log.texts)
        self._rows: list[_Row] = []
        self._nobody: Counter[str] = Counter()
        self._twice: list[str] = []
        self._spelt: dict[str, set[str]] = {}
        self._line_of: dict[str, int] = {}
        self._first: dict[bytes, int] = {}
        self._shared: dict[int, int] = {}
        self._repeated: list[str] = []
        self._earlier: deque[str] = deque()
        for entry in () if log is None else log.earlier():
            self._earlier.append(entry.name)
            self._line_of[entry.name] = entry.line
            person = self._person(entry.author, entry.identity)
            if (
                self._is_new(bytes.fromhex(entry.key), person, entry.name)
                and entry.text is not None
            ):
                self._texts.restore(bytes.fromhex(entry.text[0]), entry.text[1])
                self._keep(
                    entry.name, entry.author, person, entry.topic, entry.language, entry.columns
                )

    def add(
        self,
        name: str,
        text: str,
        author: str,
        topic: str | None,
        line: int,
        language: str | None = None,
        columns: Mapping[str, str | None] | None = None,
        identity: str = "",
    ) -> None:
        """Add one document; ``line`` is its line in the file, ``identity`` a reference that says which person of
        the author's name is meant, and joins several names of one person.

        FormatError if its text is empty or not valid Unicode, a label is not a valid name, or its id is duplicate.
        """
        if self._earlier:
            self._skip(name, line)
            return
        for label_kind, value in (
            ("the id", name),
            ("the author", author),
            ("the topic", topic),
            ("the language", language),
        ):
            if value is not None:
                checked_name(value, label_kind, self.file, line)
        for column, value in (columns or _NO_COLUMNS).items():
            checked_name(column, "the name of a column", self.file, line)
            check_whole(value or "", column, self.file, line)
        if columns:
            check_each_once([*map(plain_name, columns)], self.file, line)
        columns = {plain_name(key): value for key, value in columns.items()} if columns else {}
        if not text.strip():
            raise fault("text-empty", file=self.file, line=line)
        if name in self._line_of:
            first_line = self._line_of[name]
            fix = (
                "rename the column of ids, so that Raven numbers the rows; if both are the same"
                " text, keep one of the rows"
            )
            raise fault(
                "id-twice-first-at",
                file=self.file,
                line=line,
                found=name,
                fix=fix,
                first_line=first_line,
            )
        self._line_of[name] = line
        key = identity_key(text)
        person = self._person(author, identity)
        is_new = self._is_new(key, person, name)
        if is_new:
            try:
                self._texts.add(text)
            except FormatError as error:
                raise FormatError(
                    error.problem, file=self.file, line=line, found=error.found, fix=error.fix
                ) from None
            self._keep(name, author, person, topic, language, columns)
        if self._log is not None:
            written = None
            if is_new:
                text_hash, size = self._texts.last()
                written = (text_hash.hex(), size)
            self._log.add(
                Entry(name, line, author, topic, language, columns, key.hex(), written, identity)
            )

    def _person(self, author: str, identity: str) -> str:
        """What is equal for all spellings of an author's name; "" of a label that is nobody's name."""
        if is_nobody(author):
            self._nobody[plain_name(author)] += 1
            return ""
        person = identity or name_key(author)
        self._spelt.setdefault(person, set()).add(author)
        return person

    def _keep(
        self,
        name: str,
        author: str,
        person: str,
        topic: str | None,
        language: str | None,
        columns: Mapping[str, str | None],
    ) -> None:
        self._rows.append(_Row(name, plain_name(author), person, topic, language, columns))

    def _is_new(self, key: bytes, person: str, name: str) -> bool:
        """Whether this text comes for the first time, and is to be kept; others are counted."""
        if not person and not self._anonymous:
            return False
        row = self._first.setdefault(key, len(self._rows))
        if row == len(self._rows):
            return True
        if self._rows[row].person == person:
            self._repeated.append(name)
        else:
            self._shared[row] = self._shared.get(row, 0) + 1
            self._twice.append(f"{self._rows[row].name} and {name}")
        return False

    def _skip(self, name: str, line: int) -> None:
        """Skip a document that an earlier call has read already."""
        if self._earlier.popleft() != name:
            raise fault("source-reads-otherwise-than-when", file=self.file, line=line, found=name)

    def finish(
        self, name: str, notes: Mapping[str, Any], fold_case: bool = False, pairs: bool = True
    ) -> Corpus:
        """Return the corpus of all documents added.

        CorpusError if two topics are equal up to letter case, no author wrote two documents, or all have one author.
        Without ``pairs`` authors do not need a second document, for example candidates of an attribution.
        ``fold_case`` joins topics that differ only in case, under their most frequent spelling.
        """
        rows = self._rows
        texts = self._texts.table()
        dropped = {
            "repeated by the same author": len(self._repeated),
            "given for several authors": sum(self._shared.values()) + len(self._shared),
        }
        if self._nobody and not self._anonymous:
            dropped["by nobody in particular"] = sum(self._nobody.values())
        account = [*notes.get(ACCOUNT, ()), *self._account(texts)]
        if self._shared:
            own_rows = [i for i in range(len(rows)) if i not in self._shared]
            remaining = TextCollector()
            for i in own_rows:
                remaining.add(texts[i])
            texts = remaining.table()
            rows = [rows[i] for i in own_rows]
        author = Labels.of(one_name_each([(row.author, row.person) for row in rows]))
        if self._shared and not rows:
            raise fault(
                "every-text-stands-under-several",
                file=self.file,
                found=f"{sum(dropped.values())} documents, {len(self._shared)} different texts",
            )
        if pairs:
            check_pairs(author, self.file, dropped, account)
        topics = spelt_alike([row.topic for row in rows], account, "topic", plain_name)
        spelling = _spellings(
            Counter(topic for topic in topics if topic is not None), self.file, fold_case
        )
        further = sorted({key for row in rows for key in row.columns})
        if len(further) > MOST_COLUMNS:
            raise fault(
                "too-many-columns",
                file=self.file,
                found=f"{len(further):,}",
                most_columns=MOST_COLUMNS,
            )
        languages = spelt_alike([row.language for row in rows], account, "language")
        columns = {
            key: Labels.of(spelt_alike([row.columns.get(key) for row in rows], account, repr(key)))
            for key in further
        }
        ids = tuple(row.name for row in rows)
        topic_labels = Labels.of(None if topic is None else spelling[topic] for topic in topics)
        account += corpus_notes(texts, author, ids, topic_labels, columns)
        joined = [sorted(spelt) for spelt in self._spelt.values() if len(spelt) > 1]
        names_note = (
            {"names": {"nobody's": self._nobody, "joined": joined}}
            if self._nobody or joined
            else {}
        )
        return Corpus(
            name,
            texts,
            ids,
            author,
            topic_labels,
            Labels.of(languages) if any(languages) else None,
            columns,
            {**notes, "dropped": dropped, **names_note, **({ACCOUNT: account} if account else {})},
        )

    def _account(self, texts: TextTable) -> list[Note]:
        """Notes on texts that have no author, and on texts of several."""
        nobodies = [f"{name} ({number:,})" for name, number in self._nobody.most_common()]
        often = [
            f"“{texts[row][:60].strip()}” ({times + 1:,})"
            for row, times in self._shared.items()
            if times > 1 or is_wordless(texts[row])
        ]
        code = "nobody-kept" if self._anonymous else "nobody"
        return [
            *noted(code, nobodies, sum(self._nobody.values())),
            *noted("two-authors", self._twice),
            *noted("no-persons", often),
            *noted("repeated", self._repeated),
            *noted("spellings", joined_spellings(self._spelt.values()), label="author's name"),
        ]


def check_pairs(
    author: Labels, file: str | Path, dropped: Mapping[str, int], account: Sequence[Note]
) -> None:
    """Raise an error for a corpus that cannot give both same-author and different-author pairs.

    CorpusError if no author has two documents, or there are fewer than two authors; the error names what was ``dropped``,
    and notes of an ``account`` and on names, which may be the cause.
    """
    counts = author.counts()
    dropped_texts = sentence_on_dropped(dropped)
    doubts = "; ".join(map(str, [*account, *doubtful_names(author.names)]))
    advice = f"check this first: {doubts}. If it is not the cause, " if doubts else ""
    if len(author) == 0:
        raise fault(
            "corpus-no-documents-known-author",
            file=file,
            fix=advice + "put the texts of each person into a folder of their name",
        )
    if not np.any(counts >= 2):
        raise fault(
            "no-author-wrote-two-documents",
            file=file,
            found=f"{counted(len(author), 'document')} by {counted(len(author.names), 'author')}"
            f" ({first_names(author.names, 3)}){dropped_texts}",
            fix=advice
            + (
                "check the texts that Raven left out"
                if dropped_texts and not advice
                else "add more texts by these authors"
            ),
        )
    if np.count_nonzero(counts) < 2:
        raise fault(
            "every-document-one-author-so",
            file=file,
            found=author.names[0] + dropped_texts,
            advice=advice,
        )


def sentence_on_dropped(dropped: Mapping[str, int]) -> str:
    """Return what was left out of a corpus, as the end of a sentence; "" if nothing was left out."""
    dropped_counts = [f"{count:,} {why}" for why, count in dropped.items() if count]
    return f"; texts left out: {', '.join(dropped_counts)}" if dropped_counts else ""


def _spellings(counts: Counter[str], file: str | Path, fold_case: bool) -> dict[str, str]:
    met: dict[str, list[str]] = {}
    for topic in sorted(counts, key=lambda topic: (-counts[topic], topic)):
        met.setdefault(topic.casefold(), []).append(topic)
    ambiguous = [spellings for spellings in met.values() if len(spellings) > 1]
    several = [
        " and ".join(f"{spelling!r} ({counts[spelling]})" for spelling in spellings)
        for spellings in ambiguous
    ]
    if several and not fold_case:
        raise CorpusError(
            ("two " if len(several) == 1 else "") + "topics differ only in letter case",
            file=file,
            found=f"{first_names(several)} (with their documents)",
            fix=(
                f"use one spelling; raven corpus import {quote(str(file))} --out FOLDER --fold-case"
                " joins them"
            ),
        )
    return {topic: met[topic.casefold()][0] for topic in counts}
