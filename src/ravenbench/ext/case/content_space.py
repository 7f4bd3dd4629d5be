"""How alike texts are in their content words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ravenbench.text.content_words import FUNCTION_WORDS, LETTERS
from ravenbench.text.tokens import frequent_words
from ravenbench.types import Floats


class ContentSpace:
    """Vectors of texts over the content words of some texts, all but ``functions`` (lowercase), by default the most
    frequent words of these."""

    def __init__(
        self, texts: Sequence[str], function_words: int = FUNCTION_WORDS, functions: frozenset[str] | None = None
    ) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.functions = frozenset(frequent_words(texts, function_words)) if functions is None else functions
        self._space = TfidfVectorizer(analyzer=self.words, sublinear_tf=True)
        self._space.fit([*texts, "content"])

    def words(self, text: str) -> list[str]:
        """The content words of a text, in lowercase."""
        return [word for word in map(str.lower, LETTERS.findall(text)) if word not in self.functions]

    def cosines(self, one: Sequence[str], other: Sequence[str]) -> Floats:
        """Cosines of texts, (one, other), in [0, 1]; 0 where a text has no word that is known."""
        left, right = (self._space.transform(list(side)) for side in (one, other))
        return np.asarray((left @ right.T).toarray(), dtype=np.float64)

    def paired(self, one: Sequence[str], other: Sequence[str]) -> Floats:
        """Cosine (n,) of each text with the one in its place on the other side."""
        row = {text: i for i, text in enumerate(dict.fromkeys([*one, *other]))}
        vectors = self._space.transform(list(row)).tocsr()
        left, right = (vectors[[row[text] for text in side]] for side in (one, other))
        return np.asarray(left.multiply(right).sum(axis=1), dtype=np.float64).ravel()
