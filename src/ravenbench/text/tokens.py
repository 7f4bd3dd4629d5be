r"""Tokens in any script: words are maximal runs of ``\w``, marks are single punctuation or symbol characters.

What ``count_words`` and ``cut`` call a word stands between blanks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

WORD = re.compile(r"\w+")
TOKEN = re.compile(r"\w+|[^\w\s]")
_RUN = re.compile(r"\s\s+")

SENTENCE_END = frozenset(".!?;…。！？;·।")
"""Marks that end a sentence; ``;`` and ``·`` do in Greek and are close enough to it elsewhere."""


def words(text: str) -> list[str]:
    """The words of a text: maximal runs of letters, digits and underscores, case intact."""
    return WORD.findall(text)


def tokens(text: str) -> list[str]:
    """The words and single punctuation marks of a text in order, case intact."""
    return TOKEN.findall(text)


def normalised(text: str) -> str:
    """The text with white space collapsed and byte order marks removed: the form by which documents are compared."""
    return " ".join(text.replace("\ufeff", "").split())


def collapse(text: str) -> str:
    """Replace runs of two or more white-space characters by one space, as scikit-learn's char analyser; a single line
    break or tab stays what it is."""
    return _RUN.sub(" ", text)


def frequent(counts: Counter[str], k: int) -> list[str]:
    """The ``k`` most frequent units, ties by code point."""
    return sorted(counts, key=lambda w: (-counts[w], w))[:k]


def frequent_words(texts: Iterable[str], k: int, folded: bool = True, shortest: int = 1) -> list[str]:
    """The ``k`` most frequent words of some texts, all-digit tokens left out, ties by code point; lowercase forms
    unless not ``folded`` (*The* and *the* are then two words), and none of fewer than ``shortest`` characters."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(WORD.findall(text))
    if folded:
        lower: Counter[str] = Counter()
        for word, count in counts.items():
            lower[word.lower()] += count
        counts = lower
    counted = Counter({w: c for w, c in counts.items() if len(w) >= shortest and not w.isdecimal()})
    return frequent(counted, k)


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
