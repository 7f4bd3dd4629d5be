"""Runs nested in methods: the difference between two methods, and how often one is found where there is none."""

import numpy as np
import pytest
from benchmarks.study_nested import method, rates, world

from ravenbench.metrics.pan import auc_of_scores
from ravenbench.statistics.estimates import estimate
from ravenbench.tasks.run.variants import Runs, difference, mean_of, p_of, runs_of


@pytest.fixture(scope="module")
def drawn_world():
    return world(np.random.default_rng(1), 30, 2, 100)


def test_a_method_is_the_mean_of_its_runs_over_folds(drawn_world) -> None:
    same, easy, drawn = drawn_world
    rng = np.random.default_rng(2)
    scores = [
        [e + rng.normal(size=len(e)) + t for t, e in zip(same, easy, strict=True)] for _ in range(3)
    ]
    runs = runs_of(same, scores)
    by_hand = [
        np.mean([auc_of_scores(t, s) for t, s in zip(same, run, strict=True)]) for run in scores
    ]
    assert runs.values == pytest.approx(by_hand)
    auc, share = mean_of(runs, drawn)
    assert (
        auc.value == pytest.approx(np.mean(by_hand))
        and auc.interval[0] < auc.value < auc.interval[1]
    )
    assert 0 < share < 1
    assert difference(runs, runs, drawn).value == 0


def test_without_a_spread_between_runs_the_variance_is_that_over_problems(drawn_world) -> None:
    same, easy, drawn = drawn_world
    one, other = (
        method(np.random.default_rng(k), same, easy, 1, 0.0, 0.5, 0.3 * k) for k in (1, 2)
    )
    alone = estimate(0.0, one.effects[0] - other.effects[0], *drawn)
    assert difference(one, other, drawn).error == pytest.approx(alone.error)
    thrice = [Runs(np.repeat(m.values, 3), np.repeat(m.effects, 3, axis=0)) for m in (one, other)]
    assert difference(*thrice, drawn).error == pytest.approx(alone.error)
    assert mean_of(one, drawn)[1] is None and mean_of(thrice[0], drawn)[1] == pytest.approx(0)


def test_one_run_borrows_the_spread_unless_it_draws_nothing(drawn_world) -> None:
    same, easy, drawn = drawn_world
    rng = np.random.default_rng(3)
    several, single = method(rng, same, easy, 4, 0.3, 0.3), method(rng, same, easy, 1, 0.3, 0.3)
    fixed = Runs(single.values, single.effects, fixed=True)
    assert difference(several, single, drawn).error > difference(several, fixed, drawn).error
    assert p_of(difference(single, several, drawn)) == pytest.approx(
        p_of(difference(several, single, drawn))
    )


def test_methods_that_differ_by_seeds_alone_are_rarely_told_apart() -> None:
    false = rates(250, (5, 5), 0.3, 0.3, problems=60, authors=20)
    assert false["found"] <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 250), "false alarms"
    assert false["one run each"] > 0.4, "one run of each is no evidence about methods"
    assert rates(60, (5, 5), 0.1, 0.7, gain=0.6, problems=60, authors=20)["found"] > 0.7
