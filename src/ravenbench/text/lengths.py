"""Texts cut to a number of words, their spacing kept; a word is what stands between blanks."""

from __future__ import annotations

import re

_WORD = re.compile(r"\S+")


def count_words(text: str) -> int:
    """How many words a text has."""
    return len(text.split())


def cut(text: str, words: int, start: int = 0) -> str:
    """So many words of a text from word ``start`` on (fewer where it ends), with the blanks between them."""
    first = last = None
    for number, match in enumerate(_WORD.finditer(text)):
        if number == start:
            first = match.start()
        if number >= start + words:
            break
        last = match.end()
    return "" if first is None or last is None or words < 1 else text[first:last]
