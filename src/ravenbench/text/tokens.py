r"""Finds the words and marks of a text in any script, counts them and cuts texts by them.

In: a text (for ``count_evidence`` and ``frequent_words`` several); for ``cut`` how many words and the place of the
first, from 0; for ``frequent`` counts by unit, for both ``frequent…`` how many (k); for ``joined`` a pattern of one
kind of character.
Out: ``words`` and ``tokens`` (words and marks) lists in order, ``frequent`` and ``frequent_words`` the most frequent
first; ``lowered``, ``normalised`` (NFC, single blanks), ``collapse`` (single blanks) and ``cut`` texts; ``count_words``
and ``count_evidence`` (each passage once) numbers of words; ``joined`` a pattern. A word is a maximal run of ``\w``
with its accents; a Chinese character or a sign of hiragana is one by itself. A mark is one character that is neither a
word's nor white space.

For ``count_words``, ``count_evidence`` and ``cut`` a word is what is between blanks, or such a character.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

from ravenbench.texts import composed

_BLOCKS = (
    (0x300, 0x1E00),
    (0x20D0, 0x20F1),
    (0x2CEF, 0x3100),
    (0xA66F, 0xAC00),
    (0xFB1E, 0xFB1F),
    (0xFE20, 0xFE30),
    (0x101FD, 0x12000),
    (0x16AF0, 0x17000),
    (0x1BC9D, 0x1BC9F),
    (0x1CF00, 0x1DAB0),
    (0x1E000, 0x1E950),
)
"""Ranges of Unicode's combining signs, without variation selectors, which belong to pictures."""
JOINING = "\u200c\u200d" + "".join(
    character
    for first, end in _BLOCKS
    for character in map(chr, range(first, end))
    if unicodedata.category(character).startswith("M")
)
"""Characters that belong to the word before them and are not ``\\w``: combining signs and the two joiners."""


def _ranges(characters: str) -> str:
    """Characters as they stand between the brackets of a regular expression."""
    points = sorted(map(ord, characters))
    first_points = [
        point
        for point, previous in zip(points, [-2, *points], strict=False)
        if point != previous + 1
    ]
    last_points = [
        point
        for point, following in zip(points, [*points[1:], -2], strict=True)
        if point != following - 1
    ]
    return "".join(
        f"{chr(first)}-{chr(last)}" for first, last in zip(first_points, last_points, strict=True)
    )


MARKS = _ranges(JOINING)
"""The same within the brackets of a regular expression."""


def joined(run: str) -> str:
    r"""Return a pattern of words: a ``run`` of one kind of character, such as ``\w+``, and the marks that join its
    characters."""
    return rf"{run}+(?:[{MARKS}]++(?:{run}+)?)*"


HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
HIRAGANA = "\u3041-\u3096"
_WORDS = joined(rf"[^\W{HAN}{HIRAGANA}]+") + rf"|[{HAN}{HIRAGANA}][{MARKS}]*"
WORD = re.compile(_WORDS)
TOKEN = re.compile(rf"{_WORDS}|[^\w\s]")
_RUN = re.compile(r"\s\s+")

SENTENCE_END = frozenset(".!?;…。！？;·।")
"""Marks that end a sentence; ``;`` and ``·`` do so in Greek and come close to it in other languages."""


def lowered(text: str, turkish: bool | None = None) -> str:
    """Return a text or word in lowercase. İ becomes i in every language; I becomes ı in Turkish or Azerbaijani. By
    default a text with more ı and İ than I counts as one of these."""
    if text.isascii() and not turkish:
        return text.lower()
    if turkish is None:
        turkish = text.count("ı") + text.count("İ") > text.count("I")
    return (text.replace("I", "ı") if turkish else text).replace("İ", "i").lower()


def words(text: str) -> list[str]:
    """Return the words of a text, case intact."""
    return WORD.findall(text)


def tokens(text: str) -> list[str]:
    """Return the words and single punctuation marks of a text in order, case intact."""
    return TOKEN.findall(text)


def normalised(text: str) -> str:
    """Return the text composed (NFC), with white space collapsed and byte order marks removed: the form in which
    documents are compared."""
    return " ".join(composed(text).replace("\ufeff", "").split())


def collapse(text: str) -> str:
    """Replace runs of two or more white-space characters by one space, as scikit-learn's char analyser; a single line
    break or tab stays what it is."""
    return _RUN.sub(" ", text)


def frequent(counts: Counter[str], k: int) -> list[str]:
    """Return the ``k`` most frequent units, ties by code point."""
    return sorted(counts, key=lambda word: (-counts[word], word))[:k]


def frequent_words(
    texts: Iterable[str], k: int, folded: bool = True, shortest: int = 1
) -> list[str]:
    """The ``k`` most frequent words of some texts, all-digit tokens left out, ties by code point; lowercase forms
    unless not ``folded`` (*The* and *the* are then two words), and none of fewer than ``shortest`` characters.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(WORD.findall(lowered(text) if folded else text))
    counted = Counter(
        {
            word: count
            for word, count in counts.items()
            if len(word) >= shortest and not word.isdecimal()
        }
    )
    return frequent(counted, k)


SPACED = re.compile(rf"[{HAN}{HIRAGANA}][^\s\w]*|[^\s{HAN}{HIRAGANA}]+")
_ALONE = re.compile(f"[{HAN}{HIRAGANA}]")


def count_words(text: str) -> int:
    """Return the number of words of a text."""
    return len(SPACED.findall(text)) if _ALONE.search(text) else len(text.split())


RUN = 8
"""Number of consecutive words that count as the same passage if they occur again."""


def count_evidence(*texts: str) -> int:
    """Return the number of words of texts, each passage counted once: words in a run of ``RUN`` that occurred before
    are not further evidence."""
    met: set[tuple[str, ...]] = set()
    count = 0
    for text in texts:
        words = [word.lower() for word in SPACED.findall(text)]
        repeated_until = 0  # the place up to which the words came before
        for position in range(len(words)):
            run = tuple(words[position : position + RUN])
            repeated_until = max(
                repeated_until, position + RUN if len(run) == RUN and run in met else 0
            )
            count += position >= repeated_until
            met.add(run)
    return count


def cut(text: str, words: int, start: int = 0) -> str:
    """Return a number of words of a text from word ``start`` on (fewer at its end), with the blanks between them."""
    first_word = last_word = None
    for number, match in enumerate(SPACED.finditer(text)):
        if number == start:
            first_word = match.start()
        if number >= start + words:
            break
        last_word = match.end()
    return (
        "" if first_word is None or last_word is None or words < 1 else text[first_word:last_word]
    )
