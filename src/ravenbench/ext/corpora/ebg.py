"""Loads the Extended Brennan–Greenstadt corpus from the user's copy, without downloading anything.

In: the path of the corpus, a folder or a zip.
Out: a ``Corpus`` with one document for each sample (about 500 words), labelled by author, topic (the place of its source
document in the author's list), ``document`` and ``native`` (yes, no). SpecError without a path, FormatError if there
are no samples.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import PurePosixPath

from ravenbench.components import Component
from ravenbench.errors import FormatError, SpecError
from ravenbench.reading.build import CorpusBuilder
from ravenbench.reading.catalogue import entry
from ravenbench.reading.texts import published_texts
from ravenbench.types import Corpus

_LANGUAGE = re.compile(r"^Language:[ \t]*(\S(?:.*\S)?)\s*$", re.MULTILINE)
_SAMPLE = re.compile(r"(?P<author>[a-z]+)_(?P<number>\d+)_(?P<sources>\d+(?:_\d+)*)\.txt\Z")
_ABOUT = "_demographics.txt"


def _is_read(name: str) -> bool:
    """Whether a file is a sample, or says what language its author grew up with."""
    path = PurePosixPath(name)
    match = _SAMPLE.match(path.name)
    return name.endswith(_ABOUT) or (match is not None and match["author"] == path.parent.name)


@dataclass(eq=False, repr=False)
class EBG(Component):
    """Samples of about 500 words from texts that 45 people wrote and sent in.

    A sample's name says from which of its author's documents it was cut. Source documents differ between authors, and
    neighbouring samples of one can be contiguous, so the position in an author's list can be held out: topic
    ``source 2`` is every author's second document. Column ``document`` names the document (``bb/2``), column
    ``native`` says whether the author's first language is English (yes, no). A sample cut across two documents would
    be in both parts, so it is left out and counted. Obfuscations, imitations and other files are not
    samples.

    Parameters
    ----------
    path : str
        The zip or folder.
    """

    name = "ebg"

    path: str = ""

    def load(self) -> Corpus:
        """Read the corpus as a ``Corpus``. SpecError if no path is given; FormatError if there are no samples."""
        if not self.path:
            raise SpecError(
                "ebg needs the path of its files",
                fix="ebg(path='extended-brennan-greenstadt.zip')",
            )
        builder = CorpusBuilder(self.path)
        counted: Counter[str] = Counter()
        texts, others = published_texts(self.path, _is_read)
        counted["no samples"] += len(others)
        native = {}
        for name, text in texts.items():
            if said := name.endswith(_ABOUT) and _LANGUAGE.search(text):
                english = said[1].casefold() == "english"
                native[PurePosixPath(name).parent.name] = "yes" if english else "no"
        for name, text in texts.items():
            match = _SAMPLE.match(PurePosixPath(name).name)
            if match is None:
                counted["no samples"] += 1
                continue
            sources = match["sources"].split("_")
            if len(sources) > 1:
                counted["across documents"] += 1
                continue
            author = match["author"]
            source = sources[0]
            counted["samples"] += 1
            builder.add(
                f"{author}/{match['number']}",
                text,
                author,
                f"source {source}",
                1,
                "en",
                {"document": f"{author}/{source}", "native": native.get(author)},
            )
        if not counted["samples"]:
            raise FormatError(
                "no samples found here",
                file=self.path,
                expected="files such as amt/bb/bb_04_2.txt",
                fix="give the zip or folder of the Extended Brennan–Greenstadt corpus",
            )
        notes = {
            "source": "Extended Brennan–Greenstadt corpus (Drexel-AMT)",
            "licence": "unstated; for research",
            "citation": entry(self.name).citation,
            "files": dict(sorted(counted.items())),
        }
        return builder.finish(self.name, notes)
