"""Reads Word (.docx, .docm) and OpenDocument (.odt): the body of the text, from the XML in their zips.

In: a path; an encoding is accepted, as in all readers.
Out: ``read_docx``, ``read_odt``: a list of one ``Document`` with its text, what was left out by kind, and notes;
Unreadable if the file is protected, damaged, of Word 97–2003, too large or contains no text.

Only the parts with text are unpacked, each up to ``DOCUMENT_LIMIT`` bytes and as far as text can grow: images and
embedded files stay packed.
Deleted text in tracked changes is left out, inserted text is taken; notes name the people. Python's own XML reader is
used, because python-docx skips inserted text and footnotes, and unpacks every image.
"""

from __future__ import annotations

import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ravenbench.errors import FormatError, counted
from ravenbench.reading.archive import DOCUMENT_LIMIT, check_members
from ravenbench.reading.document import Account, Document, Unreadable

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_CREATOR = "{http://purl.org/dc/elements/1.1/}creator"
_STRICT = "{http://purl.oclc.org/ooxml/wordprocessingml/main}"
TABLES = "tables"
NOTES = "footnotes and endnotes"
PAGES = "headers and footers of pages"
COMMENTS = "comments"
CHANGES = "deleted text"
BOXES = "text boxes"
CONTENTS = "tables of contents"
QUOTATIONS = "quotations"
CAPTIONS = "captions"
IMAGES = "images"
EMBEDDED = "embedded files"
MACROS = "macros"
_AGAIN = "open it in the program that wrote it, and save it again"


@dataclass(frozen=True)
class _Form:
    """How a format writes text: paragraphs, white space, what is left out by kind, where characters stand."""

    paragraphs: frozenset[str]
    white: Mapping[str, str]
    left_out: Mapping[str, str]
    silent: frozenset[str]
    characters: frozenset[str] | None  # None: all text within a paragraph
    style: str


_DOCX = _Form(
    paragraphs=frozenset({f"{_W}p"}),
    white={f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"},
    left_out={
        f"{_W}tbl": TABLES,
        f"{_W}del": CHANGES,
        f"{_W}moveFrom": CHANGES,
        f"{_W}txbxContent": BOXES,
        f"{_W}footnoteReference": NOTES,
        f"{_W}endnoteReference": NOTES,
        f"{_W}commentReference": COMMENTS,
        f"{_W}altChunk": EMBEDDED,
        f"{_W}object": EMBEDDED,
    },
    silent=frozenset({f"{_W}instrText", f"{_W}pPr", f"{_W}rPr", f"{_W}sectPr", f"{_MC}Fallback"}),
    characters=frozenset({f"{_W}t"}),
    style=f"{_W}pPr/{_W}pStyle",
)
_ODT = _Form(
    paragraphs=frozenset({f"{_TEXT}p", f"{_TEXT}h"}),
    white={f"{_TEXT}tab": "\t", f"{_TEXT}line-break": "\n"},
    left_out={
        "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}table": TABLES,
        f"{_TEXT}note": NOTES,
        f"{_OFFICE}annotation": COMMENTS,
        f"{_TEXT}deletion": CHANGES,
        "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}text-box": BOXES,
        f"{_TEXT}table-of-content": CONTENTS,
        "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}object": EMBEDDED,
    },
    silent=frozenset(
        {
            f"{_TEXT}insertion",
            f"{_TEXT}format-change",
            f"{_TEXT}sequence-decls",
            f"{_OFFICE}forms",
            f"{_TEXT}soft-page-break",
        }
    ),
    characters=None,
    style="",
)


def read_docx(path: Path, encoding: str | None = None) -> list[Document]:
    """Read the one document of a Word file. Raises Unreadable if it is protected, damaged or too large."""
    with open_zip(path, "Word") as archive:
        names = archive.namelist()
        kinds = part_xml(archive, "[Content_Types].xml", path)
        of = {e.get("PartName", "").lstrip("/"): e.get("ContentType", "") for e in kinds}
        main = next(
            (name for name, kind in of.items() if kind.endswith("main+xml")), "word/document.xml"
        )
        if (
            ".sheet." in of.get(main, "")
            or ".presentation." in of.get(main, "")
            or main not in names
        ):
            raise Unreadable("it contains no Word text", file=path, expected="a Word document")
        account = Account()
        body = part_xml(archive, main, path, {_STRICT: _W})
        text = "".join(_pieces(body, _DOCX, account, {}))
        folder = main.rpartition("/")[0]
        for name in (n for n in names if n.startswith(f"{folder}/")):
            stem = name.removeprefix(f"{folder}/").partition(".")[0].rstrip("0123456789")
            if stem in ("header", "footer") and (words := _words(archive, name, path)):
                account.add(PAGES, words)
            elif stem in ("footnotes", "endnotes"):
                account.add(NOTES, _words(archive, name, path), 0)
        _packed(names, account)
        return [
            Document(
                path=path,
                text=text,
                left_out=account.left_out(),
                notes=(*_changes(body, "word"), *hints(archive, path)),
            )
        ]


def read_odt(path: Path, encoding: str | None = None) -> list[Document]:
    """Read the one document of an OpenDocument text. Raises Unreadable if it is protected, damaged or too large."""
    with open_zip(path, "OpenDocument") as archive:
        names = archive.namelist()
        manifest = "META-INF/manifest.xml"
        if manifest in names and any(
            e.tag.endswith("encryption-data") for e in part_xml(archive, manifest, path).iter()
        ):
            raise protected(path)
        account = Account()
        root = part_xml(archive, "content.xml", path)
        body = root.find(f".//{_OFFICE}text")
        if body is None:
            raise Unreadable("it contains no text", file=path, expected="an OpenDocument text")
        style = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
        parents = {
            s.get(f"{style}name", ""): s.get(f"{style}parent-style-name", "")
            for s in root.iter(f"{style}style")
        }
        text = "".join(_pieces(body, _ODT, account, parents))
        if "styles.xml" in names:
            for element in part_xml(archive, "styles.xml", path).iter():
                if element.tag in (f"{style}header", f"{style}footer") and (
                    words := "".join(element.itertext()).strip()
                ):
                    account.add(PAGES, words)
        _packed(names, account)
        return [
            Document(
                path=path,
                text=text,
                left_out=account.left_out(),
                notes=(*_changes(body, "passage"), *hints(archive, path)),
            )
        ]


_INSERTED = "Raven takes inserted text: by {}"
_DELETED = "Raven leaves out deleted text: by {}"
_KINDS = {
    f"{_W}ins": _INSERTED,
    f"{_W}moveTo": _INSERTED,
    f"{_TEXT}insertion": _INSERTED,
    f"{_W}del": _DELETED,
    f"{_W}moveFrom": _DELETED,
    f"{_TEXT}deletion": _DELETED,
}
"""Elements of changes; in OpenDocument they are regions, whose words may be in another place."""


def _changes(body: Element, unit: str) -> list[str]:
    """Who inserted and deleted how many words of a Word document, or passages of an OpenDocument text."""
    people = {_INSERTED: Counter[str](), _DELETED: Counter[str]()}
    for change in body.iter():
        if (kind := _KINDS.get(change.tag)) is not None:
            words = "".join(change.itertext()).split()
            name = change.findtext(f".//{_CREATOR}") or change.get(f"{_W}author") or ""
            name = " ".join(name.split())[:80] or "a person without a name"
            people[kind][name] += len(words) if unit == "word" else 1
    return [
        kind.format(", ".join(f"{name} ({counted(count, unit)})" for name, count in most))
        for kind, counts in people.items()
        if (most := (+counts).most_common(8))
    ]


def open_zip(path: Path, name: str) -> zipfile.ZipFile:
    with path.open("rb") as file:
        head = file.read(8)
        if head == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
            whole = head + file.read(DOCUMENT_LIMIT)
            if "EncryptedPackage".encode("utf-16-le") in whole:
                raise protected(path)
            raise Unreadable(
                "this is a document of Word 97–2003", file=path, fix="save it as .docx"
            )
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise Unreadable(
            f"it is damaged or cut off, or not {name} ({error})", file=path, fix=_AGAIN
        ) from None
    if any(info.flag_bits & 1 for info in archive.infolist()):
        archive.close()
        raise protected(path)
    try:
        check_members(path, archive)
    except FormatError as error:
        archive.close()
        raise Unreadable(
            error.problem, file=path, found=error.found, expected=error.expected, fix=_AGAIN
        ) from None
    return archive


def protected(path: Path) -> Unreadable:
    return Unreadable(
        "it is protected by a password",
        file=path,
        fix="save it without a password in the program that wrote it",
    )


def part_xml(
    archive: zipfile.ZipFile, name: str, path: Path, renamed: Mapping[str, str] | None = None
) -> Element:
    """Return the XML of one part. Raises Unreadable if it is missing, damaged, too large, or declares entities."""
    try:
        with archive.open(name) as file:
            data = file.read(DOCUMENT_LIMIT + 1)
    except (
        KeyError,
        zipfile.BadZipFile,
        EOFError,
        OSError,
        RuntimeError,
        NotImplementedError,
        zlib.error,
    ) as error:
        raise Unreadable(
            f"it is damaged: Raven cannot unpack {name} ({error})", file=path, fix=_AGAIN
        ) from None
    if len(data) > DOCUMENT_LIMIT:
        raise Unreadable(
            "it unpacks to far more than a text can",
            file=path,
            found=f"{name}: more than {DOCUMENT_LIMIT:,} bytes",
            fix="if you trust it, save it as plain text",
        )
    if b"<!DOCTYPE" in data[:4096] or b"<!ENTITY" in data:
        raise Unreadable(
            "it declares entities, which programs that write documents do not do",
            file=path,
            found=name,
        )
    for old, new in (renamed or {}).items():
        data = data.replace(old.strip("{}").encode(), new.strip("{}").encode())
    try:
        return ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise Unreadable(
            f"it is damaged: {name} is not XML ({error})", file=path, fix=_AGAIN
        ) from None


def _pieces(
    node: Element, form: _Form, account: Account, parents: Mapping[str, str], inside: bool = False
) -> Iterator[str]:
    """The text below a node, a line for each paragraph; what is left out goes to the account."""
    tag = node.tag
    kind = form.left_out.get(tag) or _by_style(node, form, parents)
    if kind is not None:
        words = " ".join(node.itertext())
        if kind != CHANGES or words.strip():
            account.add(kind, words)
        return
    if tag in form.silent:
        return
    if tag in form.white:
        yield form.white[tag]
    elif tag == f"{_TEXT}s":
        count = node.get(f"{_TEXT}c", "1")
        yield " " * min(int(count) if count.isdecimal() else 1, 100)
    inside = inside or tag in form.paragraphs
    mixed = form.characters is None and inside and tag.startswith(_TEXT)
    if node.text and (mixed or tag in (form.characters or ())):
        yield node.text
    for child in node:
        yield from _pieces(child, form, account, parents, inside)
        if mixed and child.tail:
            yield child.tail
    if tag in form.paragraphs:
        yield "\n"


def _by_style(node: Element, form: _Form, parents: Mapping[str, str]) -> str | None:
    """What a paragraph's style says that it is, where that is not the author's running text."""
    if node.tag not in form.paragraphs:
        if (
            node.tag == f"{_W}sdt"
            and (gallery := node.find(f"{_W}sdtPr/{_W}docPartObj/{_W}docPartGallery")) is not None
        ):
            return CONTENTS if gallery.get(f"{_W}val") == "Table of Contents" else None
        return None
    if form.style:
        named = node.find(form.style)
        style = "" if named is None else named.get(f"{_W}val", "")
    else:
        style = node.get(f"{_TEXT}style-name", "")
        style = parents.get(style) or style
    folded = style.lower().replace("_20_", "").replace(" ", "")
    if folded.startswith(("quot", "intensequote", "zitat", "citation", "cita", "blocktext")):
        return QUOTATIONS
    if folded.startswith(("toc", "contents")) and folded.rstrip("0123456789") != folded:
        return CONTENTS
    return CAPTIONS if folded == "caption" else None


def _words(archive: zipfile.ZipFile, name: str, path: Path) -> str:
    return " ".join("".join(part_xml(archive, name, path).itertext()).split())


def _packed(names: list[str], account: Account) -> None:
    """Count what a zip holds beside text."""
    for name in names:
        lower = name.lower()
        if name.endswith("/") or "thumbnail" in lower:
            continue
        if "/media/" in lower or lower.startswith("pictures/"):
            account.add(IMAGES, name.rpartition("/")[2])
        elif "/embeddings/" in lower or (
            lower.startswith("object ") and lower.endswith("/content.xml")
        ):
            account.add(EMBEDDED, name)
        elif lower.endswith("vbaproject.bin") or (
            lower.startswith(("basic/", "scripts/")) and "script-l" not in lower
        ):
            account.add(MACROS, name.rpartition("/")[2])


def hints(archive: zipfile.ZipFile, path: Path) -> tuple[str, ...]:
    """Return notes on the people that the file's metadata name."""
    people = dict.fromkeys(
        " ".join(element.text.split())[:80]
        for name in archive.namelist()
        if name in ("docProps/core.xml", "meta.xml") or name.endswith(".opf")
        for element in part_xml(archive, name, path).iter()
        if element.text
        and element.tag.rpartition("}")[2] in ("creator", "lastModifiedBy", "initial-creator")
    )
    note = f"the file's metadata name {', '.join(people)}: a hint, not proof of who wrote it"
    return (note,) * bool(people)
