"""Whether texts are of another kind (genre) than a background, by the distance of their common words and marks (ours).

A profile holds the square roots of how often each common word and each mark stands in a hundred tokens. The distance of
a case is its mean distance from the background's mean, in standard deviations of the background's authors; that of each
author is taken to the others. A case is of another kind if it is farther away than every author of the background, and
than their mean distance and three standard deviations of it.

It does not notice a narrow kind within a wide one, such as essays among posts (docs/compare-studies.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from ravenbench.text.tokens import frequent_words, lowered, tokens
from ravenbench.types import Floats

COMMON = 50
"""Words that are counted: the most frequent ones of the background."""
LEAST = 0.2
"""Least standard deviation of a word or mark over authors, so that one that nobody uses does not decide."""


def kinds(texts: Sequence[str]) -> list[str]:
    """The common words and the marks of a background's texts."""
    marks = {token for text in texts for token in tokens(text) if not token[0].isalnum()}
    return [*frequent_words(texts, COMMON), *sorted(marks)]


def profile(texts: Iterable[str], counted: Sequence[str]) -> Floats:
    """The profile (f,) of one author's or one case's texts: the mean of theirs."""
    each = []
    for text in texts:
        words = Counter(tokens(lowered(text)))
        each.append(np.sqrt([100 * words[one] / max(words.total(), 1) for one in counted]))
    return np.asarray(np.mean(each, axis=0))


def distances(authors: Floats, cases: Floats) -> tuple[float, Floats]:
    """The distance from which on a case is of another kind than authors with these profiles (n, f), and the distances
    (m,) of cases' profiles (m, f)."""

    def far(profiles: Floats, of: Floats) -> Floats:
        return np.asarray((np.abs(profiles - of.mean(axis=0)) / np.maximum(of.std(axis=0), LEAST)).mean(axis=1))

    own = [far(authors[[i]], np.delete(authors, i, axis=0))[0] for i in range(len(authors))]
    return float(max(np.max(own), np.mean(own) + 3 * np.std(own))), far(cases, authors)
