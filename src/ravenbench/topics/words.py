"""Bags of words for the encoders that learn from the corpus itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ravenbench.errors import CorpusError

PATTERN = r"[^\W\d_]{2,}"
"""A word: two letters or more, of any script."""

SMALL = 0.02
"""An absolute minimum of documents is lowered to this share of the texts, or small corpora would lose every word."""


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
    vectorizer, matrix = fitted(texts, min_df=min_df, max_df=max_df, features=features, tfidf=tfidf, binary=binary)
    return matrix, vectorizer.get_feature_names_out().tolist()


def fitted(
    texts: Sequence[str],
    *,
    min_df: int | float,
    max_df: int | float,
    features: int | None,
    tfidf: bool = False,
    sublinear: bool = False,
    binary: bool = False,
) -> tuple[Any, Any]:
    """The fitted vectorizer that ``counts`` uses, and its matrix."""
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

    if isinstance(min_df, int):
        min_df = max(1, min(min_df, int(SMALL * len(texts))))
    options = {"token_pattern": PATTERN, "min_df": min_df, "max_df": max_df, "max_features": features}
    vectorizer = (
        TfidfVectorizer(sublinear_tf=sublinear, **options) if tfidf else CountVectorizer(binary=binary, **options)
    )
    try:
        matrix = vectorizer.fit_transform(texts)
    except ValueError as error:
        raise CorpusError(
            "no word is left to compare these texts by",
            found=f"{len(texts)} texts, min_df={min_df}, max_df={max_df} ({error})",
            fix="lower min_df or raise max_df, e.g. lsa(min_df=1, max_df=1.0)",
        ) from None
    return vectorizer, matrix
