"""N-grams of one view, counted over a vocabulary of training texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.text.minmax import Vectors
from ravenbench.text.ngrams import CharNgrams
from ravenbench.text.tokens import frequent
from ravenbench.types import Floats


@dataclass(eq=False)
class Grams:
    """Relative frequencies of the ``size`` n-grams most frequent in training texts, ties by code point.

    Attributes
    ----------
    names_ : list of str
    """

    n: int
    size: int

    def fit(self, texts: Sequence[str]) -> Self:
        """Choose the vocabulary from training texts."""
        self.names_ = list(frequent_grams(texts, self.n, self.size)[0])
        return self

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Frequencies relative to all n-grams of a text, sparse."""
        lexicon = CharNgrams(self.n, lowercase=False).lexicon()
        index = lexicon.ids(self.names_) if self.names_ else np.zeros(0, np.int64)
        bounds, found, counts = lexicon.count(texts)
        column = np.full(len(lexicon), -1, dtype=np.int64)
        column[index] = np.arange(len(index))
        document = np.repeat(np.arange(len(texts)), np.diff(bounds))
        total = np.bincount(document, weights=counts, minlength=len(texts))
        feature = column[found]
        inside = feature >= 0
        document, feature = document[inside], feature[inside]
        values = counts[inside] / total[document]
        order = np.lexsort((feature, document))
        ends = np.searchsorted(document[order], np.arange(len(texts) + 1)).astype(np.int64)
        return Vectors(ends, feature[order].astype(np.int32), values[order], len(self.names_))

    def dense(self, texts: Sequence[str]) -> Floats:
        """Frequencies as ``vectors`` gives them, as a matrix (texts, names)."""
        sparse = self.vectors(texts)
        matrix = np.zeros((len(texts), sparse.features))
        matrix[np.repeat(np.arange(len(texts)), np.diff(sparse.bounds)), sparse.ids] = sparse.values
        return matrix


def frequent_grams(texts: Sequence[str], n: int, size: int) -> tuple[dict[str, int], int]:
    """Counts of the ``size`` most frequent n-grams of some texts, in order, ties by code point; and of all n-grams."""
    lexicon = CharNgrams(n, lowercase=False).lexicon()
    _, ids, counts = lexicon.count(texts)
    total = np.bincount(ids, weights=counts, minlength=len(lexicon)).astype(np.int64)
    kept = np.arange(len(total))
    if len(kept) > size:
        kept = np.flatnonzero(total >= np.partition(total, -size)[-size])
    number = Counter(dict(zip(lexicon.names(kept), total[kept].tolist(), strict=True)))
    return {name: number[name] for name in frequent(number, size)}, int(total.sum())
