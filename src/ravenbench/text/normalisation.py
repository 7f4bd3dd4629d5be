"""Undoes surface obfuscation: brings both sides of a problem to one plain form before they are compared.

In: ``Normaliser(least)``, with the fewest training texts that a common word is in; ``fit`` takes training texts, to
learn common words from, ``transform`` texts. The rules for spelling and contractions are of English.
Out: ``transform`` gives texts in plain form, in the same order; a text that would become empty stays unchanged.
AttributeError before ``fit``.

References
----------
Potthast et al. 2016, section 6 (obfuscation must withstand a reader who knows the method).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Self

from ravenbench.components import Component
from ravenbench.text.lookalikes import plain_letters

_WORD = re.compile(r"[^\W\d_]+")
_MARKERS = (
    "however, therefore, moreover, furthermore, nevertheless, nonetheless, in addition, as a"
    " result, of course, in fact, for example, for instance, on the other hand, in other words, in"
    " conclusion, to sum up, indeed, thus, hence, besides, after all, above all, in general, in"
    " particular, that is to say, as a matter of fact"
)
_MARKER = re.compile(
    r"\b(?:" + "|".join(sorted(_MARKERS.split(", "), key=len, reverse=True)) + r")\b\s*,?\s*",
    re.IGNORECASE,
)
_CONTRACTIONS = (
    (re.compile(r"\bcan['’]t\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bcannot\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bwon['’]t\b", re.IGNORECASE), "will not"),
    (re.compile(r"n['’]t\b", re.IGNORECASE), " not"),
    (re.compile(r"['’]re\b", re.IGNORECASE), " are"),
    (re.compile(r"['’]ve\b", re.IGNORECASE), " have"),
    (re.compile(r"['’]ll\b", re.IGNORECASE), " will"),
    (re.compile(r"['’]d\b", re.IGNORECASE), " would"),
    (re.compile(r"\bI['’]m\b", re.IGNORECASE), "I am"),
    (re.compile(r"\b(it|he|she|that|there|what|who)['’]s\b", re.IGNORECASE), r"\1 is"),
)
_MARKS = (
    (re.compile(r"[“”„«»]"), '"'),
    (re.compile(r"[‘’]"), "'"),
    (re.compile(r"[–—]"), "-"),
    (re.compile(r"…|\.{2,}"), "."),
    (re.compile(r"[!?]{2,}"), "?"),
    (re.compile(r"([,;:])(?:\s*[,;:])+"), r"\1"),
    (re.compile(r"[,;:]\s*(?=[.!?])"), ""),
)
_SPACING = (
    (re.compile(r"(?<!\s)\s++([,.;:!?)\]])"), r"\1"),
    (re.compile(r"([,;:!?])(?=[^\W\d_])"), r"\1 "),
    (re.compile(r"(?<=[a-z])\.(?=[A-Z])"), ". "),
    (re.compile(r"\s+"), " "),
)
_VARIANTS = (
    (re.compile(r"(?<=[a-z]{2})isation(s?)\b"), r"ization\1"),
    (re.compile(r"(?<=[a-z]{3})is(e[sd]?|ing)\b"), r"iz\1"),
    (re.compile(r"\b(col|fav|hon|hum|lab|neighb|rum|behavi|endeav|flav)our"), r"\1or"),
    (re.compile(r"\b(cent|theat|met|lit)re\b"), r"\1er"),
    (re.compile(r"\b(def|off)ence\b"), r"\1ense"),
)


@dataclass(eq=False, repr=False)
class Normaliser(Component):
    """Replaces letters of other alphabets, removes invisible characters, repairs marks and spacing, expands
    contractions, drops discourse markers, uses one spelling variant, and replaces words that nobody else writes by the
    only common word at a distance of one letter.

    ``known_`` are the training texts each lowercase word occurs in.

    Parameters
    ----------
    least : int
        Number of training texts in which a word must occur to count as correctly spelt.
    """

    name = "normaliser"

    least: int = 3

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn which words are common in some texts."""
        counts = Counter(
            word
            for text in texts
            for word in {match.casefold() for match in _WORD.findall(self._surface(text))}
        )
        self.known_ = {word: count for word, count in counts.items() if count >= self.least}
        self._masks = _deletions(self.known_)
        return self

    def transform(self, texts: Sequence[str]) -> list[str]:
        """Return the texts in plain form; a text that would become empty stays unchanged."""
        spelt = cache(self._spelt)
        return [
            _WORD.sub(lambda match: spelt(match[0]), self._surface(text)).strip() or text
            for text in texts
        ]

    def _surface(self, text: str) -> str:
        text = plain_letters(text)
        for pattern, replacement in (*_MARKS, *_CONTRACTIONS):
            text = pattern.sub(replacement, text)
        text = _MARKER.sub("", text)
        for pattern, replacement in (*_VARIANTS, *_SPACING):
            text = pattern.sub(replacement, text)
        return text

    def _spelt(self, word: str) -> str:
        lower = word.casefold()
        if (
            len(lower) < 4
            or lower in self.known_
            or not lower.isascii()
            or lower.removesuffix("s") in self.known_
        ):
            return word
        # Two words one edit apart share a form with one letter deleted from either or neither.
        near = {k for form in _forms(lower) for k in self._masks.get(form, ())}
        near = {k for k in near if abs(len(k) - len(lower)) <= 1}
        if len(near) != 1:
            return word
        right = near.pop()
        return right.capitalize() if word[0].isupper() else right


def _forms(word: str) -> list[str]:
    return [word, *(word[:i] + word[i + 1 :] for i in range(len(word)))]


def _deletions(words: dict[str, int]) -> dict[str, list[str]]:
    masks: dict[str, list[str]] = {}
    for word in words:
        if len(word) >= 4:
            for form in set(_forms(word)):
                masks.setdefault(form, []).append(word)
    return masks
