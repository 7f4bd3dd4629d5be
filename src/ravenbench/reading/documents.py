"""Reads documents of office and mail programs: their text, and an account of what was left out.

In: the path of a file (``list_documents``: of a folder), and the encoding of texts that are not UTF-8 and do not
state their encoding; for ``account_of``, ``several_documents`` and ``without_signs`` documents that were read.
Out: ``Document``s (text, and what was left out), one for each file, mail or sender of a chat; ``list_documents``
gives sorted paths (documents, others); ``account_of`` notes; ``several_documents`` an error; ``is_document`` bool, by
the name only. Unreadable if Raven cannot get a text, MissingPart without the package of a format, InputError if
the file does not exist, its text is not in the encoding, or it contains several documents instead of one.

``read_documents`` reads plain text itself and every other format in a separate process (``reading/apart.py``),
within limits of memory and processor time. Raven fetches nothing, runs no macro and follows no link.
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
"""Endings of plain texts with markup, which may also describe a folder (README.md)."""
OTHERS = dict[str, str](line.split("\t") for line in phrases("unread"))
"""Documents that Raven does not read, by ending, and what to do with them."""
_MISNAMED = {b"{\\rtf": ".rtf", b"%PDF": ".pdf", b"\xd0\xcf\x11\xe0": ".doc or .msg"}
CHATS = re.compile(r"chat\.md|data\.json|result\.json|message_\d+\.json|\d{4}-\d\d-\d\d\.json")
"""The names of files in which signal-export, Telegram, Messenger and Slack store messages."""


@cache
def formats_by_suffix() -> dict[str, str]:
    """Return the formats that Raven reads, by the ending of the name. Chats are recognised by their lines."""
    extension_suffixes = {
        suffix: document_format.name
        for document_format in document_formats().values()
        for suffix in document_format.suffixes
    }
    return {".txt": PLAIN, **dict.fromkeys(SOURCES, PLAIN), **extension_suffixes}


def is_document(path: Path) -> bool:
    """Return whether Raven reads a file as a document, by its name."""
    name = path.name.lower()
    return (
        path.suffix.lower() in formats_by_suffix()
        or CHATS.fullmatch(name) is not None
        or (name.endswith(".zip") and "whatsapp" in name)
    )


def list_documents(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return the documents below a folder, sorted, and its other files, including links that lead out of it or nowhere;
    both without hidden files.

    If a document was also saved as plain text (``letter.docx``, ``letter.txt``), the plain text is taken.
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
    """Read the one document of a file.

    Raises
    ------
    Unreadable
        If the file is protected, damaged, a scan, or of an unknown format.
    InputError
        As for ``read_documents``; or if the file contains several documents, such as a mailbox or a chat.
    """
    documents = read_documents(path, encoding)
    if len(documents) > 1:
        raise several_documents(path, documents)
    return documents[0]


def several_documents(path: str | Path, documents: Sequence[Document]) -> FormatError:
    """Return the error for a file that contains several documents instead of one."""
    authors = list(dict.fromkeys(document.author for document in documents if document.author))
    shown = ", ".join(authors[:4]) + (" …" if len(authors) > 4 else "")
    return fault(
        "one-text-expected-file-holds",
        file=path,
        found=f"{len(documents):,} texts by {shown}" if shown else f"{len(documents):,} texts",
        value=shlex.quote(Path(path).name),
    )


def read_documents(path: str | Path, encoding: str | None = None) -> tuple[Document, ...]:
    """Read every document of a file: one, or each mail of a mailbox, or each sender of a chat.

    Parameters
    ----------
    encoding : str or None
        The encoding of texts that are not UTF-8 and do not state their encoding, as for ``decode``.

    Raises
    ------
    Unreadable
        If the file is protected, damaged, a scan, or of an unknown format.
    MissingPart
        If the format needs an extra that is not installed.
    InputError
        If the file does not exist, is empty, or its text is not in the encoding.
    """
    path = Path(path)
    if path.is_dir():
        raise fault("folder-stands-where-one-text", file=path)
    if not path.is_file():
        raise no_such(path)
    suffix = path.suffix.lower()
    if suffix in OTHERS:
        raise Unreadable(
            "Raven does not read this format",
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
    """Raise Unreadable if a file is a table by its name, but one text is expected."""
    if table_kind(path.name) is not None and not CHATS.fullmatch(path.name.lower()):
        fix = "write each text into a separate file; raven run, attribute and map read tables"
        expected = "a document, such as .txt or .docx"
        raise Unreadable("this is a table, not one text", file=path, expected=expected, fix=fix)


def without_signs(document: Document) -> Document:
    """Return a document without its text and without notes on signs of damage, for callers that look for these themselves."""
    odd = set(map(str, signs(document.text))) if document.notes else set()
    notes = tuple(note for note in document.notes if note not in odd)
    return msgspec.structs.replace(document, text="", notes=notes)


def account_of(documents: Sequence[Document], place: Path | None = None) -> list[Note]:
    """Return notes on documents from which more than front and back matter was left out, and on other findings."""
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
                "this is a zip, not a text", file=path, expected="a document", fix="unpack it"
            )
        with archive.open(texts[0]) as file:
            head = file.read(8)
        for start, suffix in _MISNAMED.items():
            if head.startswith(start):
                raise Unreadable(
                    f"this is {suffix}, not plain text",
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
            "this is not an exported chat", file=path, fix="unpack it, or rename it to end in .txt"
        )
    return [Document(path=path, text=text)]
