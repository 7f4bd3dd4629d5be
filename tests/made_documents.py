"""Documents made for tests, byte by byte: no library writes them that reads them."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping, Sequence
from itertools import pairwise

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"


def zip_of(files: Mapping[str, str | bytes]) -> bytes:
    """A zip of these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def docx(body: str, more: Mapping[str, str | bytes] | None = None) -> bytes:
    """A Word file with this content of ``w:body``."""
    types = (
        f'<Types xmlns="t"><Override PartName="/word/document.xml" ContentType="{MAIN}"/></Types>'
    )
    document = f'<w:document xmlns:w="{WORD}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
    files = {
        "[Content_Types].xml": types,
        "word/document.xml": f"{document}<w:body>{body}</w:body></w:document>",
    }
    return zip_of({**files, **(more or {})})


def paragraph(text: str, style: str = "") -> str:
    """A paragraph of a Word file."""
    kind = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{kind}<w:r><w:t>{text}</w:t></w:r></w:p>"


def odt(body: str, more: Mapping[str, str | bytes] | None = None) -> bytes:
    """An OpenDocument text with this content of ``office:text``."""
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "text", "table", "style")
    )
    content = f"<office:document-content {spaces}><office:body><office:text>{body}</office:text></office:body>"
    return zip_of({"content.xml": f"{content}</office:document-content>", **(more or {})})


def epub(
    chapters: Mapping[str, str | bytes], more: Mapping[str, str | bytes] | None = None
) -> bytes:
    """An EPUB with these pages in their order; one called ``nav.xhtml`` is its table of contents."""
    container = '<container xmlns="c"><rootfiles><rootfile full-path="OEBPS/a.opf"/></rootfiles></container>'
    items = "".join(
        f'<item id="i{i}" href="{name}" media-type="application/xhtml+xml"'
        f' properties="{"nav" if name == "nav.xhtml" else ""}"/>'
        for i, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="i{i}"/>' for i in range(len(chapters)))
    who = '<metadata xmlns:dc="d"><dc:creator>Ann Roe</dc:creator></metadata>'
    package = (
        f'<package xmlns="o">{who}<manifest>{items}</manifest><spine>{spine}</spine></package>'
    )
    pages = {f"OEBPS/{name.replace('%20', ' ')}": page for name, page in chapters.items()}
    files = {"META-INF/container.xml": container, "OEBPS/a.opf": package, **pages}
    return zip_of({**files, **(more or {})})


def pdf(pages: Sequence[Sequence[str]], more: str = "", kids: str | None = None) -> bytes:
    """A PDF whose pages hold these lines, 14 points apart."""
    numbers = [4 + 2 * i for i in range(len(pages))]
    objects = {
        1: f"<< /Type /Catalog /Pages 2 0 R {more} >>",
        2: f"<< /Type /Pages /Kids [{kids or ' '.join(f'{n} 0 R' for n in numbers)}] /Count {len(pages)} >>",
        3: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    }
    for number, lines in zip(numbers, pages, strict=True):
        shown = "".join(f"({line}) Tj 0 -14 Td " for line in lines)
        stream = f"BT /F1 10 Tf 60 780 Td {shown}ET" if lines else "60 60 100 100 re f"
        objects[number] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {number + 1} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects[number + 1] = f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream"
    data = b"%PDF-1.4\n"
    places = {}
    for number, content in sorted(objects.items()):
        places[number] = len(data)
        data += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{places[n]:010d} 00000 n \n" for n in sorted(places))
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer << /Size {size} /Root 1 0 R >>\n"
    return data + f"{end}startxref\n{len(data)}\n%%EOF".encode()


def mail(
    body: str, *, sender: str = "Anna <anna@example.org>", subject: str = "news", more: str = ""
) -> bytes:
    """A mail in UTF-8."""
    head = f"From: {sender}\nTo: bob@example.org\nSubject: {subject}\nDate: Mon, 2 Mar 2026 10:00:00 +0100\n"
    kind = "" if "Content-Type" in more else "Content-Type: text/plain; charset=utf-8\n"
    return f"{head}{kind}{more}\n{body}".encode()


def mailbox(*mails: bytes) -> bytes:
    """An mbox of mails."""
    return b"".join(b"From a@b Mon Mar  2 10:00:00 2026\n" + one + b"\n\n" for one in mails)


def ole(streams: Mapping[str, bytes]) -> bytes:
    """A compound file as Outlook's messages are, in sectors of 512 bytes; ``folder/name`` is in a storage."""
    folders = sorted({name.partition("/")[0] for name in streams if "/" in name})
    entries: list[tuple[str, int, bytes]] = [("Root Entry", 5, b"")]
    entries += [(name, 1, b"") for name in folders]
    entries += [(name, 2, data.ljust(4096, b"\0")) for name, data in streams.items()]
    index = {name: i for i, (name, _, _) in enumerate(entries)}
    inside = {0: [index[n] for n in folders] + [index[n] for n in streams if "/" not in n]}
    inside |= {index[f]: [index[n] for n in streams if n.startswith(f"{f}/")] for f in folders}
    sectors: list[bytes] = []
    fat: list[int] = []
    starts = {}
    for number, (_, _, data) in enumerate(entries):
        starts[number] = len(sectors) if data else -2
        blocks = [data[i : i + 512].ljust(512, b"\0") for i in range(0, len(data), 512)]
        fat += [*range(len(sectors) + 1, len(sectors) + len(blocks)), -2] if blocks else []
        sectors += blocks
    right = {a: b for members in inside.values() for a, b in pairwise(members)}
    directory = b""
    for number, (name, kind, data) in enumerate(entries):
        word = (name.rpartition("/")[2] + "\0").encode("utf-16-le")
        child = (inside.get(number) or [-1])[0]
        directory += word.ljust(64, b"\0") + struct.pack(
            "<HBBiii16sIQQiII",
            len(word),
            kind,
            1,
            -1,
            right.get(number, -1),
            child,
            b"",
            0,
            0,
            0,
            starts[number],
            len(data),
            0,
        )
    first = len(sectors)
    blocks = [directory[i : i + 512].ljust(512, b"\0") for i in range(0, len(directory), 512)]
    fat += [*range(first + 1, first + len(blocks)), -2]
    sectors += blocks
    count = -(-(len(fat) + 8) // 128)
    places = list(range(len(sectors), len(sectors) + count))
    fat += [-3] * count
    fat += [-1] * (count * 128 - len(fat))
    header = struct.pack(
        "<8s16sHHHHH6sIIiIIiIiI",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        b"",
        0x3E,
        3,
        0xFFFE,
        9,
        6,
        b"",
        0,
        count,
        first,
        0,
        4096,
        -2,
        0,
        -2,
        0,
    ) + struct.pack("<109i", *(places + [-1] * (109 - count)))
    return header + b"".join(sectors) + struct.pack(f"<{len(fat)}i", *fat)


def msg(body: str, sender: str = "anna@example.org", subject: str = "news", **more: bytes) -> bytes:
    """An Outlook message; ``more`` are further streams by their names."""
    values = {"001A": "IPM.Note", "0037": subject, "5D01": sender, "1000": body}
    streams = {
        f"__substg1.0_{key}001F": value.encode("utf-16-le")
        for key, value in values.items()
        if value
    }
    return ole({**streams, **more})
