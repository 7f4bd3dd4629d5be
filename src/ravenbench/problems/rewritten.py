"""Makes folds with other texts: questioned texts rewritten (contract 2), or every text cut to its first words.

In: ``rewritten``: a ``Fold``, texts by problem id, and a name; ``requestion``: ``Problems`` and texts by problem id;
``at_length``: a ``Fold`` and a number of words (what is between white space).
Out: a ``Fold`` (``requestion``: blind ``Problems``) with the same problems and truth; from ``at_length``,
``counts["reached"]`` is the share, 0 to 1, of test problems whose texts all had this many words.
``FirstWords(words).transform`` only cuts texts. InputError if a text is given for a problem that is not in the (test)
set.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ravenbench.errors import InputError
from ravenbench.texts import TextTable
from ravenbench.types import Fold, Problems

_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class FirstWords:
    """A text transform that keeps the first ``words`` runs of characters between white space, unchanged."""

    words: int

    def fit(self, texts: Sequence[str]) -> Self:
        """Return itself: there is nothing to learn."""
        return self

    def transform(self, texts: Sequence[str]) -> list[str]:
        """Return the texts cut to length; shorter texts stay unchanged."""
        return [self._first_words(text) for text in texts]

    def _first_words(self, text: str) -> str:
        for number, word in enumerate(_WORD.finditer(text), start=1):
            if number == self.words:
                return text[: word.end()]
        return text


def at_length(fold: Fold, words: int) -> Fold:
    """Return the fold with all its texts cut to ``words`` words.

    ``counts["reached"]`` is the share of test problems whose texts all had this many words: it shows how much the cut fold
    differs from a fold of the next length."""
    cut = FirstWords(words)
    test = fold.test
    enough = {int(row): len(test.texts[row].split()) >= words for row in test.documents}
    sides = [[*test.known(i), test.questioned_index[i]] for i in range(len(test))]
    reached = sum(all(enough[int(row)] for row in rows) for rows in sides) / max(len(test), 1)
    counts = {**fold.counts, "reached": reached}
    train = fold.train.map_texts(cut)
    name = f"{fold.name}-words-{words}"
    return replace(fold, name=name, train=train, test=test.map_texts(cut), labels={}, counts=counts)


def rewritten(base: Fold, texts: Mapping[str, str], name: str, **labels: str | int) -> Fold:
    """Copy a fold with other questioned texts in its test set.

    ``texts`` has them by problem id. Problems that it does not name keep their texts, and only the named problem gets the
    new text, even if others share the old text; known documents never change. ``labels`` are added to the fold's labels
    (obfuscator, seed …). InputError if a named problem is not in the test set.
    """
    return replace(
        base, name=name, test=requestion(base.test, texts), labels={**base.labels, **labels}
    )


def requestion(problems: Problems, texts: Mapping[str, str]) -> Problems:
    """Return blind problems with other questioned texts for the named problems; InputError if a named problem is not among
    them."""
    row_of = {name: i for i, name in enumerate(problems.ids.tolist())}
    if unknown := sorted(set(texts) - set(row_of)):
        raise InputError("a rewritten problem is not in this set", found=unknown[0])
    table, rows = TextTable.collect([*problems.texts, *texts.values()])
    questioned = rows[problems.questioned_index]
    at = np.array([row_of[name] for name in texts], dtype=np.int64)
    questioned[at] = rows[len(problems.texts) :]
    return replace(
        problems.blind(),
        texts=table,
        known_index=rows[problems.known_index],
        questioned_index=questioned,
    )
