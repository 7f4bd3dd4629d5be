"""Collections of one file a document, whose author and topic its path tells: C50, Guardian10, CMCC, PAN12."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from ravenbench.corpora.public.base import Found, PublicCorpus, text_of
from ravenbench.formats.archive import Archive


@dataclass(eq=False, repr=False)
class ByName(PublicCorpus):
    """Base of collections whose files' names tell everything but the text."""

    def found(self, archive: Archive, counted: Counter[str]) -> Iterator[Found]:
        for name in archive.names:
            told = self._told(PurePosixPath(name))
            if told is None:
                counted["other files"] += 1
            elif (text := text_of(archive, name, counted)) is not None:
                author, topic, columns = told
                yield Found(name.rpartition(".")[0], text, author, topic, columns)

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

    Texts of the folders ``Correlated`` alone, which hold those who wrote everything; column ``genre`` is blogs, chat,
    discussion, emails, essays or interviews. Files are in Windows-1252.

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
        match = re.fullmatch(r"([A-Z]\d+)([A-Z])\d+([A-Z1])\d+\.txt", path.name)
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
    Texts to be tested name no author and are left alone.

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
