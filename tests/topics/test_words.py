"""Words and weights of the encoders that learn from the corpus, beside scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from ravenbench.errors import CorpusError
from ravenbench.text.lexicon import LETTERS
from ravenbench.text.tokens import lowered
from ravenbench.topics.encoders import counts, directions, fitted

TEXTS = st.lists(st.text(alphabet="abAB1٣_éİǅß.² ", max_size=40), min_size=1, max_size=8)


@settings(max_examples=80, deadline=None)
@given(texts=TEXTS, least=st.sampled_from([1, 0.0, 0.3]), most=st.sampled_from([1.0, 0.8]))
@pytest.mark.parametrize("features", [None, 3])
def test_words_are_counted_and_weighed_as_scikit_learn_does(texts, least, most, features):
    bounds = {"min_df": least, "max_df": most}
    options = {
        "preprocessor": lowered,
        "token_pattern": LETTERS.pattern,
        "max_features": features,
        **bounds,
    }
    try:
        CountVectorizer(**options).fit(texts)
    except ValueError:
        with pytest.raises(CorpusError, match="no word is left"):
            counts(texts, features=features, **bounds)
        return
    for vectorizer, more in (
        (CountVectorizer(**options), {}),
        (CountVectorizer(binary=True, **options), {"binary": True}),
        (TfidfVectorizer(**options), {"tfidf": True}),
    ):
        matrix, words = counts(texts, features=features, **bounds, **more)
        expected = vectorizer.fit_transform(texts)
        assert words == vectorizer.get_feature_names_out().tolist()
        assert matrix.dtype == expected.dtype and np.allclose(
            matrix.toarray(), expected.toarray(), 0, 1e-15
        )


def test_no_texts_have_no_words():
    with pytest.raises(CorpusError, match="no word is left"):
        counts([], min_df=1, max_df=1.0, features=None)


def test_further_texts_are_weighed_as_scikit_learn_does():
    texts, more = (
        ["one two two", "two three", "three one one one"],
        ["two two unknown", "unknown", "one three"],
    )
    words, _ = fitted(texts, min_df=1, max_df=1.0, features=None)
    expected = (
        TfidfVectorizer(token_pattern=LETTERS.pattern, sublinear_tf=True).fit(texts).transform(more)
    )
    assert np.allclose(
        words.weighed(words.counted(more), sublinear=True).toarray(), expected.toarray(), 0, 1e-15
    )


@pytest.mark.parametrize("shape", [(60, 200), (200, 60)])
def test_directions_are_those_of_scikit_learn(shape):
    from scipy.sparse import random as sparse

    matrix = sparse(*shape, density=0.2, format="csr", random_state=np.random.RandomState(0))
    expected = TruncatedSVD(7, n_iter=7, random_state=3).fit(matrix).components_
    assert np.allclose(directions(matrix, 7, 3), expected, 0, 1e-9)
