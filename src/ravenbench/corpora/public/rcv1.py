"""Reuters Corpus Volume 1 by its bylines: news stories in NewsML, in folders or in the discs' zips of a day each."""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from ravenbench.corpora.public.base import Found, PublicCorpus
from ravenbench.errors import FormatError
from ravenbench.formats.archive import Archive

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

    def found(self, archive: Archive, counted: Counter[str]) -> Iterator[Found]:
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
            yield Found(item.get("itemid") or name, text, author, topic, columns)

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
