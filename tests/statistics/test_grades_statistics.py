"""Agreement of graders, against published figures."""

import numpy as np
import pytest

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
