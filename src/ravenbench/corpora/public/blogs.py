"""The Blog Authorship Corpus: 19,320 bloggers of blogger.com, a file each."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from ravenbench.corpora.public.base import Found, PublicCorpus, text_of
from ravenbench.formats.archive import Archive

_FILE = re.compile(r"(\d+)\.(male|female)\.(\d+)\.([^.]+)\.([^.]+)\.xml", re.IGNORECASE)
# The files are called XML and are not: ampersands stand bare, and encodings are mixed.
_POST = re.compile(r"<date>(.*?)</date>\s*<post>(.*?)</post>", re.DOTALL)


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

    path: str = ""
    least: int = 1

    def found(self, archive: Archive, counted: Counter[str]) -> Iterator[Found]:
        for name in archive.names:
            told = _FILE.fullmatch(PurePosixPath(name).name)
            if told is None:
                counted["other files"] += 1
                continue
            writer, gender, age, industry, sign = told.groups()
            columns = {"gender": gender.lower(), "age": age, "sign": sign}
            for number, (date, post) in enumerate(_POST.findall(text_of(archive, name, counted) or ""), start=1):
                text = html.unescape(post).strip()
                if len(text.split()) < self.least or not text:
                    counted["posts that are too short"] += 1
                    continue
                yield Found(f"{writer}/{number}", text, writer, industry, {**columns, "date": date.strip()})
