"""Readers for the field's public collections, each from the place where a user has it; nothing is downloaded."""

from __future__ import annotations

import html
import io
import re
import zipfile
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email import message_from_string
from email.message import Message
from pathlib import PurePosixPath
from typing import ClassVar
from xml.etree import ElementTree

from ravenbench.components import Component
from ravenbench.corpora.build import CorpusBuilder
from ravenbench.corpora.catalogue import entry
from ravenbench.errors import FormatError, SpecError
from ravenbench.formats.archive import Archive
from ravenbench.formats.tabular import csv_rows
from ravenbench.types import Corpus


@dataclass(frozen=True)
class CollectionText:
    """One document as a collection tells of it; ``line`` is its place in the file or the count of files."""

    id: str
    text: str
    author: str
    topic: str | None
    columns: Mapping[str, str | None] = field(default_factory=dict)
    language: str | None = None


@dataclass(eq=False, repr=False)
class PublicCorpus(Component):
    """Base of readers of public collections.

    Class attributes say what a collection is: ``layout`` for messages, ``documents`` and ``authors`` of the whole (None
    where they depend on the copy, or no source could be cited), ``language``. Licence, citation and the source of the
    counts stand in the catalogue under the same name.

    Parameters
    ----------
    path : str
        The folder, zip or file that the collection came as.
    """

    layout: ClassVar[str]
    language: ClassVar[str | None] = "en"
    documents: ClassVar[int | None] = None
    authors: ClassVar[int | None] = None

    path: str = ""

    @staticmethod
    def matched(archive: Archive, counted: Counter[str], pattern: str) -> Iterator[tuple[str, re.Match[str]]]:
        """Files whose names, without folders, match a pattern in either case; others are counted."""
        for name in archive.names:
            if (match := re.fullmatch(pattern, PurePosixPath(name).name, re.IGNORECASE)) is not None:
                yield name, match
            else:
                counted["other files"] += 1

    @abstractmethod
    def texts_of(self, archive: Archive, counted: Counter[str]) -> Iterator[CollectionText]:
        """Every document; ``counted`` takes the number of files not read, by reason."""

    def load(self) -> Corpus:
        """Read the collection.

        SpecError if no path is given; FormatError if there are no documents of this layout, or one cannot be read.
        """
        if not self.path:
            raise SpecError(f"{self.name} needs the place of its files", fix=f"{self.name}(path='PLACE')")
        builder = CorpusBuilder(self.path)
        counted: Counter[str] = Counter()
        read = 0
        with Archive(self.path) as archive, archive.guarded(f"part of {self.name}"):
            for read, one in enumerate(self.texts_of(archive, counted), start=1):
                language = one.language or self.language or None
                builder.add(one.id, one.text, one.author, one.topic, read, language, one.columns)
        if not read:
            raise FormatError(
                f"there are no documents of {self.name} here", file=self.path, expected=self.layout,
                fix=entry(self.name).instructions,
            )  # fmt: skip
        about = entry(self.name)
        notes = {"source": about.title, "licence": about.licence, "citation": about.citation, "read": read}
        whole = {"documents": self.documents, "authors": self.authors}
        corpus = builder.finish(self.name, {**notes, "left alone": dict(sorted(counted.items()))})
        corpus.notes["whole collection"] = {  # type: ignore[index]
            name: {"expected": number, "found": read if name == "documents" else len(corpus.author.names)}
            for name, number in whole.items()
            if number is not None
        }
        return corpus


def text_of(archive: Archive, name: str, counted: Counter[str]) -> str | None:
    """A file as text: UTF-8, else Windows-1252, which is counted; None where it is empty, which is counted too."""
    data = archive.read(name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        counted["not UTF-8, read as Windows-1252"] += 1
        text = data.decode("cp1252", errors="replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        counted["empty"] += 1
        return None
    return text


@dataclass(eq=False, repr=False)
class ByName(PublicCorpus):
    """Base of collections whose files' names tell everything but the text."""

    def texts_of(self, archive: Archive, counted: Counter[str]) -> Iterator[CollectionText]:
        for name in archive.names:
            labels = self._told(PurePosixPath(name))
            if labels is None:
                counted["other files"] += 1
            elif (text := text_of(archive, name, counted)) is not None:
                author, topic, columns = labels
                yield CollectionText(name.rpartition(".")[0], text, author, topic, columns)

    @abstractmethod
    def _told(self, path: PurePosixPath) -> tuple[str, str | None, dict[str, str]] | None:
        """Author, topic and columns that a path tells; None for other files."""


@dataclass(eq=False, repr=False)
class C50(ByName):
    """Reuter_50_50 (C50, CCAT50): corporate news by 50 Reuters journalists, 50 texts each to learn from and to test.

    All texts are on corporate topics, so documents have no topic; column ``part`` is train or test. CCAT10 has the same
    layout.

    Parameters
    ----------
    path : str
        The folder or zip with C50train/ and C50test/.

    References
    ----------
    Houvardas & Stamatatos 2006, N-gram feature selection for authorship identification.
    """

    name = "c50"
    layout = "C50train/AUTHOR/123456newsML.txt and C50test/AUTHOR/…"
    documents = 5000
    authors = 50

    def _told(self, path: PurePosixPath) -> tuple[str, str | None, dict[str, str]] | None:
        if len(path.parts) < 3 or path.suffix.lower() != ".txt":
            return None
        part = re.search(r"(train|test)$", path.parts[-3], re.IGNORECASE)
        return None if part is None else (path.parts[-2], None, {"part": part[1].lower()})


@dataclass(eq=False, repr=False)
class Guardian10(ByName):
    """Guardian10: opinion articles and book reviews by 13 journalists of The Guardian.

    The topic is the folder: four of opinion (politics, society, uk, world) and one of another genre (books); column
    ``genre`` is opinion or review. The author is the folder below, or the letters with which the file's name begins.

    Parameters
    ----------
    path : str
        The folder or zip with one folder for each topic.

    References
    ----------
    Stamatatos 2013, On the robustness of authorship attribution based on character n-gram features.
    """

    name = "guardian10"
    layout = "Politics/AUTHOR/text.txt or Politics/AUTHOR_1.txt; so for Society, UK, World and Books"
    documents = 444
    authors = 13

    def _told(self, path: PurePosixPath) -> tuple[str, str | None, dict[str, str]] | None:
        topics = [i for i, part in enumerate(path.parts[:-1]) if part.lower() in _GUARDIAN]
        if not topics or path.suffix.lower() not in ("", ".txt"):
            return None
        below = path.parts[topics[-1] + 1 : -1]
        author = below[0] if below else re.split(r"[\d_.]", path.name)[0]
        author = re.sub(r"[^a-z]", "", author.lower())
        topic = path.parts[topics[-1]].lower()
        genre = "review" if topic == "books" else "opinion"
        return (author, topic, {"genre": genre}) if author else None


_GUARDIAN = {"politics", "society", "uk", "world", "books"}


@dataclass(eq=False, repr=False)
class CMCC(ByName):
    """CMCC: students who each wrote on six topics in six genres, so that both can be held out at will.

    Only texts of the folders ``Correlated`` are read, which hold those who wrote everything; column ``genre`` is blogs,
    chat, discussion, emails, essays or interviews. Files are in Windows-1252.

    Parameters
    ----------
    path : str
        The folder or zip with Blogs/, Chat/, Discussion/, Emails/, Essays/ and Interviews/.

    References
    ----------
    Goldstein-Stewart, Goodwin, Sabin & Winder 2008 (LREC), Creating and using a correlated corpus to glean
    communicative commonalities.
    """

    name = "cmcc"
    layout = "Blogs/Correlated/S1B1C1.txt and so on: author, genre and number, topic and number"

    def _told(self, path: PurePosixPath) -> tuple[str, str | None, dict[str, str]] | None:
        # One file of the collection has the digit 1 for the letter I.
        match = re.fullmatch(r"([A-Z]\d{1,9})([A-Z])\d{1,9}([A-Z1])\d{1,9}\.txt", path.name)
        if match is None or len(path.parts) < 3 or path.parts[-2].lower() != "correlated":
            return None
        topic = _CMCC.get(match[3].replace("1", "I"), match[3])
        return match[1], topic, {"genre": path.parts[-3].lower()}


_CMCC = {
    "C": "catholic church", "G": "gay marriage", "I": "war in iraq", "M": "marijuana", "P": "privacy",
    "S": "sex discrimination",
}  # fmt: skip


@dataclass(eq=False, repr=False)
class Pan12(ByName):
    """PAN 2012 authorship attribution: literary texts of the tasks' candidates, two of each.

    Authors are a task and a letter (``A/B``), and the topic is the task: candidates of two tasks may be one person.
    Texts to be tested name no author and are not read.

    Parameters
    ----------
    path : str
        The folder or zip with files such as 12AtrainB1.txt.

    References
    ----------
    Juola 2012, An overview of the traditional authorship attribution subtask (PAN at CLEF).
    """

    name = "pan12"
    layout = "12AtrainA1.txt: task, author and number"

    def _told(self, path: PurePosixPath) -> tuple[str, str | None, dict[str, str]] | None:
        match = re.fullmatch(r"12([A-Z])train([A-Z])(\d+)\.txt", path.name, re.IGNORECASE)
        return None if match is None else (f"{match[1]}/{match[2]}".upper(), f"task {match[1].upper()}", {})


_FILE = r"(\d+)\.(male|female)\.(\d+)\.([^.]+)\.([^.]+)\.xml"
# The files are called XML and are not: ampersands stand bare, and encodings are mixed.
_POST = re.compile(r"<date>([^<]*)</date>\s*+<post>(.*?)(</post>|\Z)", re.DOTALL)


@dataclass(eq=False, repr=False)
class Blogs(PublicCorpus):
    """Blog Authorship Corpus: all posts of 19,320 bloggers, with gender, age, industry and sign of the zodiac.

    A document is a post. The topic is the blogger's industry, as they chose it (every post of one blogger has the
    same); columns ``gender``, ``age``, ``sign`` and ``date`` are the collection's.

    Parameters
    ----------
    path : str
        The folder or zip with files such as 1000331.female.37.indUnk.Leo.xml.
    least : int
        Words that a post needs.

    References
    ----------
    Schler, Koppel, Argamon & Pennebaker 2006, Effects of age and gender on blogging.
    """

    name = "blogs"
    layout = "1000331.female.37.indUnk.Leo.xml: number, gender, age, industry, sign"
    documents = 681_288
    authors = 19_320

    least: int = 1

    def texts_of(self, archive: Archive, counted: Counter[str]) -> Iterator[CollectionText]:
        for name, match in self.matched(archive, counted, _FILE):
            writer, gender, age, industry, sign = match.groups()
            columns = {"gender": gender.lower(), "age": age, "sign": sign}
            for number, (date, post, end) in enumerate(_POST.findall(text_of(archive, name, counted) or ""), start=1):
                text = html.unescape(post).strip()
                if len(text.split()) < self.least or not text or not end:
                    counted["posts that are too short"] += 1
                    continue
                yield CollectionText(f"{writer}/{number}", text, writer, industry, {**columns, "date": date.strip()})


_SENT = {"_sent_mail", "sent", "sent_items", "_sent", "sent_mail"}
# Where another's words begin.
_QUOTED = re.compile(
    r"^[^\S\n]*+(-+\s*original message\s*-+|-+\s*forwarded by\b.*|_{10,}|from:\s.+|.{0,80}\bon \d\d/\d\d/\d{2,4} .*)$",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(eq=False, repr=False)
class Enron(PublicCorpus):
    """Enron: e-mails that employees sent, without what they quote or forward.

    Only folders of sent mail are read; the author is whose folder it is. Text ends where a quoted or forwarded message
    begins, and lines with ``>`` are dropped. Documents have no topic; column ``subject`` is the subject without
    ``Re:``, ``address`` the sender's.

    Parameters
    ----------
    path : str
        The folder maildir/ (or a zip of it), or the table emails.csv with the columns file and message.
    least : int
        Words that an e-mail needs.

    References
    ----------
    Klimt & Yang 2004, The Enron corpus: a new dataset for email classification research.
    """

    name = "enron"
    layout = "maildir/allen-p/_sent_mail/1. and so on, or emails.csv with the columns file and message"

    least: int = 10

    def texts_of(self, archive: Archive, counted: Counter[str]) -> Iterator[CollectionText]:
        for place, raw in self._messages(archive, counted):
            parts = PurePosixPath(place).parts
            if len(parts) < 3 or parts[-2].lower() not in _SENT:
                counted["not in a folder of sent mail"] += 1
                continue
            message = message_from_string(raw)
            text = written(_body(message))
            if len(text.split()) < self.least:
                counted[f"of fewer than {self.least} words"] += 1
                continue
            subject = re.sub(r"^\s*+((re|fwd?)\s*+:\s*+)+", "", str(message["Subject"] or ""), flags=re.IGNORECASE)
            columns = {"address": str(message["From"] or "") or None, "subject": " ".join(subject.split()) or None}
            yield CollectionText("/".join(parts[-3:]), text, parts[-3], None, columns)

    def _messages(self, archive: Archive, counted: Counter[str]) -> Iterator[tuple[str, str]]:
        for name in archive.names:
            if name.lower().endswith(".csv"):
                yield from _table(archive, name)
            elif (text := text_of(archive, name, counted)) is not None:
                yield name.removesuffix("."), text


def written(body: str) -> str:
    """What the sender wrote of a message's body."""
    cut = _QUOTED.search(body)
    own = body if cut is None else body[: cut.start()]
    return "\n".join(line for line in own.splitlines() if not line.lstrip().startswith(">")).strip()


def _body(message: Message) -> str:
    part = next((p for p in message.walk() if p.get_content_type() == "text/plain"), message)
    payload = part.get_payload()
    return payload if isinstance(payload, str) else ""


def _table(archive: Archive, name: str) -> Iterator[tuple[str, str]]:
    for line, row in csv_rows(archive, name):
        if "file" not in row or "message" not in row:
            raise FormatError(
                "this table holds no e-mails", file=archive.label(name), line=line, found=", ".join(row),
                expected="columns file and message",
            )  # fmt: skip
        if row["file"] and row["message"]:
            yield row["file"].removesuffix("."), row["message"]


_FIELDS = ("review", "user", "item", "rating", "title", "content")


@dataclass(eq=False, repr=False)
class IMDb62(PublicCorpus):
    """IMDb62: 62 users of the Internet Movie Database with 1,000 reviews each.

    The topic is the film (``item``); columns ``rating`` and ``title`` are the review's.

    Parameters
    ----------
    path : str
        The text file (or a zip or folder that holds it): lines of review, user, item, rating, title and content,
        divided by tabs.

    References
    ----------
    Seroussi, Zukerman & Bohnert 2010, Collaborative inference of sentiments from texts.
    """

    name = "imdb62"
    layout = "imdb62.txt: review, user, item, rating, title and content in a line, divided by tabs"
    documents = 62_000
    authors = 62

    def texts_of(self, archive: Archive, counted: Counter[str]) -> Iterator[CollectionText]:
        for name in archive.names:
            if not name.lower().endswith((".txt", ".tsv")) or "readme" in name.lower():
                counted["other files"] += 1
                continue
            for line, row in archive.lines(name):
                values = row.split("\t", 5)
                if line == 1 and values[0].lower().startswith("review"):
                    continue
                if len(values) != len(_FIELDS):
                    raise FormatError(
                        "this line is no review", file=archive.label(name), line=line, found=row[:80],
                        expected=f"{len(_FIELDS)} fields divided by tabs ({', '.join(_FIELDS)})",
                    )  # fmt: skip
                review, user, item, rating, title, content = values
                text = html.unescape(re.sub(r"<br\s*/?>", "\n", content)).strip()
                if not text:
                    counted["empty"] += 1
                    continue
                yield CollectionText(review, text, user, item, {"rating": rating or None, "title": title or None})


# Not every file is well-formed XML: some have bare ampersands.
_TEXT = re.compile(
    r'<text\s+file="([^"]*)"\s*>\s*(?:<author\s+id="([^"]*)"\s*(?:/>|>\s*</author>)\s*)?'
    r"(?:<body>(.*?)(?:</body>\s*</text>|(.?)\Z)|</text>)",
    re.DOTALL,
)


@dataclass(eq=False, repr=False)
class Pan11(PublicCorpus):
    """PAN 2011 authorship attribution: e-mails of the small and the large task, and of the verification tasks.

    Column ``part`` is the file a text stands in (LargeTrain, SmallTest …); the author of a tested text comes from the
    file GroundTruth… of the same name, and tested texts without truth are not read. Documents have no topic.

    Parameters
    ----------
    path : str
        The folder or zip with LargeTrain.xml and so on.

    References
    ----------
    Argamon & Juola 2011, Overview of the international authorship identification competition at PAN-2011.
    """

    name = "pan11"
    layout = 'LargeTrain.xml: <text file="…"><author id="…"/><body>…</body></text>'

    def texts_of(self, archive: Archive, counted: Counter[str]) -> Iterator[CollectionText]:
        parts: dict[str, list[tuple[str, str, str | None]]] = {}
        truth: dict[str, dict[str, str]] = {}
        for name, _ in self.matched(archive, counted, r".*\.xml"):
            stem = PurePosixPath(name).stem
            elements = _TEXT.findall(text_of(archive, name, counted) or "")
            entries = [(file, author, body) for file, author, body, cut in elements if not cut]
            if stem.lower().startswith("groundtruth"):
                truth[stem[len("groundtruth") :].lower()] = {file: author for file, author, _ in entries}
            else:
                parts[stem] = [(file, body, author or None) for file, author, body in entries]
        for part, texts in parts.items():
            known = truth.get(part.lower(), {})
            for file, body, named in texts:
                author = named or known.get(file)
                text = html.unescape(body).strip()
                if author is None or not text:
                    counted["texts without an author" if author is None else "empty"] += 1
                    continue
                yield CollectionText(f"{part}/{file}", text, author, None, {"part": part})


_TOP = {"CCAT": "corporate", "ECAT": "economics", "GCAT": "government", "MCAT": "markets"}


@dataclass(eq=False, repr=False)
class RCV1(PublicCorpus):
    """Reuters Corpus Volume 1 by author: the stories that have a byline.

    The author is the byline without ``By``, in one case. The topic is a story's top-level subject (corporate,
    economics, government, markets; the first by name where it has several, none where it has none); column ``codes``
    has all subject codes and ``date`` the day.

    Parameters
    ----------
    path : str
        The folder with the zips of the discs (19960820.zip …), or with the XML files in them.

    References
    ----------
    Lewis, Yang, Rose & Li 2004, RCV1: a new benchmark collection for text categorization research.
    """

    name = "rcv1"
    layout = "19960820.zip … or 2286newsML.xml: <newsitem> with <byline>, <text> and <codes>"

    def texts_of(self, archive: Archive, counted: Counter[str]) -> Iterator[CollectionText]:
        for name, data in self._files(archive, counted):
            try:
                item = ElementTree.fromstring(data)
            except ElementTree.ParseError as error:
                raise FormatError(f"this story is not XML ({error})", file=archive.label(name)) from None
            byline = " ".join((item.findtext("byline") or "").split())
            author = re.sub(r"^by\s+", "", byline, flags=re.IGNORECASE).strip(" .,").lower()
            text = "\n\n".join("".join(p.itertext()).strip() for p in item.iterfind("text/p")).strip()
            if item.tag != "newsitem" or not author or not text:
                counted["without a byline or text"] += 1
                continue
            subjects = item.iterfind("metadata/codes[@class='bip:topics:1.0']/code")
            codes = sorted(code.get("code", "") for code in subjects)
            topic = next((_TOP[code] for code in codes if code in _TOP), None)
            columns = {"codes": " ".join(codes) or None, "date": item.get("date")}
            yield CollectionText(item.get("itemid") or name, text, author, topic, columns)

    def _files(self, archive: Archive, counted: Counter[str]) -> Iterator[tuple[str, bytes]]:
        for name in archive.names:
            if name.lower().endswith(".xml"):
                yield name, archive.read(name)
            elif name.lower().endswith(".zip"):
                with archive.open(name) as file, zipfile.ZipFile(io.BytesIO(file.read())) as day:
                    for inner in sorted(n for n in day.namelist() if n.lower().endswith(".xml")):
                        yield f"{name}!{inner}", day.read(inner)
            else:
                counted["other files"] += 1


_LANGUAGE = re.compile(r"^Language:[ \t]*(\S(?:.*\S)?)\s*$", re.MULTILINE)
_SAMPLE = re.compile(r"(?P<author>[a-z]+)_(?P<number>\d+)_(?P<sources>\d+(?:_\d+)*)\.txt\Z")


@dataclass(eq=False, repr=False)
class EBG(Component):
    """Samples of about 500 words that 45 people sent in of their own writing.

    A sample's name says from which of its author's documents it was cut. Source documents are an author's own, and
    neighbouring samples of one can be contiguous, so what can be held out is the place in an author's list: topic
    ``source 2`` is every author's second document. Column ``document`` names the document itself (``bb/2``), column
    ``native`` says whether the author's first language is English (yes, no). A sample cut across two documents would
    bring each of them to both sides and is left out and counted. Obfuscations, imitations and the other files are no
    samples.

    Parameters
    ----------
    path : str
        The zip or folder.
    """

    name = "ebg"

    path: str = ""

    def load(self) -> Corpus:
        """Read the corpus. SpecError if no path is given; FormatError if there are no samples."""
        if not self.path:
            raise SpecError("ebg needs the place of its files", fix="ebg(path='extended-brennan-greenstadt.zip')")
        builder = CorpusBuilder(self.path)
        counted: Counter[str] = Counter()
        with Archive(self.path) as archive:
            native = {}
            for name in archive.names:
                if said := name.endswith("_demographics.txt") and _LANGUAGE.search(archive.text(name, published=True)):
                    native[PurePosixPath(name).parent.name] = "yes" if said[1].casefold() == "english" else "no"
            for name in archive.names:
                path = PurePosixPath(name)
                match = _SAMPLE.match(path.name)
                if match is None or match["author"] != path.parent.name:
                    counted["no samples"] += 1
                    continue
                sources = match["sources"].split("_")
                if len(sources) > 1:
                    counted["across documents"] += 1
                    continue
                author, source = match["author"], sources[0]
                counted["samples"] += 1
                text = archive.text(name, published=True)
                builder.add(
                    f"{author}/{match['number']}", text, author, f"source {source}", 1, "en",
                    {"document": f"{author}/{source}", "native": native.get(author)},
                )  # fmt: skip
        if not counted["samples"]:
            raise FormatError(
                "there are no samples here", file=self.path, expected="files such as amt/bb/bb_04_2.txt",
                fix="give the zip or folder of the Extended Brennan–Greenstadt corpus",
            )  # fmt: skip
        notes = {
            "source": "Extended Brennan–Greenstadt corpus (Drexel-AMT)",
            "licence": "unstated; for research",
            "citation": entry(self.name).citation,
            "files": dict(sorted(counted.items())),
        }
        return builder.finish(self.name, notes)
