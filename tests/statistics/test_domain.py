"""The gain of the crossed probe and its estimated standard error."""

import numpy as np
import pytest

from ravenbench.metrics.pan import auc_of_scores
from ravenbench.statistics.axes import Crossed, alike, gain_figure, gain_of


def world(rng, repetitions=12, topics=40, tests=5, pairs=30, gain=0.4, topical=0.0):
    """Repetitions that draw test topics from few; a topic's gain is partly its own."""
    own = gain + topical * rng.normal(size=topics)
    made = []
    for _ in range(repetitions):
        drawn = rng.permutation(topics)[: 2 * tests].reshape(2, tests)
        pair = []
        for chosen in drawn:
            topic = chosen[rng.integers(tests, size=2 * pairs)]
            same = np.arange(2 * pairs) < pairs
            base = rng.normal(size=2 * pairs) + 0.5 * same
            home = base + own[topic] * same + 0.3 * rng.normal(size=2 * pairs)
            pair.append(Crossed(same, home, base, np.stack([topic, topic], axis=1)))
        made.append(tuple(pair))
    return made


def test_gain_is_the_mean_of_four_aucs() -> None:
    made = world(np.random.default_rng(0))
    by_hand = [
        np.mean([auc_of_scores(t.same, t.home) - auc_of_scores(t.same, t.away) for t in pair])
        for pair in made
    ]
    assert [gain_of(pair) for pair in made] == pytest.approx(by_hand)
    found = gain_figure(made)
    assert found.value == pytest.approx(np.mean(by_hand))
    assert found.error >= np.std(by_hand, ddof=1) / np.sqrt(len(made)) - 1e-12


@pytest.mark.parametrize("topical", [0.0, 0.5])
def test_intervals_hold_whether_topics_matter_or_not(topical: float) -> None:
    true = np.mean(
        [
            gain_figure(world(np.random.default_rng([1, i]), topical=topical)).value
            for i in range(150)
        ]
    )
    hits = plain = 0
    for trial in range(150):
        made = world(np.random.default_rng([2, trial]), topical=topical)
        low, high = gain_figure(made).interval
        hits += low <= true <= high
        gains = np.array([gain_of(pair) for pair in made])
        plain += abs(gains.mean() - true) <= 2.2 * gains.std(ddof=1) / np.sqrt(len(gains))
    assert hits / 150 >= 0.91
    if topical:
        assert plain < hits


def test_fits_that_answer_alike_are_told() -> None:
    made = world(np.random.default_rng(3), repetitions=3)
    assert not alike(made) and not alike([])
    still = [tuple(Crossed(t.same, t.away, t.away, t.topics) for t in pair) for pair in made]
    assert alike(still) and gain_figure(still)[:2] == (0.0, 0.0)
    scaled = [
        tuple(Crossed(t.same, (t.away - 0.3) / 0.7, t.away, t.topics) for t in pair)
        for pair in made
    ]
    calibrated = [
        tuple(Crossed(t.same, np.tanh(t.away), t.away, t.topics) for t in pair) for pair in made
    ]
    assert alike(scaled) and alike(calibrated) and not alike([*scaled, made[0]])


def test_too_little_to_go_by() -> None:
    made = world(np.random.default_rng(6), repetitions=2)
    one_class = Crossed(np.ones(3, bool), np.zeros(3), np.zeros(3), np.zeros((3, 2), int))
    assert gain_figure([]) is None and gain_figure([(one_class, one_class)]) is None
    only = gain_figure([made[0], (made[1][0], one_class)])
    assert only.error is None and only.value == pytest.approx(gain_of(made[0]))
