"""Keeps rewritten text readable: finds what must not change and which words may replace a word, and mends rewritings.

In: for ``stretches`` a text; for ``relatives``, ``forms``, ``acceptable`` and ``same_form`` a word and its part of
speech (``n``, ``v``, ``a``, ``r``), for the last two also a lemma; for ``inflected`` a lemma and a Treebank tag; for
``mended`` the ``Part``s of a rewriting.
Out: ``stretches`` gives ``Stretches`` that must not change (``touch`` and ``cut`` take a half-open span, in code
points, and give bool); ``relatives`` synonyms and hypernyms (lemmas), ``forms`` Treebank tags; ``same_form`` and
``inflected`` a form, None where there is none; ``acceptable``, ``opposite``, ``akin`` and ``is_english`` bool;
``mended`` the parts with articles, stops, capitals and spaces mended. MissingPart from ``relatives``, ``forms``,
``acceptable`` and ``same_form`` without WordNet, and from the last and ``inflected`` if lemminflect is needed and not
installed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from typing import Any

from ravenbench.errors import MissingPart, install
from ravenbench.obfuscation.parts import sentences
from ravenbench.obfuscation.wording import resources
from ravenbench.obfuscation.wording.resources import load, word_set
from ravenbench.obfuscation.wording.words import base_form, parents, senses, usual_sense
from ravenbench.reading.pan_obfuscation import Part
from ravenbench.text.alignment import match, pieces
from ravenbench.text.nltk_data import missing

Span = tuple[int, int]
Corrections = list[tuple[int, int, str]]
"""Begin and end of each, and the text that comes there."""

_WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
_OPENING = re.compile(r"(?:\A|[.!?…:]|\n)[\"'“‘(\[\s]{0,12}\Z")
_LONGEST_UNIT = 4


class Stretches:
    """Spans of one text that must not change, and its names.

    Parameters
    ----------
    text : str
    names : frozenset of str
        Further names, from a longer text that contains this one.

    Attributes
    ----------
    names : frozenset of str
        Words that are names here: capitalised inside a sentence, or at its start if they are not English words in
        lowercase.
    """

    def __init__(self, text: str, names: frozenset[str] = frozenset()) -> None:
        words = list(_WORD.finditer(text))
        lower_counts = Counter(word.group() for word in words if word.group().islower())
        capital = [
            word
            for word in words
            if word.group()[:1].isupper()
            and word.group().replace("’", "'") not in ("I", "I'm", "I've", "I'd", "I'll")
        ]
        inside = {
            word.group()
            for word in capital
            if not _OPENING.search(text[max(0, word.start() - 12) : word.start()])
        }
        self.names = names | frozenset(
            word
            for match in capital
            if not lower_counts[(word := match.group()).lower()]
            and (word in inside or not is_english(word.lower()))
        )
        name_spans = [word.span() for word in words if word.group() in self.names]
        name_spans += [
            match.span() for pattern in (_marked(), *_fixed()) for match in pattern.finditer(text)
        ]
        name_spans += _units(text, words)
        self.spans = _joined(name_spans)
        self._starts = [start for start, _ in self.spans]

    def touch(self, start: int, end: int) -> bool:
        """Return whether an edit of ``[start, end)`` would change or remove such a span."""
        return bool(self._touched(start, end))

    def cut(self, start: int, end: int) -> bool:
        """Return whether removing ``[start, end)`` would leave part of such a span."""
        return not all(start <= low and high <= end for low, high in self._touched(start, end))

    def _touched(self, start: int, end: int) -> list[tuple[int, int]]:
        first_span = bisect_right(self._starts, start) - 1
        nearby = self.spans[max(0, first_span) : bisect_right(self._starts, end)]
        return [(low, high) for low, high in nearby if low < end and start < high]


@lru_cache(256)
def stretches(text: str, names: frozenset[str] = frozenset()) -> Stretches:
    """Return the ``Stretches`` of a text (spans in characters), found once; ``names`` as in ``Stretches``."""
    return Stretches(text, names)


def is_english(word: str) -> bool:
    """Return whether a lowercase word exists: in Brown, in WordNet, or as an inflected form in lemminflect's lexicon.

    Without Brown, every word counts as existing.
    """
    return missing("brown") is not None or _is_english(word)


@lru_cache(1 << 16)
def _is_english(word: str) -> bool:
    if word in resources.language_model():
        return True
    # WordNet takes endings off freely: only what it lists counts.
    if missing("wordnet") is None:
        lemmas = {
            lemma for sense in resources.wordnet().synsets(word) for lemma in sense.lemma_names()
        }
        if word in lemmas:
            return True
    try:
        from lemminflect import getAllLemmas
    except ModuleNotFoundError:
        return False
    return bool(getAllLemmas(word))


@cache
def _marked() -> re.Pattern[str]:
    dotted = "|".join(
        sorted(load("fixed_phrases")["abbreviations"], key=lambda phrase: (-len(phrase), phrase))
    )
    return re.compile(
        r"(?:https?://|www\.)\S+|(?<!\S)\S[^\s@]*+@\S+\.\w+"  # addresses
        r"|(?<!\w)(?:[^\W\d_]\.){2,}(?:[^\W\d_](?!\w))?"  # e.g., U.S., p.m
        rf"|(?<!\w)(?:{dotted})\.(?!\w)"
        r"|(?<!\w)[A-Z](?:\.|(?=['’]s\b))"  # initials
        r"|(?<!\w)(?=\w*[A-Z]\w*[A-Z])[A-Z0-9]{2,}s?(?!\w)"  # NATO, DVDs
        r"|(?<!\w)\w*\d[\w.,:/%\-]{0,99}\s(?:hundred|thousand|million|billion|trillion|percent|per"
        r" cent)\b"  # 3,2 m
        r"|(?<!\w)\w*\d[\w.,:/%\-]{0,99}\d\w*|(?<!\w)\w*\d\w*(?:%|(?=[^\w\s]\w))?"  # 10:30 and 1970s
    )


@cache
def _fixed() -> tuple[re.Pattern[str], ...]:
    lists = load("fixed_phrases")
    keys = sorted((*lists["foreign"], *lists["units"]), key=lambda phrase: (-len(phrase), phrase))
    spelt = "|".join(re.escape(key).replace(r"\ ", r"\s+") for key in keys)
    return (re.compile(rf"(?<!\w)(?:{spelt})(?!\w)", re.IGNORECASE),)


def _units(text: str, words: Sequence[re.Match[str]]) -> list[Span]:
    """Collocations WordNet lists, the longest at each place; only single spaces may stand between their words."""
    if missing("wordnet") is not None:
        return []
    spans: list[Span] = []
    lower = [word.group().lower() for word in words]
    joined = [text[word.end() : next_word.start()] == " " for word, next_word in pairwise(words)]
    beginnings = _beginnings()
    for i, first_word in enumerate(words):
        if spans and first_word.start() < spans[-1][1]:
            continue
        phrase = lower[i]
        phrases = []
        for last_index in range(i + 1, min(i + _LONGEST_UNIT, len(words))):
            if not joined[last_index - 1]:
                break
            begins = phrase in beginnings
            phrase = f"{phrase}_{lower[last_index]}"
            if begins:
                phrases.append((phrase, last_index))
        for unit, last_index in reversed(phrases):
            if _is_unit(unit):
                spans.append((first_word.start(), words[last_index].end()))
                break
    return spans


@cache
def _beginnings() -> frozenset[str]:
    """WordNet's collocations and their irregular forms without the last word: rules of inflection change only that."""
    reader = resources.wordnet()
    irregular = (form for forms in reader._exception_map.values() for form in forms)
    return frozenset(
        name.rpartition("_")[0]
        for name in (*reader._lemma_pos_offset_map, *irregular)
        if "_" in name
    )


@lru_cache(1 << 16)
def _is_unit(phrase: str) -> bool:
    return bool(resources.wordnet().synsets(phrase))


def _joined(spans: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


_TAGS = {
    "n": ("NN", "NNS"),
    "v": ("VB", "VBP", "VBZ", "VBG", "VBD", "VBN"),
    "a": ("JJ", "JJR", "JJS"),
}
_TAGS |= {"r": ("RB", "RBR", "RBS")}
_DEGREE = {"JJR": "more", "RBR": "more", "JJS": "most", "RBS": "most"}
_ENDING = re.compile(r"(?:ing|ings|ed|er|ers|est|s|es|ly|ness)\Z")
_REMEMBERED = 1 << 16
_GRAMMAR = word_set("grammar")
"""Words with a grammatical function, which no word may replace."""


@cache
def antonyms(word: str) -> frozenset[str]:
    """Return single-word WordNet antonyms of any sense of a word."""
    lemmas = [lemma for sense in resources.wordnet().synsets(word) for lemma in sense.lemmas()]
    near = [lemma for lemma in lemmas if lemma.name().casefold() == word]
    return frozenset(antonym.name().casefold() for lemma in near for antonym in lemma.antonyms())


def opposite(a: str, b: str) -> bool:
    """Return whether two words are antonyms, or a synonym of one is an antonym of the other; False without WordNet."""
    return missing("wordnet") is None and _opposite(a, b)


@lru_cache(_REMEMBERED)
def _opposite(a: str, b: str) -> bool:
    of_first = antonyms(a)
    of_second = antonyms(b)
    if b in of_first or a in of_second:
        return True
    pairs = ((a, of_second), (b, of_first))
    return any(
        name in antonyms_of_other
        for word, antonyms_of_other in pairs
        if antonyms_of_other
        for name in _synonyms(word)
    )


def bases(word: str) -> frozenset[str]:
    """Return the base forms of a lowercase word in all parts of speech; empty without WordNet."""
    return frozenset() if missing("wordnet") is not None else _bases(word)


@lru_cache(_REMEMBERED)
def _bases(word: str) -> frozenset[str]:
    reader = resources.wordnet()
    return frozenset(base for pos in "nvar" for base in reader._morphy(word, pos))


def akin(old: str, new: str) -> bool:
    """Return whether two lowercase words are forms of one word, or one is the other with a common ending."""
    if bases(old) & bases(new):
        return True
    short, long = sorted((old, new), key=len)
    return (
        long.startswith(short[: max(3, len(short) - 1)])
        and _ENDING.search(long[len(short) - 1 :]) is not None
    )


@lru_cache(_REMEMBERED)
def acceptable(word: str, lemma: str, pos: str) -> bool:
    """Return whether a lemma (several words with spaces) may replace a word of this part of speech."""
    word_lower = word.lower()
    lemma_lower = lemma.lower()
    if (
        word_lower in _GRAMMAR
        or lemma != lemma_lower
        or not all(part.isalpha() for part in lemma.replace("-", " ").split(" "))
    ):
        return False
    if akin(word_lower, lemma_lower) or base_form(word_lower, pos) in lemma_lower.split(" "):
        return False
    if any(len(part) < 2 or not _usual(part) for part in lemma_lower.replace("-", " ").split(" ")):
        return False
    return not opposite(base_form(word_lower, pos), lemma_lower)


@lru_cache(_REMEMBERED)
def relatives(word: str, pos: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return acceptable synonyms of the usual sense of a word, and acceptable hypernyms of that sense, as lemmas."""
    sense = usual_sense(word, pos)
    if sense is None:
        return (), ()
    synonyms = _names([sense], word, pos)
    return synonyms, tuple(
        name for name in _names(parents(sense), word, pos) if name not in synonyms
    )


@lru_cache(_REMEMBERED)
def forms(word: str, pos: str) -> frozenset[str]:
    """Return the Treebank tags that a word may have as a form of its base, such as VBD and VBN for *walked*."""
    base = base_form(word, pos)
    if word == base:
        return frozenset(_TAGS[pos][:2] if pos == "v" else _TAGS[pos][:1])
    return frozenset(tag for tag in _TAGS[pos] if word in _existing(base, tag))


@lru_cache(_REMEMBERED)
def inflected(lemma: str, tag: str) -> str | None:
    """Return a lemma in the form of a Treebank tag, from a lexicon; None if the form does not exist.

    In a phrase, the first word of a verb or the last word of another phrase is inflected. Adjectives and adverbs
    without inflected forms are compared with *more* and *most*. MissingPart if lemminflect is not installed.
    """
    if tag in ("NN", "VB", "VBP", "JJ", "RB"):
        return lemma
    words = lemma.split(" ")
    inflected_index = 0 if tag.startswith("V") else -1
    inflections = _existing(words[inflected_index], tag)
    if inflections:
        words[inflected_index] = inflections[0]
        return " ".join(words)
    compared = _existing(words[inflected_index], tag[:2] + "R") or words[inflected_index].endswith(
        ("er", "est")
    )
    return f"{_DEGREE[tag]} {lemma}" if tag in _DEGREE and not compared else None


@lru_cache(_REMEMBERED)
def same_form(word: str, lemma: str, pos: str) -> str | None:
    """Return a lemma in the form that a word has; None if that form is uncertain or does not exist."""
    candidates = {inflected(lemma, tag) for tag in forms(word.lower(), pos)}
    return candidates.pop() if len(candidates) == 1 else None


def _existing(lemma: str, tag: str) -> tuple[str, ...]:
    try:
        from lemminflect import getInflection
    except ModuleNotFoundError:
        raise MissingPart("inflection needs lemminflect", fix=install("obfuscation")) from None
    return tuple(getInflection(lemma, tag=tag, inflect_oov=False))


def _names(senses: list[Any], word: str, pos: str) -> tuple[str, ...]:
    names = dict.fromkeys(name for sense in senses for name in sense.lemma_names())
    return tuple(name for name in names if "_" not in name and acceptable(word, name, pos))


@lru_cache(_REMEMBERED)
def _synonyms(word: str) -> frozenset[str]:
    return frozenset(name.casefold() for sense in senses(word)[:3] for name in sense.lemma_names())


def _usual(word: str) -> bool:
    """Whether readers know a word: Brown holds it, or, without Brown, it is an English word."""
    return word in resources.language_model() if missing("brown") is None else is_english(word)


_VOWEL = re.compile(
    r"(?i)(?:[aeio]|u(?!ni|s[aeu]|ti|ro|ra|bi)|un(?!i)|uni(?:n|m)|hour|honou?r|honest|heir)"
)
_CONSONANT = re.compile(r"(?i)(?:eu|ewe|one\b|once|ou(?:i|a)|uni(?!n|m))")
_LETTERS = "AEFHILMNORSX"
"""Letters with names that begin with a vowel: *an* MP."""
_ENDS = frozenset(".!?")
_SOFT = frozenset(",;:")


def article(word: str) -> str:
    """Return *a* or *an*, by the sound of the next word."""
    if len(word) > 1 and word.isupper() and not re.search("[AEIOU]", word[1:]):
        return "an" if word[0] in _LETTERS else "a"
    if word.startswith("U") and word.isupper():
        return "a"
    return "an" if _VOWEL.match(word) and not _CONSONANT.match(word) else "a"


def mended(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return the parts of a rewriting with mended new texts; each repair is logged as *mend*."""
    original = "".join(part.original for part in parts)
    text = "".join(part.obfuscation for part in parts)
    if original == text:
        return tuple(parts)
    bounds = list(accumulate((len(part.obfuscation) for part in parts), initial=0))
    changes = _changes(original, text)
    mended_parts = []
    for part, low, high in zip(parts, bounds, bounds[1:], strict=False):
        is_last = high == len(text)
        part_changes = [
            (max(start, low), min(end, high), replacement, start)
            for start, end, replacement in changes
            if (start < high or (is_last and start == high)) and (end > low or start >= low)
        ]
        fragments = []
        at = low
        for start, end, replacement, began in part_changes:
            # A correction across two parts is written once, where it begins.
            fragments += [text[at:start], replacement if began >= low else ""]
            at = max(at, end)
        changed = "".join([*fragments, text[at:high]])
        is_changed = changed != part.obfuscation
        mended_parts.append(
            replace(part, obfuscation=changed, operations=(*part.operations, "mend"))
            if is_changed
            else part
        )
    return tuple(mended_parts)


def _changes(original: str, text: str) -> Corrections:
    """Corrections of ``text`` as (start, end, new), in order and without overlap."""
    proposed = _Tokens(original, text).corrections()
    disjoint: Corrections = []
    for start, end, replacement in sorted(proposed):
        if not disjoint or start >= disjoint[-1][1]:
            disjoint.append((start, end, replacement))
    return disjoint


class _Tokens:
    """The words and marks of a rewriting, with their places and what each stood for in the original."""

    def __init__(self, original: str, text: str) -> None:
        old_pieces = pieces(original)
        new_pieces = pieces(text)
        self.text = text
        self.old = [piece.strip() for piece in old_pieces]
        self.new = [piece.strip() for piece in new_pieces]
        self.gap = [piece[: len(piece) - len(piece.lstrip())] for piece in new_pieces]
        self.old_gap = [piece[: len(piece) - len(piece.lstrip())] for piece in old_pieces]
        ends = list(accumulate(map(len, new_pieces)))
        self.end = ends
        self.start = [end - len(word) for end, word in zip(ends, self.new, strict=True)]
        self.source: list[int | None] = [None] * len(new_pieces)
        self.became: list[int | None] = [None] * len(old_pieces)
        for i, j in match(old_pieces, new_pieces, lambda piece: piece.strip().casefold()):
            if self.old[i]:
                self.source[j] = i
                self.became[i] = j
        self.names = stretches(original).names
        self.opens = {self._first(text, sentence) for sentence in sentences(text)}
        starts = {self._first(original, sentence) for sentence in sentences(original)}
        begins = [
            end - len(word)
            for end, word in zip(accumulate(map(len, old_pieces)), self.old, strict=True)
        ]
        self.old_opens = [begin in starts for begin in begins]
        self.openers = {
            word
            for word, opens in zip(self.old, self.old_opens, strict=True)
            if opens and word != "I"
        }

    @staticmethod
    def _first(text: str, span: tuple[int, int]) -> int:
        word = re.search(r"\w", text[span[0] : span[1]])
        return span[0] + word.start() if word else span[1]

    def corrections(self) -> Corrections:
        changes = self._stops()
        # After a full stop that is put back the capital is right.
        self.opens |= {
            next((next_start for next_start in self.start if next_start > start), start)
            for start, _, _ in changes
        }
        for j, word in enumerate(self.new):
            if not word:
                continue
            changes += self._spacing(j)
            if j and self._joint(j):
                changes += self._junction(j, word)
            changes += self._casing(j, word)
        return changes

    def _joint(self, j: int) -> bool:
        """Whether a token and the one before did not stand together in the original."""
        source_word = self.source[j]
        previous_source = self.source[j - 1]
        return source_word is None or previous_source is None or source_word != previous_source + 1

    def _junction(self, j: int, word: str) -> Corrections:
        previous_word = self.new[j - 1]
        if (
            word.lower() == previous_word.lower()
            and word[0].isalpha()
            and self.gap[j].strip(" ") == ""
            and None
            in (self.source[j - 1], self.source[j])  # both stood in the original: both stay
        ):
            return [(self.end[j - 1], self.end[j], "")]
        if previous_word.lower() in ("a", "an") and word[0].isalpha() and self.gap[j]:
            right = article(word)
            if right != previous_word.lower():
                right = right.capitalize() if previous_word[0].isupper() else right
                return [(self.start[j - 1], self.end[j - 1], right)]
        if previous_word in _SOFT and (word in _SOFT or word in _ENDS):
            return [(self.start[j - 1], self.end[j - 1], "")]
        if previous_word in _ENDS and word in _SOFT and not self._after_abbreviation(j):
            return [(self.end[j - 1], self.end[j], "")]
        return []

    def _after_abbreviation(self, j: int) -> bool:
        return (
            self.new[j - 1] == "."
            and self.source[j - 1] is not None
            and not self._was_end(self.source[j - 1])
        )

    def _was_end(self, i: int | None) -> bool:
        return i is not None and (i + 1 >= len(self.old) or self.old_opens[i + 1])

    def _spacing(self, j: int) -> Corrections:
        gap = self.gap[j]
        word = self.new[j]
        start = self.start[j]
        i = self.source[j]
        if i is not None and gap == self.old_gap[i] and (not j or not self._joint(j)):
            return []
        if gap.strip(" ") == "" and len(gap) > 1 and j and (i is None or self.old_gap[i] != gap):
            return [(start - len(gap), start, "" if word in _SOFT or word in _ENDS else " ")]
        if gap == " " and (word in _SOFT or word in _ENDS) and (i is None or self.old_gap[i] == ""):
            return [(start - 1, start, "")]
        previous_word = self.new[j - 1] if j else ""
        if (
            gap == ""
            and word[0].isalpha()
            and (previous_word in _SOFT or (previous_word in _ENDS and len(word) > 1))
        ):
            return [(start, start, " ")]
        return []

    def _casing(self, j: int, word: str) -> Corrections:
        i = self.source[j]
        start = self.start[j]
        if not word[0].isalpha() or (
            i is not None and word == self.old[i] and self.old_opens[i] == self._opens(j)
        ):
            return []
        if (
            self._opens(j)
            and word[0].islower()
            and (i is None or not self.old_opens[i] or self.old[i] != word)
        ):
            return [(start, start + 1, word[0].upper())]
        plain = word[0].isupper() and (word == "A" or word[1:].islower()) and word not in self.names
        moved = word in self.openers if i is None else self.old_opens[i]
        if plain and moved and not self._opens(j) and not self._quoted(j):
            return [(start, start + 1, word[0].lower())]
        if (
            i is not None
            and self.old[i] in self.names
            and word != self.old[i]
            and word == self.old[i].lower()
        ):
            return [(start, self.end[j], self.old[i])]
        return []

    def _opens(self, j: int) -> bool:
        return self.start[j] in self.opens

    def _quoted(self, j: int) -> bool:
        return bool(j) and self.new[j - 1] in tuple("\"'“‘(:")

    def _stops(self) -> Corrections:
        """Full stops that vanished though the next sentence still opens with its capital, or the text ends."""
        stops = []
        for i, mark in enumerate(self.old):
            if mark not in _ENDS or self.became[i] is not None or not self._was_end(i):
                continue
            following = next(
                (k for k in range(i + 1, len(self.old)) if self.became[k] is not None), None
            )
            if following is None:
                last_word = max((j for j, word in enumerate(self.new) if word), default=None)
                if (
                    last_word is not None
                    and i >= len(self.old) - 3
                    and self.new[last_word][-1].isalnum()
                ):
                    stops.append((self.end[last_word], self.end[last_word], "."))
                continue
            j = self.became[following]
            if (
                following == i + 1
                and j
                and self.new[j][0].isupper()
                and self.new[j - 1][-1:].isalnum()
            ):
                stops.append((self.end[j - 1], self.end[j - 1], "."))
        return stops
