"""Masks texts by ``content-mask`` (``ContentMask``), which hides their content words (ours).

In: for ``fit`` training texts, which decide which words stay (at most ``k``, a count); for ``transform`` texts.
Out: masked texts, in the same order: ``x`` for a content word (``X`` with a capital, ``XX`` in capitals), with
``lengths`` one for each letter, and ``0`` for a digit; with ``blank`` only one ``x`` or ``0``. SpecError if ``k`` is
below 1, when the mask is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Self

from ravenbench.components import Component
from ravenbench.text.content_words import closed_class
from ravenbench.text.segmenters import is_word
from ravenbench.text.splicing import CAPITAL, UPPER, Splicer, case_of
from ravenbench.texts import TextTable
from ravenbench.types import Size


@dataclass(eq=False, repr=False)
class ContentMask(Component):
    """Replaces every content word with ``x`` (``X`` for a capital, ``XX`` if all letters are capitals), and every digit
    with ``0``.

    The transplant probe leaves the same things in place, except the lengths of words: function words, marks,
    case, spacing, and the number of content words between them. Of the ``k`` most frequent words that the probe would
    keep, the mask keeps those in a list of function words (English, Dutch, Greek); in other languages, those that are
    spread evenly over texts. For words with an ending, in languages in which the probe keeps it, only the stem is hidden.

    Parameters
    ----------
    k : int
        Number of the most frequent words that may stay.
    lengths : bool
        Write one ``x`` for each letter of a word.
    blank : bool
        Write one ``x`` for every content word, regardless of case, and one ``0`` for every word with a digit.

    Attributes
    ----------
    words_ : frozenset of str
        Lowercase words that stay.
    segmenter_ : Segmenter
        The segmenter that finds words.

    Examples
    --------
    >>> texts = ["the ship and the sea", "the team and the goal of 1986"]
    >>> ContentMask().fit(texts).transform(["And the goal of NASA, 42"])
    ['And the x of XX, 00']
    """

    name = "content-mask"
    reads = "words"

    k: Size = 160
    lengths: bool = False
    blank: bool = False

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn which words stay."""
        splicer = Splicer(TextTable.collect(texts)[0], self.k)
        listed = splicer.functions & closed_class(splicer.ranked)
        self.words_ = listed or splicer.functions
        self.segmenter_ = splicer.segmenter
        return self

    def transform(self, texts: Sequence[str]) -> list[str]:
        """Return the texts with content words and digits hidden."""
        shown = cache(self._shown)
        return ["".join(map(shown, self.segmenter_.pieces(text))) for text in texts]

    def _shown(self, piece: str) -> str:
        if not is_word(piece):
            if self.blank and piece[0].isalnum():
                return "0"
            return "".join("0" if c.isdigit() else "x" if c.isalpha() else c for c in piece)
        lower = self.segmenter_.lower(piece)
        if lower in self.words_:
            return piece
        begin, end = self.segmenter_.stem(lower)
        sign = "x" if self.blank else {CAPITAL: "X", UPPER: "XX"}.get(case_of(piece), "x")
        if self.lengths:
            sign = sign[0] * (end - begin) if sign == "XX" else sign + "x" * (end - begin - 1)
        return piece[:begin] + sign + piece[len(piece) + end - len(lower) :]
