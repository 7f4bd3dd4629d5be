"""What pulls each way, so that it can be looked at: passages, common words and character n-grams, in context.

Nothing here enters the likelihood ratio: it shows what methods of these kinds see. *Content words*, all but the
background's most frequent ones, are marked, for what they say may be topic.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ravenbench.reports.compare.features import Feature, common_words, ngrams
from ravenbench.reports.compare.passages import Passage, passages
from ravenbench.types import Bools, Problems

MOST_WORDS = 2000
"""Words of a questioned text that are shown."""


@dataclass(frozen=True)
class Evidence:
    """What there is to look at: ``more`` says how many words of the questioned text are not shown."""

    passages: tuple[Passage, ...]
    more: int
    words: tuple[Feature, ...]
    characters: tuple[Feature, ...]
    impostors: tuple[Feature, ...]


def evidence(
    questioned: str, known: Sequence[str], background: Problems, same: Bools, functions: frozenset[str], seed: int
) -> Evidence:
    """What a questioned and the known texts show against the background's training problems.

    Parameters
    ----------
    functions : frozenset of str
        The background's most frequent words, in lowercase.
    """
    others = background.texts.rows(background.documents)
    shown = questioned
    words = list(re.finditer(r"\S+", shown))
    more = max(0, len(words) - MOST_WORDS)
    if more:
        shown = shown[: words[MOST_WORDS - 1].end()]
    return Evidence(
        passages=passages(shown, known, background, same, functions, seed),
        more=more,
        words=common_words(questioned, known, others, functions),
        characters=ngrams(questioned, known, others, functions, 4, strongest=False),
        impostors=ngrams(questioned, known, others, functions, 5, strongest=True),
    )
