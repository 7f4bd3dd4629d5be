"""The second synthetic corpus: what its dials promise."""

import re

import numpy as np
import pytest
from benchmarks.lab.manifold import Manifold, ManifoldWriter, cumulated, draw, offset

from ravenbench.errors import SpecError

SMALL = {"documents": 120, "authors": 30, "topics": 12, "words": 60}


def test_same_dials_same_bytes_and_a_prefix_is_a_smaller_corpus():
    whole, again = Manifold(**SMALL).load(), Manifold(**SMALL).load()
    part = Manifold(**{**SMALL, "documents": 40}).load()
    assert whole.digest() == again.digest() != Manifold(**SMALL, seed=1).load().digest()
    assert list(part.texts) == list(whole.texts)[:40]
    assert [part.author[i] for i in range(40)] == [whole.author[i] for i in range(40)]
    assert whole.notes["defaults"]["topic"] == "topic" and whole.notes["licence"] == "CC0-1.0"


def test_authors_write_on_several_topics_that_are_alike():
    made = Manifold(documents=1200, authors=40, topics=40, words=20, interest=0.1)
    corpus = made.load()
    places = ManifoldWriter(0, 0, 1.0, 1.0, 0.0, 40, 20).places
    topics = [corpus.topic.codes[corpus.author.codes == a] for a in range(len(corpus.author.names))]
    assert np.median([len(np.unique(t)) for t in topics]) > 3
    apart = [
        np.abs(offset(places[t][:, None], places[t][None])).mean() for t in topics if len(t) > 1
    ]
    assert np.mean(apart) < 0.8 * np.abs(offset(places[:, None], places[None])).mean()


def test_topics_share_one_vocabulary_and_near_ones_are_alike():
    writer = ManifoldWriter(0, 0, 1.0, 1.0, 0.0, 40, 200)
    shares = np.diff(
        np.array([writer._content_shares(p) for p in writer.places]), prepend=0.0, axis=1
    )
    assert np.median((shares > 0.01 * shares.max(axis=0)).sum(axis=0)) > 4
    away = np.hypot(*np.moveaxis(offset(writer.places[:, None], writer.places[None]), 2, 0))
    unit = shares / np.linalg.norm(shares, axis=1, keepdims=True)
    pairs = np.triu_indices(40, 1)
    assert np.corrcoef(away[pairs], (unit @ unit.T)[pairs])[0, 1] < -0.5


def test_drift_moves_function_words_along_the_torus_and_nothing_else():
    still, moving = (ManifoldWriter(0, 0, 1.0, 1.0, drift, 40, 200) for drift in (0.0, 1.0))
    a, b = still.places[:2]
    habits = still.habits(3)
    assert np.array_equal(still._function_shares(habits, a), still._function_shares(habits, b))
    assert not np.allclose(moving._function_shares(habits, a), moving._function_shares(habits, b))
    assert np.array_equal(still._content_shares(a), moving._content_shares(a))


def test_style_and_topic_can_be_turned_off():
    plain = ManifoldWriter(0, 0, 0.0, 0.0, 0.0, 5, 50)
    assert np.array_equal(plain.habits(1).function, plain.habits(2).function)
    assert np.array_equal(
        plain._content_shares(plain.places[0]), plain._content_shares(plain.places[1])
    )


def test_one_language_in_corpora_of_other_seeds():
    def words(corpus):
        return set(re.findall(r"[a-z]+", " ".join(corpus.texts).lower()))

    a, b = (words(Manifold(**SMALL, language=5, seed=seed).load()) for seed in (1, 2))
    other = words(Manifold(**SMALL, language=6, seed=2).load())
    assert len(a & b) > 3 * len(b & other)


def test_small_parts():
    assert offset(np.array([0.9]), np.array([0.1])) == pytest.approx(-0.2)
    assert cumulated(np.array([1.0, 3.0])).tolist() == [0.25, 1.0]
    assert draw(np.array([0.0, 1.0]), np.random.default_rng(0), 5).tolist() == [1] * 5


@pytest.mark.parametrize(
    "dial",
    [{"words": 3}, {"topics": 0}, {"style": -1}, {"drift": 99}, {"seed": 0.5}, {"language": "en"}],
)
def test_impossible_dials_are_refused(dial):
    with pytest.raises(SpecError, match=next(iter(dial))):
        Manifold(**dial).load()
