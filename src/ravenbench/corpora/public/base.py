"""What readers of public collections share: a path, a layout, a licence, and what the whole collection holds."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from ravenbench.components import Component
from ravenbench.corpora.build import CorpusBuilder
from ravenbench.corpora.catalogue import entry
from ravenbench.errors import FormatError, SpecError
from ravenbench.formats.archive import Archive
from ravenbench.types import Corpus


@dataclass(frozen=True)
class Found:
    """One document as a collection tells of it; ``line`` is its place in the file or the count of files."""

    id: str
    text: str
    author: str
    topic: str | None
    columns: Mapping[str, str | None] = field(default_factory=dict)


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

    @abstractmethod
    def found(self, archive: Archive, counted: Counter[str]) -> Iterator[Found]:
        """Every document; ``counted`` takes the number of files left alone, by reason."""

    def load(self) -> Corpus:
        """Read the collection.

        Raises
        ------
        SpecError
            If no path is given.
        FormatError
            If there are no documents of this layout, or one cannot be read.
        """
        if not self.path:
            raise SpecError(f"{self.name} needs the place of its files", fix=f"{self.name}(path='PLACE')")
        builder = CorpusBuilder(self.path)
        counted: Counter[str] = Counter()
        read = 0
        with Archive(self.path) as archive:
            for read, one in enumerate(self.found(archive, counted), start=1):
                builder.add(one.id, one.text, one.author, one.topic, read, self.language, one.columns)
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
