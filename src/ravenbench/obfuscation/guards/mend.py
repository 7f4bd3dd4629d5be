"""Mending what edits left behind: articles, doubled words, spacing, casing, doubled marks, lost full stops.

Only places that the rewriting made are touched: what the author wrote so stays so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from ravenbench.formats.pan_obfuscation import Part
from ravenbench.obfuscation.guards.stretches import stretches
from ravenbench.obfuscation.parts import sentences
from ravenbench.text.alignment import match, pieces

_VOWEL = re.compile(r"(?i)(?:[aeio]|u(?!ni|s[aeu]|ti|ro|ra|bi)|un(?!i)|uni(?:n|m)|hour|honou?r|honest|heir)")
_CONSONANT = re.compile(r"(?i)(?:eu|ewe|one\b|once|ou(?:i|a)|uni(?!n|m))")
_LETTERS = "AEFHILMNORSX"
"""Letters whose names begin with a vowel: *an* MP."""
_ENDS = frozenset(".!?")
_SOFT = frozenset(",;:")


def article(word: str) -> str:
    """*a* or *an*, as the sound of the next word asks."""
    if len(word) > 1 and word.isupper() and not re.search("[AEIOU]", word[1:]):
        return "an" if word[0] in _LETTERS else "a"
    if word.startswith("U") and word.isupper():
        return "a"
    return "an" if _VOWEL.match(word) and not _CONSONANT.match(word) else "a"


def mended(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts of a rewriting with their new texts mended; what was mended is logged as *mend*."""
    original, text = "".join(p.original for p in parts), "".join(p.obfuscation for p in parts)
    if original == text:
        return tuple(parts)
    bounds = list(accumulate((len(p.obfuscation) for p in parts), initial=0))
    changes = _changes(original, text)
    out = []
    for part, low, high in zip(parts, bounds, bounds[1:], strict=False):
        last = high == len(text)
        here = [
            (max(a, low), min(b, high), new, a)
            for a, b, new in changes
            if (a < high or (last and a == high)) and (b > low or a >= low)
        ]
        new, at = [], low
        for start, end, what, began in here:
            # A correction across two parts is written once, where it begins.
            new += [text[at:start], what if began >= low else ""]
            at = max(at, end)
        changed = "".join([*new, text[at:high]])
        done = changed != part.obfuscation
        out.append(replace(part, obfuscation=changed, operations=(*part.operations, "mend")) if done else part)
    return tuple(out)


def _changes(original: str, text: str) -> list[tuple[int, int, str]]:
    """Corrections of ``text`` as (start, end, new), in order and without overlap."""
    found = _Tokens(original, text).corrections()
    kept: list[tuple[int, int, str]] = []
    for start, end, new in sorted(found):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end, new))
    return kept


class _Tokens:
    """The words and marks of a rewriting, with their places and what each stood for in the original."""

    def __init__(self, original: str, text: str) -> None:
        a, b = pieces(original), pieces(text)
        self.text, self.old, self.new = text, [p.strip() for p in a], [p.strip() for p in b]
        self.gap = [p[: len(p) - len(p.lstrip())] for p in b]
        self.old_gap = [p[: len(p) - len(p.lstrip())] for p in a]
        ends = list(accumulate(map(len, b)))
        self.end = ends
        self.start = [end - len(word) for end, word in zip(ends, self.new, strict=True)]
        self.source: list[int | None] = [None] * len(b)
        self.became: list[int | None] = [None] * len(a)
        for i, j in match(a, b, lambda piece: piece.strip().casefold()):
            if self.old[i]:
                self.source[j], self.became[i] = i, j
        self.names = stretches(original).names
        self.opens = {self._first(text, s) for s in sentences(text)}
        starts = {self._first(original, s) for s in sentences(original)}
        begins = [end - len(word) for end, word in zip(accumulate(map(len, a)), self.old, strict=True)]
        self.old_opens = [begin in starts for begin in begins]
        self.openers = {word for word, opens in zip(self.old, self.old_opens, strict=True) if opens and word != "I"}

    @staticmethod
    def _first(text: str, span: tuple[int, int]) -> int:
        found = re.search(r"\w", text[span[0] : span[1]])
        return span[0] + found.start() if found else span[1]

    def corrections(self) -> list[tuple[int, int, str]]:
        found = self._stops()
        # After a full stop that is put back the capital is right.
        self.opens |= {next((s for s in self.start if s > place), place) for place, _, _ in found}
        for j, word in enumerate(self.new):
            if not word:
                continue
            found += self._spacing(j)
            if j and self._joint(j):
                found += self._junction(j, word)
            found += self._casing(j, word)
        return found

    def _joint(self, j: int) -> bool:
        """Whether a token and the one before did not stand together in the original."""
        here, before = self.source[j], self.source[j - 1]
        return here is None or before is None or here != before + 1

    def _junction(self, j: int, word: str) -> list[tuple[int, int, str]]:
        last = self.new[j - 1]
        if word.lower() == last.lower() and word[0].isalpha() and self.gap[j].strip(" ") == "":
            return [(self.end[j - 1], self.end[j], "")]
        if last.lower() in ("a", "an") and word[0].isalpha() and self.gap[j]:
            right = article(word)
            if right != last.lower():
                right = right.capitalize() if last[0].isupper() else right
                return [(self.start[j - 1], self.end[j - 1], right)]
        if last in _SOFT and (word in _SOFT or word in _ENDS):
            return [(self.start[j - 1], self.end[j - 1], "")]
        if last in _ENDS and word in _SOFT and not self._after_abbreviation(j):
            return [(self.end[j - 1], self.end[j], "")]
        return []

    def _after_abbreviation(self, j: int) -> bool:
        return self.new[j - 1] == "." and self.source[j - 1] is not None and not self._was_end(self.source[j - 1])

    def _was_end(self, i: int | None) -> bool:
        return i is not None and (i + 1 >= len(self.old) or self.old_opens[i + 1])

    def _spacing(self, j: int) -> list[tuple[int, int, str]]:
        gap, word, place = self.gap[j], self.new[j], self.start[j]
        i = self.source[j]
        if i is not None and gap == self.old_gap[i] and (not j or not self._joint(j)):
            return []
        if gap.strip(" ") == "" and len(gap) > 1 and j and (i is None or self.old_gap[i] != gap):
            return [(place - len(gap), place, "" if word in _SOFT or word in _ENDS else " ")]
        if gap == " " and (word in _SOFT or word in _ENDS) and (i is None or self.old_gap[i] == ""):
            return [(place - 1, place, "")]
        last = self.new[j - 1] if j else ""
        if gap == "" and word[0].isalpha() and (last in _SOFT or (last in _ENDS and len(word) > 1)):
            return [(place, place, " ")]
        return []

    def _casing(self, j: int, word: str) -> list[tuple[int, int, str]]:
        i, place = self.source[j], self.start[j]
        if not word[0].isalpha() or (i is not None and word == self.old[i] and self.old_opens[i] == self._opens(j)):
            return []
        if self._opens(j) and word[0].islower() and (i is None or not self.old_opens[i] or self.old[i] != word):
            return [(place, place + 1, word[0].upper())]
        plain = word[0].isupper() and (word == "A" or word[1:].islower()) and word not in self.names
        moved = word in self.openers if i is None else self.old_opens[i]
        if plain and moved and not self._opens(j) and not self._quoted(j):
            return [(place, place + 1, word[0].lower())]
        if i is not None and self.old[i] in self.names and word != self.old[i] and word == self.old[i].lower():
            return [(place, self.end[j], self.old[i])]
        return []

    def _opens(self, j: int) -> bool:
        return self.start[j] in self.opens

    def _quoted(self, j: int) -> bool:
        return bool(j) and self.new[j - 1] in tuple("\"'“‘(:")

    def _stops(self) -> list[tuple[int, int, str]]:
        """Full stops that vanished though the next sentence still opens with its capital, or the text ends."""
        found = []
        for i, mark in enumerate(self.old):
            if mark not in _ENDS or self.became[i] is not None or not self._was_end(i):
                continue
            following = next((k for k in range(i + 1, len(self.old)) if self.became[k] is not None), None)
            if following is None:
                last = max((j for j, word in enumerate(self.new) if word), default=None)
                if last is not None and i >= len(self.old) - 3 and self.new[last][-1].isalnum():
                    found.append((self.end[last], self.end[last], "."))
                continue
            j = self.became[following]
            if following == i + 1 and j and self.new[j][0].isupper() and self.new[j - 1][-1:].isalnum():
                found.append((self.end[j - 1], self.end[j - 1], "."))
        return found
