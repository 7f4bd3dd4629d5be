import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import adjusted_rand_score, silhouette_score

from ravenbench.ext.map.grouping import grouping, nearness, rand, silhouette


def world(author_effect, topic_effect, seed, authors=12, topics=4, each=2, width=40):
    """Points of authors who all write on all topics."""
    rng = np.random.default_rng(seed)
    author, topic = (
        a.ravel() for a in np.meshgrid(np.arange(authors), np.repeat(np.arange(topics), each))
    )
    places = author_effect * rng.normal(size=(authors, width))[author]
    places = (
        places
        + topic_effect * rng.normal(size=(topics, width))[topic]
        + rng.normal(size=(len(author), width))
    )
    return squareform(pdist(places)), author, topic


def scores(distances, author, topic):
    cut = lambda k: np.arange(len(author)) % max(k, 1)  # noqa: E731
    return {(s.measure, s.by): s for s in grouping(distances, author, topic, cut)}


def test_silhouette_and_rand_index_are_those_of_scikit_learn():
    distances, author, topic = world(1, 0.5, 0)
    one = np.ones((1, len(author)))
    assert silhouette(distances, author, one)[0] == pytest.approx(
        silhouette_score(distances, author, metric="precomputed")
    )
    clusters = np.random.default_rng(1).integers(0, 5, len(author))
    assert rand(clusters, topic, one)[0] == pytest.approx(adjusted_rand_score(topic, clusters))


def test_a_weight_leaves_texts_out():
    distances, author, _ = world(1, 0.5, 0)
    stays = author != 3
    inner = distances[np.ix_(stays, stays)]
    assert silhouette(distances, author, stays[None, :].astype(float))[0] == pytest.approx(
        silhouette_score(inner, author[stays], metric="precomputed")
    )


@pytest.mark.parametrize(
    ("author", "topic", "low", "high"), [(1, 0, 0, 0.05), (0, 1, 0.95, 1), (1, 1, 0.3, 0.7)]
)
def test_the_share_of_topic_is_that_of_the_world(author, topic, low, high):
    found = scores(*world(author, topic, 5))["topic's share", "both"]
    assert low <= found.value <= high and found.interval[0] <= found.value <= found.interval[1]


def test_what_cannot_be_told_is_not():
    distances, author, topic = world(1, 1, 2)
    own_topic = scores(distances, author, author % 3)
    assert (
        own_topic["topic's share", "both"].value is None
        and own_topic["nearness", "author"].value is None
    )
    assert own_topic["silhouette", "author"].value is not None
    unknown = scores(distances, author, np.full(len(author), -1))
    assert (
        unknown["silhouette", "topic"].value is None
        and unknown["topic's share", "both"].value is None
    )
    noise = scores(world(0, 0, 3)[0], author, topic)
    assert noise["topic's share", "both"].value is None
    assert abs(noise["silhouette", "author"].value - noise["silhouette", "author"].shuffled) < 0.02


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """Nearness of authors in many worlds, against its mean over all of them."""
    pairs, held = [], 0
    for seed in range(60):
        distances, author, topic = world(0.6, 0.6, seed, authors=15)
        weights = np.vstack([np.ones(len(author)), author[None, :] != np.arange(15)[:, None]])
        values = nearness(
            distances, topic[:, None] != topic[None, :], author[:, None] == author[None, :], weights
        )
        wide = 2.145 * np.sqrt(14 / 15 * ((values[1:] - values[1:].mean()) ** 2).sum())
        pairs.append((values[0], wide))
    truth = np.mean([value for value, _ in pairs])
    held = sum(abs(value - truth) <= wide for value, wide in pairs)
    assert held >= 51
