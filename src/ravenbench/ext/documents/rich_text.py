"""Reads HTML and Rich Text: the text that a person would read, without menus and the like and without quotations.

In: a path and optionally an encoding; for ``decode_html`` bytes, for ``html_text`` HTML and an ``Account`` to fill.
Out: ``read_html``, ``read_rtf``: a list of one ``Document`` with its text and what was left out; ``decode_html``,
``html_text``: text; FormatError for HTML in another encoding; Unreadable if the file is not Rich Text, cut off, too
large or nested too deeply; MissingPart without selectolax or striprtf.

selectolax (MIT; the Lexbor engine, one wheel) reads HTML as a tree, as browsers do; parts are left
out by rules that the account can name. trafilatura and readability choose by weights, which it could not name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ravenbench.errors import MissingPart
from ravenbench.ext.documents.tei import is_tei, parsed
from ravenbench.reading.archive import DOCUMENT_LIMIT
from ravenbench.reading.decoding import decode
from ravenbench.reading.document import EXTRA, Account, Document, Unreadable
from ravenbench.text.mail import listed

LIBRARIES = ("selectolax.lexbor", "striprtf.striprtf")
_META = re.compile(rb"<meta[^>]{0,200}charset\s*+=\s*+(?:[\"']\s*+)?([\w.:-]{2,40})", re.IGNORECASE)
_SILENT = frozenset(listed("elements", "html silent"))
_FURNITURE = {"nav", "aside", "footer", "form", "button", "select", "dialog", "menu"}
_ROLES = {"navigation", "banner", "contentinfo", "complementary", "search"}
_NAMED = re.compile(
    r"cookie|consent|breadcrumb|sidebar|share|social|advert|banner|newsletter|comment|related|pagination",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"gmail_quote|yahoo_quoted|moz-cite-prefix|protonmail_quote|zmail_extra", re.IGNORECASE
)
_SIGNED = re.compile(r"signature", re.IGNORECASE)
_BLOCKS = frozenset(listed("elements", "html blocks"))
_PARAGRAPH = 30
"""Words of a table's cell that make the table one of layout."""
_NO_END = frozenset(listed("elements", "html without end"))
_CLOSED = re.compile(r"<(title|script|style|iframe|a|b|em|i|span|strong|div)(\s[^<>]*)?/>")
"""Elements that XHTML closes where they open, which HTML does not know."""
_MOST_OPEN = 5_000
_MOST_ATTRIBUTES = 2_000
"""Elements open at once and attributes of one of them: browsers' trees cost the square of these."""


def read_html(path: Path, encoding: str | None = None) -> list[Document]:
    """Read the one document of a page. Raises FormatError if it is neither in its named encoding nor in ``encoding``."""
    data = _bytes(path, DOCUMENT_LIMIT)
    account = Account()
    html = decode_html(data, path, encoding)
    if is_tei(html):
        hint = (
            "this is TEI, and its header names {}: save it as .xml, so that Raven takes the author from"
            " there"
        )
        return [
            msgspec.structs.replace(
                page, author=None, identity="", notes=(*page.notes, hint.format(page.author))
            )
            for page in parsed(re.sub(r"^\s*<\?xml[^>]*\?>", "", html), path)
        ]
    folded = html[:5000].lower(), html[-5000:].lower()
    cut = (
        ("it may be cut off: </html> is missing",)
        if "<html" in folded[0] and "</html" not in folded[1]
        else ()
    )
    return [
        Document(path=path, text=html_text(html, account), left_out=account.left_out(), notes=cut)
    ]


def decode_html(data: bytes, path: Path, encoding: str | None) -> str:
    """Decode HTML as UTF-8, in the encoding that it names, or in the encoding that the user names."""
    named = _META.search(data[:4096])
    if encoding is None and named is not None:
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            try:
                return data.decode(
                    {"iso-8859-1": "cp1252"}.get(name := named[1].decode().lower(), name)
                )
            except (LookupError, UnicodeDecodeError):
                pass
    return decode(data, path, encoding=encoding)


def html_text(html: str, account: Account, *, mail: bool = False) -> str:
    """Return the text of a page, or of a mail's HTML part. MissingPart without selectolax; Unreadable if its tags would take
    more time than its size allows."""
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError:
        raise MissingPart("reading HTML needs selectolax", fix=EXTRA) from None
    html = _CLOSED.sub(r"<\1\2></\1>", html)
    _check_tags(html)
    body = LexborHTMLParser(html).body
    if body is None:
        return ""
    root = body
    for choice in () if mail else ("article", "main, [role=main]"):
        if len(chosen := body.css(choice)) == 1 and len(chosen[0].text()) > 200:
            root = chosen[0]
            around = _count(body) - _count(root)
            account.add(
                "boilerplate",
                f"{around:,} words around the page's {root.tag} element",
                int(around > 0),
            )
            break
    pieces = "".join(_pieces(root, account, mail, False))
    lines = [
        " ".join(line.split(" ")).strip()
        for line in re.sub(r"[ \t\r\f\u00a0]+", " ", pieces).split("\n")
    ]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def _check_tags(html: str) -> None:
    """Unreadable if more elements are open at once, or one has more attributes, than any page has."""
    opened = Counter[str]()
    depth = 0
    for piece in html.split(">"):
        tag = piece[piece.rfind("<") + 1 :]
        name = re.match(r"/?[a-zA-Z][a-zA-Z0-9]*+", tag) if len(tag) < len(piece) else None
        if name is None or tag.endswith("/"):
            continue
        kind = name[0].lower().lstrip("/")
        change = -min(1, opened[kind]) if tag.startswith("/") else int(kind not in _NO_END)
        opened[kind] += change
        depth += change
        if depth > _MOST_OPEN:
            raise Unreadable(
                "its tags are nested too deeply", expected=f"at most {_MOST_OPEN:,} open at once"
            )
        if len(tag) > _MOST_ATTRIBUTES and len(tag.split()) > _MOST_ATTRIBUTES:
            raise Unreadable(
                "a tag has too many attributes", expected=f"at most {_MOST_ATTRIBUTES:,}"
            )


def _pieces(node: Any, account: Account, mail: bool, pre: bool) -> Iterator[str]:
    for child in node.iter(include_text=True):
        tag = child.tag or ""
        if child.is_text_node:
            yield child.text_content if pre else re.sub(r"\s+", " ", child.text_content or "")
            continue
        if not child.is_element_node or tag in _SILENT:
            continue
        if tag == "br":
            yield "\n"
            continue
        kind = _left_out(child, tag, mail)
        if kind is not None:
            account.add(kind, child.text(separator=" "))
            yield "\n"
            continue
        yield "\n" if tag in _BLOCKS else ""
        yield from _pieces(child, account, mail, pre or tag == "pre")
        yield ("\n\n" if tag == "p" else "\n") if tag in _BLOCKS else ""


def _left_out(node: Any, tag: str, mail: bool) -> str | None:
    """What an element is beside the text; None where it is text."""
    attributes = node.attributes
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
    style = re.sub(r"\s", "", (attributes.get("style") or "").lower())
    if "hidden" in attributes or re.search(
        "display:none|visibility:hidden|font-size:0(?!\\.)", style
    ):
        return "hidden text"
    if tag == "blockquote" or _QUOTED.search(names) or attributes.get("type") == "cite":
        return "quotations"
    if mail and _SIGNED.search(names):
        return "signatures"
    if tag in ("figure", "figcaption"):
        return "captions"
    if tag == "table" and not _is_layout(node):
        return "tables"
    if mail:
        return None
    if tag in _FURNITURE or attributes.get("role") in _ROLES or _NAMED.search(names):
        return "boilerplate"
    links = node.css("a") if tag in ("ul", "ol", "div", "p") else []
    return (
        "boilerplate" if len(links) >= 3 and sum(map(_count, links)) > 0.6 * _count(node) else None
    )


def _count(node: Any) -> int:
    return len(node.text(separator=" ").split())


def _is_layout(table: Any) -> bool:
    """Whether a table holds running text rather than figures."""
    return any(_count(cell) > _PARAGRAPH for cell in table.css("td"))


_GROUP = re.compile(
    r"\{\s*(?:\\\*\s*)?\\(header|footer|footnote|pict|shppict|nonshppict|object|annotation|shptxt|fldinst)[lrf]?\b",
    re.IGNORECASE,
)
_KINDS = {
    "header": "headers and footers of pages",
    "footer": "headers and footers of pages",
    "footnote": "footnotes and endnotes",
    "pict": "images",
    "shppict": "images",
    "object": "embedded files",
    "annotation": "comments",
    "shptxt": "text boxes",
}
"""Groups that are left out; a field's instruction and the second form of an image are passed over."""
_INNERMOST = re.compile(r"\{([^{}]*+)\}")
_DELETED = re.compile(r".*\\deleted(?!0)\b(.*)", re.DOTALL)
_NO_CHARACTER = re.compile(r"\\u(?:\d{6,}|-(?:\d{6,}|[7-9]\d{4}|6[6-9]\d{3}))")
_BRACES = re.compile(r"\\[\\{}]|[{}]")
_RTF_LIMIT = 256 * 2**20


def read_rtf(path: Path, encoding: str | None = None) -> list[Document]:
    """Read the one document of a Rich Text file. Raises Unreadable if it is not Rich Text or is cut off; MissingPart without
    striprtf."""
    try:
        from striprtf.striprtf import rtf_to_text
    except ImportError:
        raise MissingPart("reading RTF needs striprtf", fix=EXTRA) from None
    raw = _NO_CHARACTER.sub(r"\\u65533", _bytes(path, _RTF_LIMIT).decode("latin-1"))
    if not raw.lstrip().startswith("{\\rtf"):
        raise Unreadable("it is not Rich Text", file=path, expected="{\\rtf at its beginning")
    account = Account()
    pieces: list[str] = []
    done = 0
    while (group := _GROUP.search(raw, done)) is not None:
        end = _end(raw, group.start(), path)
        name = group[1].lower()
        if name in _KINDS:
            words = "" if name in ("pict", "shppict", "object") else raw[group.end() : end]
            account.add(_KINDS[name], rtf_to_text("{\\rtf1" + words, errors="ignore"))
        pieces.append(raw[done : group.start()])
        done = end
    pieces.append(raw[done:])
    body = "".join(pieces)

    def without_marks(group: re.Match[str]) -> str:
        deleted = _DELETED.match(group[1])
        account.add("deleted text", deleted[1] if deleted else "", int(deleted is not None))
        return "" if deleted else group[0]

    body = _INNERMOST.sub(without_marks, body)
    _end(body, body.index("{"), path)
    text = (
        rtf_to_text(body, errors="replace")
        .encode("utf-16", "surrogatepass")
        .decode("utf-16", "surrogatepass")
    )
    written = []
    for line in text.split("\n"):
        if line.rstrip().endswith("|") and "\\row" in body:
            account.add("tables", line)
        else:
            written.append(line)
    return [Document(path=path, text="\n".join(written), left_out=account.left_out())]


def _end(raw: str, start: int, path: Path) -> int:
    """Where the group that begins at a brace ends."""
    depth = 0
    for brace in _BRACES.finditer(raw, start):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return brace.end()
    raise Unreadable(
        "it is cut off: a brace is never closed", file=path, fix="get the complete file"
    )


def _bytes(path: Path, limit: int) -> bytes:
    if path.stat().st_size > limit:
        raise Unreadable(
            "it is too large for one document",
            file=path,
            found=f"{path.stat().st_size:,} bytes",
            expected=f"{limit:,}",
        )
    return path.read_bytes()
