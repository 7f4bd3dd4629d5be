"""Folds at a length: every text of a fold, known, questioned or learned from, cut to its first words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from ravenbench.types import Fold

_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class FirstWords:
    """A text transform that keeps the first ``words`` runs of characters between white space, as they stand."""

    words: int

    def fit(self, texts: Sequence[str]) -> Self:
        """There is nothing to learn."""
        return self

    def transform(self, texts: Sequence[str]) -> list[str]:
        """Texts cut; shorter ones are left as they are."""
        return [self._cut(text) for text in texts]

    def _cut(self, text: str) -> str:
        for number, word in enumerate(_WORD.finditer(text), start=1):
            if number == self.words:
                return text[: word.end()]
        return text


def at_length(fold: Fold, words: int) -> Fold:
    """The fold with all its texts cut to ``words`` words.

    ``counts["reached"]`` is the share of test problems all of whose texts had as many, which is how far the cut fold
    differs from one of the next length.
    """
    cut = FirstWords(words)
    test = fold.test
    enough = {int(row): len(test.texts[row].split()) >= words for row in test.documents}
    sides = [[*test.known(i), test.questioned_index[i]] for i in range(len(test))]
    reached = sum(all(enough[int(row)] for row in rows) for rows in sides) / max(len(test), 1)
    return replace(
        fold,
        name=f"{fold.name}-words-{words}",
        train=fold.train.map_texts(cut),
        test=test.map_texts(cut),
        labels={},
        counts={**fold.counts, "reached": reached},
    )
