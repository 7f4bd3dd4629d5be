"""Word vectors from the training texts: positive pointwise mutual information, factorised."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ravenbench.types import Floats, Ints

_WINDOW = 5
_SMOOTHING = 0.75


def word_vectors(documents: Sequence[Ints], words: int, size: int, first: int = 0) -> Floats:
    """Vectors of unit mean square, shape (words, size).

    Parameters
    ----------
    documents : sequence of (n,) int64
        Word numbers in order.
    words : int
        Numbers run from 0.
    size : int
        What the texts do not suffice for is 0.
    first : int
        Smaller numbers (padding, unknown words) get no vector.

    References
    ----------
    Levy, Goldberg & Dagan 2015, Improving distributional similarity with lessons learned from word embeddings.
    """
    from scipy.sparse import coo_array
    from sklearn.utils.extmath import randomized_svd

    left, right = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for document in documents:
        for distance in range(1, _WINDOW + 1):
            left.append(document[:-distance])
            right.append(document[distance:])
    a, b = np.concatenate(left), np.concatenate(right)
    kept = (a >= first) & (b >= first)
    a, b = np.concatenate([a[kept], b[kept]]), np.concatenate([b[kept], a[kept]])
    vectors = np.zeros((words, size))
    counts = coo_array((np.ones(len(a)), (a, b)), shape=(words, words)).tocsr().tocoo()
    if counts.nnz == 0:
        return vectors
    total: Floats = np.asarray(counts.sum(axis=1)).ravel()
    context = total**_SMOOTHING / (total**_SMOOTHING).sum()
    information = np.log(counts.data / (total[counts.row] * context[counts.col]))
    shape = counts.shape
    positive = coo_array((np.maximum(information, 0), (counts.row, counts.col)), shape=shape).tocsr()
    rank = min(size, words)
    u, s, _ = randomized_svd(positive, rank, random_state=0)
    seen = total > 0
    vectors[seen, :rank] = (u * np.sqrt(s))[seen]
    scale = np.sqrt((vectors[seen] ** 2).mean())
    return np.asarray(vectors / scale if scale > 0 else vectors)
