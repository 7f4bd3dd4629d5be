"""Readers for the field's public collections, each from the place where a user has it; nothing is downloaded."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import ClassVar

from ravenbench.components import Component
from ravenbench.corpora.build import CorpusBuilder
from ravenbench.corpora.catalogue import entry
from ravenbench.errors import FormatError, SpecError
from ravenbench.formats.archive import Archive
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
