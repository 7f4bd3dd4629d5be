"""The stretches of a text that a rewriting must leave as they are, so that it can still be read.

They are names, abbreviations, numbers with marks inside, addresses, foreign and Latin phrases, and units of several
words that mean something else than their words (*no one*, *high school*).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache

from ravenbench.obfuscation.wording import resources
from ravenbench.obfuscation.wording.lists import load
from ravenbench.text.nltk_data import missing

Span = tuple[int, int]

_WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
_OPENING = re.compile(r"(?:\A|[.!?…:]|\n)[\"'“‘(\[\s]*\Z")
_LONGEST_UNIT = 4


class Stretches:
    """Stretches of one text that are to be left alone, and its names.

    Parameters
    ----------
    text : str
    names : frozenset of str
        Further names, of a longer text that this is part of.

    Attributes
    ----------
    names : frozenset of str
        Words that are names here: capitalised inside a sentence, or at its start and no English word in lower case.
    """

    def __init__(self, text: str, names: frozenset[str] = frozenset()) -> None:
        words = list(_WORD.finditer(text))
        lower = Counter(m.group() for m in words if m.group().islower())
        capital = [m for m in words if m.group()[:1].isupper() and m.group() not in ("I", "I'm", "I've", "I'd", "I'll")]
        inside = {m.group() for m in capital if not _OPENING.search(text[max(0, m.start() - 12) : m.start()])}
        self.names = names | frozenset(
            word
            for m in capital
            if not lower[(word := m.group()).lower()] and (word in inside or not is_english(word.lower()))
        )
        found = [m.span() for m in words if m.group() in self.names]
        found += [m.span() for pattern in (_marked(), *_fixed()) for m in pattern.finditer(text)]
        found += _units(text, words)
        self.spans = _joined(found)
        self._starts = [start for start, _ in self.spans]

    def touch(self, start: int, end: int) -> bool:
        """Whether an edit of ``[start, end)`` would change such a stretch; one that is removed whole counts too."""
        place = bisect_right(self._starts, start) - 1
        nearby = self.spans[max(0, place) : bisect_right(self._starts, end)]
        return any(low < end and start < high for low, high in nearby)

    def cut(self, start: int, end: int) -> bool:
        """Whether removing ``[start, end)`` would leave a piece of such a stretch behind."""
        place = bisect_right(self._starts, start) - 1
        nearby = self.spans[max(0, place) : bisect_right(self._starts, end)]
        return any(low < end and start < high and not (start <= low and high <= end) for low, high in nearby)


@lru_cache(256)
def stretches(text: str, names: frozenset[str] = frozenset()) -> Stretches:
    """The stretches of a text, found once; ``names`` as of ``Stretches``."""
    return Stretches(text, names)


def is_english(word: str) -> bool:
    """Whether a lower-case word exists: in Brown, in WordNet, or as an inflected form in lemminflect's lexicon.

    Where Brown is not here, every word does.
    """
    return missing("brown") is not None or _is_english(word)


@lru_cache(1 << 16)
def _is_english(word: str) -> bool:
    if word in resources.language_model():
        return True
    # WordNet takes endings off freely: only what it lists counts.
    if missing("wordnet") is None:
        lemmas = {lemma for sense in resources.wordnet().synsets(word) for lemma in sense.lemma_names()}
        if word in lemmas:
            return True
    try:
        from lemminflect import getAllLemmas
    except ModuleNotFoundError:
        return False
    return bool(getAllLemmas(word))


@cache
def _marked() -> re.Pattern[str]:
    dotted = "|".join(sorted(load("fixed_phrases")["abbreviations"], key=lambda w: (-len(w), w)))
    return re.compile(
        r"(?:https?://|www\.)\S+|\S+@\S+\.\w+"  # addresses
        r"|(?<!\w)(?:[^\W\d_]\.){2,}(?:[^\W\d_](?!\w))?"  # e.g., U.S., p.m
        rf"|(?<!\w)(?:{dotted})\.(?!\w)"
        r"|(?<!\w)[A-Z](?:\.|(?=['’]s\b))"  # initials
        r"|(?<!\w)(?=\w*[A-Z]\w*[A-Z])[A-Z0-9]{2,}s?(?!\w)"  # NATO, DVDs
        r"|(?<!\w)\w*\d[\w.,:/%\-]*\s(?:hundred|thousand|million|billion|trillion|percent|per cent)\b"  # 3,2 million
        r"|(?<!\w)\w*\d[\w.,:/%\-]*\d\w*|(?<!\w)\w*\d\w*(?:%|(?=[^\w\s]\w))?"  # 10:30 and 1970s
    )


@cache
def _fixed() -> tuple[re.Pattern[str], ...]:
    lists = load("fixed_phrases")
    keys = sorted((*lists["foreign"], *lists["units"]), key=lambda k: (-len(k), k))
    spelt = "|".join(re.escape(key).replace(r"\ ", r"\s+") for key in keys)
    return (re.compile(rf"(?<!\w)(?:{spelt})(?!\w)", re.IGNORECASE),)


def _units(text: str, words: Sequence[re.Match[str]]) -> list[Span]:
    """Collocations WordNet lists, the longest at each place; only single spaces may stand between their words."""
    if missing("wordnet") is not None:
        return []
    found: list[Span] = []
    for i, first in enumerate(words):
        if found and first.start() < found[-1][1]:
            continue
        end = i + 1
        while end < len(words) and end - i < _LONGEST_UNIT and text[words[end - 1].end() : words[end].start()] == " ":
            end += 1
        for stop in range(end, i + 1, -1):
            if _is_unit("_".join(m.group().lower() for m in words[i:stop])):
                found.append((first.start(), words[stop - 1].end()))
                break
    return found


@lru_cache(1 << 16)
def _is_unit(phrase: str) -> bool:
    return bool(resources.wordnet().synsets(phrase))


def _joined(found: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for start, end in sorted(found):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined
