"""Bags of words for the encoders that learn from the corpus itself, equal to those of scikit-learn's vectorizers.

A kernel finds the words: many times as fast, and scikit-learn, which takes a second to import, is not needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.types import Floats, Ints

SMALL = 0.02
"""An absolute minimum of documents is lowered to this share of the texts, or small corpora would lose every word."""
_BATCH = 1 << 16
"""Characters counted at a time."""


def counts(
    texts: Sequence[str],
    *,
    min_df: int | float,
    max_df: int | float,
    features: int | None,
    tfidf: bool = False,
    binary: bool = False,
) -> tuple[Any, list[str]]:
    """A sparse (len(texts), v) matrix of word weights, and the v words in sorted order.

    A word is two letters or more, of any script, in lowercase.

    Parameters
    ----------
    min_df, max_df : int or float
        Fewest and most documents a word may occur in; a float is a share. An integer ``min_df`` above
        ``SMALL`` of the texts is lowered to that.
    features : int, optional
        Keep the words of highest total count.

    Raises
    ------
    CorpusError
        If no word is left.
    """
    words, matrix = fitted(texts, min_df=min_df, max_df=max_df, features=features, binary=binary)
    return (words.weighed(matrix) if tfidf else matrix), words.names


def fitted(
    texts: Sequence[str], *, min_df: int | float, max_df: int | float, features: int | None, binary: bool = False
) -> tuple[Words, Any]:
    """The words that ``counts`` keeps, and the matrix of their counts."""
    if isinstance(min_df, int):
        min_df = max(1, min(min_df, int(SMALL * len(texts))))
    words = Words()
    matrix = words.counted(texts)
    if binary:
        matrix.data[:] = 1
    held = np.bincount(matrix.indices, minlength=matrix.shape[1])
    least, most = (bound if isinstance(bound, int) else bound * len(texts) for bound in (min_df, max_df))
    kept = np.flatnonzero((held >= max(least, 1)) & (held <= most))
    if features is not None and len(kept) > features:
        kept = kept[np.sort((-np.asarray(matrix.sum(axis=0)).ravel()[kept]).argsort()[:features])]
    if not len(kept):
        raise CorpusError(
            "no word is left to compare these texts by",
            found=f"{len(texts)} texts of {np.count_nonzero(held)} words, min_df={min_df}, max_df={max_df}",
            fix="lower min_df or raise max_df, e.g. lsa(min_df=1, max_df=1.0)",
        )
    matrix = matrix[:, kept]
    words.keep(kept, np.log((1 + len(texts)) / (1.0 + np.bincount(matrix.indices, minlength=len(kept)))) + 1)
    return words, matrix


class Words:
    """Words by column of a matrix, at first all that are met, in sorted order.

    Attributes
    ----------
    names : list of str
    idf : (len(names),) float64
    """

    def __init__(self) -> None:
        # Here, for the command line names encoders without numba.
        from ravenbench.text.lexicon import LETTERS

        self._lexicon: Any = LETTERS.lexicon()
        self.names: list[str] = []
        self.idf: Floats = np.zeros(0)

    def keep(self, columns: Ints, idf: Floats) -> None:
        """Leave these columns, ascending, with their weights."""
        self.names, self.idf = [self.names[i] for i in columns], idf

    def counted(self, texts: Sequence[str]) -> Any:
        """Counts of words, a sparse (len(texts), v) matrix with sorted columns; what has no column is left out."""
        from scipy.sparse import csr_matrix

        parts = [(np.empty(0, np.int32), np.empty(0, np.int32))]
        ends, batch, size = [0], list[str](), 0
        for number, text in enumerate(texts, start=1):
            batch.append(text.lower())
            size += len(batch[-1])
            if size > _BATCH or number == len(texts):
                bounds, ids, times = self._lexicon.count(batch)
                parts.append((ids, times))
                ends += (bounds[1:] + ends[-1]).tolist()
                batch, size = [], 0
        ids, times = map(np.concatenate, zip(*parts, strict=True))
        if not self.names:
            self.names = sorted(self._lexicon.names(np.unique(ids)))
        column = np.full(len(self._lexicon), -1, np.int32)
        column[self._lexicon.ids(self.names)] = np.arange(len(self.names))
        places = column[ids]
        known = places >= 0
        pointers = np.concatenate([[0], np.cumsum(known)])[ends]
        shape = len(texts), len(self.names)
        matrix = csr_matrix((times[known].astype(np.int64), places[known], pointers), shape=shape)
        matrix.sort_indices()
        return matrix

    def weighed(self, matrix: Any, *, sublinear: bool = False) -> Any:
        """Counts as tf-idf, rows of length 1; ``sublinear`` takes one plus the logarithm of a count."""
        found = matrix.astype(np.float64)
        if sublinear:
            found.data = np.log(found.data) + 1
        found.data *= self.idf[found.indices]
        length = np.sqrt(np.asarray(found.multiply(found).sum(axis=1)).ravel())
        found.data /= np.repeat(length, np.diff(found.indptr))
        return found
