"""Reads PDF with PDFium: the text of its pages in paragraphs, without repeated headers and footers of pages.

In: a path; an encoding is accepted, as in all readers.
Out: a list of one ``Document`` with its text, what was left out, and notes; Unreadable if the file is protected,
damaged, has too many pages or no text (a scan); MissingPart without pypdfium2.

PDFium (Google's, under BSD and Apache licences) is fuzzed and fast; its wheels have no JavaScript. Images are never
decoded.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

from ravenbench.errors import MissingPart
from ravenbench.reading.document import EXTRA, Account, Document, Unreadable

LIBRARIES = ("pypdfium2",)
_NUMBER = re.compile(r"\W*(?:\w{1,8}\.? )?\d{1,4}(?:\s?(?:/|\w{1,5})\s?\d{1,4})?\W*")
_EDGE = 2
"""Lines at the head and at the foot of a page that may be repeated ones."""
_FULL = 0.75
"""Share of the usual width beyond which a line goes on in the next."""
_GUTTER = 9
"""Points that are between two columns, at least."""
_FEWEST_LINES = 4
_LONGEST = 4000
"""Pages beyond which a file is not one person's text."""


def read_pdf(path: Path, encoding: str | None = None) -> list[Document]:
    """Read a PDF as one document. Raises Unreadable if it is protected, damaged, or contains no text (a scan);
    MissingPart without pypdfium2."""
    try:
        import pypdfium2
    except ImportError:
        raise MissingPart("reading PDF needs pypdfium2", fix=EXTRA) from None
    try:
        pdf = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if "assword" in str(error):
            raise Unreadable(
                "it is protected by a password", file=path, fix="save it without a password"
            ) from None
        raise Unreadable(f"it is damaged or cut off, or not a PDF ({error})", file=path) from None
    try:
        if len(pdf) > _LONGEST:
            raise Unreadable(
                "it has too many pages", file=path, found=f"{len(pdf):,}", expected=f"{_LONGEST:,}"
            )
        pages = []
        across = 0
        for page in pdf:
            layer = page.get_textpage()
            across += _read_across([layer.get_rect(i) for i in range(layer.count_rects())])
            pages.append(
                [line.strip() for line in layer.get_text_range().splitlines() if line.strip()]
            )
            layer.close()
            page.close()
        account = Account()
        if not any(pages):
            raise Unreadable(
                "it is a scan: it contains no text",
                file=path,
                found=f"{len(pages)} pages of images",
                fix=("recognise its text (OCR), check it against the pages, and save it as .txt"),
            )
        account.add("pages without text (images)", "", sum(not page for page in pages))
        body = [line for page in _without_repeated(pages, account) for line in page]
        notes = ["a PDF does not mark footnotes, tables and quotations, so the text includes them"]
        if across:
            notes.append(f"the page has two columns: Raven reads {across:,} lines across them")
        name = " ".join(str(pdf.get_metadata_value("Author")).split())[:80]
        if name.strip("()").lower() not in ("", "anonymous", "unknown"):
            notes.append(f"the file's metadata name {name}: a hint, not proof of who wrote it")
        account.add("embedded files", "", max(0, pdf.count_attachments()))
        return [
            Document(
                path=path,
                text=_paragraphs(body, account),
                left_out=account.left_out(),
                notes=tuple(notes),
            )
        ]
    finally:
        pdf.close()


def _read_across(boxes: list[tuple[float, float, float, float]]) -> int:
    """Lines of a page that go on behind a gap, where most do: boxes of words in reading order (left, bottom, right,
    top), in points."""
    gaps = sum(after[0] - before[2] > _GUTTER for before, after in pairwise(boxes))
    return gaps if gaps > max(_FEWEST_LINES, len(boxes) / 3) else 0


def _without_repeated(pages: list[list[str]], account: Account) -> list[list[str]]:
    """Pages without page numbers, and without lines at their edges that most pages have."""
    full = [page for page in pages if page]
    often = Counter(
        key for page in full for key in {_key(line) for line in page[:_EDGE] + page[-_EDGE:]}
    )
    repeated = {key for key, count in often.items() if count >= max(2, 0.6 * len(full)) and key}
    bodies = []
    for page in pages:
        start = 0
        end = len(page)
        gone = [_key(line) in repeated or _NUMBER.fullmatch(line) is not None for line in page]
        while start < min(_EDGE, end) and gone[start]:
            start += 1
        while end > max(start, len(page) - _EDGE) and gone[end - 1]:
            end -= 1
        for line in page[:start] + page[end:]:
            account.add("headers and footers of pages", line)
        bodies.append(page[start:end])
    return bodies


def _key(line: str) -> str:
    return " ".join(re.sub(r"\d+", "#", line).split())


def _paragraphs(lines: list[str], account: Account) -> str:
    """Lines as wide as most go on in the next one; words that a line's end divided are joined."""
    widths = sorted(map(len, lines))
    full = _FULL * widths[int(0.9 * (len(widths) - 1))] if widths else 0
    text: list[str] = []
    for line in lines:
        whole, hyphens = re.subn("[\ufffe\x02\xad]", "", line)
        account.add("hyphens at line ends", "", hyphens)
        text.append(whole)
        if not line.endswith(("\ufffe", "\x02", "\xad")):
            text.append(" " if len(line) >= full else "\n")
    return "".join(text)
