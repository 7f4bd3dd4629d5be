"""Verifies as Vartapetiance & Gillam 2014 (``Vartapetiance2014``): patterns of stop words that closely follow each other.

In: ``Problems`` (n); for ``fit`` training ``Problems``, to choose stop words and scales (their truth is not used). For
``patterns`` a text's words, the stop words and the largest gap in words.
Out: answers (n,): 1 = same author, 0 = different, 0.5 = no pattern on a side; ``patterns``: for each ordered pair of
stop words occurrences divided by the text's words, mean distance in words and its variance, (3, pairs), 0 if it does
not occur. SpecError for a parameter out of range, when the verifier is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.ext.shelf.published.one_class import OneClass, accepts, known_and_questioned
from ravenbench.text.tokens import frequent_words, lowered, words
from ravenbench.types import Bools, Floats, Problems, Size

_PIECES = 4


@dataclass(eq=False, repr=False)
class Vartapetiance2014(OneClass):
    """1 if the questioned text's stop-word patterns are as near to the known texts' as these to each other, otherwise 0.

    Answers are binary, as published. Patterns (recalled, not verified): for each ordered pair of stop words, the
    frequency with which the second follows the first at a distance of 1 to ``gap`` words, and mean and variance of that
    distance. Rebuilt by us: the stop words are the most frequent words of training, so any language is possible;
    frequencies are per word and scaled by their deviation in training, and so are means and variances; fewer
    than four known documents are joined and cut in four, and the questioned text is cut into pieces of the same length,
    whose cosines are averaged. A text is accepted if its cosine is at least the mean minus one standard deviation of the
    known pieces' cosines to the others. If a side has no pattern at all, the answer is 0.5.

    Parameters
    ----------
    stop_words, gap : int
        Number of stop words, and the largest distance in words between two of them.

    Attributes
    ----------
    words_ : list of str
    scale_ : (3, stop_words²) float64
        Deviations in training of frequency, mean and variance; 1 if there is none.

    References
    ----------
    Vartapetiance & Gillam 2014 (PAN at CLEF).
    """

    name = "vartapetiance-2014"
    reads = "words"

    stop_words: Size = 50
    gap: Size = 5

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Choose stop words and learn scales."""
        texts = problems.texts.rows(problems.documents)
        self.words_ = frequent_words(texts, self.stop_words)
        squares = np.zeros((3, len(self.words_) ** 2))
        total = np.zeros((3, len(self.words_) ** 2))
        for text in texts:
            patterns = self._patterns(self.read(text))
            total += patterns
            squares += patterns**2
        deviation = np.sqrt(np.maximum(squares / len(texts) - (total / len(texts)) ** 2, 0.0))
        self.scale_ = np.where(deviation > 1e-9, deviation, 1.0)
        return self

    def read(self, text: str) -> list[str]:
        return words(lowered(text))

    def answer(self, known: list[list[str]], questioned: list[str]) -> float:
        joined = [word for text in known for word in text]
        parts, pieces = known_and_questioned(known, joined, questioned, _PIECES)
        rests = [
            [w for j, other in enumerate(parts) if j != left for w in other]
            for left in range(len(parts))
        ]
        among = np.array(
            [self._cosine(part, rest) for part, rest in zip(parts, rests, strict=True)]
        )
        if not among.any() or not any(self._patterns(part).any() for part in pieces):
            return 0.5
        return float(accepts(np.array([self._cosine(part, joined) for part in pieces]), among))

    def _patterns(self, text: Sequence[str]) -> Floats:
        return patterns(text, self.words_, self.gap)

    def _cosine(self, a: Sequence[str], b: Sequence[str]) -> float:
        x, y = ((self._patterns(text) / self.scale_).ravel() for text in (a, b))
        length = float(np.sqrt((x @ x) * (y @ y)))
        return float(x @ y) / length if length > 0 else 0.0


def patterns(text: Sequence[str], stop_words: Sequence[str], gap: int) -> Floats:
    """Return frequency per word, mean distance and variance of the distance of each ordered pair, (3, len(stop_words)²).

    Pair i · len(stop_words) + j is word i followed by word j; 0 in all three if it does not occur.
    """
    width = len(stop_words)
    number = {word: i for i, word in enumerate(stop_words)}
    number_at = np.array([number.get(word, -1) for word in text], dtype=np.int64)
    count, total, squares = np.zeros((3, width * width))
    for distance in range(1, min(gap, len(number_at) - 1) + 1):
        first = number_at[:-distance]
        second = number_at[distance:]
        both = (first >= 0) & (second >= 0)
        counts = np.bincount(first[both] * width + second[both], minlength=width * width)
        count += counts
        total += distance * counts
        squares += distance**2 * counts
    mean = total / np.maximum(count, 1)
    return np.stack([count / max(len(text), 1), mean, squares / np.maximum(count, 1) - mean**2])
