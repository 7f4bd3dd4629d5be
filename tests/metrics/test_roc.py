from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenbench.errors import InputError
from ravenbench.metrics.pan import auc
from ravenbench.metrics.roc import Curve, curve, hull


def random_curves(
    n: int, systems: int, steps: int, seed: int
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    same = rng.random(n) < 0.5
    same[:2] = True, False
    return same, {f"s{i}": np.round(rng.random(n) * steps) / steps for i in range(systems)}


def brute_height(points: set[tuple[float, float]], x: float) -> float:
    """Highest point over x on any segment between two of the points."""
    best = 0.0
    for ax, ay in points:
        for bx, by in points:
            if ax <= x <= bx:
                best = (
                    max(best, ay, by)
                    if ax == bx
                    else max(best, ay + (by - ay) * (x - ax) / (bx - ax))
                )
    return best


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 25), st.integers(1, 4), st.sampled_from([2, 5, 100]), st.integers(0, 9999))
def test_hull_equals_brute_force(n: int, systems: int, steps: int, seed: int) -> None:
    same, values = random_curves(n, systems, steps, seed)
    curves = {name: c for name, v in values.items() if (c := curve(same, v)) is not None}
    found = hull(curves)
    points = {p for c in curves.values() for p in zip(c.fpr.tolist(), c.tpr.tolist(), strict=True)}
    for x in np.unique([p[0] for p in points]):
        inside = float(
            np.max(found.tpr[found.fpr == x], initial=np.interp(x, found.fpr, found.tpr))
        )
        assert inside == pytest.approx(brute_height(points, x))
    assert (found.fpr[0], found.tpr[0], found.fpr[-1], found.tpr[-1]) == (0, 0, 1, 1)
    for x, y, threshold, name in zip(
        found.fpr, found.tpr, found.threshold, found.owner, strict=True
    ):
        if name is not None:
            v = values[name] >= threshold
            assert (v[~same].mean(), v[same].mean()) == pytest.approx((x, y))
    assert {s.system for s in found.stretches} == {o for o in found.owner[1:-1] if o is not None}


@settings(deadline=None)
@given(st.integers(2, 40), st.sampled_from([2, 100]), st.integers(0, 9999))
def test_area_by_trapezoids_is_the_rank_statistic(n: int, steps: int, seed: int) -> None:
    same, values = random_curves(n, 1, steps, seed)
    c = curve(same, values["s0"])
    assert c is not None
    assert np.trapezoid(c.tpr, c.fpr) == pytest.approx(auc(same, values["s0"]))


def test_operating_point_follows_costs() -> None:
    same = np.array([True] * 4 + [False] * 4)
    careful = np.array([0.9, 0.8, 0.2, 0.1, 0.3, 0.3, 0.3, 0.3])
    bold = np.array([0.7, 0.7, 0.7, 0.7, 0.8, 0.8, 0.2, 0.1])
    both = hull({"careful": curve(same, careful), "bold": curve(same, bold)})  # type: ignore[dict-item]
    assert [tuple(s) for s in both.stretches] == [("careful", 0.0, 0.0), ("bold", 0.5, 0.5)]
    assert both.operating_point(cost_false_same=10).system == "careful"
    cheap = both.operating_point(cost_false_different=10)
    assert (cheap.system, cheap.threshold, cheap.fpr, cheap.tpr) == ("bold", 0.7, 0.5, 1.0)
    assert both.auc == pytest.approx(0.5 * 0.75 + 0.5)
    with pytest.raises(InputError, match="operating point"):
        both.operating_point(same_share=1)


def test_hull_of_chance_is_the_diagonal_and_owned_by_nobody() -> None:
    same = np.array([True, False])
    found = hull({"x": curve(same, np.array([0.5, 0.5]))})  # type: ignore[dict-item]
    assert (found.auc, found.stretches) == (0.5, [])


def test_curves_must_belong_together() -> None:
    one = Curve(np.array([0, 1]), np.array([0, 1]), np.array([np.inf, 0]), 1, 1)
    two = Curve(np.array([0, 2]), np.array([0, 1]), np.array([np.inf, 0]), 2, 1)
    with pytest.raises(InputError, match="same problems"):
        hull({"a": one, "b": two})
    assert curve([True, True], [0.1, 0.2]) is None
