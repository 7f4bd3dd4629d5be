"""Texts as each family of features sees them: strings of one character a unit, for the n-gram kernel to count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

from ravenbench.text.tokens import TOKEN, frequent

View = Literal["char", "token", "mask", "marks", "shape"]
_FIRST = 0xF0000
_UNKNOWN = chr(_FIRST)
_MOST = 60_000
_LONGEST = 12


@dataclass(eq=False)
class Views:
    """Rewrites texts; vocabulary and frequent words come from training texts, so any language will do.

    ``char``
        The lowercased text.
    ``token``
        A private character for each lowercased word and each mark.
    ``mask``
        The same, but words outside the ``kept`` most frequent are ``*`` and numbers ``#``: syntax without topic.
    ``marks``
        The marks alone, in order.
    ``shape``
        Words by length and whether they begin with a capital, numbers as ``0``, marks as they are.

    Attributes
    ----------
    tokens_ : list of str
        Tokens with a character of their own, most frequent first.
    kept_ : list of str
    """

    kept: int = 150

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn the vocabulary of some texts."""
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(TOKEN.findall(text.lower()))
        self.tokens_ = frequent(counts, _MOST)
        self.kept_ = [token for token in self.tokens_ if _is_word(token)][: self.kept]
        return self

    def read(self, texts: Sequence[str]) -> dict[View, list[str]]:
        """Every text as each view shows it."""
        code = {token: chr(_FIRST + 1 + i) for i, token in enumerate(self.tokens_)}
        kept = set(self.kept_)
        token: dict[str, str] = {}
        mask: dict[str, str] = {}
        marks: dict[str, str] = {}
        shape: dict[str, str] = {}
        found = [TOKEN.findall(text) for text in texts]
        for unit in dict.fromkeys(unit for text in found for unit in text):
            lower = unit.lower()
            own = code.get(lower, _UNKNOWN)
            token[unit] = own
            if unit.isdecimal():
                mask[unit], marks[unit], shape[unit] = "#", "", "0"
            elif _is_word(unit):
                length = min(len(unit), _LONGEST)
                mask[unit] = own if lower in kept else "*"
                marks[unit] = ""
                shape[unit] = chr(ord("A" if unit[0].isupper() else "a") + length - 1)
            else:
                mask[unit], marks[unit], shape[unit] = own, unit, unit
        read: dict[View, list[str]] = {"char": [text.lower() for text in texts]}
        tables: list[tuple[View, dict[str, str]]] = [
            ("token", token),
            ("mask", mask),
            ("marks", marks),
            ("shape", shape),
        ]
        for view, table in tables:
            read[view] = ["".join([table[unit] for unit in text]) for text in found]
        return read


def chunks(text: str, length: int) -> list[str]:
    """Equal parts of a text, as many as bring them closest to ``length`` characters; cut at blanks."""
    count = max(1, round(len(text) / max(length, 1)))
    if count == 1:
        return [text]
    cuts = [0]
    for i in range(1, count):
        place = text.rfind(" ", cuts[-1] + 1, i * len(text) // count + 1)
        cuts.append(place if place > 0 else i * len(text) // count)
    return [text[a:b].strip() for a, b in zip(cuts, [*cuts[1:], len(text)], strict=True)]


def _is_word(token: str) -> bool:
    return (token[0].isalnum() or token[0] == "_") and not token.isdecimal()
