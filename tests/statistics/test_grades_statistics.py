"""Agreement of graders and rank correlation, against published and independent figures."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from ravenbench.statistics.ranks import rank_correlation
from ravenbench.tasks.safety.readers import alpha_interval, ordinal_alpha

N = np.nan
# Krippendorff 2011, section C: four observers, twelve units, missing data; section E gives ordinal alpha 0.815.
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]


def test_the_published_example():
    assert ordinal_alpha(PUBLISHED) == pytest.approx(0.815, abs=0.0005)
    low, high = alpha_interval(PUBLISHED)
    assert low < 0.815 < high <= 1


def test_only_the_order_of_grades_counts():
    renamed = np.array([N, 1, 10, 11, 50, 99])[np.nan_to_num(np.array(PUBLISHED)).astype(int)]
    assert ordinal_alpha(renamed) == pytest.approx(ordinal_alpha(PUBLISHED))


def test_extremes():
    assert ordinal_alpha([[1, 2, 3, 5], [1, 2, 3, 5]]) == pytest.approx(1)
    assert ordinal_alpha([[1, 5, 1, 5], [5, 1, 5, 1]]) < -0.5
    assert ordinal_alpha([[1, 2, N], [N, N, 3]]) is None
    assert ordinal_alpha([[3, 3], [3, 3]]) is None
    assert alpha_interval([[1, 2, 3, 5], [1, 2, 3, 4]]) is None
    rng = np.random.default_rng(0)
    assert abs(ordinal_alpha(rng.integers(1, 6, (2, 4000)))) < 0.05


def test_rank_correlation_is_spearmans_with_ties():
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 6, 40), rng.integers(0, 4, 40)
    found = rank_correlation(x, x + y, np.arange(40))
    assert found.rho == pytest.approx(spearmanr(x, x + y).statistic)
    low, high = found.interval
    assert low < found.rho < high


def test_one_draw_weighs_as_repeating_does():
    from ravenbench.statistics.ranks import _rho

    x, y, times = np.array([1.0, 4, 2, 2]), np.array([2.0, 1, 1, 5]), np.array([2, 1, 0, 3])
    repeated = spearmanr(np.repeat(x, times), np.repeat(y, times)).statistic
    assert _rho(x, y, times[None].astype(float))[0] == pytest.approx(repeated)


def test_groups_widen_the_interval():
    rng = np.random.default_rng(2)
    shared = rng.normal(size=12)
    x = np.repeat(shared, 5) + 0.01 * rng.normal(size=60)
    y = np.repeat(shared + rng.normal(size=12), 5)
    alone, grouped = (rank_correlation(x, y, g).interval for g in (np.arange(60), np.repeat(np.arange(12), 5)))
    assert grouped[1] - grouped[0] > 1.5 * (alone[1] - alone[0])


def test_what_says_nothing_has_no_correlation():
    assert rank_correlation([1, 1, 1], [1, 2, 3], [0, 1, 2]).rho is None
    few = rank_correlation([1, 2, 3], [1, 2, 3], [0, 1, 2])
    assert (few.rho, few.interval, few.pairs) == (pytest.approx(1), None, 3)
