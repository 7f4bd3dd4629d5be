"""Reads single texts: known and questioned texts, texts to show unchanged, and a folder of mixed documents.

In: paths of documents, folders and archives, an encoding; for sentences texts with their authors.
Out: ``Text``, with the file it was read from; ``TextReader`` gathers texts, ``faults`` and ``notes``; ``plain_texts``:
texts by name, with byte order marks and line ends; ``published_texts``: texts by name; ``read_inbox``:
``ReadDocument``s and what was left out; ``doubts_of``: notes, ``folders_within``:
sentences.
``given_path`` checks a path. FormatError, Unreadable and InputError as ``read_documents``.
"""

from __future__ import annotations

import hashlib
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ravenbench.errors import FormatError, InputError, remark, some
from ravenbench.files import sha256
from ravenbench.reading.account import Note, fault, noted
from ravenbench.reading.archive import LED_OUT, LINKS, Archive, no_such, whole, why_unread
from ravenbench.reading.decoding import UTF8, Faults, checked_name, detected
from ravenbench.reading.document import Document, Unreadable
from ravenbench.reading.documents import (
    OTHERS,
    account_of,
    check_no_table,
    formats_by_suffix,
    list_documents,
    read_document,
    read_documents,
    several_documents,
)
from ravenbench.reading.load import check_no_parts
from ravenbench.reading.remarks import (
    Seen,
    names_person,
    near_copies,
    plain_words,
    signed,
)
from ravenbench.text.mail import signs_of_mail
from ravenbench.text.names import is_name, person_words
from ravenbench.text.tokens import count_words
from ravenbench.types import Labels

PATH_LIMIT = 4096


@dataclass(frozen=True)
class Text:
    """A text: the path it was given by, the text without byte order mark and carriage returns, its number of
    words, its document, and its name if that is not the name of its file."""

    path: Path
    text: str
    words: int
    document: Document | None = None
    called: str = ""

    @classmethod
    def from_document(cls, document: Document) -> Text:
        """Return the text of a document. FormatError if it has no words."""
        words = count_words(document.text)
        if not words:
            raise fault("text-empty-of-one-author", file=document.path)
        return cls(document.path, document.text, words, document)

    def of(self, text: str) -> Text:
        """Return the same with another text."""
        return Text(self.path, text, count_words(text), self.document, self.called)

    @property
    def name(self) -> str:
        """Return the name that pages show."""
        return self.called or (self.path.name if self.document is None else self.document.name)

    @property
    def sha256(self) -> str:
        """Return the hash of the file's bytes, or of the text in UTF-8 if it is in a table or an archive."""
        if self.document is not None:
            return self.document.file_sha256
        if self.path.is_file():
            return sha256(self.path)
        return hashlib.sha256(self.text.encode()).hexdigest()


def read_text(path: Path, encoding: str | None = UTF8) -> Text:
    """Read the one text of a document; ``encoding`` as for ``decode``. Raises InputError as ``read_document``, and
    if the text is empty."""
    return Text.from_document(read_document(path, encoding))


class TextReader:
    """Reads texts; ``faults`` has their errors, ``notes`` what was skipped."""

    def __init__(self, encoding: str | None) -> None:
        self.encoding = encoding
        self.faults = Faults()
        self.notes: list[str] = []

    def one(self, path: Path) -> list[Text]:
        """Return the text of a file; an empty list if it has a fault."""
        with self.faults.gathered():
            return [read_text(path, self.encoding)]
        return []

    def all(self, paths: Iterable[Path]) -> list[Text]:
        """Return the texts of files and folders, each once."""
        texts: list[Text] = []
        for path in paths:
            with self.faults.gathered():
                texts += self._inside(path) if path.is_dir() else self.one(path)
        by_content: dict[str, Text] = {}
        for text in texts:
            first = by_content.setdefault(" ".join(text.text.split()), text)
            if first is not text:
                self.notes.append(f"{text.name} repeats {first.name}; Raven takes the text once")
        return list(by_content.values())

    def _inside(self, folder: Path) -> list[Text]:
        documents, others = list_documents(folder)
        texts: list[Text] = []
        unreadable: list[Unreadable] = []
        for path in documents:
            with self.faults.gathered():
                try:
                    texts += map(Text.from_document, self._by_one(path))
                except Unreadable as error:
                    if path.suffix.lower() == ".txt":
                        raise
                    unreadable.append(error)
        if unreadable and not texts:
            raise unreadable[0]
        if not documents:
            raise fault(
                "folder-holds-no-text",
                file=folder,
                found=", ".join(path.name for path in others[:4]) or "nothing",
            )
        known_kinds = [path for path in others if path.suffix.lower() in OTHERS]
        self.notes += [f"Raven leaves out {error.file}: {error.problem}" for error in unreadable]
        self.notes += [
            f"Raven leaves out {path}; {OTHERS[path.suffix.lower()]}" for path in known_kinds
        ]
        if rest := [path.name for path in others if path not in known_kinds]:
            self.notes.append(f"{folder.name}: Raven did not read other files: {some(rest, 10)}")
        return texts

    def _by_one(self, path: Path) -> tuple[Document, ...]:
        """The documents of a file that are all by one author."""
        documents = read_documents(path, self.encoding)
        if len({document.author for document in documents}) > 1:
            raise several_documents(path, documents)
        return documents


def given_path(value: str, what: str, file: Path | None = None, line: int | None = None) -> str:
    """Return a path that was given (an empty path would mean the current folder). Raises FormatError if it is empty, or
    cannot be a path."""
    checked_name(value, f"a path of {what}", file, line, limit=PATH_LIMIT)
    if not value.strip():
        raise fault("holds-empty-path", file=file, line=line, what=what)
    return value.strip()


def folders_within(places: Sequence[Path]) -> list[str]:
    """Return a sentence on texts of one candidate in several folders, which may be different people."""
    entries = [path for place in places for path in place.iterdir()]
    inner = sorted({path.name for path in entries if path.is_dir()})
    heads = Counter(path.stem.partition("_")[0] for path in entries if path.is_file())
    if not inner and len(heads) > 1 and (min(heads.values()) > 1 or all(map(is_name, heads))):
        inner = [f"{head}_… ({count})" for head, count in sorted(heads.items())]
    if not inner:
        return []
    return [
        f"Raven takes all texts in {places[0]} as one candidate's, including {some(inner)}. If"
        " these are people, name each: --known NAME=PATH"
    ]


def plain_texts(
    path: Path, encoding: str | None = UTF8, faults: Faults | None = None
) -> dict[str, str]:
    """Read the text of a file, or the ``.txt`` files of a folder or zip, by name, unchanged; other files are counted.

    InputError if there is none, FormatError for tables and other files; these are added to ``faults``, if given.
    """
    gathering = Faults() if faults is None else faults
    texts: dict[str, str] = {}
    with Archive(path, encoding) as archive:
        names = archive.names
        if not archive.single:
            names = [name for name in names if name.lower().endswith(".txt")]
        for name in names:
            with gathering.gathered():
                check_no_table(Path(archive.label(name)))
                texts[name] = whole(archive.read(name), archive.label(name), encoding)
        if not names or (texts and not any(map(str.strip, texts.values()))):
            raise fault("no-text-to-rewrite", file=path)
        unread = [n for n in archive.names if n not in names and not n.endswith(".json")]
    remark(noted("unread-texts", unread), path)
    if faults is None:
        gathering.check()
    return texts


def published_texts(
    path: str | Path, wanted: Callable[[str], bool]
) -> tuple[dict[str, str], list[str]]:
    """Read the texts of a published collection (folder or zip) by name; also return the names that are not ``wanted``."""
    with Archive(path) as archive:
        names = [name for name in archive.names if wanted(name)]
        texts = {name: archive.text(name, published=True) for name in names}
        return texts, [name for name in archive.names if name not in texts]


def _as_documents(place: Path, left_out: Sequence[LeftOutFile]) -> str | None:
    """What to do where nothing could be read and the first file left out is a mail without an ending."""
    with suppress(OSError, IndexError):
        if "headers" in signs_of_mail((place / left_out[0][0]).read_text("latin-1")[:20_000]):
            folder = shlex.quote(str(place))
            return f"these are e-mails; name them .eml first: find {folder} -type f -exec mv {{}} {{}}.eml \\;"
    return None


class ReadDocument(NamedTuple):
    """A document, its file within the folder that was given, and notes on it."""

    source: Path
    document: Document
    notes: tuple[str, ...]


LeftOutFile = tuple[str, str, str]
"""A file or a part of a file that was not read, why, and what to do."""


def read_inbox(
    places: Sequence[Path], encoding: str | None, progress: Callable[[str, int, int], None]
) -> tuple[list[ReadDocument], list[LeftOutFile]]:
    """Read all documents of folders and files; also return what was left out. InputError if there is none."""
    sources: list[tuple[Path, Path]] = []
    left_out: list[LeftOutFile] = []
    for place in places:
        if not place.exists():
            raise no_such(place)
        documents, others = list_documents(place) if place.is_dir() else ([place], [])
        root = place if place.is_dir() else place.parent
        inner = [path.relative_to(root) for path in documents]
        if inner and all(len(path.parts) > 2 for path in inner):
            people = sorted({path.parts[0] for path in inner})
            check_no_parts(place, people, [path.as_posix() for path in inner])
        sources += [(root, path) for path in documents]
        left_out += [
            (path.relative_to(root).as_posix(), *_why_left_out(path, root, documents))
            for path in others
        ]
    if not sources:
        raise fault(
            "no-document",
            file=places[0],
            found=", ".join(name for name, _, _ in left_out[:4]) or "nothing",
            expected=", ".join(sorted(formats_by_suffix())),
            fix=_as_documents(places[0], left_out),
        )
    read: list[ReadDocument] = []
    for done, (root, path) in enumerate(sources):
        progress("documents", done, len(sources))
        source = path.relative_to(root)
        try:
            inside = _in_likely_encoding(path, encoding)
        except InputError as error:
            left_out.append((source.as_posix(), error.problem, error.fix or ""))
            continue
        left_out += [(f"{source.as_posix()} {part}", why, "") for part, why in inside[0][0].unread]
        read += [ReadDocument(source, document, notes) for document, notes in inside]
    if not read:
        name, why, fix = left_out[0]
        raise fault("no-document-can-read", file=places[0], found=f"{name}: {why}", fix=fix or None)
    return read, left_out


def _why_left_out(path: Path, root: Path, documents: Sequence[Path]) -> tuple[str, str]:
    """Why a file of a folder is no document, and what to do."""
    if broken := why_unread(path, root):
        return (
            broken,
            f"copy the target of the link, or set {LINKS}=follow" if broken == LED_OUT else "",
        )
    if path.is_dir():
        return "it is a link to a folder that Raven already reads", OTHERS.get(
            path.suffix.lower(), ""
        )
    if path.with_suffix(".txt") in documents:
        return "Raven reads the plain text of the same name instead", ""
    if path.suffix.lower() in OTHERS:
        return "Raven does not read this format", OTHERS[path.suffix.lower()]
    return "not a document", ""


def _in_likely_encoding(path: Path, encoding: str | None) -> list[tuple[Document, tuple[str, ...]]]:
    """The documents of a file with notes; text in another encoding than UTF-8 is read in the one that is detected."""
    try:
        return [(document, document.notes) for document in read_documents(path, encoding)]
    except Unreadable:
        raise
    except FormatError:
        plain = encoding is None and path.suffix.lower() in (".txt", ".html")
        likely = detected(path.read_bytes()) if plain else None
        if likely is None:
            raise
    documents = read_documents(path, likely)
    return [(one, (*one.notes, _sample(one.text, likely))) for one in documents]


def _sample(text: str, encoding: str) -> str:
    line = next((line for line in text.split("\n") if not line.isascii()), "").strip()
    return (
        f"not UTF-8; Raven reads it as {encoding}, where a line is: {line[:120]}; --encoding"
        " decides this"
    )


def doubts_of(texts: Iterable[tuple[str | None, Text]], candidates: Iterable[str]) -> list[Note]:
    """Return notes on what was left out of texts (each with its author if known), and doubts: copies, parts
    of mails, names of candidates."""
    authors = {text: author for author, text in texts}
    known = [text for text, author in authors.items() if author is not None]
    known_texts = [text.text for text in known]
    seen = Seen(known_texts, Labels.of(map(authors.get, known)), [text.name for text in known])
    mails = [text.name for text in authors if signs_of_mail(text.text)]
    return [
        *account_of([text.document for text in authors if text.document is not None]),
        *near_copies(seen),
        *signed(seen),
        *noted("names-of-candidates", _candidates_within(authors, candidates)),
        *noted("mail", mails, total=len(authors)),
    ]


def _candidates_within(
    authors: Mapping[Text, str | None], candidates: Iterable[str]
) -> Iterator[str]:
    people = {
        name: words for name in sorted({*candidates}) if len(words := person_words(name)[1]) > 1
    }
    for text, author in authors.items() if people else ():
        words_of_text = plain_words(text.text)
        for person, words in people.items():
            if person != author and names_person(words_of_text, words):
                yield f"{text.name}: {person}"
