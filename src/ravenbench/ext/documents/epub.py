"""Reads EPUB: the chapters of a book in their order, each like a page of HTML.

In: a path and optionally the encoding of chapters that are not UTF-8 and do not state their encoding.
Out: ``read_epub``: a list of one ``Document`` with its text, what was left out, and the names in its metadata; Unreadable
if the file is protected, damaged, too large or declares entities; MissingPart without selectolax.

An EPUB is a zip with a list of its files and their order (EPUB 3.3, 5.6 and 5.7), so Python's zip and the readers
of Word's XML and of HTML are enough. EbookLib is under the AGPL, and unpacks every image.

References
----------
.. [1] W3C (2023). *EPUB 3.3*. https://www.w3.org/TR/epub-33/
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urljoin

from ravenbench.ext.documents.office import hints, open_zip, part_xml, protected
from ravenbench.ext.documents.rich_text import decode_html, html_text
from ravenbench.reading.document import Account, Document

LIBRARIES = ("selectolax.lexbor",)


def read_epub(path: Path, encoding: str | None = None) -> list[Document]:
    """Read the one document of a book.

    Raises Unreadable if it is protected, damaged or too large (encrypted parts may be only fonts); FormatError if a
    chapter is neither in the encoding that it names nor in ``encoding``."""
    account = Account()
    text = ""
    with open_zip(path, "EPUB") as archive:
        if (locks := "META-INF/encryption.xml") in archive.NameToInfo and b'html"' in archive.read(
            locks
        ):
            raise protected(path)
        root, *_ = part_xml(archive, "META-INF/container.xml", path).findall(".//{*}rootfile")
        place = root.get("full-path", "")
        package = part_xml(archive, place, path)
        hrefs = {one.get("id"): one.get("href", "") for one in package.findall(".//{*}item")}
        for entry in package.findall(".//{*}itemref"):
            name = urljoin(place, unquote(hrefs[entry.get("idref")]))
            html = decode_html(archive.read(name), path, encoding)
            text += html_text(html, account) + "\n"
        notes = hints(archive, path)
    return [Document(path=path, text=text, left_out=account.left_out(), notes=notes)]
