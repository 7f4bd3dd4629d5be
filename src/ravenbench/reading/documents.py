"""Reads documents of office and mail programs as people have them: their text, and an account of what was left out.

In: the path of a file (``list_documents``: of a folder), and the encoding of texts that are not UTF-8 and do not say
theirs; for ``account_of``, ``several_documents`` and ``without_signs`` documents that were read.
Out: ``Document``s (text, and what was left out), one a file, or one a mail or sender of a chat; ``list_documents``
gives sorted paths (documents, others); ``account_of`` notes; ``several_documents`` an error; ``is_document`` bool, by
the name alone. Unreadable where there is no text to be had, MissingPart without the package of a format, InputError if
there is no such file, its text is not in the encoding, or it holds several documents where one is wanted.

``read_documents`` reads a plain text here; every other format in a process of its own (``reading/apart.py``),
within limits of memory and of time on the processor. Nothing is fetched, no macro runs and no link is followed.
"""

from __future__ import annotations

import hashlib
import pkgutil
import re
import shlex
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from ravenbench.errors import FormatError
from ravenbench.reading.account import Note, fault, noted
from ravenbench.reading.apart import read_apart
from ravenbench.reading.archive import Archive, no_such, walk
from ravenbench.reading.collector import checked_text
from ravenbench.reading.document import FRONT_AND_BACK, Document, Unreadable
from ravenbench.reading.remarks import signs
from ravenbench.reading.tabular import table_kind
from ravenbench.seams import document_formats
from ravenbench.text.mail import phrases
from ravenbench.texts import composed

PLAIN = "plain text"
SOURCES = (".md", ".tex")
"""Endings of plain texts with marks in them, which also tell of a folder (README.md)."""
OTHERS = dict[str, str](line.split("\t") for line in phrases("unread"))
"""Documents that are not read, and what to do with them."""
_MISNAMED = {b"{\\rtf": ".rtf", b"%PDF": ".pdf", b"\xd0\xcf\x11\xe0": ".doc or .msg"}
CHATS = re.compile(r"chat\.md|data\.json|result\.json|message_\d+\.json|\d{4}-\d\d-\d\d\.json")
"""The names of files in which signal-export, Telegram, Messenger and Slack keep messages."""


@cache
def formats_by_suffix() -> dict[str, str]:
    """What is read, by the ending of its name. Chats are recognised by their lines."""
    extension_suffixes = {
        suffix: document_format.name
        for document_format in document_formats().values()
        for suffix in document_format.suffixes
    }
    return {".txt": PLAIN, **dict.fromkeys(SOURCES, PLAIN), **extension_suffixes}


def is_document(path: Path) -> bool:
    """Whether a file's name is one of a document that is read."""
    name = path.name.lower()
    return (
        path.suffix.lower() in formats_by_suffix()
        or CHATS.fullmatch(name) is not None
        or (name.endswith(".zip") and "whatsapp" in name)
    )


def list_documents(folder: Path) -> tuple[list[Path], list[Path]]:
    """The documents below a folder, sorted, and what else lies there, among it links that lead out of it or nowhere;
    what is hidden is in neither.

    A document that was saved as plain text beside itself (``letter.docx``, ``letter.txt``) is taken as that.
    """
    names, unread = walk(folder)
    inner = [folder / name for name in names]
    plain = {file.with_suffix("") for file in inner if file.suffix.lower() == ".txt"}
    documents = [
        file
        for file in inner
        if is_document(file)
        and (file.suffix.lower() == ".txt" or file.with_suffix("") not in plain)
    ]
    # Beside others, texts with marks in them tell of these.
    documents = [
        file
        for file in documents
        if file.suffix.lower() not in SOURCES or CHATS.fullmatch(file.name.lower())
    ] or documents
    return sorted(documents), sorted({*inner, *(folder / name for name in unread)} - {*documents})


def read_document(path: str | Path, encoding: str | None = None) -> Document:
    """The one document of a file.

    Raises
    ------
    Unreadable
        If the file is protected, damaged, a scan, or of a format that is not read.
    InputError
        As ``read_documents``; or if the file holds several documents, as a mailbox or a chat does.
    """
    documents = read_documents(path, encoding)
    if len(documents) > 1:
        raise several_documents(path, documents)
    return documents[0]


def several_documents(path: str | Path, documents: Sequence[Document]) -> FormatError:
    """The error for a file that holds several documents where one is wanted."""
    authors = list(dict.fromkeys(document.author for document in documents if document.author))
    shown = ", ".join(authors[:4]) + (" …" if len(authors) > 4 else "")
    return fault(
        "one-text-expected-file-holds",
        file=path,
        found=f"{len(documents):,} texts by {shown}" if shown else f"{len(documents):,} texts",
        value=shlex.quote(Path(path).name),
    )


def read_documents(path: str | Path, encoding: str | None = None) -> tuple[Document, ...]:
    """Every document of a file: one, or a mailbox's mails, or a chat's senders.

    Parameters
    ----------
    encoding : str or None
        Of texts that are not UTF-8 and do not say what they are in, as ``decode`` takes it.

    Raises
    ------
    Unreadable
        If the file is protected, damaged, a scan, or of a format that is not read.
    MissingPart
        If the format needs an extra that is not installed.
    InputError
        If there is no such file, it is empty, or its text is not in the encoding.
    """
    path = Path(path)
    if path.is_dir():
        raise fault("folder-stands-where-one-text", file=path)
    if not path.is_file():
        raise no_such(path)
    suffix = path.suffix.lower()
    if suffix in OTHERS:
        raise Unreadable(
            "this format is not read",
            file=path,
            found=suffix,
            expected=_suffixes_read(),
            fix=OTHERS[suffix],
        )
    check_no_table(path)
    name = formats_by_suffix().get(suffix, PLAIN)
    documents = _plain(path, encoding) if name == PLAIN else read_apart(path, name, encoding)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    documents_read = (
        msgspec.structs.replace(document, text=composed(checked_text(document.text, str(path))))
        for document in documents
    )
    finished = tuple(
        msgspec.structs.replace(
            document,
            file_sha256=digest,
            text_sha256=hashlib.sha256(document.text.encode()).hexdigest(),
            notes=(*document.notes, *map(str, signs(document.text))),
        )
        for document in documents_read
        if document.text.strip()
    )
    if not finished:
        raise Unreadable(
            "the text is empty", file=path, expected="a text by one author", fix="remove this file"
        )
    return finished


def check_no_table(path: Path) -> None:
    """Unreadable if a file is a table by its name, where one text is expected."""
    if table_kind(path.name) is not None and not CHATS.fullmatch(path.name.lower()):
        fix = "write each text into a file of its own; raven run, attribute and map read tables"
        expected = "a document, as .txt or .docx"
        raise Unreadable("this is a table, and not one text", file=path, expected=expected, fix=fix)


def without_signs(document: Document) -> Document:
    """A document without its text, and without notes on signs of damage in it, where these are looked for apart."""
    odd = set(map(str, signs(document.text))) if document.notes else set()
    notes = tuple(note for note in document.notes if note not in odd)
    return msgspec.structs.replace(document, text="", notes=notes)


def account_of(documents: Sequence[Document], place: Path | None = None) -> list[Note]:
    """Notes on documents of which more than front and back matter was left out, and on what else was found in them."""
    partial = [
        f"{document.name}: {document.account}"
        for document in documents
        if {omission.kind for omission in document.left_out} - {FRONT_AND_BACK}
    ]
    longer = [
        document.name
        for document in documents
        for omission in document.left_out
        if omission.kind == FRONT_AND_BACK and len(omission.sample.split()) > 150
    ]
    alike: dict[str, list[str]] = {}
    for document in documents:
        for note in document.notes:
            without_name = note.partition("metadata name")[0]
            alike.setdefault(re.sub(r"\d[\d,]*", "#", without_name), []).append(
                f"{document.name}: {note}"
            )
    files = shlex.quote(place.name) if place else "FILES"
    return [
        *noted("more-than-text", partial, total=len(documents), files=files),
        *noted("prefaces", longer),
        *(Note("of-documents", len(notes), tuple(notes)) for notes in alike.values()),
    ]


def _suffixes_read() -> str:
    return ", ".join(sorted(formats_by_suffix()))


def _plain(path: Path, encoding: str | None) -> list[Document]:
    with Archive(path, encoding) as archive:
        texts = [name for name in archive.names if archive.single or name.lower().endswith(".txt")]
        if len(texts) != 1:
            raise Unreadable(
                "this is no text: it is a zip", file=path, expected="a document", fix="unpack it"
            )
        with archive.open(texts[0]) as file:
            head = file.read(8)
        for start, suffix in _MISNAMED.items():
            if head.startswith(start):
                raise Unreadable(
                    f"this is no plain text, but {suffix}",
                    file=path,
                    fix=f"rename it to end in {suffix}",
                )
        text = archive.text(texts[0])
    for document_format in document_formats().values():
        if document_format.sign and pkgutil.resolve_name(document_format.sign)(text):
            documents: list[Document] = pkgutil.resolve_name(document_format.reader)(text, path)
            return documents
    if not archive.single or CHATS.fullmatch(path.name.lower()):
        raise Unreadable(
            "it is no exported chat", file=path, fix="unpack it, or rename it to end in .txt"
        )
    return [Document(path=path, text=text)]
