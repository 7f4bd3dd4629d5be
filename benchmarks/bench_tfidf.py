"""Character 4-gram tf-idf of short texts: from nothing, and as a run meets it, fold after fold."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.bench_ppm import pronounceable
from benchmarks.measure import compare
from ravenbench.randomness import stream
from ravenbench.text.counting import forget_counts
from ravenbench.text.ngrams import CharNgrams
from ravenbench.text.tfidf import Tfidf
from ravenbench.texts import TextTable

DOCUMENTS, LENGTH, FOLDS = 2_000, 1_500, 5


def peer() -> TfidfVectorizer:
    """The PAN baseline's vectoriser."""
    return TfidfVectorizer(analyzer="char", ngram_range=(4, 4), max_features=3000)


def ours(table: TextTable, rows: Any) -> Any:
    """Fit and transform."""
    return Tfidf(CharNgrams(4)).fit(table, rows).transform(table, rows)


def rows() -> list[dict[str, Any]]:
    """One row for a single fit and transform with nothing counted before, one for five folds of a run."""
    joined = pronounceable(0, DOCUMENTS * LENGTH)
    texts = [joined[i : i + LENGTH] for i in range(0, len(joined), LENGTH)]
    table, every = TextTable.collect(texts)
    model = Tfidf(CharNgrams(4)).fit(table, every)
    check = TfidfVectorizer(analyzer="char", ngram_range=(4, 4), vocabulary=model.vocabulary_)
    assert abs(model.transform(table, every) - check.fit_transform(texts)).max() <= 1e-12
    fold = np.arange(len(every)) % FOLDS
    fold = stream(0, "benchmark-folds").permutation(fold)

    def cold() -> None:
        forget_counts()
        ours(*TextTable.collect(texts))

    def folds() -> None:
        forget_counts()
        for f in range(FOLDS):
            fitted = Tfidf(CharNgrams(4)).fit(table, every[fold != f])
            fitted.transform(table, every)

    def peer_folds() -> None:
        for f in range(FOLDS):
            vectoriser = peer()
            vectoriser.fit_transform(table.rows(every[fold != f]))
            vectoriser.transform(table.rows(every[fold == f]))

    return [
        compare("char n-gram tf-idf", cold, "scikit-learn", lambda: peer().fit_transform(texts)),
        compare(f"char n-gram tf-idf, {FOLDS} folds", folds, "scikit-learn", peer_folds, rounds=3),
    ]
