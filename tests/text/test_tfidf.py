from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from ravenbench.testing import toy_problems
from ravenbench.text.lexicon import ALL_TOKENS, CONTENT_WORDS
from ravenbench.text.ngrams import CharNgrams
from ravenbench.text.tfidf import Tfidf, row_cosines
from ravenbench.texts import TextTable


def toy_texts() -> list[str]:
    texts = list(toy_problems(20)[0].texts)
    return [*texts, "", "x", "Ὁ  Σωκράτης ἔφη· ΟΔΟΣ", "Да,\n\nда!\tда", "😀" * 9]


@pytest.mark.parametrize(
    ("n", "size", "lowercase"), [(4, 3000, True), (4, 150, False), (1, 10, True), (6, 400, True)]
)
def test_equals_scikit_learn_given_the_vocabulary(n, size, lowercase):
    texts, rows = TextTable.collect(toy_texts())
    train, test = rows[:30], rows[10:]
    ours = Tfidf(CharNgrams(n, lowercase), size).fit(texts, train)
    peer = TfidfVectorizer(
        analyzer="char", ngram_range=(n, n), vocabulary=ours.vocabulary_, lowercase=lowercase
    )
    peer.fit(texts.rows(train))
    assert np.abs(ours.transform(texts, test) - peer.transform(texts.rows(test))).max() <= 1e-12
    assert np.abs(ours.idf_ - peer.idf_).max() <= 1e-12


def test_takes_the_most_frequent_as_scikit_learn_does():
    texts, rows = TextTable.collect(toy_texts())
    ours = Tfidf(CharNgrams(4), 200).fit(texts, rows)
    peer = TfidfVectorizer(analyzer="char", ngram_range=(4, 4), use_idf=False, norm=None).fit(texts)
    total = np.asarray(peer.transform(texts).sum(axis=0)).ravel()
    names = sorted(peer.vocabulary_, key=lambda name: (-total[peer.vocabulary_[name]], name))
    assert ours.vocabulary_ == sorted(names[:200])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(alphabet="ab Γγ\n😀", max_size=30), min_size=1, max_size=8))
def test_any_texts(raw):
    texts, rows = TextTable.collect(raw)
    ours = Tfidf(CharNgrams(3), 20).fit(texts, rows)
    got = ours.transform(texts, rows).toarray()
    lengths = np.linalg.norm(got, axis=1)
    assert np.all((np.abs(lengths - 1) < 1e-12) | (lengths == 0))
    if ours.vocabulary_:
        peer = TfidfVectorizer(analyzer="char", ngram_range=(3, 3), vocabulary=ours.vocabulary_)
        assert np.abs(got - peer.fit_transform(texts.rows(rows)).toarray()).max() <= 1e-12


def test_words_equal_scikit_learn():
    texts, rows = TextTable.collect(toy_texts())
    ours = Tfidf(CONTENT_WORDS, 100).fit(texts, rows, drop=frozenset({"ka", "unheard"}))
    assert "ka" not in ours.vocabulary_ and len(ours.vocabulary_) == 100
    peer = TfidfVectorizer(vocabulary=ours.vocabulary_).fit(texts)
    assert np.abs(ours.transform(texts, rows) - peer.transform(texts)).max() <= 1e-12


def test_content_words_of_all_tokens():
    texts, rows = TextTable.collect([*toy_texts(), "İ a B 12 b2b 1990s, İstanbul! ΟΔΟΣ x_1"])
    apart = Tfidf(CONTENT_WORDS, 80).fit(texts, rows, drop=frozenset({"ka"}))
    ours = Tfidf(ALL_TOKENS, 80, content=True).fit(texts, rows, drop=frozenset({"ka"}))
    assert ours.vocabulary_ == apart.vocabulary_ and np.array_equal(ours.idf_, apart.idf_)
    assert np.array_equal(
        ours.transform(texts, rows).toarray(), apart.transform(texts, rows).toarray()
    )


def test_weights_count_documents_several_times():
    texts, rows = TextTable.collect(toy_texts()[:12])
    weights = np.arange(1, 13)
    ours = Tfidf(CharNgrams(4), 300).fit(texts, rows, weights)
    repeated = [texts[i] for i in rows for _ in range(weights[i])]
    peer = TfidfVectorizer(analyzer="char", ngram_range=(4, 4), vocabulary=ours.vocabulary_).fit(
        repeated
    )
    assert np.abs(ours.idf_ - peer.idf_).max() <= 1e-12


def test_cosines():
    texts, rows = TextTable.collect(toy_texts())
    matrix = Tfidf(CharNgrams(3), 500).fit(texts, rows).transform(texts, rows)
    rng = np.random.default_rng(1)
    left, right = rng.integers(len(rows), size=(2, 100))
    dense = matrix.toarray()
    assert (
        np.abs(row_cosines(matrix, left, right) - (dense[left] * dense[right]).sum(axis=1)).max()
        <= 1e-12
    )
    keep = rng.random(dense.shape[1]) < 0.5
    part = dense[:, keep]
    size = np.linalg.norm(part, axis=1)
    part = part / np.where(size > 0, size, 1)[:, None]
    found = row_cosines(matrix, left, right, keep)
    assert np.abs(found - (part[left] * part[right]).sum(axis=1)).max() <= 1e-12
    assert np.array_equal(found, row_cosines(matrix, right, left, keep))


def test_no_texts():
    texts, rows = TextTable.collect(["", "ab"])
    ours = Tfidf(CharNgrams(4)).fit(texts, rows)
    assert ours.vocabulary_ == []
    assert ours.transform(texts, rows).shape == (2, 0)
    assert ours.transform(texts, rows[:0]).shape == (0, 0)
    assert row_cosines(ours.transform(texts, rows), rows, rows).tolist() == [0, 0]
