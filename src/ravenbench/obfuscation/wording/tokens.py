"""The tokens of a sentence with their places and tags, and their spelling in Brown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ravenbench.text.nltk_data import tag

_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_CLITIC = re.compile(r"(?i)(n['’]t|['’](?:s|re|ve|ll|d|m))\Z")


@dataclass(frozen=True)
class Token:
    """One token at ``[start, end)`` of the text; contractions stay whole."""

    start: int
    end: int
    text: str


def tokens(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """Cut a stretch of text into words (contractions whole) and single marks."""
    found = _TOKEN.finditer(text, start, len(text) if end is None else end)
    return [Token(m.start(), m.end(), m.group()) for m in found]


def tags(found: Sequence[Token]) -> list[str]:
    """Penn Treebank tag of each token; a contraction has the tag of its first half.

    Raises
    ------
    MissingPart
        If NLTK or its tagger is not here.
    """
    pieces: list[str] = []
    first: list[int] = []
    for token in found:
        first.append(len(pieces))
        clitic = _CLITIC.search(token.text)
        if clitic and clitic.start():
            pieces += [token.text[: clitic.start()], clitic.group().replace("’", "'")]
        else:
            pieces.append(token.text)
    named = tag(pieces)
    return [named[i] for i in first]


def brown(words: Sequence[str]) -> list[str]:
    """Spell tokens as Brown does: straight apostrophes, ```` and '' for quotes in turn."""
    out, open_ = [], True
    for word in words:
        if word in '"“”':
            opening = word == "“" or (word == '"' and open_)
            out.append("``" if opening else "''")
            open_ = not opening
        else:
            out.append(word.replace("’", "'"))
    return out
