"""Promises of the crossed probe's domains and folds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenbench.corpora.synthetic import Synthetic
from ravenbench.errors import CorpusError
from ravenbench.problems.pair_rules import Matched
from ravenbench.problems.probe import crossed, domains, permuted, room_for_tests
from ravenbench.problems.sources import Pairing
from ravenbench.randomness import stream


def similarities(size, seed=0):
    vectors = np.random.default_rng(seed).normal(size=(size, 6))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors @ vectors.T


@settings(max_examples=50, deadline=None)
@given(st.integers(4, 60), st.integers(1, 4), st.integers(1, 3), st.integers(0, 99))
def test_domains_share_no_topic_and_have_equal_sizes(size, tests, near, seed):
    similarity = similarities(size, seed)
    if size < 2 * tests * (1 + near):
        with pytest.raises(CorpusError, match="too few topics"):
            domains(similarity, tests, near, stream(seed, "x"))
        return
    a, b = domains(similarity, tests, near, stream(seed, "x"))
    topics = np.concatenate([a.test, a.train, b.test, b.train])
    assert len(np.unique(topics)) == len(topics) == 2 * tests * (1 + near)
    assert len(a.test) == len(b.test) == tests and len(a.train) == len(b.train) == tests * near


@given(st.integers(0, 200), st.integers(1, 3))
def test_as_many_test_topics_as_fit(size, near):
    tests = room_for_tests(size, near)
    assert 2 * tests * (1 + near) <= size
    assert (tests > 0) == (size >= 2 * (1 + near))


def test_training_topics_are_near_their_own_tests():
    blocks = np.kron(np.eye(10), np.ones((3, 3))) + 0.01 * similarities(30)
    a, b = domains(blocks, 2, 2, stream(0, "x"))
    for domain in (a, b):
        assert set(domain.train // 3) == set(domain.test // 3)


def test_permuting_keeps_the_similarities():
    similarity = similarities(12)
    other = permuted(similarity, stream(0, "x"))
    assert np.array_equal(np.sort(other, axis=None), np.sort(similarity, axis=None))
    assert np.array_equal(other, other.T) and not np.array_equal(other, similarity)


@pytest.fixture(scope="module")
def drawn():
    corpus = Synthetic(documents=480, authors=60, topics=12, words=30, dependence=0.3).load()
    pair = domains(similarities(12), 2, 2, stream(0, "x"))
    return corpus, pair, crossed(corpus, pair, Pairing(Matched(), 40), name="p")


def test_pairs_are_fixed_and_only_training_changes(drawn):
    _, pair, folds = drawn
    four = {fold.name: fold for fold in folds}
    assert list(four) == ["p-aa", "p-ab", "p-ba", "p-bb"]
    for test in "ab":
        one, other = four[f"p-a{test}"], four[f"p-b{test}"]
        assert one.test.digest() == other.test.digest() and np.array_equal(
            one.test_same, other.test_same
        )
    for train in "ab":
        assert four[f"p-{train}a"].train_digest() == four[f"p-{train}b"].train_digest()
    assert len(four["p-aa"].train) == pytest.approx(len(four["p-bb"].train), rel=0.05)
    assert four["p-ab"].counts["test_topics"] == pair[1].test.tolist()


def test_no_author_of_a_test_text_is_in_training(drawn):
    corpus, _, folds = drawn
    tested = {a for f in folds for a in corpus.author.codes[f.test.documents]}
    for fold in folds:
        assert not tested & set(corpus.author.codes[fold.train.documents].tolist())


def test_draws_depend_on_their_arguments_alone(drawn):
    corpus, pair, folds = drawn
    again = crossed(corpus, pair, Pairing(Matched(), 40), name="p")
    assert [f.train_digest() for f in again] == [f.train_digest() for f in folds]
    assert [f.test.digest() for f in again] == [f.test.digest() for f in folds]
