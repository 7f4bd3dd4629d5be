"""Reads TEI (ELTeC, DraCor, CLARIN …): the words of ``body``, and author, title and date from the header.

In: the path of an XML file, or its content. Out: a list of ``Document``, one for each TEI in the file; ``Unreadable``
if there is none.

Python's own expat reads it. A file that declares entities is refused; nothing outside the file is read.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from contextlib import suppress
from html.entities import html5
from pathlib import Path
from xml.parsers import expat

import msgspec

from ravenbench.errors import InputError
from ravenbench.reading.archive import DOCUMENT_LIMIT
from ravenbench.reading.decoding import known_encoding
from ravenbench.reading.document import FRONT_AND_BACK, Account, Document, Unreadable
from ravenbench.text.mail import listed

_ROOT = re.compile(r"<(?:\w{1,40}+:)?(?:TEI|TEI\.2|teiCorpus)[\s>]")
_WHOLE = ("TEI", "TEI.2", "teiCorpus")
"""Elements that are a text or contain texts, with a separate header; one may be inside another."""
_DECLARED = re.compile(rb"""\s*<\?xml\b[^<>]*?\bencoding\s*=\s*["']([\w.:-]+)["']""")
_OF_EXPAT = ("", "utf-8", "utf-16", "utf-16le", "utf-16be", "us-ascii", "iso-8859-1")
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf_32",
    codecs.BOM_UTF32_BE: "utf_32",
    codecs.BOM_UTF16_LE: "utf_16",
    codecs.BOM_UTF16_BE: "utf_16",
}
"""Byte order marks, which are believed before any name (XML 1.0, F.1); that of UTF-32 begins with one of UTF-16."""
_WIDER = {"shift_jis": "cp932", "euc_kr": "cp949", "gb2312": "gb18030"}
"""What programs write under the name of a smaller set."""
_NO_TEXT = ("unicode_escape", "raw_unicode_escape", "punycode", "idna", "utf-7")
"""Encodings of Python's that no document is in; some take a time that grows with the square of the size."""
_BEFORE = (("<?", ">"), ("<!--", "-->"), ("<!DOCTYPE", ">"))
"""Things that may come before the first element: how each begins and ends."""
_LEFT_OUT = {
    "note": "notes",
    "speaker": "speakers",
    "stage": "stage directions",
    "fw": "running heads",
    "del": "deletions",
    "figDesc": "descriptions of figures",
    "castList": "lists of persons",
    "listBibl": "bibliographies",
}
_BESIDE = re.compile(
    "(?:preface|introduction|intro|foreword|afterword|title_?page|toc|contents|advert(?:isement)?|imprint|appendix"
    "|glossary|index|notes|editorial)",
    re.IGNORECASE,
)
"""Types of divisions that are no part of the text itself, or may be by another hand."""
_OTHER_READING = ("sic", "reg", "expan")
"""Within a ``choice``: the author's spelling and the corrected print are taken."""
_BLOCKS = frozenset(listed("elements", "tei blocks"))
_PARTS = {"persName", "name", "forename", "surname", "nameLink", "addName", "genName", "roleName"}
"""Elements of a person's name, which are separated by spaces."""
_DATES = re.compile(r"\(?\b\d{4}\?? ?[-–—] ?(?:\d{4}\??)?\)?[ .]{0,9}$")


def is_tei(markup: str) -> bool:
    """Return whether the first element is TEI; a document type with its own declarations is not read."""
    place = len(markup) - len(markup.lstrip())
    while (ends := [end for begin, end in _BEFORE if markup.startswith(begin, place)]) != []:
        stop = markup.find(ends[0], place)
        if stop < 0 or (ends[0] == ">" and "[" in markup[place:stop]):
            return False
        place = stop + len(ends[0])
        place += len(markup[place : place + 200]) - len(markup[place : place + 200].lstrip())
    return _ROOT.match(markup, place) is not None


class _Handler:
    """What expat tells, gathered."""

    def __init__(self, within: _Handler | None = None) -> None:
        self.within = within
        self.holds_others = False
        self.stack: list[str] = []
        self.open = Counter[str]()  # how often each name stands in the stack, which may be long
        self.pieces: list[str] = []
        self.account = Account()
        self.people: dict[str, list[str]] = {}
        self.beside = Counter[str]()
        self.title = list[str]()
        self.dates = dict[str, str]()
        self.missing = dict[str, int]()
        self._left: tuple[int, str, list[str]] | None = None
        self._ref = ""
        self._who = list[str]()
        self._within_word = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        self.stack.append(tag)
        self.open[tag] += 1
        if self._left is None and self.open["text"]:
            outside = not self.open["body"] and tag in ("front", "back")
            kind = FRONT_AND_BACK if outside else _LEFT_OUT.get(tag)
            if kind is None and tag in _OTHER_READING and self.stack[-2] == "choice":
                kind = "other readings"
            if kind is not None:
                self._left = (len(self.stack), kind, [])
            elif attributes.get("break") == "no":
                self._join()
            elif tag in _BLOCKS:
                self.pieces.append("\n")
                if self.open["body"] and _BESIDE.fullmatch(division := attributes.get("type", "")):
                    self.beside[division] += 1
        elif self.open["titleStmt"] and self.open["author"]:
            self._who += [" "] * (tag in _PARTS)
            if tag == "author":
                self._ref = ""
                self._who = []
            self._ref = self._ref or attributes.get("ref") or attributes.get("key") or ""
        elif tag == "date" and self.open["teiHeader"]:
            rank = self._rank()
            if rank:
                self.dates[rank] = attributes.get("when", "")

    def end(self, tag: str) -> None:
        tag = tag.rpartition(":")[2]
        if self._left is not None:
            if len(self.stack) == self._left[0]:
                self.account.add(self._left[1], " ".join("".join(self._left[2]).split()))
                self._left = None
        elif self.open["text"] and tag in _BLOCKS and not self._within_word:
            self.pieces.append("\n")
        elif tag == "author" and self.open["titleStmt"]:
            name = _DATES.sub("", " ".join("".join(self._who).split())).strip(" ,;.")
            if name:
                self.people.setdefault(identity(self._ref) or name, []).append(name)
            self._who = []
        self.open[self.stack.pop()] -= 1

    def _join(self) -> None:
        """A line or a page ends within a word."""
        while self.pieces and not self.pieces[-1].strip():
            self.pieces.pop()
        self.pieces[-1:] = [piece.rstrip() for piece in self.pieces[-1:]]
        self._within_word = True

    def _rank(self) -> str:
        """Which of a header's dates is being read."""
        return "creation" if self.open["creation"] else "bibl" if self.open["sourceDesc"] else ""

    def text(self, data: str) -> None:
        if self._left is not None:
            self._left[2].append(data)
        elif self.open["body"]:
            data = data.lstrip() if self._within_word else data
            self._within_word = self._within_word and not data
            self.pieces.append(data.replace("\n", " "))
        elif self.open["titleStmt"] and self.open["author"]:
            self._who.append(data)
        elif self.open["titleStmt"] and self.stack[-1] == "title":
            self.title.append(data)
        elif self.stack and self.stack[-1] == "date" and self.open["teiHeader"]:
            rank = self._rank()
            if rank and data.strip() and not self.dates.get(rank):
                self.dates[rank] = data.strip()

    def skipped(self, name: str, parameter: bool) -> None:
        """Handle an entity of an external document type: write its usual character, or count it."""
        sign = html5.get(f"{name};")
        if sign is None:
            self.missing[name] = self.missing.get(name, 0) + 1
        else:
            self.text(sign)


def identity(ref: str) -> str:
    """Return the person that a reference names, in one form: ``viaf:123`` and ``https://viaf.org/viaf/123/`` are equal."""
    ref = (ref.split() or [""])[0].strip("/").casefold()
    parts = re.split(r"[/:#?=]+", re.sub(r"^https?://(?:www\.)?", "", ref))
    return f"{parts[0].partition('.')[0]}:{parts[-1]}" if len(parts) > 1 else ref


def read_tei(path: Path, encoding: str | None = None) -> list[Document]:
    """Read the text of a TEI file, or the texts of a ``teiCorpus`` and of each TEI within another.

    The encoding is that of its mark, otherwise the one it declares, or ``encoding`` if Python does not know the declared
    name. Raises Unreadable if it is other XML, damaged, too large, not in its encoding, declares entities, or has no
    body.
    """
    data = path.read_bytes()
    if len(data) > DOCUMENT_LIMIT:
        raise Unreadable(
            "it is too large for one document",
            file=path,
            expected=f"at most {DOCUMENT_LIMIT:,} bytes",
        )
    return parsed(_decoded(data, path, encoding), path)


def _decoded(data: bytes, path: Path, encoding: str | None) -> bytes | str:
    """XML in an encoding that expat does not know, decoded by Python; what expat knows, as it is."""
    declared = _DECLARED.match(data.partition(b">")[0].replace(b"\0", b""))
    name = next(
        (codec for mark, codec in _MARKS.items() if data.startswith(mark)),
        declared[1].decode() if declared else "",
    )
    if name.lower() in _OF_EXPAT:
        return data
    codec = _codec(name) or _codec(encoding or "")
    problem = f"it declares an unknown encoding: {name}"
    for possible in (codec, _WIDER.get(codec, codec)) if codec else ():
        try:
            return data.decode(possible)
        except UnicodeError:
            problem = f"it is not in the encoding that it declares: {name}"
    fix = "correct the name in its first line, or save the file as UTF-8"
    raise Unreadable(problem, file=path, expected="a name such as UTF-8", fix=fix)


def _codec(name: str) -> str:
    """Python's name of an encoding of texts; "" where it knows none."""
    with suppress(InputError):
        codec = codecs.lookup(
            known_encoding(name.lower().removeprefix("x-").replace("windows-31j", "cp932"))
        ).name
        return "" if codec in _NO_TEXT else codec
    return ""


def parsed(data: bytes | str, path: Path) -> list[Document]:
    """Return what ``read_tei`` reads, from the content of a file."""
    every = [
        _Handler()
    ]  # that of the file, then of each element that may be a text, or hold some, as they begin
    current = [every[0]]
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(":")[2] in _WHOLE:
            every.append(_Handler(within=current[-1]))
            current.append(every[-1])
        current[-1].start(tag, attributes)

    def end(tag: str) -> None:
        current[-1].end(tag)
        if len(current) > 1 and not current[-1].stack:
            current.pop()

    def declared(*what: object) -> None:
        raise Unreadable(
            "it declares entities, which could hide or repeat anything",
            file=path,
            found=str(what[0]),
            fix="replace them with their characters, and remove the declaration",
        )

    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = lambda text: current[-1].text(text)
    parser.SkippedEntityHandler = lambda *entity: current[-1].skipped(*entity)
    parser.EntityDeclHandler = declared
    parser.UseForeignDTD(True)
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise Unreadable(
            f"it is damaged, or not XML ({error})", file=path, fix="correct it, or save it as .txt"
        ) from None
    for handler in every[1:]:  # whoever holds a text comes before it
        assert handler.within is not None
        handler.within.holds_others = True
        handler.people = handler.people or handler.within.people
    texts = [one for one in every if not one.holds_others or "".join(one.pieces).strip()]
    if len(every) < 3:
        return [_document(texts[0], path)]
    documents = list[Document]()
    unread = list[tuple[str, str]]()
    for number, handler in enumerate(texts, start=1):
        try:
            documents.append(
                msgspec.structs.replace(_document(handler, path), part=f"text {number}")
            )
        except Unreadable as error:
            unread.append((f"text {number}", error.problem))
    if not documents:
        raise Unreadable("no text within this TEI has words", file=path, expected="TEI/text/body")
    return [msgspec.structs.replace(documents[0], unread=tuple(unread)), *documents[1:]]


def _document(handler: _Handler, path: Path) -> Document:
    """The text that a handler has gathered."""
    text = "".join(handler.pieces)
    lines = [line for each in text.split("\n") if (line := " ".join(each.split()))]
    if not lines:
        raise Unreadable(
            "it is not TEI, or has no words in its body",
            file=path,
            expected="TEI/text/body",
            fix="Raven does not read other XML: save the text as .txt",
        )
    notes = (
        [f"Raven leaves out signs without meaning: {', '.join(handler.missing)}"]
        if handler.missing
        else []
    )
    if handler.beside:
        within = ", ".join(f"{kind} ({count})" for kind, count in handler.beside.items())
        notes.append(f"the text includes parts that may be by another author: {within}")
    if len(handler.people) > 1:
        notes.append(
            "its header names several authors:"
            f" {'; '.join(names[0] for names in handler.people.values())}"
        )
    who = next(iter(handler.people.items()), ("", [""])) if len(handler.people) == 1 else ("", [""])
    title = re.sub(
        r" ?[:,]? ?\(?(?:an? )?(?:ELTeC|electronic|digital|TEI) (?:edition|text|version)\)? ?$",
        "",
        " ".join("".join(handler.title).split()),
        flags=re.IGNORECASE,
    )
    date = handler.dates.get("creation") or handler.dates.get("bibl", "")
    return Document(
        path=path,
        text="\n".join(lines) + "\n",
        author=who[1][0] or None,
        title=title,
        date=date,
        identity="" if who[0] == who[1][0] else who[0],
        left_out=handler.account.left_out(),
        notes=tuple(notes),
    )
