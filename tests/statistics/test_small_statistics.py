from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from ravenbench.statistics.estimates import detectable, overlap_share, pool_mean
from ravenbench.statistics.ranks import (
    average_ranks,
    holm,
    mean_ranks,
    ranking_stability,
    stars,
    t_test,
    tie_groups,
)
from ravenbench.statistics.resampling import AnsweredProblems, randomization_test


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == pytest.approx([1, 1])
    assert holm([]).tolist() == []


def test_stars() -> None:
    assert [stars(p) for p in (0.0005, 0.001, 0.01, 0.05, None)] == ["***", "**", "*", "=", "n/a"]


def test_systems_of_one_group_share_the_rank_of_the_first() -> None:
    apart = np.ones((5, 5), dtype=bool)
    apart[1, 2] = apart[2, 1] = False
    assert tie_groups([0.9, 0.8, 0.7, 0.6, 0.5], apart).tolist() == [1, 2, 2, 4, 5]


def test_tie_groups_cut_only_where_everything_is_separated() -> None:
    apart = np.array([[0, 0, 1, 1], [0, 0, 0, 1], [1, 0, 0, 1], [1, 1, 1, 0]], dtype=bool)
    assert tie_groups([0.9, 0.8, 0.7, 0.1], apart).tolist() == [1, 1, 1, 4]
    assert tie_groups([0.1, 0.9, 0.8, np.nan], ~np.eye(4, dtype=bool)).tolist() == [3, 1, 2, 4]


def test_equal_systems_are_seldom_separated() -> None:
    false = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        same = rng.random(200) < 0.5
        systems = [
            AnsweredProblems(v, v) for v in np.clip(same * 0.4 + rng.random((5, 200)) * 0.6, 0, 1)
        ]
        pairs = [(i, j) for i in range(5) for j in range(i)]
        p = holm([randomization_test(same, systems[i], systems[j], "accuracy") for i, j in pairs])  # type: ignore[arg-type]
        false += bool((p <= 0.05).any())
    assert false <= 8


def test_t_test_and_where_it_is_undefined() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(0, 1, 10), rng.normal(0.4, 2, 50)
    assert t_test(a, b) == pytest.approx(stats.ttest_ind(a, b).pvalue, rel=1e-12)
    assert t_test([1.0], [2.0, 3.0]) == pytest.approx(0.3333333)
    assert (
        t_test([1, 1], [1, 1])
        is t_test([1, 1], [2, 2])
        is t_test([1.0], [2.0])
        is t_test([], [1, 2, 3])
        is None
    )


def test_ranks_and_stability() -> None:
    assert average_ranks([0.9, 0.5, 0.9]).tolist() == [1.5, 3, 1.5]
    assert mean_ranks([[0.9, 0.1], [0.2, 0.3]]).tolist() == [1.5, 1.5]
    folds = np.array([[0.9, 0.8, 0.1], [0.5, 0.6, 0.2], [0.3, 0.3, 0.3]])
    got = ranking_stability(folds)
    assert got == (pytest.approx(stats.spearmanr(folds[0], folds[1]).statistic), 1, 2)
    assert ranking_stability([[1.0, 1.0]]).rho is None


def test_pool_mean() -> None:
    assert pool_mean([0.1]) == (pytest.approx(0.1), None, None, None, None)
    alone = pool_mean([0.1, 0.2, 0.0])
    assert alone.p == pytest.approx(stats.ttest_1samp([0.1, 0.2, 0.0], 0).pvalue)
    pools = [[1, 2], [2, 3], [3, 1]]
    assert overlap_share(pools) == 0.5
    shared = pool_mean([0.1, 0.2, 0.0], pools, part=1)
    assert shared.error == pytest.approx(0.1 * np.sqrt(1 / 3 + 1))
    assert pool_mean([0.1, 0.2, 0.0], pools).error == pytest.approx(
        0.1 * np.sqrt(1 / 3 + 0.05 / 0.95)
    )
    assert pool_mean([0.1, 0.2], [[1], [1]]).interval is None


def test_pool_mean_covers_the_truth_beyond_the_corpus() -> None:
    """Differences are means of topic effects; pools are random halves of the topics at hand."""
    hits, naive = 0, 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        effect = rng.normal(0.5, 1, 40)
        pools = [rng.choice(40, 20, replace=False).tolist() for _ in range(12)]
        values = [effect[pool].mean() for pool in pools]
        low, high = pool_mean(values, pools, part=1).interval or (1, 0)
        hits += low <= 0.5 <= high
        low, high = pool_mean(values).interval or (1, 0)
        naive += low <= 0.5 <= high
    assert hits / 300 >= 0.93
    assert naive / 300 < 0.7


def test_detectable_has_the_stated_power() -> None:
    rng = np.random.default_rng(0)
    size = detectable(2.0, 12)
    assert size is not None
    found = stats.ttest_1samp(rng.normal(size, 2.0, (4000, 12)), 0, axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.03)
    assert detectable(1.0, 1) is None
    assert (detectable(1.0, 9, correlation=0.5) or 0) > (detectable(1.0, 9) or 9)


def test_overlap_is_the_mean_share_of_topics_in_common() -> None:
    pools = [[1, 2, 3], [3, 4], [5, 6, 1, 2], [9]]
    shares = [len({*a} & {*b}) / min(len(a), len(b)) for a, b in combinations(pools, 2)]
    assert overlap_share(pools) == pytest.approx(np.mean(shares))
    assert overlap_share([[1, 2]]) == 0.0
