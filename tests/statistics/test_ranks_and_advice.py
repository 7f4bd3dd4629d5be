"""Stars that can be reached, ties that no list cuts, and advice on pools that can be followed."""

from __future__ import annotations

import numpy as np
import pytest

from ravenbench.ext.site.boards import Board, BoardStanding
from ravenbench.randomness import Draws
from ravenbench.reports.view import Number
from ravenbench.sampling import draw_pools, more_pools
from ravenbench.statistics.resampling import TRIALS, AnsweredProblems, randomization_test
from ravenbench.tasks.evaluate.analysis import most_trials


def answers(right: int, n: int = 400) -> tuple[np.ndarray, AnsweredProblems]:
    same = np.arange(n) % 2 == 0
    value = np.where(np.arange(n) < right, same, ~same) * 0.8 + 0.1
    return same, AnsweredProblems(value, value)


def test_three_stars_can_be_reached_with_as_many_pairs_as_there_are() -> None:
    same, good = answers(360)
    _, poor = answers(150)
    systems = 13
    pairs = systems * (systems - 1) // 2
    plain = randomization_test(same, good, poor, "c@1")
    more = randomization_test(same, good, poor, "c@1", most=most_trials(systems))
    assert plain is not None and more is not None
    assert (
        plain * pairs == pytest.approx(pairs / (TRIALS + 1))
        and plain * pairs > 0.001 > more * pairs
    )
    flipped = good.value.copy()
    flipped[338:378] = 1 - flipped[338:378]
    near = AnsweredProblems(flipped, flipped)
    p = randomization_test(same, good, near, "c@1")
    assert (
        p is not None and p > 0.01 and randomization_test(same, good, near, "c@1", most=10**6) == p
    )


DESIGNS = [
    (60, 10, 5, 0.5),
    (60, 30, 5, 0.5),
    (40, 20, 5, 0.5),
    (60, 20, 5, 0.9),
    (30, 18, 10, 0.5),
]


@pytest.mark.parametrize(("topics", "m", "folds", "share"), DESIGNS)
def test_what_is_advised_can_be_drawn(topics: int, m: int, folds: int, share: float) -> None:
    for fixed in (False, True):
        found = more_pools(topics, m, folds, share, fixed=fixed)
        assert found is not None
        given = dict(zip(found.split()[::2], found.split()[1::2], strict=True))
        chosen = int(given.get("--topics", m))
        pools = draw_pools(
            topics, chosen, int(given["--pools"]), float(given.get("--pool-share", share)), Draws()
        )
        assert (
            len(pools) == 10
            and all(max(chosen, 14) < len(pool) < topics for pool in pools)
            and chosen >= folds
        )


def test_none_is_advised_where_none_can_be_drawn() -> None:
    assert (
        more_pools(5, 5, 5, 0.5) is None
        and more_pools(5, 4, 4, 0.5) is None
        and more_pools(0, 0, 0, 0.5) is None
    )
    # Ten pools of ten of twenty topics are nearly alike, and each leaves hardly a choice.
    assert more_pools(20, 20, 5, 0.5) is None and more_pools(20, 9, 5, 0.5) is None


def board(ranks: list[int | None], values: list[float]) -> Board:
    both = enumerate(zip(ranks, values, strict=True))
    standings = tuple(
        BoardStanding(f"s{i}", rank, {"c@1": Number(value)}) for i, (rank, value) in both
    )
    return Board("k", "t", "run", "c@1", 1, 1, standings, {}, {})


def test_the_first_page_cuts_no_tie() -> None:
    assert len(board([1, 2, 3, 3, 5, 5, 5, 8, None], [0.9] * 9).leaders) == 7
    assert len(board([None] * 7, [0.9, 0.8, 0.7, 0.6, 0.5, 0.5, 0.4]).leaders) == 6
    assert board([], []).leaders == []
