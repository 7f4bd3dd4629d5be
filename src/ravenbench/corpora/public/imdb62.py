"""IMDb62: film reviews by 62 prolific users."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ravenbench.corpora.public.base import Found, PublicCorpus
from ravenbench.errors import FormatError
from ravenbench.formats.archive import Archive

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

    def found(self, archive: Archive, counted: Counter[str]) -> Iterator[Found]:
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
                yield Found(review, text, user, item, {"rating": rating or None, "title": title or None})
