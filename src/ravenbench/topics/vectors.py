"""Topic vectors and their similarities (Sawatphol et al. 2024, §4, Eq. 1)."""

from __future__ import annotations

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.types import Floats, Ints

BLOCK = 256


def topic_vectors(document_vectors: Floats, codes: Ints, topics: int, normalise: bool = True) -> Floats:
    """Mean document vector of each topic, shape (topics, d).

    Parameters
    ----------
    document_vectors : (n, d)
    codes : (n,) int
        Topic of each document; −1 leaves it out.
    topics : int
    normalise : bool
        Scale documents to unit length first, as the paper's code does though Eq. 1 does not say so.

    Raises
    ------
    CorpusError
        If a topic has no document.
    """
    from scipy.sparse import csr_array

    known = np.flatnonzero(codes >= 0)
    counts = np.bincount(codes[known], minlength=topics)
    if (counts == 0).any():
        empty = int(np.argmin(counts))
        raise CorpusError(f"topic number {empty} has no document, so it has no vector", expected="at least one each")
    vectors = np.asarray(document_vectors[known], dtype=np.float64)
    if normalise:
        vectors = unit_length(vectors)
    member = csr_array((1.0 / counts[codes[known]], (codes[known], np.arange(len(known)))), shape=(topics, len(known)))
    return np.asarray(member @ vectors, dtype=np.float64)


def cosine_similarity(vectors: Floats) -> Floats:
    """Cosine of each pair of rows, (T, T): exactly symmetric, in [−1, 1], 1 on the diagonal, 0 beside a zero row."""
    scaled = unit_length(vectors)
    similarity: Floats = scaled @ scaled.T
    np.clip(similarity, -1.0, 1.0, out=similarity)
    # The upper triangle is copied down block by block, which stays in the cache.
    for start in range(0, len(similarity), BLOCK):
        end = start + BLOCK
        corner = similarity[start:end, start:end]
        corner[:] = np.triu(corner) + np.triu(corner, 1).T
        for right in range(end, len(similarity), BLOCK):
            similarity[right : right + BLOCK, start:end] = similarity[start:end, right : right + BLOCK].T
    np.fill_diagonal(similarity, 1.0)
    return similarity


def unit_length(vectors: Floats) -> Floats:
    """Rows scaled to length 1; a zero row stays zero."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Floats = np.divide(vectors, length, out=np.zeros_like(vectors, dtype=np.float64), where=length > 0)
    return scaled
