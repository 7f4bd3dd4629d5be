"""Cosines of whole texts: of weighted words, and of latent dimensions (LSA) of a problem set.

References
----------
Deerwester et al. 1990, Indexing by latent semantic analysis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

DIMENSIONS = 100
LEAST_TEXTS = 10
"""Fewer texts span too small a space for its cosines to say anything."""


class VectorSpace:
    """Document frequencies and latent dimensions of a set of texts.

    Attributes
    ----------
    no_lsa : str or None
        Why there are no latent dimensions.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._words: Any = None
        self._latent: Any = None
        self.no_lsa: str | None = f"a latent space needs at least {LEAST_TEXTS} texts with words"
        try:
            self._words = TfidfVectorizer(sublinear_tf=True).fit(texts) if texts else None
        except ValueError:
            # No text holds a word.
            return
        spoken = sorted({text for text in texts if any(c.isalnum() for c in text)})
        if len(spoken) >= LEAST_TEXTS:
            matrix = self._words.transform(spoken)
            size = min(DIMENSIONS, len(spoken) - 1, matrix.shape[1] - 1)
            if size >= 2:
                self._latent = TruncatedSVD(size, random_state=0).fit(matrix)
                self.no_lsa = None

    def tfidf(self, original: str, rewritten: str) -> float | None:
        """Cosine of tf-idf vectors; None where the original has no word of the set."""
        if self._words is None:
            return None
        rows = self._words.transform([original, rewritten])
        return float((rows[[0]] @ rows[[1]].T).sum()) if rows[[0]].nnz else None

    def lsa(self, original: str, rewritten: str) -> float | None:
        """Cosine of latent vectors, −1 to 1; None where there is no latent space or the original lies outside it."""
        if self._latent is None:
            return None
        a, b = self._latent.transform(self._words.transform([original, rewritten]))
        size = float(a @ a)
        if size < 1e-18:
            return None
        norm = (size * float(b @ b)) ** 0.5
        return float(a @ b) / norm if norm > 1e-18 else 0.0
