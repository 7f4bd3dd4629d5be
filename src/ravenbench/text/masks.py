r"""Masks texts token by token to hide topic or style: text distortion, TopicFit's mask, a frequency mask (ours).

In: a mask (``Distortion``, ``TopicMask``, ``FrequencyMask``, each with k, the number of frequent words) or, for
``mask``, a variant ("ma", "sa", "topic") and k; training texts for ``fit``; then texts for ``transform``, one token for
``masked``.
Out: ``transform`` gives masked texts, in the same order; ``masked`` the token's replacement (text); ``mask`` a
``Mask``. SpecError for an unknown variant, and from ``FrequencyMask`` for k below 1; AttributeError before ``fit``.

Tokens are maximal runs of ``\w``; punctuation and spacing stay untouched. All is learned by ``fit`` on
training texts and done by one substitution pass in ``transform``.

References
----------
Stamatatos, "Authorship attribution using text distortion", EACL 2017. Sawatphol et al. 2024 (TopicFit).
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, Self

from ravenbench.components import Component
from ravenbench.errors import SpecError
from ravenbench.text.tokens import WORD, frequent, frequent_words, lowered
from ravenbench.types import Size

_DIGITS = re.compile(r"\d+")
_DIGIT_OR_OTHER = re.compile(r"\d+|\D+")


class Mask(Component):
    """A text transform that replaces single tokens; each token is masked only once.

    Examples
    --------
    >>> texts = ["the ship and the sea", "the team and the goal of 1986"]
    >>> Distortion(k=2).fit(texts).transform(["the goal and the year 2024"])
    ['the **** and the **** ####']
    """

    @abstractmethod
    def fit(self, texts: Sequence[str]) -> Self:
        """Learn the frequent words of some texts."""

    @abstractmethod
    def masked(self, token: str) -> str:
        """Return the string that replaces this token."""

    def transform(self, texts: Sequence[str]) -> list[str]:
        """Return the texts with every token replaced by its mask."""
        masked = cache(self.masked)
        return [WORD.sub(lambda match: masked(match[0]), text) for text in texts]


@dataclass(eq=False, repr=False)
class Distortion(Mask):
    """Shows a distorted view of a text: only the ``k`` most frequent words stay, so style is seen and topic is not.

    Parameters
    ----------
    variant : "ma" or "sa"
        DV-MA masks each character (``*``, digits ``#``) and so keeps lengths; DV-SA puts one ``*`` for a word
        and one ``#`` for a number.
    k : int
        Words kept, case intact, if their lowercase form is among the ``k`` most frequent of the training texts (the
        paper uses a list of the language; 100 to 5,000 were tried).
    mixed : bool
        Mask digits inside mixed tokens (``b2b``) as digits, as the paper does; its reference code treats only
        tokens that are all digits as numbers (the default).
    """

    name = "distortion"
    reads = "words"

    variant: Literal["ma", "sa"] = "ma"
    k: int = 300
    mixed: bool = False

    def fit(self, texts: Sequence[str]) -> Self:
        self.words_ = frozenset(frequent_words(texts, self.k))
        return self

    def masked(self, token: str) -> str:
        if token.isdecimal():
            return "#" * len(token) if self.variant == "ma" else "#"
        if lowered(token) in self.words_:
            return token
        if not self.mixed:
            return "*" * len(token) if self.variant == "ma" else "*"
        runs = _DIGIT_OR_OTHER.findall(token)
        marks = [("#" if _DIGITS.match(run) else "*", len(run)) for run in runs]
        return "".join(mark * length if self.variant == "ma" else mark for mark, length in marks)


@dataclass(eq=False, repr=False)
class TopicMask(Mask):
    """Masks style for TopicFit: the ``k`` most frequent words become ``*``, numbers ``#``, and the rest stays.

    Parameters
    ----------
    folded : bool
        Count lowercase forms. By default cases are counted separately but looked up in lowercase, as in the reference,
        so names that occur only capitalised stay visible, as a control for topic fit needs.
    reference : bool
        One-letter words are never masked (they carry no topic; by default they always are).
    """

    name = "topic-mask"
    reads = "words"

    k: int = 300
    folded: bool = False
    reference: bool = False

    def fit(self, texts: Sequence[str]) -> Self:
        self.words_ = frozenset(frequent_words(texts, self.k, folded=self.folded, shortest=2))
        return self

    def masked(self, token: str) -> str:
        if token.isdecimal():
            return "#"
        if len(token) == 1:
            return token if self.reference else "*"
        return "*" if lowered(token) in self.words_ else token


def mask(variant: Literal["ma", "sa", "topic"], k: int) -> Mask:
    """Return the mask of ``distorted``: DV-MA or DV-SA for ``ma`` and ``sa``, TopicFit's for ``topic``; SpecError for
    an unknown variant."""
    if variant == "topic":
        return TopicMask(k)
    if variant in ("ma", "sa"):
        return Distortion(variant, k)
    raise SpecError("unknown variant of distorted", found=variant, expected="'ma', 'sa' or 'topic'")


@dataclass(eq=False, repr=False)
class FrequencyMask(Mask):
    """Keeps the ``k`` words that occur in most training texts and puts a sign in place of every other word: ``§`` for
    one that begins with a capital, ``µ`` for one with a digit, ``#`` for any other.

    Ours: for any language with spaces between words it approximates by frequency what ``posnoise`` does with a list and
    a tagger. Words are counted by texts, not by occurrences, so that frequent words of a single text are masked; the
    signs are those of POSNoise for names, numbers and nouns. ``distortion`` is the published relative, which counts
    occurrences and has one sign for all words.

    Parameters
    ----------
    k : int
        Words kept, in any case; SpecError where the mask is made if it is below 1.

    Examples
    --------
    >>> texts = ["the ship and the sea", "the team and the goal", "the team"]
    >>> FrequencyMask(k=2).fit(texts).transform(["The ship of Anna and 2 others"])
    ['The # # § and µ #']
    """

    name = "frequency-mask"
    reads = "words"

    k: Size = 300

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn which words occur in most texts, ties by code point."""
        counts = Counter(
            word for text in texts for word in {lowered(match) for match in WORD.findall(text)}
        )
        words = Counter({word: count for word, count in counts.items() if not _numeric(word)})
        self.words_ = frozenset(frequent(words, self.k))
        return self

    def masked(self, token: str) -> str:
        if _numeric(token):
            return "µ"
        if lowered(token) in self.words_:
            return token
        return "§" if token[0].isupper() else "#"


def _numeric(token: str) -> bool:
    return any(character.isdigit() for character in token)
