import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ravenbench import registry
from ravenbench.errors import CorpusError, MissingPart, SpecError
from ravenbench.ext.encoders.sbert import SBERT
from ravenbench.testing import check_component
from ravenbench.topics.encoders import averaged, chunked
from ravenbench.topics.levels import cosine_similarity, topic_vectors

SUBJECTS = (
    "engine wheel brake road diesel tyre",
    "goal puck skate ice team player",
    "orbit rocket moon launch probe comet",
)
COMMON = ["the", "and", "of", "with", "from", "some", "more", "very", "like", "when", "then"]


def texts(per_topic=30, words=60):
    rng = np.random.default_rng(0)
    made = [
        " ".join(rng.choice(subject.split() * 2 + COMMON, size=words))
        for subject in SUBJECTS
        for _ in range(per_topic)
    ]
    return made, np.repeat(np.arange(3), per_topic)


@pytest.mark.parametrize(
    "text", ["lsa(dimensions=8)", "nmf(components=4)", "lda(components=4)", "lsa(window=20)"]
)
def test_an_encoder_sets_topics_apart_and_repeats_itself(text):
    encoder = registry.parse("encoder", text)
    documents, codes = texts()
    if encoder.name == "lsa":
        encoder.set_params(max_df=1.0)
    elif encoder.name in ("nmf", "lda"):
        encoder.set_params(max_df=0.6)
    vectors = encoder.encode(documents)
    assert vectors.shape[0] == len(documents) and vectors.dtype == np.float64
    similarity = cosine_similarity(vectors)
    same = codes[:, None] == codes[None]
    np.fill_diagonal(same, False)
    assert similarity[same].mean() > similarity[codes[:, None] != codes[None]].mean() + 0.2
    assert np.array_equal(vectors, encoder.encode(documents))


@pytest.mark.parametrize("name", ["lsa", "nmf", "lda"])
def test_small_corpora_keep_their_words(name):
    encoder = registry.parse("encoder", name).set_params(max_df=1.0)
    assert np.isfinite(
        encoder.encode(["one small text here", "another small text there", "third thing"])
    ).all()


@pytest.mark.parametrize("name", ["lsa", "nmf", "lda"])
def test_texts_without_a_word_are_refused(name):
    with pytest.raises(CorpusError, match="no word is left"):
        registry.parse("encoder", name).encode(["1 2 3", "4 5 6"])


@pytest.mark.parametrize("name", ["lsa", "nmf", "lda", "sbert"])
def test_encoders_are_components(name):
    check_component("encoder", registry.parse("encoder", name))


@given(st.lists(st.text(alphabet="ab \n", max_size=60), max_size=8), st.integers(1, 7))
def test_chunks_lose_no_word_and_are_short(documents, words):
    chunks, owner = chunked(documents, words)
    assert np.unique(owner).tolist() == list(range(len(documents)))
    for number, text in enumerate(documents):
        mine = [c.split() for c, o in zip(chunks, owner, strict=True) if o == number]
        assert [w for m in mine for w in m] == text.split() and all(len(m) <= words for m in mine)


def test_vectors_of_chunks_are_averaged():
    each = np.array([[1.0, 0], [3, 2], [5, 5]])
    assert averaged(each, np.array([0, 0, 1])).tolist() == [[2, 1], [5, 5]]


def test_topic_vectors_are_means():
    documents = np.array([[2.0, 0], [0, 1], [0, 3], [9, 9]])
    codes = np.array([0, 0, 1, -1])
    assert topic_vectors(documents, codes, 2).tolist() == [[0.5, 0.5], [0, 1]]
    assert topic_vectors(documents, codes, 2, normalise=False).tolist() == [[1, 0.5], [0, 3]]
    with pytest.raises(CorpusError, match="topic number 2 has no document"):
        topic_vectors(documents, codes, 3)


@given(
    hnp.arrays(
        np.float64,
        st.tuples(st.integers(1, 9), st.integers(1, 5)),
        elements=st.floats(-1e6, 1e6, allow_subnormal=False).map(
            lambda x: 0.0 if abs(x) < 1e-3 else x
        ),
    )
)
def test_cosines_are_symmetric_bounded_and_safe(vectors):
    similarity = cosine_similarity(vectors)
    assert np.array_equal(similarity, similarity.T) and (np.abs(similarity) <= 1).all()
    assert (np.diag(similarity) == 1).all()
    zero = ~vectors.any(axis=1)
    off = similarity - np.eye(len(vectors))
    assert not off[zero].any()


def test_sbert_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingPart, match=r"pip install 'ravenbench\[neural\]'"):
        SBERT().encode(["a"])


def test_topics_and_samplers_import_lightly():
    code = (
        "import sys, ravenbench.topics.encoders, ravenbench.sampling, "
        "ravenbench.problems.sources, ravenbench.ext.corpora.command; "
        "print([m for m in ('sklearn', 'scipy', 'torch', 'numba') if m in sys.modules])"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip()
        == "[]"
    )


@pytest.mark.parametrize(
    "encoder",
    [
        "lsa(window=0)",
        "lsa(dimensions=0)",
        "lsa(sample=-1)",
        "nmf(components=-3)",
        "lda(features=0)",
        "sbert(window=0)",
    ],
)
def test_nothing_is_encoded_with_no_dimension_or_window(encoder):
    with pytest.raises(SpecError, match="must be at least 1"):
        registry.parse("encoder", encoder).encode(texts())


@pytest.mark.parametrize(
    "encoder", ["sbert(remote_code=1)", "sbert(revision=7)", "lsa(max_df='x')", "nmf(seed=0.5)"]
)
def test_parameters_of_another_kind_are_refused(encoder):
    with pytest.raises(SpecError, match="must be"):
        registry.parse("encoder", encoder)
