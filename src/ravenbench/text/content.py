"""How alike texts are in content: cosine of tf-idf weights of their content words."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ravenbench.text.tokens import frequent_words
from ravenbench.types import Floats

FUNCTION_WORDS = 200
"""Most frequent words that do not count as content."""
_WORD = re.compile(r"[^\W\d_]+")


class ContentSpace:
    """Vectors of texts over the content words of some texts, all but the most frequent words of these.

    Attributes
    ----------
    functions : frozenset of str
        Lowercase words that do not count.
    """

    def __init__(self, texts: Sequence[str], function_words: int = FUNCTION_WORDS) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.functions = frozenset(frequent_words(texts, function_words))
        self._space = TfidfVectorizer(analyzer=self.words, sublinear_tf=True)
        self._space.fit([*texts, "content"])

    def words(self, text: str) -> list[str]:
        """The content words of a text, in lowercase."""
        return [word for word in map(str.lower, _WORD.findall(text)) if word not in self.functions]

    def cosines(self, one: Sequence[str], other: Sequence[str]) -> Floats:
        """Cosines of texts, (one, other), in [0, 1]; 0 where a text has no word that is known."""
        left, right = (self._space.transform(list(side)) for side in (one, other))
        return np.asarray((left @ right.T).toarray(), dtype=np.float64)

    def paired(self, one: Sequence[str], other: Sequence[str]) -> Floats:
        """Cosine (n,) of each text with the one in its place on the other side."""
        left, right = (self._space.transform(list(side)) for side in (one, other))
        return np.asarray(left.multiply(right).sum(axis=1), dtype=np.float64).ravel()
