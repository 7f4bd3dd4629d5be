"""A mask for languages without a tagger: what is rare gives way to a sign of its kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from ravenbench.errors import SpecError
from ravenbench.text.distortion import Mask
from ravenbench.text.tokens import WORD, frequent


@dataclass(eq=False, repr=False)
class FrequencyMask(Mask):
    """Keeps the ``k`` words that stand in most training texts and puts a sign in place of every other word: ``§`` for
    one that begins with a capital, ``µ`` for one with a digit, ``#`` for any other.

    Ours: it does for any language that divides words what ``posnoise`` does with a list and a tagger, as far as
    frequency can. Words are counted by texts, not by occurrences, so that what a single text goes on about is masked;
    the signs are those that POSNoise has for names, numbers and nouns. ``distortion`` is the published relative, which
    counts occurrences and tells no kinds.

    Parameters
    ----------
    k : int
        Words kept, in any case.

    Attributes
    ----------
    words_ : frozenset of str

    Examples
    --------
    >>> texts = ["the ship and the sea", "the team and the goal", "a team"]
    >>> FrequencyMask(k=2).fit(texts).transform(["The ship of Anna and 2 others"])
    ['The # # § and µ #']
    """

    name = "frequency-mask"

    k: int = 300

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn which words stand in most texts, ties by code point.

        Raises
        ------
        SpecError
            If ``k`` is below 1.
        """
        if self.k < 1:
            raise SpecError("frequency-mask must keep a word or more", found=self.k, expected="k of 1 or more")
        counts = Counter(word for text in texts for word in {w.lower() for w in WORD.findall(text)})
        kept = Counter({word: count for word, count in counts.items() if not _numeric(word)})
        self.words_ = frozenset(frequent(kept, self.k))
        return self

    def masked(self, token: str) -> str:
        if _numeric(token):
            return "µ"
        if token.lower() in self.words_:
            return token
        return "§" if token[0].isupper() else "#"


def _numeric(token: str) -> bool:
    return any(character.isdigit() for character in token)
