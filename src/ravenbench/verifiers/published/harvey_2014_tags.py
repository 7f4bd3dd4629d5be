"""Part-of-speech tags of a text as one symbol a token."""

from __future__ import annotations

import os
from functools import cache, lru_cache

from ravenbench.text.nltk_data import tagger
from ravenbench.text.tokens import tokens

_FIRST = ord("A")
_LATIN_ENDS = "\u024f"


def tag_symbols(text: str) -> str:
    """Penn Treebank tags of a text's tokens, each a character of its own; none where most letters are not Latin.

    Raises
    ------
    MissingPart
        If NLTK or its English tagger is not here, with the command that brings it.
    """
    return _symbols(text, os.environ.get("NLTK_DATA", ""))


def latin(text: str) -> bool:
    """True if at least half of a text's letters are Latin."""
    letters = [c for c in text if c.isalpha()]
    return 2 * sum(c <= _LATIN_ENDS for c in letters) >= len(letters)


@lru_cache(maxsize=4096)
def _symbols(text: str, folders: str) -> str:
    found = tokens(text)
    if not found or not latin(text):
        return ""
    symbol = _alphabet(folders)
    return "".join([symbol[tag] for _, tag in tagger().tag(found)])


@cache
def _alphabet(folders: str) -> dict[str, str]:
    """The symbol of each of the tagger's tags, in alphabetical order."""
    known = {*tagger().classes, *tagger().tagdict.values()}
    return {tag: chr(_FIRST + i) for i, tag in enumerate(sorted(known))}
