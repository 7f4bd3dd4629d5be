"""Masks texts by ``content-mask`` (``ContentMask``), which hides their content words (ours).

In: for ``fit`` training texts, which decide what words stay (at most ``k``, a count); for ``transform`` texts.
Out: masked texts, in the same order: ``x`` for a content word (``X`` with a capital, ``XX`` in capitals), with
``lengths`` one for each letter, and ``0`` for a digit; with ``blank`` an ``x`` or a ``0`` alone. SpecError if ``k`` is
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
    """Puts an ``x`` in the place of every content word (``X`` for a capital, ``XX`` for capitals alone), and ``0`` in
    that of every digit.

    What is left is what the transplant probe leaves in place, but for the lengths of words: function words, marks,
    case, spacing, and how many content words stand between them. Of the ``k`` most frequent words that the probe would
    let stay, those stay that a list of function words has (English, Dutch, Greek); in other languages those that are
    spread evenly over texts. Of words with an ending, in languages in which the probe leaves it, the stem is hidden.

    Parameters
    ----------
    k : int
        Most frequent words that may stay.
    lengths : bool
        As many ``x`` as the word has letters.
    blank : bool
        One ``x`` for every content word, whatever its case, and one ``0`` for every word with a digit.

    Attributes
    ----------
    words_ : frozenset of str
        Lowercase words that stay.
    segmenter_ : Segmenter
        What finds words.

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
        """The texts with content words and digits hidden."""
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
