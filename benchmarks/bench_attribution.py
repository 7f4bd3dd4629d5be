"""Leave-one-topic-out attribution by many authors: Raven's methods and the plain scikit-learn loop."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from benchmarks.measure import compare
from ravenbench.attribution.counts import prepare
from ravenbench.attribution.linear import CharSVM, MaxEnt
from ravenbench.randomness import stream
from ravenbench.text.counting import forget_counts

TOPICS, EACH, WORDS = 5, 2, 200


def corpus(authors: int) -> tuple[list[str], Any, Any]:
    """Texts of a Zipfian vocabulary whose order each author and each topic changes a little."""
    rng = stream(0, "bench-attribution")
    size = 8000
    letters = np.array(list("etaoinshrdlu"))
    names = np.array(["".join(rng.choice(letters, 2 + rank % 7)) for rank in range(size)])
    base = -np.log(np.arange(size) + 2.7)
    author = rng.normal(0, 0.5, (authors, size))
    topic = rng.normal(0, 0.8, (TOPICS, size))
    texts, who, what = [], [], []
    for a in range(authors):
        for t in range(TOPICS):
            share = np.exp(base + author[a] + topic[t])
            for _ in range(EACH):
                texts.append(" ".join(names[rng.choice(size, WORDS, p=share / share.sum())]))
                who.append(f"author{a:02d}")
                what.append(t)
    return texts, np.array(who), np.array(what)


def loop(make: Any, texts: list[str], who: Any, what: Any) -> Any:
    """Predictions of a fresh estimator for every held-out topic."""
    predicted = np.empty_like(who)
    for t in range(TOPICS):
        train, test = np.flatnonzero(what != t), np.flatnonzero(what == t)
        fitted = make().fit([texts[i] for i in train], who[train])
        predicted[test] = fitted.predict([texts[i] for i in test])
    return predicted


def plain_svm() -> Any:
    """Character 3-gram tf-idf and LinearSVC."""
    return make_pipeline(
        TfidfVectorizer(analyzer="char", ngram_range=(3, 3), lowercase=False, max_features=20_000),
        LinearSVC(random_state=0),
    )


def plain_maxent() -> Any:
    """Word counts and logistic regression."""
    words = CountVectorizer(preprocessor=prepare, tokenizer=str.split, token_pattern=None)
    return make_pipeline(words, LogisticRegression(max_iter=1000))


def rows() -> list[dict[str, Any]]:
    """One row a method; ours starts with nothing counted, and both answer alike but for ties and tolerance."""
    found = []
    for name, authors, ours, plain in (
        ("svm", 40, CharSVM, plain_svm),
        ("maxent", 10, MaxEnt, plain_maxent),
    ):
        texts, who, what = corpus(authors)

        def cold(ours: Any = ours, texts: Any = texts, who: Any = who, what: Any = what) -> Any:
            forget_counts()
            return loop(ours, texts, who, what)

        agreement = np.mean(cold() == loop(plain, texts, who, what))
        assert agreement >= 0.98, f"{name}: only {agreement:.3f} of answers agree"
        found.append(
            compare(
                f"attribution, {name}, {authors} authors, {TOPICS} topics held out",
                cold,
                "scikit-learn loop",
                lambda plain=plain, data=(texts, who, what): loop(plain, *data),
                rounds=3,
            )
        )
    return found
