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
"""Where Unicode has combining signs; left out are variation selectors, which belong to pictures."""
JOINING = "\u200c\u200d" + "".join(
    character
    for first, end in _BLOCKS
    for character in map(chr, range(first, end))
    if unicodedata.category(character).startswith("M")
)
"""Characters that belong to the word before them and are no ``\\w``: combining signs and the two joiners."""


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
    r"""A pattern of words: a ``run`` of one kind of character, such as ``\w+``, and what joins its characters."""
    return rf"{run}+(?:[{MARKS}]++(?:{run}+)?)*"


HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
HIRAGANA = "\u3041-\u3096"
_WORDS = joined(rf"[^\W{HAN}{HIRAGANA}]+") + rf"|[{HAN}{HIRAGANA}][{MARKS}]*"
WORD = re.compile(_WORDS)
TOKEN = re.compile(rf"{_WORDS}|[^\w\s]")
_RUN = re.compile(r"\s\s+")

SENTENCE_END = frozenset(".!?;…。！？;·।")
"""Marks that end a sentence; ``;`` and ``·`` do in Greek and are close enough to it elsewhere."""


def lowered(text: str, turkish: bool | None = None) -> str:
    """A text or a word in lowercase. İ becomes i in every language, and I becomes ı where it is Turkish or Azerbaijani,
    which by default a text is that has more of ı and İ than of I."""
    if text.isascii() and not turkish:
        return text.lower()
    if turkish is None:
        turkish = text.count("ı") + text.count("İ") > text.count("I")
    return (text.replace("I", "ı") if turkish else text).replace("İ", "i").lower()


def words(text: str) -> list[str]:
    """The words of a text, case intact."""
    return WORD.findall(text)


def tokens(text: str) -> list[str]:
    """The words and single punctuation marks of a text in order, case intact."""
    return TOKEN.findall(text)


def normalised(text: str) -> str:
    """The text composed (NFC), with white space collapsed and byte order marks removed: the form by which documents are
    compared."""
    return " ".join(composed(text).replace("\ufeff", "").split())


def collapse(text: str) -> str:
    """Replace runs of two or more white-space characters by one space, as scikit-learn's char analyser; a single line
    break or tab stays what it is."""
    return _RUN.sub(" ", text)


def frequent(counts: Counter[str], k: int) -> list[str]:
    """The ``k`` most frequent units, ties by code point."""
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
    """How many words a text has."""
    return len(SPACED.findall(text)) if _ALONE.search(text) else len(text.split())


RUN = 8
"""Words in a row that are the same passage where they stand twice."""


def count_evidence(*texts: str) -> int:
    """How many words texts have together, each passage counted once: words that stand in a run of ``RUN`` which came
    before are no further evidence."""
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
    """So many words of a text from word ``start`` on (fewer where it ends), with the blanks between them."""
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
